import errno
import os

import pytest

from paitui.reading import open_file


def test_what_need_never_end_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name, code in (("pipe", errno.EINVAL), ("zero", errno.EINVAL), ("", errno.EISDIR)):
        with pytest.raises(OSError) as refused:
            open_file(tmp_path / name)
        assert refused.value.errno == code


def test_files_and_the_null_device_are_read(tmp_path):
    (tmp_path / "file").write_bytes(b"text")
    (tmp_path / "null").symlink_to(os.devnull)
    for name, content in (("file", b"text"), ("null", b"")):
        with open_file(tmp_path / name) as file:
            assert file.read() == content

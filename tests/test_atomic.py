import errno
import os
import stat

import pytest

from paitui import atomic
from paitui.atomic import make_folder, sync_folder, write_all, write_atomic
from tests.stubs.faulty_disk import FaultyDisk


@pytest.fixture
def disk(monkeypatch):
    disk = FaultyDisk()
    monkeypatch.setattr(atomic, "os", disk)
    return disk


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_and_its_folders_are_for_the_owner_alone(tmp_path):
    path = tmp_path / "a" / "b" / "file.json"
    write_atomic(path, b"{}")
    assert path.read_bytes() == b"{}"
    assert mode(path) == 0o600
    assert mode(path.parent) == mode(path.parent.parent) == 0o700


def test_a_replaced_file_is_for_the_owner_alone_whatever_it_was(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o644)
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert mode(path) == 0o600


def test_a_folder_that_exists_keeps_its_mode(tmp_path):
    folder = tmp_path / "shared"
    folder.mkdir(mode=0o755)
    make_folder(folder)
    assert mode(folder) == 0o755


def test_a_file_in_the_place_of_a_folder_is_an_error(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileExistsError):
        make_folder(tmp_path / "file")
    with pytest.raises(OSError):
        write_atomic(tmp_path / "file" / "below", b"x")


def test_short_writes_are_continued(tmp_path, monkeypatch):
    class Slow:
        def __getattr__(self, name):
            return getattr(os, name)

        @staticmethod
        def write(fd, data):
            return os.write(fd, bytes(data)[:3])

    monkeypatch.setattr(atomic, "os", Slow())
    write_atomic(tmp_path / "file", b"0123456789")
    assert (tmp_path / "file").read_bytes() == b"0123456789"


def test_every_failing_operation_leaves_the_old_bytes_or_the_new_ones(tmp_path, disk):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    write_atomic(tmp_path / "other", b"count")
    steps = disk.total
    assert steps >= 7  # mkdir, open, write, fsync, replace, and open and fsync of the folder
    (tmp_path / "other").unlink()
    outcomes = set()
    for nth in range(1, steps + 1):
        for code in (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS):
            path.write_bytes(b"old")
            disk.fail_at(nth, code)
            before = disk.failed
            try:
                write_atomic(path, b"new")
            except OSError as error:
                assert error.errno == code
            assert disk.failed == before + 1
            outcomes.add(path.read_bytes())
            disk.mend()
            assert [p.name for p in tmp_path.iterdir()] == ["file"]
            write_atomic(path, b"newer")
            assert path.read_bytes() == b"newer"
    assert outcomes == {b"old", b"new"}


def test_new_bytes_are_on_the_disk_before_they_take_the_name(tmp_path, monkeypatch):
    order = []

    class Watched(FaultyDisk):
        def __getattr__(self, name):
            if name in ("fsync", "replace"):
                order.append(name)
            return super().__getattr__(name)

    monkeypatch.setattr(atomic, "os", Watched())
    write_atomic(tmp_path / "file", b"new")
    assert order == ["fsync", "replace", "fsync"]


def test_a_real_full_device_is_an_error():
    fd = os.open("/dev/full", os.O_WRONLY)
    try:
        with pytest.raises(OSError) as caught:
            write_all(fd, b"x")
    finally:
        os.close(fd)
    assert caught.value.errno == errno.ENOSPC


@pytest.mark.parametrize(("code", "tolerated"), [(errno.EINVAL, True), (errno.EIO, False)])
def test_a_system_without_folder_flush_is_tolerated_and_a_broken_disk_is_not(tmp_path, disk, code, tolerated):
    disk.fail_always(code, "fsync")
    if tolerated:
        sync_folder(tmp_path)
    else:
        with pytest.raises(OSError):
            sync_folder(tmp_path)
    assert disk.failed == 1

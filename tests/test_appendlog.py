import errno
import json
import os
import stat

import pytest

from paitui import appendlog, atomic
from paitui.appendlog import AppendLog, read_lines, read_lines_backwards
from tests.stubs.faulty_disk import FaultyDisk

FIRST, LAST = b'{"n":1,"text":"\xe4\xb8\xad\xe6\x96\x87"}', b'{"n":2,"text":"last"}'


@pytest.fixture
def disk(monkeypatch):
    disk = FaultyDisk()
    monkeypatch.setattr(atomic, "os", disk)
    monkeypatch.setattr(appendlog, "os", disk)
    return disk


@pytest.fixture
def path(tmp_path):
    return tmp_path / "history" / "raw" / "log.jsonl"


def lines(path):
    return [line for _, line in read_lines(path)]


def written(path, *records):
    log = AppendLog(path)
    for record in records:
        log.append(record)
    log.close()


def test_records_are_lines_and_files_are_private(path):
    written(path, FIRST)
    written(path, LAST)
    assert path.read_bytes() == FIRST + b"\n" + LAST + b"\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_one_write_a_record_whatever_the_size_of_the_file(path, disk):
    log = AppendLog(path)
    log.append(FIRST)
    costs = []
    for _ in range(2_000):
        before, written_before = disk.total, disk.bytes_written
        log.append(LAST)
        costs.append((disk.total - before, disk.bytes_written - written_before))
    assert set(costs) == {(1, len(LAST) + 1)}
    log.close()


def test_a_record_with_a_line_break_is_refused(path):
    with pytest.raises(ValueError):
        AppendLog(path).append(b'{"a":\n1}')
    assert not path.exists()


@pytest.mark.parametrize("length", range(len(LAST) + 1))
def test_a_tail_torn_anywhere_is_kept_aside_and_swallows_nothing(path, length):
    written(path, FIRST, LAST)
    path.write_bytes(path.read_bytes()[: len(FIRST) + 1 + length])
    assert lines(path) == [FIRST]
    log = AppendLog(path)
    log.append(b"{}")
    log.close()
    assert lines(path) == [FIRST, b"{}"]
    if length:
        (kept,) = log.set_aside
        assert kept.name == "log.jsonl.torn-1"
        assert kept.read_bytes() == LAST[:length]
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    else:
        assert log.set_aside == []


@pytest.mark.parametrize(
    "tail", [b"not json\n", b"\n", b"\0" * 5_000, b"\0" * 100 + b"\n", b'{"a":"b\n', b"\xff\n\xfe\n"]
)
def test_a_tail_that_is_no_json_is_cut_off_too(path, tail):
    written(path, FIRST)
    with path.open("ab") as file:
        file.write(tail)
    log = AppendLog(path)
    log.append(LAST)
    log.close()
    assert lines(path) == [FIRST, LAST]
    assert log.set_aside[0].read_bytes() == tail


def test_a_second_torn_tail_does_not_overwrite_the_first(path):
    for number in (1, 2):
        with_tail = b'{"cut' + str(number).encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(with_tail)
        written(path, FIRST)
        assert path.with_name(f"log.jsonl.torn-{number}").read_bytes() == with_tail
    assert lines(path) == [FIRST, FIRST]


def test_a_whole_file_without_any_line_is_kept_aside(path):
    path.parent.mkdir(parents=True)
    path.write_bytes(b"x" * 200_000)
    written(path, FIRST)
    assert lines(path) == [FIRST]
    assert path.with_name("log.jsonl.torn-1").stat().st_size == 200_000


def test_reading_changes_nothing(path):
    written(path, FIRST)
    with path.open("ab") as file:
        file.write(b'{"torn')
    before = path.read_bytes()
    assert lines(path) == [FIRST]
    assert list(read_lines_backwards(path)) == [FIRST]
    assert path.read_bytes() == before
    assert sorted(p.name for p in path.parent.iterdir()) == ["log.jsonl"]


def test_reading_starts_anywhere_and_gives_offsets(path):
    written(path, FIRST, LAST, b"{}")
    found = list(read_lines(path))
    assert [offset for offset, _ in found] == [0, len(FIRST) + 1, len(FIRST) + len(LAST) + 2]
    assert list(read_lines(path, found[1][0])) == found[1:]


def test_backwards_is_forwards_reversed_across_block_borders(path, monkeypatch):
    monkeypatch.setattr(appendlog, "BLOCK_BYTES", 7)
    records = [json.dumps("x" * n).encode() for n in range(40)]
    written(path, *records)
    assert list(read_lines_backwards(path)) == records[::-1]


def test_the_last_line_is_found_without_reading_the_file(path):
    written(path, *[b'"%s"' % (b"x" * 10_000)] * 100, LAST)
    reads = []

    class Counting:
        def __init__(self, file):
            self.file = file

        def read(self, size):
            reads.append(size)
            return self.file.read(size)

        def seek(self, *where):
            return self.file.seek(*where)

    with path.open("rb") as file:
        size = path.stat().st_size
        assert appendlog._line_end_before(Counting(file), size - 1) == size - len(LAST) - 1
    assert sum(reads) <= appendlog.BLOCK_BYTES


@pytest.mark.parametrize("room", range(len(LAST) + 1))
def test_a_full_disk_leaves_the_file_as_it_was(path, disk, room):
    log = AppendLog(path)
    log.append(FIRST)
    disk.room(room)
    with pytest.raises(OSError) as caught:
        log.append(LAST)
    assert caught.value.errno == errno.ENOSPC
    assert path.read_bytes() == FIRST + b"\n"
    disk.mend()
    log.append(LAST)
    log.close()
    assert lines(path) == [FIRST, LAST]
    assert log.set_aside == []


def test_where_the_part_cannot_be_taken_back_it_is_healed_later(path, disk):
    log = AppendLog(path)
    log.append(FIRST)
    disk.room(5)
    disk.fail_always(errno.EIO, "ftruncate")
    with pytest.raises(OSError):
        log.append(LAST)
    assert path.read_bytes() == FIRST + b"\n" + LAST[:5]
    with pytest.raises(OSError):  # still full: the torn part cannot be kept elsewhere, so it stays
        log.append(LAST)
    assert path.read_bytes() == FIRST + b"\n" + LAST[:5]
    disk.mend()
    log.append(LAST)
    log.close()
    assert lines(path) == [FIRST, LAST]
    assert [kept.read_bytes() for kept in log.set_aside] == [LAST[:5]]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS])
def test_every_failing_operation_loses_no_earlier_record_and_heals(tmp_path, monkeypatch, code):
    def run(path, disk, fail_at):
        """Append and sync over a torn tail; give what was acknowledged."""
        written(path, FIRST)
        with path.open("ab") as file:
            file.write(b'{"torn')
        with monkeypatch.context() as patch:
            patch.setattr(atomic, "os", disk)
            patch.setattr(appendlog, "os", disk)
            disk.fail_at(fail_at, code)
            log, done = AppendLog(path), []
            for number in range(3):
                record = b'{"n":%d}' % number
                try:
                    log.append(record)
                except OSError as error:
                    assert error.errno == code
                else:
                    done.append(record)
            try:
                log.sync()
            except OSError as error:
                assert error.errno == code
            disk.mend()
            log.append(LAST)
            log.sync()
            log.close()
        return done

    healthy = FaultyDisk()
    run(tmp_path / "healthy", healthy, 10_000)
    assert healthy.failed == 0
    for nth in range(1, healthy.total - 1):
        disk, path = FaultyDisk(), tmp_path / f"log-{nth}"
        done = run(path, disk, nth)
        assert disk.failed == 1
        assert lines(path) == [FIRST, *done, LAST]
        assert [p.read_bytes() for p in tmp_path.glob(f"log-{nth}.torn-*")] == [b'{"torn']


def test_the_name_of_a_new_file_is_flushed_once(path, disk):
    log = AppendLog(path)
    log.append(FIRST)
    before = disk.calls["fsync"]
    log.sync()
    assert disk.calls["fsync"] == before + 2
    log.sync()
    assert disk.calls["fsync"] == before + 3
    log.close()


def test_sync_before_anything_was_written_is_nothing(path):
    AppendLog(path).sync()
    assert not path.exists()


def test_cut_keeps_the_rest_beside_the_file(path):
    written(path, FIRST, b"[2]", b"[3]")
    log = AppendLog(path)
    kept = log.cut(len(FIRST) + 1)
    log.append(LAST)
    log.close()
    assert lines(path) == [FIRST, LAST]
    assert kept.read_bytes() == b"[2]\n[3]\n"


def test_an_interrupt_in_the_middle_of_a_write_leaves_no_part(path, monkeypatch):
    log = AppendLog(path)
    log.append(FIRST)

    def interrupted(fd, data):
        atomic.os.write(fd, data[:4])
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(appendlog, "write_all", interrupted)
        with pytest.raises(KeyboardInterrupt):
            log.append(LAST)
    log.append(LAST)
    log.close()
    assert lines(path) == [FIRST, LAST]
    assert log.set_aside == []


def test_a_pipe_or_device_in_its_place_is_refused_and_never_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    with pytest.raises(OSError):
        AppendLog(tmp_path / "pipe").append(b"{}")
    for name in ("pipe", "zero"):
        assert list(read_lines_backwards(tmp_path / name)) == []
        with pytest.raises(OSError):
            next(read_lines(tmp_path / name))

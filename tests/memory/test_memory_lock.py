import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from filelock import Timeout
from memory_kill import good as nothing_lost
from memory_kill import run as kill
from memory_race import adding, holding

from paitui.memory.lock import Kind, MemoryLock

HOLD = """
import fcntl, sys
file = open(sys.argv[1], "r+b")
fcntl.lockf(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""
"""Another program that takes a POSIX lock, as Java's FileChannel does."""
TRY = """
import fcntl, sys
try:
    fcntl.lockf(open(sys.argv[1], "r+b"), fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.exit(7)
"""

KINDS: list[Kind] = ["ofd", "posix"]


def other(path: Path, code: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def try_elsewhere(path: Path) -> bool:
    child = other(path, TRY)
    child.communicate()
    assert child.returncode in (0, 7)
    return child.returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_it_excludes_a_posix_lock_and_is_excluded_by_one(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / "lock"
    lock = MemoryLock(path, kind=kind)
    with lock:
        assert lock.is_locked and not try_elsewhere(path)
        with lock:  # re-entrant
            pass
        assert not try_elsewhere(path)
    assert not lock.is_locked and try_elsewhere(path) and path.exists()
    child = other(path, HOLD)
    try:
        assert child.stdout is not None and child.stdout.readline() == b"held\n"
        begun = time.monotonic()
        with pytest.raises(Timeout, match="lock"):
            lock.acquire(timeout=0.1)
        assert 0.1 <= time.monotonic() - begun < 2
        with pytest.raises(Timeout):
            lock.acquire(timeout=0)
    finally:
        child.kill()  # its lock dies with it
        child.communicate()
    with lock.acquire(timeout=5):
        assert not try_elsewhere(path)


def test_a_waiter_that_gave_up_does_not_get_the_lock_later(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = MemoryLock(path, kind="ofd")
    with lock:
        pass
    child = other(path, HOLD)
    assert child.stdout is not None and child.stdout.readline() == b"held\n"
    with pytest.raises(Timeout):
        lock.acquire(timeout=0.05)
    waiting = [thread for thread in threading.enumerate() if thread.name == "memory-lock"]
    assert len(waiting) == 1
    child.communicate(b"")
    waiting[0].join(5)
    assert not waiting[0].is_alive() and try_elsewhere(path)


def test_threads_get_it_in_the_order_they_ask(tmp_path: Path) -> None:
    lock, order = MemoryLock(tmp_path / "lock"), list[int]()
    lock.acquire()

    def run(number: int) -> None:
        with MemoryLock(tmp_path / "lock"):  # another object, the same lock
            order.append(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for number, thread in enumerate(threads):
        thread.start()
        while len(lock._gate._waiting) <= number:
            time.sleep(0.001)
    lock.release()
    for thread in threads:
        thread.join(10)
    assert order == list(range(8))


def test_a_thread_waits_no_longer_than_it_was_told_and_only_the_holder_gives_back(tmp_path: Path) -> None:
    lock, said = MemoryLock(tmp_path / "lock"), list[type[Exception]]()

    def run() -> None:
        for act in (lambda: lock.acquire(timeout=0.05), lambda: lock.acquire(timeout=0), lock.release):
            try:
                act()
            except (Timeout, RuntimeError) as error:
                said.append(type(error))

    with lock:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join(5)
    assert said == [Timeout, Timeout, RuntimeError]
    with lock.acquire(timeout=1) as held:
        assert held is lock


def test_a_lock_file_that_was_deleted_excludes_nobody_and_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    lock = MemoryLock(path)
    child = None
    with lock:
        pass
    child = other(path, HOLD)
    assert child.stdout is not None and child.stdout.readline() == b"held\n"
    taken = threading.Thread(target=lambda: lock.acquire(timeout=10) and lock.release())
    taken.start()
    while not any(thread.name == "memory-lock" for thread in threading.enumerate()):
        time.sleep(0.001)
    path.unlink()
    child.communicate(b"")
    taken.join(10)
    assert not taken.is_alive() and path.exists()


def test_a_folder_that_cannot_be_made_is_an_error_and_blocks_nobody(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    lock = MemoryLock(tmp_path / "file" / "lock")
    for _ in range(2):
        with pytest.raises(OSError):
            lock.acquire(timeout=1)
    assert not lock.is_locked


def test_many_processes_and_threads_lose_nothing(tmp_path: Path) -> None:
    result = adding(tmp_path, processes=4, threads=2, adds=50)
    assert (result["wanted"], result["lost"], result["twice"], result["ids_twice"]) == (400, 0, 0, 0)


def test_eight_writers_take_turns(tmp_path: Path) -> None:
    result = holding(tmp_path, processes=8, seconds=2)
    turns = result["turns"]
    assert isinstance(turns, list) and 2 * turns[0] >= turns[-1], result
    assert float(str(result["longest_wait_ms"])) < 500, result


def test_writers_that_are_killed_lose_nothing_they_confirmed() -> None:
    result = kill(10, seed=3)
    assert result["kills"] == 10 and int(str(result["confirmed"])) > 40
    assert nothing_lost(result), result

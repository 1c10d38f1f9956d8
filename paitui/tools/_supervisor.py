"""Stands between paitui and a command, so that nothing of the command is left running.

Runs as a small program of its own (``python -I -S _supervisor.py``) and imports nothing of paitui. On Linux it is
the reaper of every orphan below it, so a process that starts its own session, or is left in the background, is
still found. It does not touch paitui's other children, which a reaper in the main process would.

Input: the length of the command in bytes, a line break, the command; then the pipe stays open. When it closes, or
anything more arrives, the command is to be ended: so nothing runs on when paitui itself is killed.
Output: the command writes to descriptor 1. The descriptor named by the first argument gets JSON lines: first
``{"pid": …}``; ``{"error": …}`` if it could not be started; at the end ``{"status": …, "left": …, "stuck": …}``.
Two more arguments may name descriptors that the command reads from and writes its errors to; else it has no input,
and its errors go where its output goes.
"""

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import time

GRACE_S = 1.0
"""Between asking a process to end and ending it."""
SETTLE_S = 0.15
"""What is left when the command itself ended may still end by itself for so long, such as the `tee` of a pipe."""
KILL_S = 2.0
"""How long killing is tried."""
GUARD_S = GRACE_S + 0.2
"""How long the guard waits for a supervisor that is to end, before it does that work itself."""
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def main() -> None:
    """Run one command to its end."""
    linux = sys.platform.startswith("linux")
    report = int(sys.argv[1])
    os.set_inheritable(report, False)
    streams = [int(number) for number in sys.argv[2:4]]
    if linux:
        _leave_a_guard(report, streams)
    command = _read_command()
    wake = _wake_on_signals()
    child = _start(command, report, streams)
    _let_go(streams)
    _report(report, Supervision(child, wake, linux).run())


def _leave_a_guard(report: int, streams: list[int]) -> None:
    """Go on in a child of ours; gives there, and never here.

    A command knows the process above it and may kill it. Whatever it has started falls to the next reaper then: to
    the guard, which it does not know, and which ends it.
    """
    prctl = ctypes.CDLL(None).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake = _wake_on_signals()
    supervisor = os.fork()
    if supervisor == 0:
        signal.set_wakeup_fd(-1)
        os.setpgid(0, 0)
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        return
    _let_go(streams)
    guard = Supervision(supervisor, wake, True, guard=True)
    facts = guard.run()
    if facts["status"] != 0:  # It told nothing itself.
        _report(report, {"left": facts["left"], "stuck": facts["stuck"]})
    os._exit(0)


def _wake_on_signals() -> int:
    """Take note of signals; gives a descriptor that can be read when one came."""
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _note)
    return wake_read


def _let_go(streams: list[int]) -> None:
    """Only the command and what it starts may hold its streams open."""
    for stream in streams:
        os.close(stream)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.close(null)


def _note(number: int, frame: object) -> None:
    """The wake-up descriptor says all."""


def _read_command() -> bytes:
    length = b""
    while (byte := os.read(0, 1)) not in (b"\n", b""):
        length += byte
    wanted = int(length or b"0")
    command = b""
    while len(command) < wanted:
        more = os.read(0, wanted - len(command))
        if not more:
            sys.exit(0)  # Cancelled on the way: half a command may mean something else and never runs.
        command += more
    return command


def _report(fd: int, facts: dict[str, object]) -> None:
    try:
        os.write(fd, json.dumps(facts).encode() + b"\n")
    except BrokenPipeError:  # Paitui is gone; there is nobody left to tell.
        return


def _start(command: bytes, report: int, streams: list[int]) -> int:
    """Start the shell in a session of its own, without a terminal."""
    fail_read, fail_write = os.pipe()
    go_read, go_write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.close(go_write)
            os.read(go_read, 1)
            os.dup2(streams[0] if streams else os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(streams[1] if streams else 1, 2)
            for stream in streams:
                os.set_inheritable(stream, False)
            # Python ignores these; a program expects them to act.
            for number in (
                signal.SIGPIPE,
                signal.SIGXFSZ,
                signal.SIGCHLD,
                signal.SIGTERM,
                signal.SIGHUP,
                signal.SIGINT,
            ):
                signal.signal(number, signal.SIG_DFL)
            os.execv("/bin/sh", [b"/bin/sh", b"-c", command])
        except OSError as error:
            os.write(fail_write, (error.strerror or str(error)).encode())
        finally:
            os._exit(127)
    # Its number is told before it runs: a command may begin by killing us, and must be found then.
    _report(report, {"pid": child})
    os.close(go_write)
    os.close(go_read)
    os.close(fail_write)
    why = os.read(fail_read, 1_000)
    os.close(fail_read)
    if why:
        os.waitpid(child, 0)
        _report(report, {"error": why.decode("utf-8", "replace")})
        sys.exit(0)
    return child


class Supervision:
    """Waits for the command, then ends what is left of it.

    The guard waits for the supervisor in the same way, but leaves it the time to do its work.
    """

    def __init__(self, child: int, wake: int, linux: bool, guard: bool = False) -> None:
        self._child = child
        self._guard = guard
        self._linux = linux
        self._status: int | None = None
        self._signals = wake
        self._childless = False
        self._told_to_stop = False
        self._poll = select.poll()
        self._poll.register(wake, select.POLLIN)
        self._poll.register(0, 0 if guard else select.POLLIN)  # What is written there is for the supervisor.

    def run(self) -> dict[str, object]:
        """Do it; gives the final report."""
        while self._status is None and not self._told_to_stop:
            self._wait(None)
        stopped = self._told_to_stop
        if stopped and self._guard:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGCONT)  # The command may have stopped it.
            self._wait_childless(GUARD_S)
            stopped = False
        if not stopped:
            self._wait_childless(SETTLE_S)
        left = 0 if self._nothing_left() else len(self._family())
        if left or stopped:
            self._send(signal.SIGTERM)
            self._send(signal.SIGCONT)  # A stopped process cannot end before it goes on.
            self._wait_childless(GRACE_S)
        end = time.monotonic() + KILL_S
        while not self._nothing_left() and time.monotonic() < end:
            self._send(signal.SIGKILL)
            self._wait(0.02)
        stuck = 0 if self._nothing_left() else len(self._family())
        return {"status": self._status, "left": 0 if stopped else left, "stuck": stuck}

    def _wait(self, seconds: float | None) -> None:
        for fd, _ in self._poll.poll(None if seconds is None else max(0.0, seconds * 1000)):
            if fd == 0:
                self._told_to_stop = True
                self._poll.unregister(0)
            elif set(os.read(self._signals, 4096)) - {signal.SIGCHLD}:
                self._told_to_stop = True
        self._reap()

    def _wait_childless(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while not self._nothing_left() and (rest := end - time.monotonic()) > 0:
            # A group's members that are no children of ours (no reaper) do not wake us.
            self._wait(rest if self._linux else min(rest, 0.02))

    def _reap(self) -> None:
        try:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == 0:
                    return
                if pid == self._child:
                    self._status = os.waitstatus_to_exitcode(status)
        except ChildProcessError:
            self._childless = True

    def _nothing_left(self) -> bool:
        if self._linux:
            return self._childless
        try:
            os.killpg(self._child, 0)
        except ProcessLookupError:
            return self._childless
        except PermissionError:
            return False
        return False

    def _family(self) -> list[int]:
        """Every process below this one; without /proc, the command's own group stands for it."""
        if not self._linux:
            return [self._child]
        parents: dict[int, list[int]] = {}
        for name in os.listdir("/proc"):
            if not name.isdigit():
                continue
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    facts = file.read().rpartition(b")")[2].split()
            except OSError:  # It ended while we looked.
                continue
            if facts[0] not in (b"Z", b"X"):
                parents.setdefault(int(facts[1]), []).append(int(name))
        found: list[int] = []
        todo = [os.getpid()]
        while todo:
            below = parents.get(todo.pop(), [])
            found += below
            todo += below
        return found

    def _send(self, number: int) -> None:
        if not self._linux:
            try:
                os.killpg(self._child, number)
            except (ProcessLookupError, PermissionError):
                return
            return
        for pid in self._family():
            try:
                os.kill(pid, number)
            except (ProcessLookupError, PermissionError):
                continue


if __name__ == "__main__":
    main()

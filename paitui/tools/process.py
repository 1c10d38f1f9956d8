"""Running one command under its supervisor: output as it comes, an end in time, nothing left behind."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SUPERVISOR = Path(__file__).with_name("_supervisor.py")
"""The program that stands between us and a command."""
_CHUNK = 128 * 1024
_STOP_S = 1.4
"""After this the supervisor is no longer waited for: its own grace is 1 s, and killing takes a moment."""
_DRAIN_S = 0.5
"""How long output is awaited that was written before the end."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int = 0
    """Exit status; negative: ended by this signal."""
    timed_out: bool = False
    left: int = 0
    """Processes that it left running; they were ended."""
    stuck: int = 0
    """Processes that could not be ended (they belong to another user)."""


class NotStarted(Exception):
    """The command could not be started; the text says why."""


def supported() -> bool:
    """Whether commands can be run here."""
    return os.name == "posix" and bool(sys.executable)


async def run_command(
    command: str,
    folder: Path,
    environment: Mapping[str, str],
    timeout_s: float,
    on_output: Callable[[bytes], None],
) -> Ended:
    """Run a command line in `/bin/sh`.

    Args:
        command: The command line.
        folder: Where it runs.
        environment: Its whole environment.
        timeout_s: Seconds after which it is ended.
        on_output: Gets output and error output, in the order written.

    Returns:
        How it ended. Nothing of it runs any more, then and after a cancel.

    Raises:
        NotStarted: It could not be started.
    """
    run = _Run(on_output)
    timed_out = False
    try:
        await run.start(command, folder, environment)
        await asyncio.wait_for(run.ended.wait(), timeout_s)
    except TimeoutError:
        timed_out = True
    finally:
        await _whatever_happens(run.close())
    if error := run.facts.get("error"):
        raise NotStarted(str(error))
    status = run.facts.get("status")
    return Ended(
        code=status if isinstance(status, int) else -signal.SIGKILL,
        timed_out=timed_out,
        left=int(str(run.facts.get("left", 0))),
        stuck=int(str(run.facts.get("stuck", 0))),
    )


async def _whatever_happens(ending: Coroutine[Any, Any, None]) -> None:
    """Wait for something that must be done even if this task is cancelled, once or many times."""
    task = asyncio.ensure_future(ending)
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError


class _Run:
    """The pipes to one supervisor."""

    def __init__(self, on_output: Callable[[bytes], None]) -> None:
        self._on_output = on_output
        self._process: subprocess.Popen[bytes] | None = None
        self._output = self._reports = -1
        self._report = b""
        self._output_ended = asyncio.Event()
        self.ended = asyncio.Event()
        """Set when the supervisor is gone."""
        self.facts: dict[str, object] = {}
        """What it reported."""

    async def start(self, command: str, folder: Path, environment: Mapping[str, str]) -> None:
        theirs: list[int] = []
        try:
            self._output, output = os.pipe()
            theirs.append(output)
            self._reports, reports = os.pipe()
            theirs.append(reports)
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SUPERVISOR), str(reports)],
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.DEVNULL,
                pass_fds=(reports,),
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise NotStarted(error.strerror or str(error)) from error
        finally:
            for fd in theirs:
                os.close(fd)
        loop = asyncio.get_running_loop()
        for fd, read in ((self._output, self._read_output), (self._reports, self._read_report)):
            os.set_blocking(fd, False)
            loop.add_reader(fd, read)
        data = command.encode("utf-8", "surrogateescape")
        await asyncio.to_thread(self._send, b"%d\n%b" % (len(data), data))

    def _send(self, data: bytes) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        with suppress(BrokenPipeError):  # It is gone already; its report, or the lack of one, tells.
            view = memoryview(data)
            while view:
                view = view[process.stdin.write(view) :]

    def _read_output(self) -> None:
        if (data := _read(self._output)) is None:
            return
        if data:
            self._on_output(data)
        else:
            asyncio.get_running_loop().remove_reader(self._output)
            self._output_ended.set()

    def _read_report(self) -> None:
        if (data := _read(self._reports)) is None:
            return
        self._report += data
        *lines, self._report = self._report.split(b"\n")
        for line in lines:
            self.facts |= json.loads(line)
        if not data:
            asyncio.get_running_loop().remove_reader(self._reports)
            self.ended.set()

    async def close(self) -> None:
        """End what still runs, take the rest of the output, free everything."""
        process = self._process
        try:
            if process is not None:
                await self._end(process)
        finally:
            loop = asyncio.get_running_loop()
            for fd in (self._output, self._reports):
                if fd >= 0:
                    loop.remove_reader(fd)
                    os.close(fd)

    async def _end(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin is not None:
            process.stdin.close()  # The sign to end everything.
        process.send_signal(signal.SIGCONT)  # The command may have stopped its supervisor.
        if not await _within(self.ended, _STOP_S):
            # It hangs: then at least the command's own group goes with it.
            process.kill()
        await asyncio.to_thread(process.wait)
        pid = self.facts.get("pid")
        if "status" not in self.facts and isinstance(pid, int):
            with suppress(ProcessLookupError):
                os.killpg(pid, signal.SIGKILL)
        await _within(self._output_ended, _DRAIN_S)


async def _within(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True


def _read(fd: int) -> bytes | None:
    """What can be read now; None if nothing is there after all."""
    try:
        return os.read(fd, _CHUNK)
    except BlockingIOError:
        return None

"""A server's process under the supervisor of commands, so that nothing of it outlives its connection or paitui."""

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from paitui.tools.process import SUPERVISOR, NotStarted

_CHUNK = 64 * 1024
_GRACE_S = 0.5
"""How long a server may take to end by itself after its input was closed."""
_STOP_S = 3.0
"""After this the supervisor is no longer waited for; it kills after a second, and its guard soon after."""


class ServerProcess:
    """One running server: lines in, bytes out, its error output to a log.

    Lives in one event loop. `close` ends the server and all that it started.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", write: int, read: int, errors: int, reports: int) -> None:
        self._process = process
        self._input: int = write
        self._output, self._errors, self._reports = read, errors, reports
        self._report = b""
        self._tasks: list[asyncio.Task[None]] = []

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        on_error_output: Callable[[bytes], None],
    ) -> "ServerProcess":
        """Start a server.

        Args:
            command: Program and arguments; no shell reads them.
            folder: Where it runs.
            environment: Its whole environment.
            on_error_output: Gets what it writes to its error output.

        Raises:
            NotStarted: It could not be started; the text says why.
        """
        if not shutil.which(command[0], path=environment.get("PATH")) and not (folder / command[0]).is_file():
            raise NotStarted(os.strerror(2))
        theirs: list[int] = []
        ours: list[int] = []
        try:
            for writes in (True, False, False, False):  # input, output, errors, reports
                read, write = os.pipe()
                ours.append(write if writes else read)
                theirs.append(read if writes else write)
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", str(SUPERVISOR), str(theirs[3]), str(theirs[0]), str(theirs[2])],
                stdin=subprocess.PIPE,
                stdout=theirs[1],
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs[3], theirs[0], theirs[2]),
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            for fd in ours:
                os.close(fd)
            raise NotStarted(error.strerror or str(error)) from error
        finally:
            for fd in theirs:
                os.close(fd)
        for fd in ours:
            os.set_blocking(fd, False)
        server = cls(process, *ours)
        server._tasks = [asyncio.create_task(server._watch_errors(on_error_output))]
        line = f"exec {shlex.join(command)}".encode("utf-8", "surrogateescape")
        await asyncio.to_thread(server._tell_supervisor, b"%d\n%b" % (len(line), line))
        return server

    def _tell_supervisor(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            view = memoryview(data)
            while view:
                view = view[self._process.stdin.write(view) :]

    async def _watch_errors(self, on_error_output: Callable[[bytes], None]) -> None:
        async for data in _chunks(self._errors):
            on_error_output(data)
            await asyncio.sleep(0.002)  # a flood waits in its pipe, not in our memory

    async def output(self) -> AsyncIterator[bytes]:
        """Give what it writes, piece by piece, until it writes no more."""
        async for data in _chunks(self._output):
            yield data

    async def send(self, data: bytes) -> None:
        """Write to its input; waits while it does not read.

        Raises:
            BrokenPipeError: It is gone.
        """
        view = memoryview(data)
        while view:
            if self._input < 0:
                raise BrokenPipeError
            try:
                view = view[os.write(self._input, view) :]
            except BlockingIOError:
                await _ready(self._input, writing=True)

    async def close(self) -> None:
        """End the server: its input is closed; soon after, all that still runs of it is ended."""
        ending = asyncio.ensure_future(self._end())
        cancelled = False
        while not ending.done():
            try:
                await asyncio.shield(ending)
            except asyncio.CancelledError:  # it is ended whatever happens; the wait is bounded
                cancelled = True
        ending.result()
        if cancelled:
            raise asyncio.CancelledError

    async def _end(self) -> None:
        process = self._process
        loop = asyncio.get_running_loop()
        loop.remove_writer(self._input)
        write, self._input = self._input, -1
        os.close(write)
        drain = asyncio.create_task(self._drain())
        gone = asyncio.create_task(asyncio.to_thread(process.wait))
        if not await _done(gone, _GRACE_S):
            if process.stdin is not None:
                process.stdin.close()
            process.send_signal(signal.SIGCONT)  # the server may have stopped its supervisor
            if not await _done(gone, _STOP_S):
                process.kill()
        await gone
        if process.stdin is not None:
            process.stdin.close()
        self._kill_rest()
        for task in (drain, *self._tasks):
            task.cancel()
        await asyncio.gather(drain, *self._tasks, return_exceptions=True)
        for fd in (self._output, self._errors, self._reports):
            loop.remove_reader(fd)
            os.close(fd)

    async def _drain(self) -> None:
        """Read on, so that a server that is writing can end."""
        async for _ in _chunks(self._output):
            await asyncio.sleep(0)

    def _kill_rest(self) -> None:
        """If the supervisor was killed, at least the server's own group goes with it."""
        with suppress(BlockingIOError):
            while data := os.read(self._reports, _CHUNK):
                self._report += data
        if b'"status"' in self._report or b'"pid": ' not in self._report:
            return
        pid = self._report.partition(b'"pid": ')[2].partition(b"}")[0]
        with suppress(ProcessLookupError, PermissionError, ValueError):
            os.killpg(int(pid), signal.SIGKILL)


async def _done(task: "asyncio.Task[int]", seconds: float) -> bool:
    done, _ = await asyncio.wait({task}, timeout=seconds)
    return bool(done)


async def _chunks(fd: int) -> AsyncIterator[bytes]:
    while True:
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            await _ready(fd)
            continue
        except OSError:  # closed under us
            return
        if not data:
            return
        yield data


async def _ready(fd: int, writing: bool = False) -> None:
    """Wait until a descriptor can be read or written."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    add, remove = (loop.add_writer, loop.remove_writer) if writing else (loop.add_reader, loop.remove_reader)
    add(fd, ready.set)
    try:
        await ready.wait()
    finally:
        remove(fd)

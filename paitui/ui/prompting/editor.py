"""The user's own editor: which it is, and the file that goes to it and comes back."""

import asyncio
import os
import shlex
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from paitui.atomic import make_folder, write_all
from paitui.reading import open_file


def editor_command(environment: Mapping[str, str]) -> list[str]:
    """Find the editor.

    Args:
        environment: ``VISUAL`` comes before ``EDITOR``; either may hold arguments.

    Returns:
        The words of the command; none if neither is set, or cannot be read as a command line.
    """
    for name in ("VISUAL", "EDITOR"):
        if written := environment.get(name, "").strip():
            try:
                return shlex.split(written, posix=os.name != "nt")
            except ValueError:
                return []
    return []


@contextmanager
def text_in_a_file(folder: Path, text: str) -> Iterator[Path]:
    """Put a text into a private file, for as long as the block runs.

    Args:
        folder: Where; it is made if it is missing.
        text: The text.

    Raises:
        OSError: It cannot be written.
    """
    import tempfile  # not needed before

    make_folder(folder)
    handle, name = tempfile.mkstemp(suffix=".md", prefix="prompt-", dir=folder)  # for the owner alone
    path = Path(name)
    try:
        try:
            write_all(handle, text.encode("utf-8", "replace"))
        finally:
            os.close(handle)
        yield path
    finally:
        path.unlink(missing_ok=True)


def read_back(path: Path) -> str:
    """Read what the editor left; the line end that editors add at the very end is none of the user's.

    Raises:
        OSError: The file is gone or cannot be read.
    """
    with open_file(path) as file:
        text = file.read().decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n")


async def run(command: Sequence[str], path: Path) -> int:
    """Run the editor on the terminal until it ends, while everything else goes on.

    Returns:
        Its exit code, negative for a signal.

    Raises:
        OSError: It cannot be started.
    """
    process = await asyncio.create_subprocess_exec(*command, str(path))
    with _interrupts_are_its_own():
        return await process.wait()


@contextmanager
def _interrupts_are_its_own() -> Iterator[None]:
    """Ctrl+C in the editor reaches this process too while the terminal is not in raw mode; it means nothing here."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)

"""A broken memory file: copied aside byte for byte before anything else, then read as far as it goes."""

from datetime import datetime
from pathlib import Path

from paitui.locale import Phrase, phrase
from paitui.memory.document import Document
from paitui.memory.entry import Entry
from paitui.memory.files import Files, write_new
from paitui.memory.salvage import is_blank, join, salvage


def rescue(
    files: Files, path: Path, data: bytes, memory: tuple[Entry, ...], now: datetime
) -> tuple[Document, tuple[Phrase, ...]]:
    """Make the best of a file that cannot be parsed. The file itself is not touched.

    Args:
        files: The file system.
        path: The file.
        data: What it holds.
        memory: The entries as this process last read them.
        now: The present time, for the name of the copy.

    Returns:
        All that could be had, and what to tell the user; also if there is no copy, and then the file must not be
        written over.
    """
    if is_blank(data):
        problems = (phrase("memory.emptied", file=str(path), n=len(memory)),) if memory else ()
        return join(Document(), memory), problems
    found = join(salvage(data), memory)
    number = len(found.entries)
    try:
        kept = keep(files, path, data, now)
    except OSError as error:
        why = error.strerror or str(error)
        return found, (phrase("memory.damaged_alone", file=str(path), n=number, why=why),)
    return found, (phrase("memory.damaged", file=str(path), kept=str(kept), n=number),)


def keep(files: Files, path: Path, data: bytes, now: datetime) -> Path:
    """Copy a broken state beside the file, byte for byte; once, however often it is met.

    Args:
        files: The file system.
        path: The file.
        data: What it holds.
        now: The present time.

    Returns:
        The copy.

    Raises:
        OSError: There is no copy.
    """
    for name in files.names(path.parent):
        if name.startswith(f"{path.name}.corrupt-") and _holds(files, path.with_name(name), data):
            return path.with_name(name)
    first = copy = path.with_name(f"{path.name}.corrupt-{now:%Y%m%dT%H%M%S%fZ}")
    number = 1
    while True:
        try:
            write_new(files, copy, data)
            break
        except FileExistsError:
            number += 1
            copy = first.with_name(f"{first.name}-{number}")
    files.sync_folder(path.parent)
    return copy


def _holds(files: Files, path: Path, data: bytes) -> bool:
    stamp = files.stamp(path)
    return stamp is not None and stamp.size == len(data) and files.read(path)[0] == data

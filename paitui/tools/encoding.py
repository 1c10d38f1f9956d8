"""What a text file is written in: UTF-8 with or without mark, GB 18030, or no text at all."""

import codecs
from dataclasses import dataclass

SAMPLE_BYTES = 65_536
"""How much of a file is looked at."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """How to read a file."""

    name: str
    """As Python's codecs know it."""
    mark: bytes = b""
    """Byte-order mark at the beginning of the file."""
    guessed: bool = False
    """No encoding fits; bytes that are no UTF-8 come out as U+FFFD."""

    def decoder(self) -> codecs.IncrementalDecoder:
        """A decoder for pieces of the file, the mark left out."""
        return codecs.getincrementaldecoder(self.name)("replace")


def sniff(sample: bytes, complete: bool) -> Encoding | None:
    """Find out how a file is written.

    Args:
        sample: Its beginning.
        complete: Whether this is the whole file; else the last character may be cut.

    Returns:
        The encoding; None for a binary file.
    """
    if b"\0" in sample:
        return None
    mark = codecs.BOM_UTF8 if sample.startswith(codecs.BOM_UTF8) else b""
    if _decode(sample, "utf-8", complete) is not None:
        return Encoding("utf-8", mark)
    if (text := _decode(sample, "gb18030", complete)) is not None and _is_chinese(text):
        return Encoding("gb18030")
    controls = sum(sample.count(bytes((code,))) for code in range(32) if code not in (8, 9, 10, 12, 13, 27))
    return None if controls * 20 > len(sample) else Encoding("utf-8", mark, guessed=True)


def _decode(sample: bytes, name: str, complete: bool) -> str | None:
    try:
        return codecs.getincrementaldecoder(name)("strict").decode(sample, complete)
    except UnicodeDecodeError:
        return None


def _is_chinese(text: str) -> bool:
    """Whether text looks like Chinese; nearly any bytes decode as GB 18030, Western ones to rare characters."""
    foreign = [character for character in text if character > "\x7f"]
    common = sum("\u4e00" <= c <= "\u9fa5" or "\u3000" <= c <= "\u303f" or "\uff00" <= c <= "\uffef" for c in foreign)
    return common * 10 >= len(foreign) * 8

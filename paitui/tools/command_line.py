"""Reading a command line that everyone reads the same: plain words, chained by plain operators. Pure.

This is the strict reader, for what may run without asking: whatever it does not know, it does not read. The generous
one, for what must not be missed, is `shell_words`. Both are short on purpose: a full parser of shell grammar would
have to agree with every shell in every corner, and no corner is needed to tell that a line is plain.
"""

import re
from dataclasses import dataclass

from paitui.trust.safe_text import safe_text

MOST_CHARS = 2_000
"""A longer line is not read."""
_MOST_BLANKS = 8
"""More spaces in a row may hide what follows."""
_SEPARATORS = frozenset(("&&", "||", ";", "|", "&"))
_FILES = frozenset((">", ">>", ">|", "<"))
_OPERATOR = re.compile(r"[;&|<>]+")
_BARE = re.compile(r"[^ \"'\\$`(){}!#;&|<>]+")
_QUOTED = re.compile(r"""'([^']*)'|"([^"\\$`!]*)\"""")
_DESCRIPTOR = re.compile(r"&([0-9]|-)(?=$|[ ;&|<>])")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a command."""

    text: str
    """Without its quotes."""
    bare: bool
    """Whether it was written without any."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """A file that is read or written in place of the terminal."""

    operator: str
    """One of ``>``, ``>>``, ``>|``, ``<``."""
    target: Word


@dataclass(frozen=True, slots=True)
class Part:
    """One simple command of a chain."""

    text: str
    """As it is written, without its redirects to files."""
    words: tuple[Word, ...]
    """Program and arguments; at least the program."""
    redirects: tuple[Redirect, ...]


class _Unclear(Exception):
    """It is not plain."""


def plain_parts(line: str) -> tuple[Part, ...]:
    """Take a command line apart.

    Args:
        line: A command line.

    Returns:
        Its commands in order; none if it is not plain: if it holds a line break, a control or invisible character,
        a run of spaces, an escape, an expansion (but for globs), a substitution, a subshell, a group, a comment, a
        here-document, a quote that is not closed, or an operator that shells do not agree upon.
    """
    line = line.strip(" ")
    if not line or len(line) > MOST_CHARS or " " * (_MOST_BLANKS + 1) in line:
        return ()
    if safe_text(line, keep_newlines=False) != line or any(c.isspace() and c != " " for c in line):
        return ()
    try:
        return tuple(_read(line))
    except _Unclear:
        return ()


def _read(line: str) -> list[Part]:
    parts: list[Part] = []
    words: list[Word] = []
    redirects: list[Redirect] = []
    written: list[str] = []
    at = 0

    def end_part() -> None:
        if not words:
            raise _Unclear
        parts.append(Part(" ".join(written), tuple(words), tuple(redirects)))
        for filled in (words, redirects, written):
            filled.clear()

    while at < len(line):
        if line[at] == " ":
            at += 1
        elif sign := _OPERATOR.match(line, at):
            operator, at = sign[0], sign.end()
            if operator in _SEPARATORS:
                end_part()
                # A line may end with these two, with nothing behind.
                if at == len(line) and operator not in (";", "&"):
                    raise _Unclear
            else:
                at = _redirect(line, sign.start(), operator, words, redirects, written)
        else:
            start = at
            word, at = _word(line, at)
            words.append(word)
            written.append(line[start:at])
    if words or redirects:
        end_part()
    return parts


def _redirect(
    line: str, start: int, operator: str, words: list[Word], redirects: list[Redirect], written: list[str]
) -> int:
    """Read what stands behind ``<`` or ``>``; gives where it ends."""
    # The number of a descriptor belongs to the sign behind it: `2>log`.
    number = ""
    if words and words[-1].bare and re.fullmatch("[0-9]", words[-1].text) and line[start - 1] != " ":
        number = words.pop().text
        written.pop()
    if operator in (">&", "<&"):
        joined = _DESCRIPTOR.match(line, start + 1)
        if joined is None:
            raise _Unclear
        written.append(number + line[start : joined.end()])
        return joined.end()
    if operator not in _FILES:
        raise _Unclear
    at = start + len(operator)
    while line[at : at + 1] == " ":
        at += 1
    target, end = _word(line, at)
    redirects.append(Redirect(operator, target))
    return end


def _word(line: str, at: int) -> tuple[Word, int]:
    pieces: list[str] = []
    bare = True
    while at < len(line):
        if found := _BARE.match(line, at):
            pieces.append(found[0])
        elif found := _QUOTED.match(line, at):
            pieces.append(found[1] if found[1] is not None else found[2])
            bare = False
        else:
            break
        at = found.end()
    if not pieces or (at < len(line) and line[at] not in " ;&|<>"):
        raise _Unclear
    return Word("".join(pieces), bare), at

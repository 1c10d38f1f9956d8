"""Which rules must hold for a command line to run without asking: one for each program, one for each file written."""

import functools
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from paitui.tools.access import always_folder
from paitui.tools.base import Piece
from paitui.tools.command_line import Part, Redirect, Word, plain_parts
from paitui.tools.shell_words import INTERPRETERS, SHELLS
from paitui.trust.fence import Fence, FenceError

MOST_PIECES = 12
"""A longer chain is asked each time: nobody reads so long a list before saying "always"."""
_PROGRAM = re.compile(r"[A-Za-z0-9_.+/-]*[A-Za-z0-9_+]")
_GLOB = re.compile(r"[*?\[]")
_HARMLESS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr"))


def pieces_of(line: str, fence: Fence, home: Path) -> tuple[Piece, ...]:
    """Take a command line apart for judging.

    Args:
        line: The command line.
        fence: The project's fence, closed to paitui's own files.
        home: Paitui's own folder.

    Returns:
        What it runs and what it writes, each with the rule that would cover it; none if the line is not plain, so
        that it can only be approved as a whole.
    """
    pieces: list[Piece] = []
    for part in plain_parts(line):
        pieces.append(Piece(part.text, _command_rule(part, fence, home)))
        pieces += (Piece(f"{into.operator} {into.target.text}", rule) for into, rule in _files(part, fence, home))
    return tuple(pieces) if len(pieces) <= MOST_PIECES else ()


def _command_rule(part: Part, fence: Fence, home: Path) -> str:
    program, *arguments = part.words
    # Written without quotes, so that it is shown as it runs; `=` would make it an assignment.
    if not program.bare or not _PROGRAM.fullmatch(program.text):
        return ""
    name = program.text.rpartition("/")[2].casefold()
    if name in _without_always() or name in SHELLS or INTERPRETERS.fullmatch(name):
        return ""
    if any(_runs_other(argument.text, _asks_with().get(name, ())) for argument in arguments):
        return ""
    return "" if _names_own(part.words, fence, home) else f"command:{program.text}"


def _files(part: Part, fence: Fence, home: Path) -> Iterator[tuple[Redirect, str]]:
    """The files that a part writes, and reads from elsewhere, each with its rule."""
    into = list(part.redirects)
    if part.words[0].text.rpartition("/")[2] == "tee":  # A redirect by another name.
        into += (Redirect(">", word) for word in part.words[1:] if not word.text.startswith("-"))
    for redirect in into:
        target = redirect.target.text
        if target in _HARMLESS:
            continue
        clear = not (redirect.target.bare and (_GLOB.search(target) or target.startswith("~")))
        rule = _file_rule(target, fence) if clear and not _names_own([redirect.target], fence, home) else ""
        if redirect.operator != "<":
            yield redirect, rule
        elif not rule:
            yield redirect, ""


def _file_rule(target: str, fence: Fence) -> str:
    try:
        fence.check_writable(target)
        folder = always_folder(fence.resolved(target))
    except FenceError:
        return ""
    return f"write:{folder}" if folder else ""


@functools.cache
def _words() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads((Path(__file__).parent / "command_words.toml").read_text("utf-8"))


@functools.cache
def _without_always() -> frozenset[str]:
    data = _words()
    return frozenset(word for group in data["no_always"].values() for word in group) | {*data["network"]["programs"]}


@functools.cache
def _asks_with() -> dict[str, tuple[str, ...]]:
    return {name: tuple(words) for name, words in _words()["asks_with"].items()}


def _runs_other(argument: str, words: Iterable[str]) -> bool:
    """Whether an argument is one of those by which a program runs another one."""
    name = argument.partition("=")[0]
    for word in words:
        if word.startswith("--"):
            # Programs take a long option by any beginning that is clear.
            if len(name) > 3 and word.startswith(name):
                return True
        elif word in (argument, name) or (word.startswith("-") and argument.startswith(word)):
            return True
    return False


def _names_own(words: Iterable[Word], fence: Fence, home: Path) -> bool:
    """Whether words name a file of paitui's own: by its path, a pattern that fits it, or a link to it."""
    own = fence.root / ".paitui"
    kept = own / "tool-outputs"
    for word in words:
        for text in {word.text, word.text.partition("=")[2]} - {""}:
            path = os.path.normpath(os.path.join(fence.root, os.path.expanduser(text)))
            if path == str(kept) or path.startswith(f"{kept}/"):
                continue
            folded = text.casefold()
            if ".paitui" in folded or "trusted.json" in folded or str(home).casefold() in folded:
                return True
            if any(_fits(path, own_path) for own_path in (own, home)):
                return True
            real = os.path.realpath(path)
            if any(_fits(real, Path(os.path.realpath(own_path))) for own_path in (own, home)):
                return True
    return False


def _fits(path: str, own: Path) -> bool:
    """Whether a path, or pattern of paths, leads to a folder or into it."""
    wanted = own.parts
    given = Path(path).parts
    if len(given) < len(wanted):
        return False
    for pattern, name in zip(given, wanted, strict=False):
        # A shell finds hidden names only by patterns that begin with the dot.
        if name.startswith(".") and not pattern.startswith("."):
            return False
        if not fnmatchcase(name.casefold(), pattern.casefold()):
            return False
    return True

"""Whether a command line brings in content from outside: does any part of it fetch from the network? Pure.

By the words in `command_words.toml`. It knows programs, not what scripts do: a `make fetch` stays unseen.
"""

import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paitui.tools.command_line import plain_parts
from paitui.tools.shell_words import INTERPRETERS, SHELLS, Simple, simple_commands

_ADDRESS = re.compile(r"(?:https?|ftps?|sftp|wss?)://(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\])(?:[:/]|$|\d))\S")
_REMOTE_PLACE = re.compile(r"(?:rsync://|(?:[\w.-]+@)?[\w.-]{2,}:)(?!\\)\S*")
_CODE_OPTION = re.compile(r"-[A-Za-z]*[ceEpr]|--eval|--print|--run|-Command")


@dataclass(frozen=True, slots=True)
class _Words:
    programs: frozenset[str]
    mentions: frozenset[str]
    subcommands: Mapping[str, tuple[tuple[str, ...], ...]]
    valued: Mapping[str, frozenset[str]]
    anywhere: re.Pattern[str]
    code: re.Pattern[str]


@functools.cache
def _words() -> _Words:
    data = tomllib.loads((Path(__file__).parent / "command_words.toml").read_text("utf-8"))["network"]
    names = "|".join(map(re.escape, data["programs"]))
    places = "|".join(map(re.escape, data["anywhere"]))
    code = "|".join(map(re.escape, data["code"]["words"]))
    return _Words(
        frozenset((*data["programs"], *data["programs_only"])),
        frozenset(data["mentions"]["programs"]),
        {name: tuple(tuple(words.split()) for words in several) for name, several in data["with"].items()},
        {name: frozenset(several) for name, several in data["valued"].items()},
        re.compile(rf"(?<![\w.-])(?:{names})(?![\w.-])|{places}", re.IGNORECASE),
        re.compile(rf"(?<!\w)(?:{code})(?!\w)|{_ADDRESS.pattern}"),
    )


def fetches(line: str) -> bool:
    """Judge a command line.

    Args:
        line: The command line, of any number of lines.

    Returns:
        Whether a part of it is a program that fetches, however it is wrapped (sudo, env, ``sh -c``, xargs, a
        substitution), code for an interpreter that does, or an address given to a program; for a line that cannot be
        taken apart plainly also, whether such a word stands anywhere in it.
    """
    parts = list(simple_commands(line))
    if any(_fetches(part) for part in parts):
        return True
    if plain_parts(line):
        return _words().anywhere.search(line) is not None and "/dev/" in line
    if any(INTERPRETERS.fullmatch(part.program) for part in parts) and _words().code.search(line):
        return True
    return _words().anywhere.search(line) is not None


def _fetches(part: Simple) -> bool:
    program, arguments = _named(part)
    words = _words()
    if program in words.programs:
        return True
    if INTERPRETERS.fullmatch(program):
        return _code_fetches(arguments)
    if program == "rsync":
        return any(_REMOTE_PLACE.match(word) for word in arguments if not word.startswith("-"))
    if program == "git" and any(word.startswith("--remote") for word in arguments) and "archive" in arguments:
        return True
    if program in words.subcommands and _has_subcommand(
        arguments, words.subcommands[program], words.valued.get(program, frozenset())
    ):
        return True
    talks = program not in words.mentions and program not in SHELLS
    return talks and any(_ADDRESS.match(word) for word in arguments)


def _named(part: Simple) -> tuple[str, Sequence[str]]:
    """Program and arguments; ``python -m pip`` is pip."""
    program, arguments = part.program.casefold(), part.words[1:]
    if INTERPRETERS.fullmatch(program) and arguments[:1] == ("-m",) and len(arguments) > 1:
        program, arguments = arguments[1], arguments[2:]
    program = program.removesuffix(".exe")
    return ("pip" if re.fullmatch(r"pip[0-9.]+", program) else program), arguments


def _code_fetches(arguments: Sequence[str]) -> bool:
    for at, word in enumerate(arguments):
        if _CODE_OPTION.fullmatch(word):
            return any(_words().code.search(code) for code in arguments[at + 1 : at + 2])
        if not word.startswith("-"):
            return False  # A script; what stands behind it is the script's.
    return False


def _has_subcommand(arguments: Sequence[str], wanted: Sequence[tuple[str, ...]], valued: frozenset[str]) -> bool:
    found: list[str] = []
    skip = False
    for word in arguments:
        if skip:
            skip = False
        elif word in valued:
            skip = True
        elif not word.startswith("-") or (word,) in wanted:
            found.append(word)
    if not found:
        # A bare `yarn` installs; one that is only asked for its version does not.
        return () in wanted and not arguments
    return any(tuple(found[: len(words)]) == words for words in wanted if words)

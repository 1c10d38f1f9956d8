"""Reading a command line as a shell would, as far as judging it needs: which simple commands does it hold?"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh", "ash", "rbash", "mksh"))
"""Programs that run a command line given to them."""
INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|node|nodejs|php|lua|deno|bun|pwsh|powershell|tclsh|osascript)[0-9.]*"
)
"""Programs that run code given to them."""

# Programs that run another program given as an argument, with the short options of theirs that take a value.
_WRAPPERS = {
    "sudo": "ugCDhpRrTt",
    "doas": "uC",
    "pkexec": "",
    "env": "uC",
    "nice": "n",
    "ionice": "cnp",
    "timeout": "ks",
    "xargs": "IinLPsdEa",
    "parallel": "jNnL",
    "stdbuf": "ioe",
    "nohup": "",
    "time": "fo",
    "setsid": "",
    "command": "",
    "builtin": "",
    "exec": "a",
    "busybox": "",
    "toybox": "",
    "chroot": "",
    "watch": "nd",
    "strace": "oepsE",
    "ltrace": "oepsu",
    "unshare": "",
    "nsenter": "t",
    "caffeinate": "tw",
    "flock": "wE",
    "taskset": "",
    "setarch": "",
    "chronic": "",
    "unbuffer": "",
    "fakeroot": "",
    "systemd-run": "pEM",
    "dbus-run-session": "",
    "xvfb-run": "aefnps",
    "torsocks": "",
    "proxychains": "f",
    "entr": "",
    "start-stop-daemon": "",
}
# Long options of theirs that take the next word; the others have their value behind `=` or none.
_LONG = frozenset(
    (
        "--user", "--group", "--host", "--prompt", "--chdir", "--chroot", "--close-from", "--role", "--type",
        "--unset", "--adjustment", "--class", "--classdata", "--signal", "--kill-after", "--max-args", "--max-lines",
        "--max-procs", "--max-chars", "--delimiter", "--arg-file", "--replace", "--input", "--output", "--error",
        "--interval", "--target", "--jobs", "--timeout", "--property", "--unit",
    )
)  # fmt: skip
# Wrappers whose first word behind the options is not the program yet: a limit, a folder, a file, a mask.
_ONE_BEFORE = frozenset(("timeout", "chroot", "flock", "taskset", "setarch"))
# Programs with a word behind which a command follows: `uv run pytest`.
_RUNNERS = {
    "uv": ("run",),
    "poetry": ("run",),
    "pdm": ("run",),
    "pipenv": ("run",),
    "hatch": ("run",),
    "conda": ("run",),
    "bundle": ("exec",),
    "direnv": ("exec",),
    "npm": ("exec", "x"),
    "yarn": ("exec",),
    "pnpm": ("exec",),
    "find": ("-exec", "-execdir", "-ok", "-okdir"),
    "fd": ("-x", "-X", "--exec", "--exec-batch"),
    "git": ("foreach",),
}
# Programs that take a whole command line as one argument, behind one of these options, or anywhere ("").
_LINES = {
    "env": ("-S", "--split-string"),
    "script": ("-c", "--command", "-qc", "-qec", "-ec"),
    "flock": ("-c", "--command"),
    "watch": ("",),
    "parallel": ("",),
    "trap": ("",),
    "su": ("-c", "--command"),
    "runuser": ("-c", "--command"),
}
_KEYWORDS = frozenset(("if", "then", "else", "elif", "while", "until", "do", "!", "{", "coproc"))
_PRINTERS = frozenset(("echo", "printf"))
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_MOST_DEPTH = 8
"""Commands within commands; deeper ones are not looked into."""


@dataclass(frozen=True, slots=True)
class Simple:
    """One simple command."""

    words: tuple[str, ...]
    """Program (without its folder) and arguments, quotes removed; wrappers such as sudo are taken off."""
    piped: bool
    """Whether its input comes from the command before it."""
    depth: int = 0
    """How many command lines it is nested in (``$(…)``, ``sh -c``)."""

    @property
    def program(self) -> str:
        """The program, without its folder."""
        return self.words[0] if self.words else ""


def simple_commands(line: str, depth: int = 0) -> Iterator[Simple]:
    """Take a command line apart, command substitutions and ``sh -c`` included.

    It errs on the side of seeing too much: text that a shell would only print may be taken for a command, where it
    stands on a line of its own.

    Args:
        line: A command line, of any number of lines.
        depth: How many lines this one is nested in.

    Yields:
        Its simple commands.
    """
    if depth > _MOST_DEPTH:
        return
    printed = ""
    for part, piped in _parts(line.replace("\\\n", "")):
        words = _unwrapped(_words(part))
        if words:
            yield Simple(words, piped, depth)
            for nested in _nested(words):
                yield from simple_commands(nested, depth + 1)
            if words[0] in SHELLS:
                # What it reads is a command line as well: printed by the command before it, or written behind `<<<`.
                yield from simple_commands(printed if piped else "", depth + 1)
                yield from (one for text in _here(part) for one in simple_commands(text, depth + 1))
            printed = " ".join(words[1:]) if words[0] in _PRINTERS else ""
        for nested in _substitutions(part):
            yield from simple_commands(nested, depth + 1)


def _here(part: str) -> Iterator[str]:
    if "<<<" in part:
        yield from _split(part.partition("<<<")[2])[:1]


def _nested(words: tuple[str, ...]) -> Iterator[str]:
    """The command lines that a program is given: as one argument, or as the words behind one."""
    program, *arguments = words
    if program == "eval":
        yield " ".join(arguments)
    if program in SHELLS:
        for at, word in enumerate(arguments):
            if re.fullmatch(r"[-+][A-Za-z]*c|--command", word):
                # Options may follow: `sh -c -e 'line'`.
                yield from [line for line in arguments[at + 1 :] if not line.startswith("-")][:1]
                break
    options = _LINES.get(program, ())
    for at, word in enumerate(arguments):
        if "" in options and " " in word:
            yield word
        if word in options:
            yield from arguments[at + 1 : at + 2]
        elif any(word.startswith(f"{option}=") for option in options if option.startswith("--")):
            yield word.partition("=")[2]
    yield from _behind(arguments, _RUNNERS.get(program, ()))


def _behind(arguments: list[str], words: tuple[str, ...]) -> Iterator[str]:
    """The commands behind certain words, each up to a semicolon (`find -exec a ; -exec b ;`)."""
    at = 0
    while at < len(arguments):
        at += 1
        if arguments[at - 1] in words:
            end = arguments.index(";", at) if ";" in arguments[at:] else len(arguments)
            run = _after_options(arguments[at:end], "")
            yield run[0] if len(run) == 1 else shlex.join(run)
            at = end


def _parts(line: str) -> Iterator[tuple[str, bool]]:
    """Split at operators outside quotes; gives each part and whether a pipe stands before it."""
    start, at, quote, piped = 0, 0, "", False
    depth = 0  # Inside $( ), where operators belong to the inner command.
    while at < len(line):
        character = line[at]
        if quote == "'":
            quote = "" if character == "'" else quote
        elif character == "\\":
            at += 1
        elif quote == '"' and character == '"':
            quote = ""
        elif line[at : at + 2] in ("$(", "<(", ">(") and (not quote or character == "$"):
            depth += 1
            at += 1
        elif depth and character in "()":
            depth += 1 if character == "(" else -1
        elif not quote and not depth and character in "'\"":
            quote = character
        elif not quote and not depth and character in ";|&\n(){}":
            around = line[at - 1 : at] + line[at + 1 : at + 2]
            braces = character in "{}" and line[at - 1 : at] not in ("", " ", "\t", "\n", ";", "|", "&", ")")
            if not (character == "&" and ((around[:1] in "<>" and at) or around[1:] == ">")) and not braces:
                part, start = line[start:at], at + 1
                if character == "\n" and not part.strip():
                    at += 1
                    continue  # A pipe goes on behind line breaks.
                yield part, piped
                # `||` is no pipe: between its two signs lies an empty part, which resets what follows.
                piped = character == "|" and line[at + 1 : at + 2] != "|" and line[at - 1 : at] != "|"
                piped = piped or (character == "&" and line[at - 1 : at] == "|")
        at += 1
    yield line[start:], piped


def _substitutions(part: str) -> Iterator[str]:
    """The command lines inside ``$(…)``, ``<(…)``, ``>(…)`` and backticks, single quotes left alone."""
    at, single = 0, False
    double = False
    while at < len(part):
        character = part[at]
        if single:
            single = character != "'"
        elif character == "\\":
            at += 1
        elif character == '"':
            double = not double
        elif character == "'" and not double:
            single = True
        elif character == "`":
            end = part.find("`", at + 1)
            end = len(part) if end < 0 else end
            yield part[at + 1 : end]
            at = end
        elif part[at : at + 2] in ("$(", "<(", ">("):
            end = _closing(part, at + 2)
            yield part[at + 2 : end]
            at = end
        at += 1


def _closing(text: str, start: int) -> int:
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
    return len(text)


def _words(part: str) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in _split(part):
        if skip:
            skip = False
        elif word and set(word) <= {"<", ">"}:
            skip = True
        else:
            kept.append(word)
    return kept


def _split(part: str) -> list[str]:
    # Redirections stand apart, so that `rm -rf />log` is seen for what it is.
    lexer = shlex.shlex(part, posix=True, punctuation_chars="<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # An open quote: judged by blanks alone.
        return part.replace("'", " ").replace('"', " ").split()


def _unwrapped(words: list[str]) -> tuple[str, ...]:
    """Take off assignments, keywords and wrapping programs."""
    while words:
        name = words[0].rpartition("/")[2]
        if words[0] in _KEYWORDS or _ASSIGNMENT.match(words[0]):
            words = words[1:]
        elif name in _WRAPPERS and len(words) > 1:
            if name in _LINES and any(_is_option(word, _LINES[name]) for word in words[1:9]):
                return (name, *words[1:])
            words = _after_options(words[1:], _WRAPPERS[name])
            if name in _ONE_BEFORE and words:
                words = words[1:]
        else:
            return (name, *words[1:])
    return ()


def _is_option(word: str, options: tuple[str, ...]) -> bool:
    return any(word == option or word.startswith(f"{option}=") for option in options if option) or (
        "" in options and " " in word
    )


def _after_options(words: list[str], valued: str) -> list[str]:
    while words and (words[0].startswith("-") or _ASSIGNMENT.match(words[0])):
        takes_value = (len(words[0]) == 2 and words[0][1] in valued) or words[0] in _LONG
        words = words[2 if takes_value else 1 :]
    return words

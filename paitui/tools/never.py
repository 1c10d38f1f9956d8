"""The short list of commands that are refused at once, whoever would approve them."""

import re
from collections.abc import Sequence

from paitui.locale import Phrase, phrase
from paitui.tools.shell_words import INTERPRETERS, SHELLS, Simple, simple_commands

_SYSTEM = (
    "bin|boot|dev|etc|home|lib|lib32|lib64|opt|proc|root|run|sbin|srv|sys|usr|var|System|Library|Users|Applications"
)
_HOME = r"(?:~|~[a-z_][\w-]*|\$HOME|\$\{HOME\})"
_VITAL = re.compile(rf"(?:/(?:{_SYSTEM})?|/(?:home|Users|root)/[^/*]+|{_HOME})(?:/\*?|/\.\*|\*)?")
"""The root, a system folder, a home folder, or everything in one."""
_DISK = re.compile(r"/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|mapper/|md|dm-|loop|mem|kmem|port)\S*")
_TO_DISK = re.compile(rf">\|?\s*[\"']?{_DISK.pattern}")
_BOMB = re.compile(r"(?<![\w:.])([\w:.]{1,64}+)\s{0,9}\(\s{0,9}\)\s{0,9}\{[^}]{0,200}?\1\s{0,9}\|\s{0,9}\1\s{0,9}&")
_FETCHERS = frozenset(("curl", "wget", "fetch", "aria2c", "http", "https", "xh", "lwp-request"))
_POWER = frozenset(("shutdown", "reboot", "halt", "poweroff", "kexec"))
_POWER_ACTIONS = frozenset(("poweroff", "reboot", "halt", "kexec", "suspend", "hibernate"))
_RUNS_CODE = frozenset(("source", ".", "eval"))


def never_allowed(command: str) -> Phrase | None:
    """Judge a whole command line, each part of it.

    This is a safety net against accidents, not a wall: a shell can always be told the same thing in another way.
    What keeps a user safe is that every command is shown in full before it runs.

    Args:
        command: The command line.

    Returns:
        Why it is never allowed; None if it may be asked for.
    """
    if _BOMB.search(command):
        return _refusal("bomb", command)
    if _TO_DISK.search(command):
        return _refusal("device", command)
    fetched: dict[int, bool] = {}  # Whether the pipe so far reads from the network, by depth of nesting.
    at_root = False
    for part in simple_commands(command):
        kind = _judge(part, at_root) or _judge_remote(part, fetched.get(part.depth, False))
        if kind:
            return _refusal(kind, " ".join(part.words))
        if part.program in ("cd", "pushd"):
            at_root = len(part.words) == 1 or _is_vital(part.words[-1])
        fetched[part.depth] = part.program in _FETCHERS or (part.piped and fetched.get(part.depth, False))
    return None if not _fetched_code(command) else _refusal("remote", command)


def _refusal(kind: str, part: str) -> Phrase:
    shown = part if len(part) <= 200 else part[:200] + "…"
    return phrase("tools.never", why=phrase(f"tools.never_{kind}"), part=shown)


def _judge(part: Simple, at_root: bool) -> str:
    program, arguments = part.program, part.words[1:]
    targets = [word for word in arguments if not word.startswith("-")]
    match program:
        case "rm":
            everything = at_root and any(re.fullmatch(r"(?:\./?)?\*|\.|\./", word) for word in targets)
            if _has(arguments, "rR", "--recursive") and (everything or any(map(_is_vital, targets))):
                return "remove"
            return "remove" if "--no-preserve-root" in arguments else ""
        case "find":
            deletes = "-delete" in arguments or ("rm" in arguments and "-exec" in arguments)
            return "remove" if deletes and targets and _is_vital(targets[0]) and "-name" not in arguments else ""
        case "chmod" | "chown" | "chgrp":
            return "permissions" if _has(arguments, "R", "--recursive") and any(map(_is_vital, targets)) else ""
        case "dd":
            return (
                "device"
                if any(_DISK.fullmatch(word.removeprefix("of=")) for word in arguments if word[:3] == "of=")
                else ""
            )
        case "shred" | "wipefs" | "blkdiscard" | "mke2fs" | "tee" | "cp" | "fdisk" | "sfdisk" | "parted":
            last = targets if program != "cp" else targets[-1:]
            return "device" if any(_DISK.fullmatch(word) for word in last) else ""
        case "init" | "telinit":
            return "power" if targets[:1] in (["0"], ["6"]) else ""
        case "systemctl" | "loginctl":
            return "power" if _POWER_ACTIONS & set(targets) else ""
    if program in _POWER:
        return "power" if "--help" not in arguments else ""
    return "device" if re.fullmatch(r"mkfs(?:\.\w+)?|mkswap", program) and targets else ""


def _judge_remote(part: Simple, fetched: bool) -> str:
    """A script from the network that is piped into whatever runs it."""
    runs = part.program in SHELLS or INTERPRETERS.fullmatch(part.program) or part.program in _RUNS_CODE
    if not (part.piped and runs and fetched):
        return ""
    # `curl … | python -m json.tool` and `| python -c '…'` read data, not code.
    reads_data = any(word in ("-m", "-c", "-e", "-r", "-ne", "-pe", "-lne") for word in part.words[1:])
    return "" if reads_data and part.program not in SHELLS else "remote"


_FETCH = rf"(?:{'|'.join(sorted(_FETCHERS))})\b"
_RUN_FETCHED = re.compile(
    rf"(?:^|[\s;&|(/])(?:{'|'.join(sorted(SHELLS))}|eval|source|\.)\s[^;|&\n]{{0,80}}?(?:<\(|\$\(|`)\s*{_FETCH}"
)


def _fetched_code(command: str) -> bool:
    return _RUN_FETCHED.search(command.replace("\\\n", "")) is not None


def _is_vital(word: str) -> bool:
    word = re.sub(r"/{2,}", "/", word)
    # `/usr/..` and `/./` are the root as well.
    while (shorter := re.sub(r"(?:^|(?<=/))(?:\./|[^/.~$*][^/*]*/\.\.(?:/|$))", "", word)) != word:
        word = shorter
    word = re.sub(r"(?<=/)\.{1,2}$", "", word)
    return _VITAL.fullmatch(word) is not None


def _has(arguments: Sequence[str], letters: str, long: str) -> bool:
    for word in arguments:
        if word == "--":
            return False
        if word == long or (len(word) > 1 and word[0] == "-" != word[1] and set(letters) & set(word)):
            return True
    return False

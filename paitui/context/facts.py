"""What must not depend on a model's diligence: facts that the program takes from what is cut, and carries on.

Pure: messages in, facts out. `factsheet` writes them behind a summary and reads them back, `keeping` fits them into
their cap.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from paitui.context.keylines import ROUNDS, Seen, key_lines
from paitui.context.offload import body_of
from paitui.context.stubs import stub_paths
from paitui.messages.message import Message, ToolCall
from paitui.messages.validity import CANCELLED, INTERRUPTED
from paitui.trust.boundary import MARK_CLEARED, MARK_OFFLOADED, escape_markers, escape_tags, unwrap

Load = Callable[[str], str]
"""Gives the text of a stored file, beginning and end of a long one; empty if it cannot be read."""

COMMAND_CHARS = 400
"""A longer command keeps beginning and end."""
ERROR_LINES = 8
LINE_CHARS = 240
FAILED_MOST, RAN_MOST, READ_MOST, STORED_MOST, SEEN_MOST = 5, 40, 80, 60, 48
"""How many of a kind are carried on, the newest; the cap usually ends the lists before that."""

_CHANGING = frozenset(
    ("write", "edit", "create", "patch", "replace", "insert", "append", "delete", "remove", "rename", "move", "apply")
)
"""Words in the names of tools that change the file they are given, also of tools from other servers."""
_READING = frozenset(("read", "view", "open", "cat"))
_PATHS = ("path", "file_path", "filepath", "file", "filename", "target_file", "target")
_COMMANDS = ("command", "cmd")
_EXIT = re.compile(r"\[exit (-?\d+)\]|\bexit(?:ed)?(?: with)?(?: code| status)?:? (-?\d+)\b", re.IGNORECASE)
_TROUBLE = re.compile(
    r"error|fail|exception|traceback|panic|fatal|assert|undefined|not found|no such|cannot|can't|denied|unexpected"
    r"|invalid|expected|unresolved|refused|✗|✖|×|错误|失败|异常|找不到",
    re.IGNORECASE,
)
_PLAINLY = re.compile(
    r"\berror\b|\bfailed\b|exception\b|traceback|\bpanic|\bfatal\b|not found|no such|错误|失败|异常|找不到",
    re.IGNORECASE,
)

_ENDED = re.compile(r"\[exit -?\d+\]|(?:command |process )?exited with (?:code|status) \d+\.?", re.IGNORECASE)
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Ran:
    """A command that was run."""

    command: str
    status: int | None
    """Exit status; None if the result does not say."""
    lines: tuple[str, ...] = ()
    """For a failing one: the lines of its output that tell of the failure."""
    passed_later: bool = False
    """For a failing one: the same command succeeded afterwards."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What happened, each list oldest first and without repeats."""

    changed: tuple[str, ...] = ()
    """Paths of files that tools changed."""
    failed: tuple[Ran, ...] = ()
    """The last commands that failed."""
    first: str = ""
    """The user's first request."""
    said: tuple[str, ...] = ()
    """The user's later messages."""
    ran: tuple[Ran, ...] = ()
    """Commands with the status of their last run."""
    read: tuple[str, ...] = ()
    """Paths of files that were read."""
    stored: tuple[tuple[str, str], ...] = ()
    """Files with whole texts, each with what it is."""
    seen: tuple[Seen, ...] = ()
    """Results of the newest rounds, by their lines with numbers."""


@dataclass(slots=True)
class _Gathered:
    changed: dict[str, None] = field(default_factory=dict)
    failed: dict[str, Ran] = field(default_factory=dict)
    said: dict[str, None] = field(default_factory=dict)
    ran: dict[str, Ran] = field(default_factory=dict)
    read: dict[str, None] = field(default_factory=dict)
    stored: dict[str, str] = field(default_factory=dict)
    seen: list[list[Seen]] = field(default_factory=list)
    """Per round; what an earlier compaction kept counts as one."""

    def take(self, facts: Facts) -> None:
        """Go on from what an earlier compaction kept."""
        for path in facts.changed:
            _newest(self.changed, path, None)
        for ran in facts.failed:
            _newest(self.failed, ran.command, ran)
        for text in (facts.first, *facts.said):
            if text:
                self.said.setdefault(text)
        for ran in facts.ran:
            _newest(self.ran, ran.command, ran)
        for path in facts.read:
            _newest(self.read, path, None)
        for path, what in facts.stored:
            _newest(self.stored, path, what)
        self.seen.append(list(facts.seen))

    def say(self, text: str) -> None:
        """Take a text of the user's; one that is said again counts as new, unless it is the first request."""
        if text.strip() and text != next(iter(self.said), None):
            _newest(self.said, text, None)

    def facts(self, rounds: int) -> Facts:
        said = tuple(self.said)
        seen = [one for of_round in self.seen[len(self.seen) - min(rounds, len(self.seen)) :] for one in of_round]
        return Facts(
            tuple(self.changed),
            tuple(self.failed.values())[-FAILED_MOST:],
            said[0] if said else "",
            said[1:],
            tuple(self.ran.values())[-RAN_MOST:],
            tuple(self.read)[-READ_MOST:],
            tuple(self.stored.items())[-STORED_MOST:],
            tuple(seen[-SEEN_MOST:]),
        )


def gather(
    messages: Iterable[Message],
    parse: Callable[[str], Facts],
    load: Load = lambda path: "",
    rounds: int = ROUNDS,
) -> Facts:
    """Take the facts from the messages that are cut.

    Args:
        messages: What is cut, an earlier summary with its facts included.
        parse: Reads the facts of an earlier summary back from the text of its message.
        load: For commands whose output or text lies in a file.
        rounds: From so many of the newest rounds the lines with numbers are taken.

    Returns:
        Everything, before any cap.
    """
    found = _Gathered()
    calls: Mapping[str, ToolCall] = {}
    for message in messages:
        if message.origin == "summary":
            found.take(parse(message.content))
        elif message.is_users_words or message.origin == "carried":
            found.say(message.content)
        elif message.role == "assistant":
            calls = {call.id: call for call in message.tool_calls}
            if calls:
                found.seen.append([])
        elif message.role == "tool" and (call := calls.get(message.tool_call_id)) is not None:
            _take_result(found, call, message, load)
    return found.facts(rounds)


def _take_result(found: _Gathered, call: ToolCall, message: Message, load: Load) -> None:
    if not message.ok and message.state == "live" and body_of(message) in (CANCELLED, INTERRUPTED):
        return
    arguments = _arguments(call)
    words = set(re.findall(r"[a-z]+", call.name.lower()))
    path, command = _first(arguments, _PATHS), _first(arguments, _COMMANDS)
    if message.ok and path and words & _CHANGING:
        _newest(found.changed, path, None)
    elif message.ok and path and words & _READING and not path.startswith(".paitui/tool-outputs/"):
        _newest(found.read, path, None)
    elif command:
        _take_command(found, _whole(command, call, load), message, load)
    about = " ".join(_clip(command or path, 80).split())
    if message.stored:
        what = f"{call.name} {about}".rstrip()
        _newest(found.stored, message.stored, f"{what}, {message.body_chars:,} characters")
    if message.state != "cleared":
        size = f", {message.body_chars:,} characters in {message.stored}" if message.stored else ""
        body = body_of(message)
        notice, _, preview = body.partition("\n")
        lines = key_lines(preview if notice.startswith(MARK_OFFLOADED) else body)
        if lines or size:
            found.seen[-1].append(Seen(f"{call.name} {about}".rstrip() + size, lines))
    for stored in stub_paths(call):
        _newest(found.stored, stored, f"argument of {call.name} {path}".rstrip())


def _whole(command: str, call: ToolCall, load: Load) -> str:
    paths = stub_paths(call) if command.startswith(MARK_CLEARED) else []
    return (load(paths[0]) if paths else "") or command


def _take_command(found: _Gathered, command: str, message: Message, load: Load) -> None:
    command = _clip(command, COMMAND_CHARS)
    body = body_of(message) if message.state == "live" else unwrap(message.content) or ""
    status = status_of(body)
    if message.state == "cleared" or (message.state == "offloaded" and not message.ok):
        body = load(message.stored) if message.stored else ""
        status = status if status is not None else status_of(body)
    failing = not message.ok or status not in (0, None)
    if status is None and message.ok:
        status = 0 if message.state == "cleared" else None
    _newest(found.ran, command, Ran(command, status))
    if failing:
        _newest(found.failed, command, Ran(command, status, tuple(error_lines(body))))
    elif command in found.failed:
        found.failed[command] = replace(found.failed[command], passed_later=True)


def status_of(output: str) -> int | None:
    """The exit status that the end of a command's output states; None if it states none."""
    found = list(_EXIT.finditer(output[-400:]))
    return int(found[-1][1] or found[-1][2]) if found else None


def error_lines(output: str, most: int = ERROR_LINES) -> list[str]:
    """The lines of an output that tell of a failure: the first and the last that look so, else the last ones.

    Args:
        output: What a command wrote; data of unknown origin, so that look-alikes of paitui's markers are escaped.
        most: How many lines at most.

    Returns:
        Lines in order, each of at most `LINE_CHARS` characters.
    """
    lines = [line.strip() for line in output.splitlines() if line.strip() and not _ENDED.fullmatch(line.strip())]
    telling = list(dict.fromkeys(line for line in lines if _TROUBLE.search(line[:2_000]))) or lines[-3:]
    if len(telling) > most:
        # Those that say so plainly come first, whatever else looks like trouble around them.
        plain = [at for at, line in enumerate(telling) if _PLAINLY.search(line[:2_000])]
        ends = (at for n in range(most) for at in (n, len(telling) - 1 - n))
        wanted = dict.fromkeys([*plain[: most // 4], *plain[-(most // 4) :], *ends])
        telling = [telling[at] for at in sorted(list(wanted)[:most])]
    return [escape_markers(escape_tags(_clip(line, LINE_CHARS))) for line in telling]


def without(facts: Facts, texts: Iterable[str]) -> Facts:
    """Leave out user messages that stand elsewhere."""
    gone = set(texts)
    return replace(
        facts,
        first="" if facts.first in gone else facts.first,
        said=tuple(text for text in facts.said if text not in gone),
    )


def _arguments(call: ToolCall) -> Mapping[str, object]:
    try:
        value = json.loads(call.arguments)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _first(arguments: Mapping[str, object], names: Iterable[str]) -> str:
    values = (arguments.get(name) for name in names)
    return next((value for value in values if isinstance(value, str)), "")


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most * 3 // 4].rstrip()} [...] {text[-most // 5 :].lstrip()}"


def _newest(places: dict[str, _Value], key: str, value: _Value) -> None:
    """Put a key at the end, where the newest stands."""
    places.pop(key, None)
    places[key] = value

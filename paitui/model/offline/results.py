"""Reading a tool result as it stands in a request: live, offloaded or cleared. Its content is data, nothing more."""

import re
from dataclasses import dataclass
from typing import Literal

from paitui.messages.message import Message
from paitui.messages.validity import CANCELLED, INTERRUPTED
from paitui.trust.boundary import MARK_CLEARED, MARK_OFFLOADED, unwrap

_STORED = re.compile(r"whole text in (\S+?);")
_CHARS = re.compile(r"result of (?:about )?([\d,]+) characters(?:, ([\d,]+) lines)?")
_DENIED = re.compile(
    r"did not allow|not allowed|never allowed|refused|denied|没有允许|没有批准|不允许|拒绝", re.IGNORECASE
)
_NUMBERED = re.compile(r"^\s*\d+(?:\t|→|\s*\||: ?)")
_GO_ON = re.compile(r"offset\W{0,4}(\d+)")

State = Literal["live", "offloaded", "cleared"]


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gave back, as far as it can still be seen."""

    text: str
    """The result; head and tail of an offloaded one, empty for a cleared one."""
    ok: bool = True
    """Whether the tool did what was asked."""
    state: State = "live"
    """How much of it still stands in the request."""
    stored: str = ""
    """The file that holds the whole of it."""
    chars: int = 0
    """Characters of the whole."""
    lines: int = 0
    """Lines of the whole; 0 if the placeholder does not say."""

    @property
    def denied(self) -> bool:
        """Whether the call was not allowed to run."""
        return not self.ok and self.state == "live" and _DENIED.search(self.text[:400]) is not None

    @property
    def unfinished(self) -> bool:
        """Whether the call was cut off, so that it counts as not made."""
        return not self.ok and self.text.strip() in (CANCELLED, INTERRUPTED)


def read_result(message: Message) -> Result:
    """Take a tool message apart.

    Args:
        message: A tool message, wrapped or not.

    Returns:
        The result without wrapper and notice.
    """
    inner = unwrap(message.content)
    if inner is None:
        return _live(message.content, message.ok)
    # Only what stands unescaped right behind the opening tag is a notice; content that imitates one is escaped.
    noticed = message.content.partition("\n")[2].startswith((MARK_OFFLOADED, MARK_CLEARED))
    return _noticed(inner, message.ok) if noticed else _live(inner, message.ok)


def _live(text: str, ok: bool) -> Result:
    return Result(text, ok, chars=len(text), lines=text.count("\n") + (not text.endswith("\n")))


def _noticed(text: str, ok: bool) -> Result:
    notice, _, rest = text.partition("\n")
    stored, size = _STORED.search(notice), _CHARS.search(notice)
    return Result(
        rest,
        ok,
        "offloaded" if text.startswith(MARK_OFFLOADED) else "cleared",
        stored[1] if stored else "",
        _number(size[1]) if size else 0,
        _number(size[2]) if size else 0,
    )


def plain_lines(text: str) -> list[str]:
    """The lines of a file as a reading tool gave them, without the line numbers it may have added."""
    lines = text.splitlines()
    numbered = [line for line in lines if _NUMBERED.match(line)]
    if lines and len(numbered) * 10 >= len(lines) * 8:
        return [_NUMBERED.sub("", line, count=1) for line in numbered]
    return lines


def next_offset(text: str) -> int:
    """Where a slice says that reading goes on; 0 if it says nothing."""
    last = text.rstrip().rpartition("\n")[2]
    found = _GO_ON.search(last) if last.startswith(("[", "(")) else None
    return int(found[1]) if found else 0


def _number(text: str | None) -> int:
    return int(text.replace(",", "")) if text else 0

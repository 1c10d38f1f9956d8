r"""The boundary around tool results: what stands inside is data, and cannot pretend to be outside.

A look-alike of the tag or of paitui's own markers is escaped by a backslash after its opening sign:
``</tool_result>`` becomes ``<\/tool_result>``. One that already has backslashes gets one more, so that escaping
can be undone exactly.
"""

import functools
import html
import re

from paitui.trust import lookalike
from paitui.trust.safe_text import safe_text

MARK_OFFLOADED = "[paitui:offloaded"
"""How the notice in place of an offloaded result begins."""
MARK_CLEARED = "[paitui:cleared"
"""How the placeholder in place of a cleared result begins."""
MARKERS = (MARK_OFFLOADED, MARK_CLEARED)
"""Texts by which the model knows paitui's own words inside a result."""

_CLOSE = "</tool_result>"
_OPEN = re.compile(r'<tool_result tool="[^"<>]*" trust="untrusted-data">\n')


@functools.cache
def _tag() -> re.Pattern[str]:
    return lookalike.pattern("<", "tool_result")


@functools.cache
def _marker() -> re.Pattern[str]:
    # Every marker begins so, future ones too.
    return lookalike.pattern("[", "paitui:")


def escape_tags(text: str) -> str:
    """Escape every look-alike of the wrapper's tag."""
    return lookalike.escape(_tag(), text)


def escape_markers(text: str) -> str:
    """Escape every look-alike of paitui's own markers."""
    return lookalike.escape(_marker(), text)


def _remove(match: re.Match[str]) -> str:
    sign = lookalike.opening_of(match)
    return sign + match[0][len(sign) :].removeprefix("\\")


def wrap(tool_name: str, body: str, notice: str = "") -> str:
    """Wrap a tool result for the model.

    Args:
        tool_name: The tool; it may come from outside and is escaped.
        body: The result; look-alikes of the tag and of the markers are escaped.
        notice: Words of paitui's own about the result, before the body; markers stand in it as they are. Look-alikes
            of the tag are escaped even here, because a notice may name a file.

    Returns:
        The wrapped text.
    """
    name = escape_tags(html.escape(safe_text(tool_name, keep_newlines=False), quote=True))
    said = escape_tags(notice).rstrip("\n") + "\n" if notice else ""
    return f'<tool_result tool="{name}" trust="untrusted-data">\n{said}{escape_markers(escape_tags(body))}\n{_CLOSE}'


def unwrap(text: str) -> str | None:
    """Give back what `wrap` wrapped, for views.

    Args:
        text: Content of a tool message.

    Returns:
        The body exactly as it was, after the notice if there was one; None if the text is not wrapped.
    """
    opening = _OPEN.match(text)
    if opening is None or not text.endswith("\n" + _CLOSE):
        return None
    inner = text[opening.end() : -len(_CLOSE) - 1]
    return _tag().sub(_remove, _marker().sub(_remove, inner))

"""The one door between foreign text and the screen.

A `SafeText` can only be had here, and a `Span` takes nothing else, so the type checker proves that every text
of a model, a tool or a file was made visible before it is drawn. Drawing itself uses segments, never markup.
"""

from collections.abc import Iterable
from typing import NewType

from paitui.locale import Phrase, Words
from paitui.trust.safe_text import safe_text

SafeText = NewType("SafeText", str)
"""Text without control, bidi or invisible characters; it may hold line breaks where that is said."""

TAB_CELLS = 4
"""Cells that a tab stands for."""


def block(text: str) -> SafeText:
    """Make foreign text of several lines drawable; its line breaks stay.

    Args:
        text: Anything: model text, tool output, a file.

    Returns:
        The text with tabs widened and everything dangerous shown as visible glyphs.
    """
    plain = text.replace("\r\n", "\n").expandtabs(TAB_CELLS)
    return SafeText(safe_text(plain, keep_newlines=True))


def code(text: str) -> SafeText:
    """Make foreign code drawable; its line breaks stay, and its tabs, which whoever draws it widens.

    Args:
        text: Anything.

    Returns:
        The text with everything dangerous shown as visible glyphs.
    """
    return SafeText(safe_text(text.replace("\r\n", "\n"), keep_newlines=True))


def rows(text: str) -> list[SafeText]:
    """Make foreign text drawable, one item a line of it."""
    return [SafeText(row) for row in block(text).split("\n")]


def line(text: str) -> SafeText:
    """Make foreign text drawable on one line; line breaks become visible too."""
    return SafeText(safe_text(text.expandtabs(TAB_CELLS), keep_newlines=False))


def say(words: Words, what: Phrase) -> SafeText:
    """Render a phrase on one line; its parameters may hold foreign text."""
    return line(words.say(what))


def own(text: str) -> SafeText:
    """Vouch for a text that paitui made itself: a glyph, a number, a phrase without foreign parameters."""
    return SafeText(text)


def joined(parts: Iterable[SafeText]) -> SafeText:
    """Put safe pieces together."""
    return SafeText("".join(parts))

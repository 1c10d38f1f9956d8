"""A scroll bar that needs no glyph but the space, for terminals without block signs."""

from typing import ClassVar

from textual.scrollbar import ScrollBarRender
from textual.widget import Widget


class PlainBar(ScrollBarRender):
    """Ends on whole cells."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "] * 8


def plain_bar(widget: Widget) -> None:
    """Give a widget such a bar."""
    # Textual declares the attribute on the class and documents setting it on one bar.
    setattr(widget.vertical_scrollbar, "renderer", PlainBar)  # noqa: B010

"""How a page of a block's text is drawn in the reader."""

from collections.abc import Callable

from paitui.ui.blocks import AnswerBlock, Block, TierBlock, ToolBlock
from paitui.ui.door import rows as many_lines
from paitui.ui.lines import Line, Span, flow
from paitui.ui.look import Look
from paitui.ui.render.answer import Answer
from paitui.ui.render.card import diff
from paitui.ui.source import dressed


def dresser(block: Block, look: Look) -> Callable[[str, int], list[Line]]:
    """Say how to draw a page of a block.

    Args:
        block: The block.
        look: Words and signs.

    Returns:
        Draws a page's text at a width.
    """
    match block:
        case AnswerBlock() | TierBlock() if dressed(block):
            return lambda page, width: Answer(look, width).rows(page)
        case ToolBlock() if block.diff:
            return lambda page, width: diff(page, look, width, limit=len(page) + 1, whole=True)
        case _:
            return _plain


def _plain(page: str, width: int) -> list[Line]:
    found: list[Line] = []
    for source in many_lines(page.removesuffix("\n")):
        found += flow([Span(source)], width)
    return found

"""What is inside a line: emphasis, code, links."""

import re
from collections.abc import Container, Iterable

from markdown_it.token import Token

from paitui.ui.door import SafeText, line, own
from paitui.ui.lines import Ink, Span, cells
from paitui.ui.render.markdown.parser import inside
from paitui.ui.wrap import OPENING, width

PAGE = 60
"""Cells from which on a line of the source counts as filled."""
_OTHER = r"[^*_`~\[<&\\\n]"
"""What can begin nothing but text."""
_PIECE = re.compile(
    rf"(?P<text>{_OTHER}++)|`(?P<code>[^`\n]++)`(?!`)|\*\*(?P<strong>(?=\w){_OTHER}++(?<=\w))\*\*(?!\*)"
)
_SIMPLE = re.compile(rf"(?:{_PIECE.pattern})*+".replace("?P<", "?P<_"))
"""Lines, and above all cells, in which nothing is nested: found five times as quickly as by the parser."""


def spans(text: str, base: Ink = "text") -> list[list[Span]]:
    """Dress what is inside a paragraph, a heading or a cell.

    Args:
        text: Its source.
        base: Ink of what is not marked.

    Returns:
        Its lines. A line break of the source is one on the screen too, but where the line above it is so long that
        its writer must have broken it to fit a page.
    """
    lines = [part.strip(" ") for part in text.split("\n")]
    if all(map(_SIMPLE.fullmatch, lines)):
        return _filled([_dress_simple(part, base) for part in lines], frozenset())
    hard: set[int] = set()
    return _filled(_dress(inside(text), base, hard), hard)


def _dress_simple(text: str, base: Ink) -> list[Span]:
    found: list[Span] = []
    for piece in _PIECE.finditer(text):
        if piece["code"]:
            bare = piece["code"]
            padded = bare[0] == bare[-1] == " " and not bare.isspace()
            _add(found, line(bare[1:-1] if padded else bare), "code")
        elif piece["strong"]:
            _add(found, line(piece["strong"]), _ink(base, strong=True))
        else:
            _add(found, line(piece["text"]), base)
    return found


def _filled(lines: list[list[Span]], hard: Container[int]) -> list[list[Span]]:
    """Undo the line breaks of text that was written for a page of fixed width.

    Args:
        lines: The lines.
        hard: Those that begin after a line break that was meant.
    """
    found = lines[:1]
    for at in range(1, len(lines)):
        above, below = lines[at - 1], lines[at]
        goes_on = above and below and at not in hard and cells(above) >= PAGE
        first = below[0].text[:1] if below else ""
        if not goes_on or not (first.isalnum() or first in OPENING or below[0].ink != above[-1].ink):
            found.append(below)
            continue
        apart = width(above[-1].text[-1:]) == 1 or width(first) == 1
        found[-1] = [*found[-1], *([Span(own(" "))] if apart else []), *below]
    return found


def _dress(tokens: Iterable[Token], base: Ink, hard: set[int]) -> list[list[Span]]:
    found: list[list[Span]] = [[]]
    strong = emphasised = struck = 0
    links: list[tuple[str, int, int]] = []  # address, line and span where its text begins
    for token in tokens:
        ink = _ink(base, strong > 0, emphasised > 0, struck > 0, bool(links))
        match token.type:
            case "text" | "text_special":
                _add(found[-1], line(token.content), ink)
            case "code_inline":
                _add(found[-1], line(token.content), "code")
            case "softbreak" | "hardbreak":
                if token.type == "hardbreak":
                    hard.add(len(found))
                found.append([])
            case "strong_open" | "strong_close":
                strong += token.nesting
            case "em_open" | "em_close":
                emphasised += token.nesting
            case "s_open" | "s_close":
                struck += token.nesting
            case "link_open":
                links.append((str(token.attrGet("href") or ""), len(found) - 1, len(found[-1])))
            case "link_close" if links:
                address, row, span = links.pop()
                shown = "".join(piece.text for piece in found[row][span:]) if row == len(found) - 1 else ""
                _add_address(found[-1], shown, address)
            case "image":
                shown = "".join(child.content for child in token.children or ())
                _add(found[-1], line(shown), "accent")
                _add_address(found[-1], shown, str(token.attrGet("src") or ""))
            case _:
                _add(found[-1], line(token.content), ink)
    return found


def _ink(base: Ink, strong: bool, emphasised: bool = False, struck: bool = False, link: bool = False) -> Ink:
    if base == "heading":
        return base
    if struck:
        return "struck"
    if link:
        return "accent"
    if strong:
        return "strong"
    return "emphasis" if emphasised else base


def _add(spans: list[Span], text: SafeText, ink: Ink) -> None:
    if not text:
        return
    if spans and spans[-1].ink == ink and spans[-1].copy is None:
        spans[-1] = Span(SafeText(spans[-1].text + text), ink)  # a sign that marked nothing stands by itself
    else:
        spans.append(Span(text, ink))


def _add_address(spans: list[Span], shown: str, address: str) -> None:
    """An address is shown, so that nobody is led elsewhere than the text says; once if it is the text."""
    if not address or shown.rstrip("/") in (address.rstrip("/"), address.removeprefix("mailto:")):
        return
    if not shown:
        _add(spans, line(address), "accent")
        return
    _add(spans, SafeText(own(" (") + line(address) + own(")")), "dim")

"""One message of the history as a whole: what is known of it, then all of its text, drawn as it is seen."""

import json
from collections.abc import Callable, Sequence

from paitui.context.report import HistoryRow
from paitui.engine.events import MessageShown
from paitui.messages.message import Message, ToolCall
from paitui.ui.door import SafeText, own
from paitui.ui.door import line as one_line
from paitui.ui.door import rows as many_lines
from paitui.ui.lines import BLANK, Ink, Line, Span, flow, gap, glyph
from paitui.ui.look import Look
from paitui.ui.pages import TextPages
from paitui.ui.render.inspector import INKS, label, tier_sign
from paitui.ui.render.numbers import grouped, percent
from paitui.ui.wrap import width

Piece = Callable[[int], list[Line]]
"""Draws a part at a width, in cells."""


def facts(row: HistoryRow, used: int, look: Look) -> Piece:
    """What the list knows of a message.

    Args:
        row: Its row.
        used: Tokens of the whole request.
        look: Words and signs.
    """

    def draw(total: int) -> list[Line]:
        words = look.words
        name = label(row)
        head: list[Span] = [
            glyph(f"{row.number} ", "dim"),
            Span(own(words(f"inspector.role_{name}")), INKS.get(name, "text")),
        ]
        if row.name:
            head += [gap(1), Span(one_line(row.name), "strong")]
        rows: list[tuple[str, list[Span]]] = [
            ("tokens", [glyph(grouped(row.tokens)), glyph(f"  {percent(row.tokens, used)}", "dim")]),
            ("characters", [glyph(grouped(row.chars))]),
            ("state", _state(row, look)),
        ]
        if row.stored:
            rows.append(("stored", [Span(one_line(row.stored), "dim")]))
        column = max(width(words(f"inspector.fact_{key}")) for key, _ in rows) + 2
        lines = flow(head, total)
        for key, value in rows:
            title = own(words(f"inspector.fact_{key}"))
            lead: Line = (Span(title, "dim"), gap(column - width(title)))
            lines += flow(value, total, lead, (gap(column),))
        return lines

    return draw


def _state(row: HistoryRow, look: Look) -> list[Span]:
    sign = tier_sign(row, look)
    key: str = row.state
    if sign.ink == "summary":
        key = "carried" if row.origin == "carried" else "summary"
    found = [sign, gap(1)] if sign.text.strip() else []
    found.append(Span(own(look.words(f"inspector.state_{key}")), sign.ink))
    if row.pinned:
        found += [
            gap(2),
            glyph(f"{look.glyphs.pin} ", "good"),
            Span(own(look.words("inspector.state_pinned")), "good"),
        ]
    return found


def whole(shown: MessageShown, look: Look) -> list[Piece]:
    """All of a message as it is sent, and how it stood before the step that can be taken back.

    Args:
        shown: The message.
        look: Words and signs.
    """
    pieces = _parts(shown.message, look)
    if shown.before is not None:
        pieces += [_title("before", look, "warning"), *_parts(shown.before, look)]
    return pieces


def _parts(message: Message, look: Look) -> list[Piece]:
    pieces: list[Piece] = []
    if message.reasoning:
        pieces += [_title("reasoning", look), *text_pieces(message.reasoning, "dim")]
    if message.sent_text.strip():
        pieces += [_title("text", look), *text_pieces(message.sent_text)]
    for call in message.tool_calls:
        pieces += [_call_title(call, look), *text_pieces(_pretty(call.arguments))]
    for image in message.images:
        pieces += [_title("image", look), *text_pieces(image.url[:400])]
    return pieces


def text_pieces(text: str, ink: Ink = "text") -> list[Piece]:
    """Foreign text, made drawable a page at a time."""
    pages = TextPages(text)

    def piece(at: int) -> Piece:
        def draw(total: int) -> list[Line]:
            lines: list[Line] = []
            for source in many_lines(pages.page(at).removesuffix("\n")):
                lines += flow([Span(source, ink)], total)
            if lines and lines[0] and pages.goes_on(at):
                lines[0] = (lines[0][0]._replace(glue=""), *lines[0][1:])
            return lines

        return draw

    return [piece(at) for at in range(len(pages))]


def _title(key: str, look: Look, ink: Ink = "title") -> Piece:
    return _rule([Span(own(look.words(f"inspector.part_{key}")), ink)], look)


def _call_title(call: ToolCall, look: Look) -> Piece:
    return _rule([glyph(f"{look.glyphs.arrow} ", "accent"), Span(one_line(call.name), "accent")], look)


def _rule(title: Sequence[Span], look: Look) -> Piece:
    """A blank line, then a title with a rule behind it."""

    def draw(total: int) -> list[Line]:
        used = sum(width(span.text) for span in title) + 1
        mute = [span._replace(copy="") for span in title]
        rule = Span(SafeText(look.glyphs.rule * max(0, total - used)), "border", "")
        return [BLANK, (*mute, gap(1)._replace(copy=""), rule)]

    return draw


def _pretty(arguments: str) -> str:
    """Arguments with a line for each; as they are, where they are no JSON."""
    try:
        return json.dumps(json.loads(arguments), ensure_ascii=False, indent=2)
    except ValueError:
        return arguments

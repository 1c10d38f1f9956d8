"""A session as one HTML file that needs nothing else, runs nothing and fetches nothing."""

import html
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from paitui.locale import Words
from paitui.session.telling import call_title, facts, heading, mark_text, title
from paitui.session.told import Mark, Said, Story, ToldCall
from paitui.trust.safe_text import safe_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a browser may do with the file: nothing but draw it."""


def page(story: Story, words: Words) -> str:
    """Write a session as HTML.

    All that was said is text; answers are drawn as Markdown, in which HTML is text too and images are none. Light or
    dark is the reader's setting.

    Args:
        story: What happened.
        words: The language of headings.

    Returns:
        The file's text.
    """
    style = Path(__file__).with_name("story.css").read_text("utf-8")
    name = _text(title(story, words))
    parts = [
        "<!doctype html>",
        f'<html lang="{words.language}">',
        '<head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{name}</title>",
        f"<style>\n{style}</style></head>",
        f"<body><main><header><h1>{name}</h1>",
        "<dl>",
        *(f"<dt>{_text(label)}</dt><dd>{_text(value)}</dd>" for label, value in facts(story, words)),
        "</dl></header>",
    ]
    draw = _renderer()
    for step in story.steps:
        parts += _mark(step, words) if isinstance(step, Mark) else _said(step, draw, words)
    return "\n".join((*parts, "</main></body></html>")) + "\n"


def _renderer() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # takes a while to import

    # HTML in the text is shown as text, and addresses that are no web or mail address are no links.
    return (
        MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["image", "html_block"])
    )


def _said(said: Said, draw: "MarkdownIt", words: Words) -> Iterator[str]:
    if said.speaker == "answer" and not (said.text.strip() or said.reasoning.strip() or said.calls):
        return
    yield f'<section class="{said.speaker}"><h2>{_text(heading(said, words))}</h2>'
    if said.reasoning.strip():
        yield _folded(words("export.reasoning"), _pre(said.reasoning))
    if said.text.strip():
        drawn = draw.render(safe_text(said.text)) if said.speaker == "answer" else _pre(said.text)
        yield f'<div class="said">{drawn}</div>'
    if said.images:
        yield f'<p class="note">{_text(words("export.images", n=said.images))}</p>'
    if said.memories:
        items = "".join(f"<li>{_text(one)}</li>" for one in said.memories)
        yield _folded(words("export.memories", n=len(said.memories)), f"<ul>{items}</ul>", "memories")
    for call in said.calls:
        yield _call(call, words)
    yield "</section>"


def _call(call: ToldCall, words: Words) -> str:
    inside = _pre(call.arguments, "given") if call.arguments else ""
    if call.result is None:
        inside += f'<p class="note">{_text(words("export.no_result"))}</p>'
    elif call.result:
        inside += _pre(call.result)
    if call.stored:
        inside += f'<p class="note">{_text(words("export.stored"))} <code>{_text(call.stored)}</code></p>'
    return _folded(call_title(call, words), inside, "call")


def _mark(mark: Mark, words: Words) -> Iterator[str]:
    folded = _folded(words("export.summary"), _pre(mark.text)) if mark.text else ""
    yield f'<div class="mark {mark.kind}"><p>{_text(mark_text(mark, words))}</p>{folded}</div>'


def _folded(name: str, inside: str, kind: str = "aside") -> str:
    return f'<details class="{kind}"><summary>{_text(name)}</summary>{inside}</details>'


def _pre(text: str, kind: str = "") -> str:
    return f'<pre class="{kind}">{html.escape(safe_text(text).strip(chr(10)))}</pre>'


def _text(text: str) -> str:
    return html.escape(safe_text(" ".join(text.split()), keep_newlines=False))

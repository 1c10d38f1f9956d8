"""A session as one Markdown file."""

import html
import re
from collections.abc import Iterator

from paitui.locale import Words
from paitui.session.telling import call_title, facts, heading, mark_text, title
from paitui.session.told import Mark, Said, Story, ToldCall
from paitui.trust.safe_text import safe_text

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$")
_TAG = re.compile(r"<(?=[A-Za-z/!?])(?!https?://|mailto:)")


def markdown(story: Story, words: Words) -> str:
    """Write a session as Markdown.

    Tool calls are folded where the reader's program folds; their text stands in fences longer than any in it.
    Markup in what was said stays Markdown, but is no HTML.

    Args:
        story: What happened.
        words: The language of headings.

    Returns:
        The file's text.
    """
    parts = [
        f"# {_line(title(story, words))}",
        "\n".join(f"- {name}: {_line(value)}" for name, value in facts(story, words)),
    ]
    for step in story.steps:
        parts += _mark(step, words) if isinstance(step, Mark) else _said(step, words)
    return "\n\n".join(part for part in parts if part) + "\n"


def _said(said: Said, words: Words) -> Iterator[str]:
    if said.speaker == "answer" and not (said.text.strip() or said.reasoning.strip() or said.calls):
        return
    yield f"## {_line(heading(said, words))}"
    if said.reasoning.strip():
        yield _folded(words("export.reasoning"), said.reasoning)
    if said.text.strip():
        yield prose(safe_text(said.text))
    if said.images:
        yield f"*{words('export.images', n=said.images)}*"
    if said.memories:
        yield _folded(words("export.memories", n=len(said.memories)), "\n".join(said.memories))
    for call in said.calls:
        yield _call(call, words)


def _call(call: ToldCall, words: Words) -> str:
    parts = [f"<details>\n<summary>{_html(call_title(call, words))}</summary>"]
    if call.arguments:
        parts.append(fenced(call.arguments, "json"))
    if call.result is None:
        parts.append(f"*{words('export.no_result')}*")
    elif call.result:
        parts.append(fenced(call.result))
    if call.stored:
        parts.append(f"*{words('export.stored')}* {_code(call.stored)}")
    return "\n\n".join((*parts, "</details>"))


def _mark(mark: Mark, words: Words) -> Iterator[str]:
    yield f"---\n\n*{_line(mark_text(mark, words))}*"
    if mark.text:
        yield _folded(words("export.summary"), mark.text)
    yield "---"


def _folded(name: str, text: str) -> str:
    return f"<details>\n<summary>{_html(name)}</summary>\n\n{fenced(text)}\n\n</details>"


def fenced(text: str, language: str = "") -> str:
    """Put a text into a code block that nothing in it can end."""
    text = safe_text(text).rstrip("\n")
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def prose(text: str) -> str:
    """Take what would be HTML out of Markdown, and close a code block that was left open.

    Args:
        text: Markdown of anybody.
    """
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            if found and found[1][0] == fence[0] and len(found[1]) >= len(fence) and not found[2].strip():
                fence = ""
            lines.append(line)
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            fence = found[1]
            lines.append(line)
        else:
            lines.append(_no_tags(line))
    return "\n".join([*lines, fence] if fence else lines)


def _no_tags(line: str) -> str:
    parts: list[str] = []
    at = 0
    for code in _spans(line):
        parts += [_TAG.sub("&lt;", line[at : code[0]]), line[code[0] : code[1]]]
        at = code[1]
    return "".join((*parts, _TAG.sub("&lt;", line[at:])))


def _spans(line: str) -> Iterator[tuple[int, int]]:
    """Code spans of a line: from a run of backticks to the next run that is as long."""
    runs = [(found.start(), found.end()) for found in re.finditer(r"`+", line)]
    at = 0
    while at < len(runs):
        start, end = runs[at]
        closing = next((n for n in range(at + 1, len(runs)) if runs[n][1] - runs[n][0] == end - start), None)
        if closing is None:
            at += 1
            continue
        yield start, runs[closing][1]
        at = closing + 1


def _line(text: str) -> str:
    """A text of ours or of anybody on one line, none of it HTML."""
    return _TAG.sub("&lt;", safe_text(" ".join(text.split()), keep_newlines=False))


def _html(text: str) -> str:
    return html.escape(safe_text(" ".join(text.split()), keep_newlines=False))


def _code(text: str) -> str:
    text = safe_text(text, keep_newlines=False)
    tick = "`" * (max((len(run) for run in re.findall(r"`+", text)), default=0) + 1)
    return f"{tick} {text} {tick}" if "`" in text else f"`{text}`"

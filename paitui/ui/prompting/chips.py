"""How a long text is named where it is folded: in the prompt, in the queue, in the conversation."""

from paitui.locale import Words
from paitui.messages.message import Spans
from paitui.ui.prompting.marks import folded


def label(words: Words, text: str, pasted: bool = True) -> str:
    """Name a text by its size: ``[pasted 10,000 lines, 412 KB]``."""
    what = words("prompt.pasted") if pasted else words("prompt.own_text")
    lines = text.rstrip("\n").count("\n") + 1
    if lines == 1:
        return words("prompt.chip_line", what=what, chars=f"{len(text):,}")
    return words("prompt.chip", what=what, lines=f"{lines:,}", size=_size(text))


def shown(words: Words, text: str, pasted: Spans) -> str:
    """Give a text with its long pastes folded."""
    return folded(text, pasted, lambda inner, was_pasted: label(words, inner, was_pasted)).text if pasted else text


def _size(text: str) -> str:
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return f"{size} B" if size < 1_000 else f"{size / 1_000:,.0f} KB" if size < 1_000_000 else f"{size / 1e6:,.1f} MB"

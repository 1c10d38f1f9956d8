"""Whether a fact is the user's own wording: checked by program where nothing else may be saved."""

import re
from collections.abc import Iterable

from paitui.memory.extraction.quotes import is_torn

_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
"""Full-width forms to ordinary ones, character for character, so that places stay what they are."""
_WIDE = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_PARTS = re.compile(rf"(?P<gap>\s+)|[{_WIDE}]|[^\s{_WIDE}]+")
_MOST_PLACES = 50


def is_own_words(fact: str, typed: Iterable[str]) -> bool:
    """Say whether a fact stands in what the user typed, word for word.

    White space and the width of letters and signs may differ; between Chinese and other text white space may be there
    or not. What was cut out of its sentence so that it says something else ("run it" of "never run it") is not what
    the user said.

    Args:
        fact: What is to be saved.
        typed: What the user typed, in pieces; a fact stands in one of them.
    """
    found = _pattern(fact.strip().translate(_WIDTH))
    return found is not None and any(_stands(found, piece.translate(_WIDTH)) for piece in typed)


def _stands(found: re.Pattern[str], piece: str) -> bool:
    for count, match in enumerate(found.finditer(piece)):
        if count >= _MOST_PLACES:
            return False
        if not is_torn(piece, match.span()):
            return True
    return False


def _pattern(fact: str) -> re.Pattern[str] | None:
    pieces: list[str] = []
    wide, gap = False, False
    for part in _PARTS.finditer(fact):
        if part["gap"]:
            gap = True
            continue
        is_wide = re.match(f"[{_WIDE}]", part[0]) is not None
        if pieces:
            pieces.append(r"\s*" if wide or is_wide else r"\s+" if gap else "")
        pieces.append(re.escape(part[0]))
        wide, gap = is_wide, False
    return re.compile("".join(pieces)) if pieces else None

"""Line breaking in cells, for text that mixes Chinese and Latin.

The libraries below break at white space only, which tears mixed text: a Chinese sentence without spaces
jumps to the next line whole. Here a line may break between ideographs, never before closing and never after
opening punctuation (the short form of the rules that Chinese and Japanese typesetters call kinsoku), and a
joined emoji, a flag or a letter with its accents is never taken apart.
"""

import re
from functools import lru_cache

from rich.cells import cell_len, get_character_cell_size

from paitui.ui.door import SafeText

CLOSING = frozenset("!),.:;?]}%、。〉》」』】〕〗〙〟’”…！），．：；？］｝～％·›»—℃")
"""Never at the start of a line."""
OPENING = frozenset("([{‘“〈《「『【〔〖〘〝（［｛￥＄‹«")
"""Never at the end of a line."""

_ZWJ = "\u200d"
_PLAIN = re.compile(r"[\x20-\x7e]*")
_WORDS = re.compile(r" +|[^ ]+")


def width(text: str) -> int:
    """Cells that a text takes, as the screen counts them."""
    return cell_len(text)


def clusters(text: str) -> list[tuple[int, int, int]]:
    """Take a text apart into what the eye sees as one character.

    Args:
        text: One line.

    Returns:
        `(start, end, cells)` of each, in order, without gaps: a base with its accents, variation selectors and
        skin tones; emoji joined by ZWJ; a pair of regional indicators.
    """
    found: list[tuple[int, int, int]] = []
    at, length = 0, len(text)
    while at < length:
        end = at + 1
        if _is_regional(text[at]) and end < length and _is_regional(text[end]):
            end += 1
        while end < length:
            if text[end] == _ZWJ:
                end = min(end + 2, length)
            elif _extends(text[end]):
                end += 1
            else:
                break
        found.append((at, end, cell_len(text[at:end])))
        at = end
    return found


@lru_cache(4096)
def _extends(character: str) -> bool:
    return character == "\ufe0f" or get_character_cell_size(character) == 0


def _is_regional(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def breaks(text: str, first: int, rest: int | None = None) -> list[tuple[int, int]]:
    """Decide where a line breaks.

    Args:
        text: One line, without line breaks.
        first: Cells of the first row, at least 2.
        rest: Cells of the rows after it; the same if None.

    Returns:
        `(start, end)` of each row in characters; white space at a break belongs to no row. At least one row.
    """
    first, rest = max(2, first), max(2, first if rest is None else rest)
    if _PLAIN.fullmatch(text):
        return [(0, len(text))] if len(text) <= first else _break_plain(text, first, rest)
    return _break_mixed(text, first, rest)


def _break_plain(text: str, first: int, rest: int) -> list[tuple[int, int]]:
    """The common case, one cell a character and breaks at spaces, without looking at each character."""
    rows: list[tuple[int, int]] = []
    start, end, limit = 0, 0, first
    for match in _WORDS.finditer(text):
        if match.group()[0] == " " and match.start():
            continue  # counted when the next word comes, or dropped at the break
        word_start, word_end = match.span()
        if word_end - start > limit and end > start:
            rows.append((start, end))
            start, limit = word_start, rest
        while word_end - start > limit:
            rows.append((start, start + limit))
            start, limit = start + limit, rest
        end = word_end
    if end > start or not rows:
        rows.append((start, end))
    return rows


def _break_mixed(text: str, first: int, rest: int) -> list[tuple[int, int]]:
    rows: list[tuple[int, int]] = []
    pieces = clusters(text)
    start, used, limit = 0, 0, first  # first piece of the row, cells in it, cells it may have
    chance = -1  # piece before which the row may break
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        if at > start and _may_break(text, pieces[at - 1], piece):
            chance = at
        blank = _is_blank(text, piece)
        if used + piece[2] <= limit or (blank and at > start):
            used += piece[2]
            at += 1
            continue
        cut = chance if chance > start else max(at, start + 1)
        rows.append((pieces[start][0], pieces[cut - 1][1]))
        while cut < len(pieces) and _is_blank(text, pieces[cut]):
            cut += 1
        start, at, used, limit, chance = cut, cut, 0, rest, -1
    if start < len(pieces) or not rows:
        rows.append((pieces[start][0] if pieces else 0, len(text)))
    return [(begin, begin + len(text[begin:end].rstrip(" ")) or end) for begin, end in rows]


def _is_blank(text: str, piece: tuple[int, int, int]) -> bool:
    return text[piece[0] : piece[1]] == " "


def _may_break(text: str, left: tuple[int, int, int], right: tuple[int, int, int]) -> bool:
    if _is_blank(text, right):
        return False
    if _is_blank(text, left):
        return True
    a, b = text[left[0]], text[right[0]]
    return b not in CLOSING and a not in OPENING and (left[2] == 2 or right[2] == 2)


def wrap(text: SafeText, cells: int) -> list[SafeText]:
    """Break one line of safe text into rows of at most `cells` cells."""
    return [SafeText(text[start:end]) for start, end in breaks(text, cells)]


def cut(text: SafeText, cells: int, mark: str = "…") -> SafeText:
    """Shorten a line at its end to `cells` cells, with a mark where something is gone."""
    if cell_len(text) <= cells:
        return text
    room = cells - cell_len(mark)
    if room < 0:
        return SafeText("")
    return SafeText(text[: _prefix(text, room)] + mark)


def cut_middle(text: SafeText, cells: int, mark: str = "…") -> SafeText:
    """Shorten a line in its middle: of a path, root and file name both matter."""
    if cell_len(text) <= cells:
        return text
    room = cells - cell_len(mark)
    if room < 6:
        return cut(text, cells, mark)
    tail = room * 2 // 3
    pieces = clusters(text)
    start, used = len(text), 0
    for piece in reversed(pieces):
        if used + piece[2] > tail:
            break
        start, used = piece[0], used + piece[2]
    return SafeText(text[: _prefix(text, room - used)] + mark + text[start:])


def _prefix(text: str, room: int) -> int:
    used = 0
    for start, _end, cells in clusters(text):
        if used + cells > room:
            return start
        used += cells
    return len(text)

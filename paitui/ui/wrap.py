"""Line breaking in cells, for text that mixes Chinese and Latin.

The libraries below break at white space only, which tears mixed text: a Chinese sentence without spaces
jumps to the next line whole. Here a line may break between ideographs, never before closing and never after
opening punctuation (the short form of the rules that Chinese and Japanese typesetters call kinsoku), and a
joined emoji, a flag or a letter with its accents is never taken apart. What is not torn, such as an identifier or
an address, is a unit; only a unit that is wider than a row is split.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len, get_character_cell_size

from paitui.ui.door import SafeText

CLOSING = frozenset(
    "!),.:;?]}%、。〉》」』】〕〗〙〟’”…！），．：；？］｝～％·›»—℃々ーぁぃぅぇぉっゃゅょァィゥェォッャュョ"
)
"""Never at the start of a line."""
OPENING = frozenset("([{‘“〈《「『【〔〖〘〝（［｛￥＄‹«")
"""Never at the end of a line."""
_EITHER = frozenset("\"'")
"""Opens or closes; beside an ideograph it is kept with both neighbours."""
_JOINTS = frozenset("/\\_-&?=|,;")
"""Behind these a path, an identifier or an address is split best."""
_BACK = 4
"""Characters by which the split of an over-wide unit may move back to obey the rules."""

_ZWJ = "\u200d"
_PLAIN = re.compile(r"[\x20-\x7e]*")
_WORDS = re.compile(r" +|[^ ]+")
_NARROW = (
    r"\x21-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0377\u0391-\u03c9\u0400-\u0482"
    r"\u2010-\u2027\u2030-\u205e\u2190-\u22ff\u2500-\u257f"
)
_WIDE = r"\u3000-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff01-\uff60"
_SIMPLE = re.compile(f"[ {_NARROW}{_WIDE}]*")
"""Text in which every character stands for itself, and those of the second kind take two cells."""
_NEVER_FIRST = "".join(map(re.escape, sorted(CLOSING | _EITHER)))
_NEVER_LAST = "".join(map(re.escape, sorted(OPENING | _EITHER)))
_UNITS = re.compile(f" +|[^ ](?:[{_NEVER_FIRST}]|(?<=[{_NEVER_LAST}])[^ ]|(?<=[{_NARROW}])[{_NARROW}])*")

Unit = tuple[int, int, int]
"""`(start, end, cells)` of what is not torn, or of a run of spaces."""


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
    if len(text) <= first and _PLAIN.fullmatch(text):
        return [(0, len(text.rstrip(" ")) or len(text))]
    rows: list[tuple[int, int]] = []
    start, end, used, limit = 0, 0, 0, first  # the row: where it begins and ends, its cells, those it may have
    blank = 0  # cells of white space after its end
    chance: tuple[int, int, int] | None = None  # where it may end instead, where the next begins, cells up to there
    for unit_start, unit_end, size in _units(text):
        if unit_start and text[unit_start] == " " == text[unit_end - 1]:
            blank = size
            continue
        here = (end, unit_start, used + blank)
        possible = unit_start > start and not (start == 0 and text[:end].isspace())  # not behind a mere indent
        if possible and (not blank or _may_part(text, end, unit_start, unit_end)):
            chance = here
        used += blank + size
        if used > limit and (chance is not None or (possible and blank)):
            chance = chance or here  # loose punctuation gives way before a word is torn
            rows.append((start, chance[0]))
            start, used, limit, chance = chance[1], used - chance[2], rest, None
        blank = 0
        end = unit_end
        if used > limit:
            *whole, (start, end) = _split(text, start, end, limit, rest)
            rows += whole
            used, limit, chance = cell_len(text[start:end]), rest, None
    rows.append((start, end))
    return rows


def longest(text: str) -> int:
    """Cells of the widest part of a line that is not torn where there is room for it."""
    return max((size for start, _end, size in _units(text) if text[start] != " "), default=0)


def _units(text: str) -> Iterator[Unit]:
    if _PLAIN.fullmatch(text):
        for match in _WORDS.finditer(text):
            yield match.start(), match.end(), match.end() - match.start()
    elif _SIMPLE.fullmatch(text):
        for match in _UNITS.finditer(text):
            yield match.start(), match.end(), cell_len(match.group())
    else:
        yield from _units_of_clusters(text)


def _units_of_clusters(text: str) -> Iterator[Unit]:
    begin, end, size, before = 0, 0, 0, ""
    last = 0  # cells of the last character
    for start, stop, taken in clusters(text):
        sign = text[start] if stop > start + 1 and text[start] != " " else text[start:stop]
        if end and (sign == " " or before == " "):
            apart = sign != before
        else:
            apart = bool(end) and (last == 2 or taken == 2) and not _kept(before, sign)
        if apart:
            yield begin, end, size
            begin, size = start, 0
        end, size, before, last = stop, size + taken, sign, taken
    if end:
        yield begin, end, size


def _kept(left: str, right: str) -> bool:
    """Whether two characters stay together by the rules of punctuation."""
    return right in CLOSING or left in OPENING or left in _EITHER or right in _EITHER


def _may_part(text: str, end: int, start: int, stop: int) -> bool:
    """Whether a line may break at white space: not after what opens, nor before a loose closing sign."""
    sign = text[start]
    loose = sign in CLOSING and (not sign.isascii() or CLOSING.issuperset(text[start:stop]))
    return not loose and text[end - 1] not in OPENING


def _split(text: str, start: int, end: int, first: int, rest: int) -> list[tuple[int, int]]:
    """Take apart what is wider than a row."""
    rows: list[tuple[int, int]] = []
    pieces = clusters(text[start:end])
    begin, used, limit = 0, 0, first
    at = 0
    while at < len(pieces):
        if used + pieces[at][2] <= limit or at == begin:
            used += pieces[at][2]
            at += 1
            continue
        signs = [text[start + pieces[cut][0]] for cut in range(begin, at + 1)]
        at = begin + _best_cut(signs)
        rows.append((start + pieces[begin][0], start + pieces[at][0]))
        begin, used, limit = at, 0, rest
    rows.append((start + pieces[begin][0], end))
    return rows


def _best_cut(signs: list[str]) -> int:
    """Where to split an over-wide unit: behind a joint if the row is two thirds full then, else at its end.

    Args:
        signs: First characters of the clusters that fit into the row, and of the one that does not.
    """
    last = len(signs) - 1
    allowed = [at for at in range(last, 0, -1) if signs[at] not in CLOSING and signs[at - 1] not in OPENING]
    for at in allowed:
        if at * 3 >= last * 2 and signs[at - 1] in _JOINTS:
            return at
    return allowed[0] if allowed and last - allowed[0] < _BACK else last


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

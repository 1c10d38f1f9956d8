"""How wide text is on a terminal: Chinese characters take two cells, marks on a letter none."""

from unicodedata import category, east_asian_width


def cells(text: str) -> int:
    """Count the cells of one line."""
    if text.isascii():
        return len(text)
    return sum(_cells(character) for character in text)


def padded(text: str, width: int) -> str:
    """Fill a text up with blanks to a width in cells."""
    return text + " " * (width - cells(text))


def cut(text: str, width: int) -> str:
    """Shorten a text to a width in cells, with a mark at the end if anything is left out."""
    if cells(text) <= width:
        return text
    kept, used = [], 1
    for character in text:
        used += _cells(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _cells(character: str) -> int:
    if category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1

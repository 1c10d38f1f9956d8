"""Patterns that find a word however it is disguised: case, spacing, zero-width, full-width, homoglyph, entity."""

import html.entities
import re
import unicodedata

# Letters of other scripts that look like the Latin ones used in paitui's tags, and what Unicode's own
# compatibility forms (see `_forms`) do not cover. From Unicode's confusables table (UTS 39), by eye.
_HOMOGLYPHS = {
    "a": "аАαΑɑᴀꭺӑӓ⍺∆ᗅꓮ𐊠",
    "d": "ԁᏧᴅꓓժ",
    "e": "еЕёЁεΕєᴇꭼҽ℮ꓰ∊",
    "h": "һҺհᏂнНʜΗ",
    "i": "іІїιΙıɪӏߊ1l|ⵏꓲ",
    "l": "ӏІΙιıI1|ⅼʟⵏꓡᏞ⏐∣Ɩǀוןاlι𐊊",
    "m": "мМΜᴍꓟⅿ",
    "n": "пηΝոᴎꓠ",
    "o": "оОοΟσᴏ0օ०০௦೦൦๐໐၀〇ⲟⲞⵔ○◯ꓳⲟℴ߀ס𐊒",
    "p": "рРρΡᴘꓑⲣⲢᏢ",
    "r": "гГᴦʀᎡꓣⲅ𐒴ꮁꭇꭈ",
    "s": "ѕЅꜱՏᏚꓢƽʂ5$",
    "t": "тТτΤᴛꭲƬꓔ⊤⟙†ⲧⲦՇ",
    "u": "υսμᴜՍ∪ꓴцԱʋꭎꭒμ",
    "y": "уУүҮγΥʏყᎩ",
    "_": "‗﹍﹎﹏＿_-‐‑‒–—﹣－．.·",
    ":": "：﹕ː∶꞉︰:",
    "<": "＜﹤‹〈〈⟨❬❮ᐸ˂≺≪«⟪《𐌂⧼⦑",
    "[": "［﹝【〔〖⟦「❲⁅",
}
_RANGES = (
    (0xC0, 0x24F),
    (0x2B0, 0x2FF),
    (0x1D00, 0x1DBF),
    (0x1E00, 0x1EFF),
    (0x2070, 0x209F),
    (0x2100, 0x214F),
    (0x2160, 0x217F),
    (0x2460, 0x24FF),
    (0xA770, 0xA7FF),
    (0xFF00, 0xFF5E),
    (0x1D400, 0x1D7FF),
    (0x1F100, 0x1F1FF),
)

# What may stand between two letters without breaking the word for a reader: white space, slashes, everything
# without a glyph, combining marks; and the backslash that escaping itself puts in (see `boundary`).
_BETWEEN = (
    r"\s\\/／⁄∕╱⧸⟋\x00-\x1f\x7f-\xa0\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff"
    r"\u1dc0-\u1dff\u200b-\u200f\u2028-\u202e\u2060-\u206f\u20d0-\u20ff\u2800\u3164\ufe00-\ufe0f\ufe20-\ufe2f"
    r"\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U0001d173-\U0001d17a\U000e0080-\U000e0fff"
)
_TAGS = r"\U000e0000-\U000e007f"
"""Invisible copies of ASCII: fillers to a reader, letters to some models, so both readings are looked for."""
_TO_TAG = 0xE0000
_INVISIBLE_CODES = (9, 10, 13, 32, 0xA0, 0xAD, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2060, 0xFEFF)


def _forms() -> dict[str, set[str]]:
    """Characters that decompose to each Latin letter or sign (full-width, mathematical, accented, circled)."""
    found: dict[str, set[str]] = {}
    for first, last in _RANGES:
        for code in range(first, last + 1):
            base = unicodedata.normalize("NFKD", chr(code)).casefold().strip("()")[:1]
            name = unicodedata.name(chr(code), "")
            if not base.isascii() and "LETTER" in name:
                continue
            if not base.isascii() or not base:
                base = name[-1:].casefold() if "SQUARED LATIN" in name or "REGIONAL" in name else ""
            if base:
                found.setdefault(base, set()).add(chr(code))
    return found


def _entity(codes: list[int]) -> str:
    """Character references to any of these code points, escaped once or many times over."""
    decimal = "|".join(str(code) for code in codes)
    hexadecimal = "|".join(f"{code:x}" for code in codes)
    names = {
        name.rstrip(";") for name, value in html.entities.html5.items() if len(value) == 1 and ord(value) in codes
    }
    named = "".join(f"|{re.escape(name)}" for name in sorted(names, key=len, reverse=True))
    # No digit may follow, else `&#116` would be found inside `&#1160`.
    return f"&(?:amp;)*+(?:#0*+(?:{decimal})(?![0-9])|#[xX]0*+(?:{hexadecimal})(?![0-9a-fA-F]){named});?"


def pattern(opening: str, word: str) -> re.Pattern[str]:
    """Compile a pattern that finds an opening sign followed by a word, disguised in any way known here.

    Args:
        opening: The sign, ``<`` or ``[``.
        word: Letters, ``_`` and ``:``; an underscore may be missing.

    Returns:
        A pattern whose only group that matched is the opening as it stands. It needs linear time: all repetitions
        are possessive.
    """
    forms = _forms()
    return re.compile(
        f"{_reading(opening, word, forms, False)}|{_reading(opening, word, forms, True)}", re.IGNORECASE
    )


def _reading(opening: str, word: str, forms: dict[str, set[str]], tags_are_letters: bool) -> str:
    """One way to read Unicode's tag characters: as nothing, or as the letters that they copy."""

    def one(sign: str, entities: bool = True) -> str:
        looks = {sign, sign.upper(), *_HOMOGLYPHS.get(sign, ""), *forms.get(sign, ())}
        codes = sorted({ord(sign), ord(sign.upper()), *(ord(look) for look in looks if ord(look) > 0x7F)})
        if tags_are_letters:
            looks |= {chr(_TO_TAG + ord(sign)), chr(_TO_TAG + ord(sign.upper()))}
        members = "".join(re.escape(look) for look in sorted(looks))
        return f"(?:[{members}]|{_entity(codes)})" if entities else f"[{members}]"

    nothing = _BETWEEN + (rf"{chr(_TO_TAG + ord('/'))}{chr(_TO_TAG + ord(' '))}" if tags_are_letters else _TAGS)
    between = f"(?:[{nothing}]|{_entity(list(_INVISIBLE_CODES))})*+"
    slash = f"(?:{_entity([ord('/')])})?"
    letters = between.join(one(sign, not tags_are_letters) + ("?" if sign == "_" else "") for sign in word)
    return f"({one(opening)}){between}{slash}{between}{letters}"


def opening_of(match: re.Match[str]) -> str:
    """Give the opening sign of a match, as it stands."""
    return match[match.lastindex or 0]


def escape(found: re.Pattern[str], text: str) -> str:
    """Put a backslash behind the opening of every match, so that it reads as text and can be undone exactly.

    Args:
        found: A pattern that `pattern` made.
        text: Any text.
    """

    def disarm(match: re.Match[str]) -> str:
        sign = opening_of(match)
        return f"{sign}\\{match[0][len(sign) :]}"

    return found.sub(disarm, text)

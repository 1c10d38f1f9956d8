"""The door to the terminal."""

import re
import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.trust.safe_text import clip, safe_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("\x1b]8;;http://x\x07link", "␛]8;;http://x␇link"),
        ("\x1b]52;c;AAAA\x1b\\", "␛]52;c;AAAA␛\\"),
        ("\x9b31m", "\\x9b31m"),
        ("\x9d52;c;x\x9c", "\\x9d52;c;x\\x9c"),
        ("\x00\x7f\x08", "␀␡␈"),
        ("a\u202eb\u2066c", "a\\u202eb\\u2066c"),
        ("a\u200bb\ufeffc\u00add", "a\\u200bb\\ufeffc\\u00add"),
        ("\U000e0041\U000e0042", "\\U000e0041\\U000e0042"),
        ("\ud800 \udcff", "\\ud800 \\udcff"),
        ("one\r\ntwo\rthree", "one\ntwo␍three"),
        ("a\u2028b", "a\\u2028b"),
        ("ab\u200dcd", "ab\\u200dcd"),
        ("1\ufe0f2", "1\\ufe0f2"),
        ("\u200d\u200d\u200d", "\\u200d\\u200d\\u200d"),
    ],
)
def test_what_acts_or_hides_is_shown(text: str, shown: str) -> None:
    assert safe_text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "two\nlines\tand a tab",
        "中文，标点。",
        "日本語 한국어",
        "👩‍💻 🏳️‍🌈 ❤️ 1️⃣ 👍🏽 🇨🇳",
        "[red]x[/red] [@click=app.quit]",
        "é ü ñ e\u0301",
    ],
)
def test_ordinary_text_stays(text: str) -> None:
    assert safe_text(text) == text


def test_one_line_places_get_one_line() -> None:
    assert safe_text("a\nb\tc\r\nd", keep_newlines=False) == "a␊b␉c␍␊d"


@given(st.text(st.characters(), max_size=60), st.booleans())
def test_nothing_unsafe_is_left(text: str, keep: bool) -> None:
    shown = safe_text(text, keep)
    allowed = "\n\t" if keep else ""
    for at, character in enumerate(shown):
        category = unicodedata.category(character)
        assert category not in ("Cc", "Cs") or character in allowed
        if character not in "\u200d\ufe0f\ufe0e":
            # What is left of format characters are visible marks of the Arabic and Egyptian scripts.
            assert category != "Cf" or re.search(
                "ARABIC|SYRIAC|KAITHI|HIEROGLYPH", unicodedata.name(character, "")
            ), at
    assert safe_text(shown, keep) == shown


@given(st.text(st.sampled_from("\x1b[]\x9b\u202e\u200d\ufe0f👩💻❤a1#\n"), max_size=40))
def test_joiners_stay_between_pictures_only(text: str) -> None:
    shown = safe_text(text)
    assert not re.search(
        "(?<![\U0001f000-\U0001faff\u2764])(?<![\U0001f000-\U0001faff\u2764]\ufe0f)\u200d|\u200d(?![\U0001f000-\U0001faff\u2764])",
        shown,
    )
    assert safe_text(shown) == shown


@pytest.mark.parametrize("piece", ["hello world\n", "中文内容，", "a\x1b[0m世界 ", "\x1b", "👩‍💻❤️ x "])
def test_a_megabyte_is_quick(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    safe_text("\x1b")
    begin = time.perf_counter()
    safe_text(text)
    # Measured 5 to 100 ms; the limit leaves room for a busy machine.
    assert time.perf_counter() - begin < 0.6


@given(st.text(st.sampled_from("ab\n"), max_size=300), st.integers(2, 120))
def test_a_clip_accounts_for_every_character(text: str, chars: int) -> None:
    part = clip(text, chars)
    assert len(part.head) + len(part.tail) <= max(chars, len(text) if not part.left_out_chars else 0)
    assert len(part.head) + part.left_out_chars + len(part.tail) == len(text)
    assert text.startswith(part.head) and text.endswith(part.tail)
    assert (part.head + part.tail == text) == (part.left_out_chars == 0)
    middle = text[len(part.head) : len(text) - len(part.tail)]
    assert middle.count("\n") == part.left_out_lines


def test_a_clip_ends_at_lines_where_it_can() -> None:
    part = clip("line of text\n" * 1_000, 1_000)
    assert part.head.endswith("\n") and part.tail.startswith("line")
    assert part.left_out_chars > 11_000 and part.left_out_lines > 900

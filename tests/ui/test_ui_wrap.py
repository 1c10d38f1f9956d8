"""Lines break in cells: between ideographs, never at the wrong side of punctuation, never inside an emoji."""

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.segment import Segment
from textual.strip import Strip
from wcwidth import wcswidth

from paitui.ui.door import own
from paitui.ui.wrap import CLOSING, OPENING, breaks, clusters, cut, cut_middle, width, wrap

FAMILY = "👨‍👩‍👧"
JOINED = (
    "👨‍👩‍👧",
    "👍🏽",
    "❤️",
    "🇨🇳",
    "1️⃣",
    "👩🏽‍💻",
    "🏳️‍🌈",
    "☀️",
    "⚠️",
    "ℹ️",
    "🧑‍🚀",
    "葛\U000e0100",
    "\u1112\u1161\u11ab",
)
"""Of several characters; a terminal that draws them one by one, as the one in the tests, may need more cells."""
SIGNS = (*JOINED, *"中a…“·—①→🎉⌚⭐✓▪ｱ　𠮷한", "é", "e\u0301", "か\u3099", "❤", "☺")
MIXED = st.text(alphabet="ab é中文，。（）“”【】 👍🏽❤️🇨🇳" + FAMILY, max_size=60)


def rows(text: str, cells: int) -> list[str]:
    return list(wrap(own(text), cells))


def test_chinese_breaks_between_ideographs():
    assert rows("记忆看得见管得住的助手", 10) == ["记忆看得见", "管得住的助", "手"]


def test_no_closing_sign_starts_a_row_and_no_opening_sign_ends_one():
    text = "先找到导出的入口（订单），再看“金额”怎么写。完成！"
    for cells in range(6, 30):
        for row in rows(text, cells)[1:]:
            assert row[0] not in CLOSING, (cells, row)
        for row in rows(text, cells)[:-1]:
            assert row[-1] not in OPENING, (cells, row)


def test_mixed_text_breaks_where_either_side_allows_it():
    assert rows("改用iterator写出", 10) == ["改用", "iterator写", "出"]


@pytest.mark.parametrize("whole", [FAMILY, "🇨🇳", "👍🏽", "❤️", "1️⃣", "é"])
def test_what_the_eye_sees_as_one_stays_whole(whole):
    text = f"中{whole}" * 9
    for cells in range(2, 14):
        assert all(whole in row or whole[0] not in row for row in rows(text, cells))
        assert "".join(rows(text, cells)) == text


def test_a_pair_of_regional_signs_is_one_cluster():
    assert [text for text in ("🇨🇳"[s:e] for s, e, _ in clusters("🇨🇳"))] == ["🇨🇳"]


@pytest.mark.parametrize("text", SIGNS)
def test_cells_are_counted_as_the_screen_draws_them(text):
    """Our count, that of the strips we hand over, and that of the terminal's library agree on every sign."""
    assert width(text) == sum(size for _, _, size in clusters(text)) == wcswidth(text)
    assert Strip([Segment(text)]).cell_length == width(text)
    assert [size for _, _, size in clusters(f"中{text}a")] == [2, width(text), 1]


@pytest.mark.parametrize("text", [sign for sign in SIGNS if sign not in JOINED])
def test_a_terminal_puts_the_next_sign_where_we_count_it(text):
    screen = pyte.Screen(20, 1)
    pyte.Stream(screen).feed(f"{text}|")
    assert screen.buffer[0][width(text)].data == "|"


@pytest.mark.parametrize("text", JOINED)
def test_what_a_simple_terminal_cannot_join_is_one_cluster_all_the_same(text):
    assert len(clusters(text)) == 1 and width(text) == 2


def test_quotes_that_open_and_close_alike_stay_with_their_words():
    for cells in range(8, 30):
        for row in rows("他说\"你好\"，然后走了，又说'再见'。", cells):
            assert row[0] not in "\"'" and row[-1] not in "\"'", (cells, row)


def test_identifiers_and_addresses_are_not_torn_where_there_is_room():
    text = "先看src/app/orders_export.py里的write_rows()，再看https://example.com/a?b=c#d，最后改。"
    for cells in range(30, 60):
        broken = rows(text, cells)
        for whole in ("src/app/orders_export.py", "write_rows()", "https://example.com/a?b=c#d"):
            assert any(whole in row for row in broken), (cells, whole)


def test_loose_punctuation_stays_with_what_it_closes_or_opens():
    assert rows("one two , three", 7) == ["one", "two ,", "three"]
    assert rows("one ( two )", 7) == ["one", "( two )"]
    assert rows("一二 ，三", 6) == ["一", "二 ，", "三"]
    assert rows("one ( two )", 6) == ["one", "( two", ")"]  # where it has to, it gives way


def test_a_long_address_is_split_by_the_same_rules():
    for row in rows("x" * 9 + ").," + "y" * 9, 10)[1:]:
        assert row[0] not in CLOSING


def test_a_path_is_split_at_its_joints():
    assert rows("tests/orders/test_export.py", 20) == ["tests/orders/test_", "export.py"]
    assert rows("see https://example.com/a/long/way", 16) == ["see", "https://example.", "com/a/long/way"]


def test_an_over_long_word_is_split_hard():
    assert rows("x" * 25, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert rows("see " + "y" * 12, 10) == ["see", "y" * 10, "yy"]


def test_indentation_stays_and_space_at_a_break_goes():
    assert rows("    return value", 12) == ["    return", "value"]
    assert rows("a path .paitui/x", 7) == ["a path", ".paitui", "/x"]


def test_an_empty_line_is_one_row():
    assert rows("", 10) == [""]


@given(MIXED, st.integers(2, 30))
@settings(max_examples=300, deadline=None)
def test_nothing_but_spaces_is_lost_and_no_row_is_too_wide(text, cells):
    found = rows(text, cells)
    assert "".join(found).replace(" ", "") == text.replace(" ", "")
    # one cluster alone may be wider than the row only if the row is narrower than a cluster
    assert all(width(row) <= cells for row in found)


@given(st.text(alphabet="abc  /.", max_size=80), st.integers(2, 20))
@settings(max_examples=200, deadline=None)
def test_plain_text_obeys_the_same_rules(text, cells):
    found = [text[start:end] for start, end in breaks(text, cells)]
    assert "".join(found).replace(" ", "") == text.replace(" ", "")
    assert all(width(row) <= cells for row in found)


def test_cutting_keeps_both_ends_of_a_path():
    short = cut_middle(own("文档/设计说明/订单导出功能的详细设计.md"), 20)
    assert width(short) <= 20 and short.startswith("文档") and short.endswith(".md") and "…" in short
    assert cut(own("abcdef"), 4) == "abc…"
    assert cut(own("中文字"), 4) == "中…"

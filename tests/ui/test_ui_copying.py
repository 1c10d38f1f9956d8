"""What is copied is the text, not the drawing."""

from hypothesis import given, settings
from hypothesis import strategies as st

from paitui.ui.copying import copied, row_cells, word_at
from paitui.ui.door import own
from paitui.ui.lines import Span, flow, glyph, margin

SIGNS = ("a", "b", " ", "é", "e\u0301", "中", "文", "，", "（", "👍🏽", "❤️", "🇨🇳", "👨‍👩‍👧", "1️⃣")
ALL = (1 << 20, 0)
MIXED = st.text(alphabet="abc Wörter é中文，。（）“”【】 \u3000…'\"👍🏽❤️🇨🇳👨‍👩‍👧", max_size=80)


def everything(rows):
    return copied(rows, (0, 0), ALL)


@given(st.lists(MIXED, min_size=1, max_size=4), st.integers(2, 40), st.integers(0, 6))
@settings(max_examples=400, deadline=None)
def test_what_is_broken_into_rows_is_copied_as_it_was(pieces, total, indent):
    spans = [Span(own(piece), ink) for piece, ink in zip(pieces, ("text", "code", "strong", "dim"), strict=False)]
    rows = flow(spans, total + indent, (glyph("▌ "[:indent]),), (margin(indent),))
    assert everything(rows) == "".join(pieces)


@given(st.lists(st.sampled_from(SIGNS), max_size=60).map("".join), st.integers(2, 20), st.data())
@settings(max_examples=300, deadline=None)
def test_two_halves_of_a_selection_are_the_whole(text, total, data):
    rows = flow([Span(own(text))], total)
    at = data.draw(st.integers(0, len(rows) - 1))
    cell = data.draw(st.integers(0, row_cells(rows[at])))
    left, right = copied(rows, (0, 0), (at, cell)), copied(rows, (at, cell), ALL)
    assert text.startswith(left) and text.endswith(right)
    # A wide character cut through belongs to both; white space dropped at a break may belong to both or to neither.
    lost, twice = text[len(left) : len(text) - len(right)], text[len(text) - len(right) : len(left)]
    assert not lost.strip(" ") and (twice in SIGNS or not twice.strip(" "))


def test_rows_of_their_own_are_lines_of_their_own():
    rows = [*flow([glyph("one two")], 5), (), *flow([glyph("三四五")], 4)]
    assert everything(rows) == "one two\n\n三四五"


def test_cells_count_and_wide_characters_are_taken_whole():
    (row,) = flow([glyph("a中文b")], 20, (glyph("▌ "),))
    assert copied([row], (0, 2), (0, 3)) == "a"
    assert copied([row], (0, 4), (0, 6)) == "中文"
    assert copied([row], (0, 0), (0, 4)) == "a中"
    assert copied([row], (0, 7), (0, 99)) == "b"
    assert copied([row], (0, 5), (0, 5)) == copied([row], (0, 5), (0, 3)) == ""


def test_what_stands_for_something_is_copied_whole():
    row = (glyph("a"), Span(own("    "), copy="\t"), glyph("b"), margin(3))
    assert everything([row]) == "a\tb"
    assert copied([row], (0, 2), (0, 3)) == "\t"


def test_a_table_is_copied_row_by_row_with_tabs():
    def cell(text, column, glue=None):
        return Span(own(text), "text", None, glue, column)

    line = Span(own("│"), "border", "")
    rows = [
        (margin(2), cell("name", 1), line, cell("what", 2)),
        (Span(own("──┼──"), "border", "", ""),),
        (cell("a long", 1), line, cell("中", 2), Span(own("  "), "text", "", None, 2)),
        (cell("name", 1, " "), line, cell("文", 2, "")),
        (cell("x", 1), line, Span(own("  "), "text", "", None, 2)),
    ]
    assert everything(rows) == "name\twhat\na long name\t中文\nx\t"
    assert copied(rows, (1, 0), (2, 4)) == "a lo"
    assert copied(rows, (3, 0), (3, 9)) == "name\t文"
    assert copied(rows, (2, 2), (3, 4)) == "long name\t中"


def test_a_word_is_what_a_double_click_means():
    (row,) = flow([glyph("see src/a_b.py:3，改用迭代器（iterator）")], 99, (glyph("▌ "),))

    def word(cell):
        start, end = word_at(row, cell)
        return copied([row], (0, start), (0, end))

    assert word(3) == "see" and word(8) == "src/a_b.py:3" and word(18) == "，"
    assert word(22) == word(23) == "改用迭代器" and word(35) == "iterator"
    assert word(0) == word(500) == ""

"""The model's text, lightly dressed."""

import pytest

from paitui.locale import Words
from paitui.ui.glyphs import UNICODE
from paitui.ui.look import Look, words_of
from paitui.ui.render.answer import Answer

LOOK = Look(Words("en"), UNICODE)


def rows(text, total=30):
    return Answer(LOOK, total).rows(text)


def shown(text, total=30):
    return [words_of(row).rstrip() for row in rows(text, total)]


def inks(text):
    return [{span.ink for span in row if span.text.strip()} for row in rows(text)]


def test_indented_lines_are_code_and_stay_as_they_are():
    text = "It begins:\n    # **not** dressed\n    \n    - no item\nend"
    assert shown(text) == ["It begins:", " # **not** dressed", "", " - no item", "end"]
    assert inks(text)[1] == inks(text)[3] == {"code"}


def test_in_a_list_an_indented_line_belongs_to_the_list():
    text = "- one\n    - two\n    still two\n\n    and more\nout\n    code"
    assert shown(text) == ["◦ one", "    ◦ two", "    still two", "", "    and more", "out", " code"]
    assert inks(text)[-1] == {"code"} and inks(text)[2] == {"text"}


def test_a_dot_is_an_item_too_and_hangs():
    assert shown("· Layout: 367 files in many folders here", 24) == ["◦ Layout: 367 files in", "  many folders here"]


def test_an_indent_holds_when_a_line_breaks():
    assert shown("  a line that is too long for it", 16) == ["  a line that is", "  too long for", "  it"]


@pytest.mark.parametrize("text", ["```\n    deep\n```\nout", "a\n    code\n\n    more\n- item\n    of item\nz"])
def test_a_growing_text_ends_as_the_whole_one(text):
    answer = Answer(LOOK, 30)
    for end in range(1, len(text) + 1):
        grown = answer.rows(text[:end])
    assert grown == rows(text)

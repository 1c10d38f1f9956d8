"""The model's text, lightly dressed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paitui.locale import Words
from paitui.ui.copying import copied
from paitui.ui.glyphs import ASCII, UNICODE
from paitui.ui.lines import cells
from paitui.ui.look import Look, words_of
from paitui.ui.render.answer import Answer

LOOK = Look(Words("en"), UNICODE)


def finished(answer, text):
    """The rows when nothing waits for its colours any more."""
    found = answer.rows(text)
    while answer.pending:
        found = answer.rows(text)
    return found


def rows(text, total=30):
    return finished(Answer(LOOK, total), text)


def shown(text, total=30):
    return [words_of(row).rstrip() for row in rows(text, total)]


def inks(text, total=60):
    return {span.text.strip(): span.ink for row in rows(text, total) for span in row if span.text.strip()}


def copy_of(text, total=30):
    return copied(rows(text, total), (0, 0), (1 << 20, 0))


def test_blocks_stand_apart_by_one_line_and_lists_are_tight():
    text = "# One\nText\n\n\n\n- a\n- b\n\n\n1. c\n2. d\n***\nend"
    assert shown(text) == ["One", "", "Text", "", "◦ a", "◦ b", "", "1. c", "2. d", "", "─" * 24, "", "end"]
    assert inks(text)["One"] == "heading"


def test_an_item_with_more_than_a_text_has_a_line_below_it():
    assert shown("- a\n\n  more\n- b\n  - c\n- d") == ["◦ a", "", "  more", "", "◦ b", "  ◦ c", "◦ d"]


def test_nested_items_hang_and_tasks_have_boxes():
    text = "1. one two three four\n   - five six seven eight\n10) x\n\n- [x] done\n- [ ] not yet"
    assert shown(text, 16) == [
        "1. one two three",
        "   four",
        "   ◦ five six",
        "     seven eight",
        "",
        "10) x",
        "",
        "[✓] done",
        "[ ] not yet",
    ]
    assert copy_of(text, 16).endswith("- [x] done\n- [ ] not yet")


def test_indented_lines_are_code_and_stay_as_they_are():
    text = "It begins:\n    # **not** dressed\n    \n        - no item\nend\n- one\n      still one"
    assert shown(text) == [
        "It begins:",
        "",
        " # **not** dressed",
        "",
        "     - no item",
        "",
        "end",
        "",
        "◦ one",
        "  still one",
    ]
    assert inks(text)["# **not** dressed"] == "code"


def test_a_dot_is_an_item_too_and_hangs():
    assert shown("· Layout: 367 files in many folders here", 24) == ["◦ Layout: 367 files in", "  many folders here"]


def test_marks_inside_a_line():
    found = inks("a **b** *c* `d *e*` ~~f~~ \\*g\\* **h `i` j** __k__ l_m_n &amp; <b>")
    assert found == {
        "a": "text",
        "b": "strong",
        "c": "emphasis",
        "d *e*": "code",
        "f": "struck",
        "*g*": "text",
        "h": "strong",
        "i": "code",
        "j": "strong",
        "k": "strong",
        "l_m_n & <b>": "text",
    }


@pytest.mark.parametrize("text", ["这是**“重点”**的", "**注意：**先看", "他说**你好。**然后", "用**`x`**吧"])
def test_emphasis_needs_no_spaces_in_chinese(text):
    assert "*" not in "".join(shown(text))


def test_addresses_are_shown_once():
    text = "[docs](https://a.b/c) [https://a.b](https://a.b/) <https://x.y> ![图](a.png) [x](javascript:y)"
    assert shown(text, 100) == ["docs (https://a.b/c) https://a.b https://x.y 图 (a.png) x (javascript:y)"]


def test_html_and_definitions_are_text():
    assert shown("<details>\n<b>x</b>\n\n[a][1]\n\n[1]: http://x", 40) == [
        "<details>",
        "<b>x</b>",
        "",
        "[a][1]",
        "",
        "[1]: http://x",
    ]


def test_a_quote_has_a_bar_that_is_not_copied():
    text = "> one two three\n>\n> - four\nend"
    assert shown(text, 12) == ["│ one two", "│ three", "│", "│ ◦ four", "│   end"]
    assert copy_of(text, 12) == "one two three\n\n- four\nend"


def test_code_is_coloured_when_it_is_complete():
    text = "```python\ndef f(x):  # why\n    return 'a' + 12\n"
    assert set(inks(text).values()) == {"code"}
    found = inks(text + "```")
    assert found["def"] == found["return"] == "code_keyword" and found["f"] == "code_name"
    assert found["# why"] == "code_comment" and found["'a'"] == "code_string" and found["12"] == "code_number"
    assert set(inks("```nonesuch\ndef\n```").values()) == {"code"}


def test_a_diff_has_its_colours_while_it_grows():
    found = inks("```diff\n--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n same")
    assert found["-old"] == "code_removed" and found["+new"] == "code_added" and found["--- a"] == "code_comment"
    assert found["same"] == "code"


def test_code_is_copied_as_it_was_written():
    code = "def f():\n\tif x:\t# tab\n\t\treturn  " + "'long " * 12 + "'\n\n  end   "
    for text in (f"```python\n{code}\n```", f"1. x\n\n   ```\n   {code.replace(chr(10), chr(10) + '   ')}\n   ```"):
        assert copy_of(text, 24).endswith(code)
    assert shown(f"```\n{code}\n```", 24)[1:4] == [
        "     if x:   # tab",
        "         return  'long",
        "↳ 'long 'long 'long",
    ]


def test_the_ground_of_code_is_a_rectangle():
    drawn = rows("```\na\n中文" + "长" * 40 + "\n\tb\n```", 31)
    assert {cells(row) for row in drawn} == {31}


TABLE = "| name | 说明 | n |\n|:--|:-:|--:|\n| `a` | 一 | 1 |\n| b\\|c | 二三四 | 200 |\n|d|"


def test_a_table_is_aligned_in_cells():
    assert shown(TABLE) == [
        "name │  说明  │   n",
        "─────┼────────┼────",
        "a    │   一   │   1",
        "b|c  │ 二三四 │ 200",
        "d    │        │",
    ]
    assert copy_of(TABLE) == "name\t说明\tn\na\t一\t1\nb|c\t二三四\t200\nd\t\t"


def test_a_wide_table_breaks_its_cells():
    text = "| a | b |\n|--|--|\n| x | one two 三四五六七 eight |\n| y | z<br>w |"
    assert shown(text, 16) == [
        "a │ b",
        "──┼─────────────",
        "x │ one two 三四",
        "  │ 五六七 eight",
        "──┼─────────────",
        "y │ z",
        "  │ w",
    ]
    assert copy_of(text, 16) == "a\tb\nx\tone two 三四五六七 eight\ny\tz w"


def test_a_table_without_room_lists_its_cells():
    text = "| first | second | third |\n|--|--|--|\n| aaaaaaa | bbbbbbb | ccccccc |\n| d | e | f |"
    found = shown(text, 20)
    assert found[:3] == ["first: aaaaaaa", "second: bbbbbbb", "third: ccccccc"] and found[3] == ""
    assert copy_of(text, 20) == "aaaaaaa\tbbbbbbb\tccccccc\n\nd\te\tf"


def test_signs_are_plain_where_the_terminal_is():
    plain = Answer(Look(Words("en"), ASCII), 20).rows(
        "- a\n\n> b\n\n|c|d|\n|-|-|\n|e|f|\n\n```\n" + "x" * 30 + "\n```"
    )
    assert "".join(words_of(row) for row in plain).isascii()


GROWING = [
    "```\n    deep\n```\nout",
    "a\n    code\n\n    more\n- item\n    of item\nz",
    "1. one\n\n   ```python\n   def f(): pass\n   ```\n2. two\n   1. three\n\n> q\n> - r\n\n***b***\n# h\n#no\n",
    TABLE + "\nafter\n\n" + "- x\n" * 5 + "\n" + "| n |\n|--|\n" + "| 12 `x` |\n" * 60 + "> end",
    "~~~~diff\n-a\n```\n+b\n~~~~~\n" + "```py\n" + "x = 1\n" * 900 + "y" * 5000 + "\n```\nafter",
    "一段很长的话，没有换行。" * 700 + "\nnext line\n" * 30 + "\n\nend **of** it",
    "- " + "a long item " * 600 + "\n  - nested\n" * 200,
]


@pytest.mark.parametrize("text", GROWING, ids=range(len(GROWING)))
@pytest.mark.parametrize("total", [30, 90])
def test_a_growing_text_ends_as_the_whole_one(text, total):
    answer = Answer(LOOK, total)
    step = 1 + len(text) // 300
    for end in range(1, len(text) + 1, step):
        answer.rows(text[:end])
    answer.rows(text)
    assert finished(answer, text) == rows(text, total)


@given(
    st.lists(
        st.sampled_from(["\n", "\n\n", "- ", "1. ", "  ", "    ", "> ", "# ", "```", "|", "|-|", "**", "中，", "a"])
    )
)
@settings(max_examples=150, deadline=None)
def test_whatever_comes_is_drawn_within_its_room(pieces):
    text = "".join(pieces)
    answer = Answer(LOOK, 24)
    for end in range(len(text) + 1):
        grown = answer.rows(text[:end])
        assert all(cells(row) <= 24 for row in grown)
    assert grown == Answer(LOOK, 24).rows(text)


@given(st.text(alphabet="ab \t中，。🇨🇳👍🏽é\n'\"#(", max_size=200), st.integers(12, 60))
@settings(max_examples=200, deadline=None)
def test_any_code_is_copied_as_it_was(code, total):
    drawn = rows(f"`````\n{code}\n`````\n", total)
    assert copied(drawn, (0, 0), (1 << 20, 0)) == code


LONG = {
    "code": "```python\n" + "for order in orders: write(order)  # 一行\n" * 1_000,
    "table": "| a | b |\n|--|--|\n" + "| `x` | 说明 **y** |\n" * 2_000,
    "list": "- an item\n  - with another\n" * 500,
    "nested": "- one\n" + "  - two\n" * 1_200,
    "quote": "> a line of it\n" * 1_000,
    "prose": "一句话，没有一个换行。" * 1_500,
}


@pytest.mark.parametrize("name", LONG)
def test_the_work_grows_with_the_text(name):
    """Counted in characters, not in time: twice the text is about twice the work, however small the pieces."""

    def work(text):
        answer = Answer(LOOK, 80)
        for end in range(100, len(text) + 100, 100):
            answer.rows(text[:end])
        return answer.rendered_chars

    text = LONG[name]
    assert work(text) <= 2.6 * work(text[: len(text) // 2])
    assert work(text) <= 60 * len(text)

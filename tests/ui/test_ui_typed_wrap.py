"""How the prompt breaks what is typed."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from paitui.ui.typed_wrap import wrap_offsets
from paitui.ui.wrap import width
from tests.ui.scenes import opened
from tests.ui.test_ui_app import Driven


def rows(text: str, cells: int) -> list[str]:
    bounds = [0, *wrap_offsets(text, cells, 4), len(text)]
    return [text[a:b] for a, b in pairwise(bounds)]


def test_chinese_behind_a_space_fills_the_row() -> None:
    assert rows("看看 这个项目的导出功能。", 12) == ["看看 这个项", "目的导出功", "能。"]
    assert rows("中文 ab", 4) == ["中文 ", "ab"]


def test_white_space_at_the_end_has_a_place_for_the_caret() -> None:
    assert rows("中文" + " " * 7, 4) == ["中文", "    ", "   "]


@given(st.text("中。（a b👩\u200d💻", max_size=30), st.integers(2, 12))
def test_nothing_is_lost_and_no_row_is_too_wide(text: str, cells: int) -> None:
    found = rows(text, cells)
    assert "".join(found) == text
    if not text.isascii():
        assert all(width(row.rstrip(" ")) <= cells or len(row) == 1 for row in found)


async def test_the_prompt_breaks_so() -> None:
    async with Driven(opened(), size=(40, 24)) as d:
        d.prompt.insert("把 " + "订单导出改成流式的" * 4)
        await d.pilot.pause()
        first = next(row for row in d.screen_text().splitlines() if "> 把" in row)
        assert first.count("订单导出") >= 2

"""What a monkey at the keyboard found: odd bytes, odd sizes, undoing at a bad moment."""

from pathlib import Path

import pytest
from terminal import terminal

from paitui.engine import events as e
from paitui.engine import ops
from tests.ui.scenes import opened, work
from tests.ui.test_ui_app import Driven


def test_bytes_that_are_no_utf8_are_typed_as_such_and_end_nothing(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        screen.until("paitui")
        for data in (b"caf\xe9 au lait ", b"\xff\xfe\x80", b"\x1b[200~past\xe9\ndone\x1b[201~", b" end"):
            screen.write_bytes(data)
            screen.pause(0.2)
        screen.until("done")
        screen.until(" end")
        assert "caf� au lait" in screen.text and "past�" in screen.text
        screen.press("ctrl+c")
        screen.send("what can you do")
        screen.until("README")


@pytest.mark.parametrize("size", [(1, 1), (2, 1), (1, 40), (3, 2), (200, 1)])
async def test_a_screen_of_no_size_takes_every_key(size: tuple[int, int]) -> None:
    async with Driven(work(), size=size) as d:
        await d.press("f2", "ctrl+o", "pageup", "ctrl+home", "ctrl+end", "h", "i", "enter", "f1", "escape", "f5")
        await d.emit(e.UserSaid("more"), e.TextDelta("text " * 500))
        await d.pilot.resize_terminal(100, 30)
        await d.emit(e.TextDelta("at the end"))
        await d.press("f2")
        await d.pilot.resize_terminal(*size)
        await d.emit(e.AnswerFinished("text"), e.UserSaid("again"))
        await d.press("f2", "pageup")
        await d.pilot.resize_terminal(100, 30)
        await d.press("f2")
        assert "again" in d.screen_text()


async def test_undo_of_a_long_text_and_back() -> None:
    async with Driven(opened()) as d:
        text = "\n".join(f"line {n}" for n in range(30))
        d.prompt.insert("one")
        d.prompt.insert(text)
        await d.pilot.pause()
        for _ in range(3):
            await d.press("ctrl+z")
        assert d.prompt.draft == ""
        for _ in range(3):
            await d.press("ctrl+y")
        assert d.prompt.draft == "one" + text
        await d.press("ctrl+y")
        assert d.prompt.cursor_location == (29, len("line 29"))


async def test_a_long_text_is_sent_cleared_and_undone() -> None:
    text = "\n".join(f"line {n}" for n in range(30))
    async with Driven(opened()) as d:
        d.prompt.insert(text)
        await d.pilot.pause()
        await d.press("enter")
        assert d.worker.ops == [ops.Submit(text)] and d.prompt.draft == ""
        await d.press("ctrl+z", "ctrl+c", "ctrl+z", "backspace")
        assert d.prompt.draft == text[:-1]

"""Copying in a real terminal: what the mouse or a key chose reaches the terminal's clipboard, as it was written."""

import base64
import re
from collections.abc import Callable

from tests.e2e.terminal import Terminal, terminal

WORDS = "请用中文说明：订单导出为什么会一次性读入内存，iterator 又该怎样用，还要说明测试怎么补，哪里最容易出错"


def clipboard(running: Terminal) -> str:
    """What the terminal was told to put on its clipboard last."""
    found = re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", bytes(running.raw))
    return base64.b64decode(found[-1]).decode() if found else ""


def mouse(running: Terminal, button: int, column: int, row: int, up: bool = False) -> None:
    """Send a mouse event the way terminals do; columns and rows from 0."""
    running.write(f"\x1b[<{button};{column + 1};{row + 1}{'m' if up else 'M'}")


def cell_of(running: Terminal, text: str) -> tuple[int, int]:
    """Column and row of a text on the screen."""
    for row in range(running.screen.lines):
        cells = [running.screen.buffer[row][column].data for column in range(running.screen.columns)]
        line = "".join(cells)
        if text in line:
            before = line.index(text)
            used = 0
            for column, data in enumerate(cells):
                if used == before:
                    return column, row
                used += len(data)
    raise AssertionError(f"not on the screen: {text!r}\n{running.text}")


def copied(running: Terminal, wanted: Callable[[str], bool]) -> str:
    running.until(lambda screen: wanted(clipboard(running)))
    return clipboard(running)


def test_a_message_is_copied_by_mouse_and_by_key(tmp_path):
    with terminal(tmp_path, columns=60, rows=24, LANG="en_US.UTF-8") as running:
        running.until("Ask")
        running.write(WORDS)
        running.until("出错")
        running.press("enter")
        running.until("▌ 请用中文")
        running.pause(1.0)
        column, row = cell_of(running, "请用中文")
        mouse(running, 0, column, row)
        mouse(running, 32, column + 30, row + 1)
        mouse(running, 0, column + 30, row + 1, up=True)
        running.until("Ctrl+C copy")
        running.press("ctrl+c")
        text = copied(running, bool)
        assert text == WORDS[: len(text)] and len(text) > 30
        assert "characters copied" in running.until("characters copied")
        running.write("\x14")
        running.until("Esc back")
        running.write("gc")
        assert copied(running, lambda found: found != text) == WORDS

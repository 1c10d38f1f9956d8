"""A fault inside the program: the terminal is given back, the report is named, and the session goes on if wanted."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from terminal import Terminal

FAULT = """
from paitui.ui.app import PaituiApp

def broken(self):
    secret = "do not show"
    raise RuntimeError("the help is [bold]broken[/]")

PaituiApp.action_help = broken
"""
"""Put into a process before its start: the help key then meets a fault."""


@contextmanager
def breakable(tmp_path: Path) -> Iterator[Terminal]:
    (tmp_path / "site").mkdir()
    (tmp_path / "site/sitecustomize.py").write_text(FAULT)
    (tmp_path / "project").mkdir()
    path = os.pathsep.join([str(tmp_path / "site"), str(Path(__file__).parents[2])])
    screen = Terminal([], tmp_path / "project", tmp_path / "home", 100, 30, PYTHONPATH=path)
    try:
        yield screen
    finally:
        screen.close()


def crashed(screen: Terminal) -> str:
    screen.until("paitui")
    screen.send("what can you do?")
    screen.until("survey")
    screen.until(lambda text: "not measured" not in text and "measured" in text)
    screen.press("f1")
    return screen.until("Enter: yes")


def test_enter_goes_on_with_the_session(tmp_path: Path) -> None:
    with breakable(tmp_path) as screen:
        text = crashed(screen)
        assert "the help is [bold]broken[/]" in text.replace("\n", "")
        assert "paitui.log" in text.replace("\n", "")
        assert "do not show" not in text  # a report may hold secrets, the terminal not
        assert b"\x1b[?1049l" in screen.raw
        screen.press("enter")
        screen.until(lambda text: "what can you do?" in text and "F1" in text)
        screen.press("ctrl+c", "ctrl+c")
        assert screen.wait() == 0
    assert "RuntimeError" in (tmp_path / "home/paitui.log").read_text()
    assert len(list((tmp_path / "home/history/raw").iterdir())) == 1


@pytest.mark.parametrize("answer", ["n\n", "\x04"])
def test_anything_else_leaves(tmp_path: Path, answer: str) -> None:
    with breakable(tmp_path) as screen:
        crashed(screen)
        screen.write(answer)
        assert screen.wait() == 1

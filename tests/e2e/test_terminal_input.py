"""Bytes as real terminals send them, through a pty into the whole program, and what stands on its screen then."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyte
import pytest
from terminal import Terminal, terminal

from paitui.ui.wrap import clusters, width

CTRL_C, ESC = b"\x03", b"\x1b"


@dataclass(frozen=True)
class Sent:
    """How one terminal sends the keys that matter."""

    breaks: tuple[bytes, ...]
    """Line breaks: Ctrl+J, Alt+Enter, Shift+Enter, where it tells them from Enter."""
    enter: bytes = b"\r"
    stop: bytes = ESC
    cancel: bytes = CTRL_C


TERMINALS = {
    "xterm": Sent((b"\n", b"\x1b\r")),
    "xterm, asked for modifyOtherKeys": Sent((b"\n", b"\x1b\r", b"\x1b[27;2;13~", b"\x1b[27;3;13~")),
    "xterm, modifyOtherKeys for all": Sent(
        (b"\x1b[27;5;106~", b"\x1b[27;2;13~"), stop=b"\x1b[27;5;91~", cancel=b"\x1b[27;5;99~"
    ),
    "kitty": Sent((b"\x1b[106;5u", b"\x1b[13;3u", b"\x1b[13;2u"), b"\x1b[13u", b"\x1b[27u", b"\x1b[99;5u"),
    "kitty, num lock, releases": Sent(
        (b"\x1b[106;133u\x1b[106;133:3u", b"\x1b[13;130:1u\x1b[13;130:3u"),
        b"\x1b[13;129u\x1b[13;129:3u",
        b"\x1b[27;129u\x1b[27;129:3u",
        b"\x1b[99;133u\x1b[99;133:3u",
    ),
    "tmux": Sent((b"\n", b"\x1b\r")),
    "tmux, extended-keys, xterm": Sent((b"\n", b"\x1b[27;2;13~")),
    "tmux, extended-keys, csi-u": Sent((b"\n", b"\x1b[13;2u", b"\x1b[13;3u")),
    "GNOME Terminal": Sent((b"\n", b"\x1b\r")),
    "Windows Terminal, where Ctrl+Enter is a line feed": Sent((b"\n", b"\x1b\r", b"\n")),
    "a keypad": Sent((b"\n",), enter=b"\x1bOM"),
}


def prompt_rows(screen: Terminal) -> list[str]:
    """What stands in the prompt, row by row: the rows from its sign to the line below it."""
    shown = cells(screen.screen)
    at = max(n for n, row in enumerate(shown) if row[:4] in (["│", " ", ">", " "], [" ", ">", " ", *row[3:4]]))
    start = shown[at].index(">") + 2
    end = shown[at].index("│", start) if "│" in shown[at][start:] else len(shown[at])
    rows = ["".join(row[start:end]).rstrip() for row in shown[at:]]
    return rows[: next((n for n, row in enumerate(rows) if not row or row[0] in "─ "), len(rows) - 1)]


def test_a_line_is_broken_sent_stopped_and_cleared_in_every_terminal(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/settings.toml").write_text("offline_pace_ms = 300\n")
    with terminal(tmp_path, columns=80) as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\n" + "Sells books. " * 50)
        screen.until("Ask")
        for turn, (name, sent) in enumerate(TERMINALS.items()):
            text = b"a"
            for n, key in enumerate(sent.breaks):
                text += key + f"line{n}".encode()
            screen.write_bytes(text)
            wanted = ["a", *(f"line{n}" for n in range(len(sent.breaks)))]
            screen.until(lambda _, wanted=wanted: prompt_rows(screen)[: len(wanted)] == wanted)
            screen.write_bytes(sent.cancel)
            screen.until(lambda text: "Ask," in text)
            screen.write_bytes(f"read README.md, {turn}".encode() + sent.enter)
            screen.until(lambda text: "Esc stop" in text)
            screen.write_bytes(sent.stop)
            screen.until(lambda text, turn=turn: f"README.md, {turn}" in text and "Esc stop" not in text)
            said = screen.text[screen.text.rindex(f"README.md, {turn}") :]
            assert "Stopped by you" in said, name


def test_text_of_an_input_method_arrives_however_it_is_cut(tmp_path: Path) -> None:
    with terminal(tmp_path, LANG="zh_CN.UTF-8") as screen:
        screen.until("输入问题")
        screen.write_bytes("你好，世界".encode())
        screen.until("你好，世界")
        for byte in "订单👩‍💻é".encode():
            screen.write_bytes(bytes([byte]))
            screen.pause(0.01)
        screen.write_bytes(b"\x1b[0;;23548:20986:27969:24335:20889:20986u")
        screen.until(lambda text: "导出流式写出" in text)
        assert "你好，世界订单" in prompt_rows(screen)[0].replace(" ", "")


class Asked(Terminal):
    """A terminal that says where its cursor is, and perhaps how it reports keys."""

    wide = 0
    kitty = False
    late = 0.0
    _answered = 0

    def read(self, seconds: float = 0.05) -> bool:
        more = super().read(seconds)
        if not self._answered and self.raw.count(b"\x1b[6n") == 2:
            self._answered = 1
            time.sleep(self.late)
            answer = b"\x1b[?0u" if self.kitty else b""
            self.write_bytes(answer + b"\x1b[3;1R" + f"\x1b[3;{8 + self.wide}R".encode())
        return more


@contextlib.contextmanager
def asked(
    tmp_path: Path, *, wide: int = 0, kitty: bool = False, late: float = 0.0, columns: int = 100, **env: str
) -> Iterator[Asked]:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    running = Asked([], project, tmp_path / "home", columns, 30, **env)
    running.wide, running.kitty, running.late = wide, kitty, late
    try:
        yield running
    finally:
        running.close()


def test_what_is_typed_while_the_terminal_is_asked_arrives_whole_and_once(tmp_path: Path) -> None:
    with asked(tmp_path, kitty=True) as screen:
        screen.write("早à")
        while not screen.raw.count(b"\x1b[6n"):
            screen.read(0.01)
        for character in "bcdef":
            screen.write(character)
            screen.pause(0.02)
        screen.until("早àbcdef")
        screen.pause(0.3)
        assert prompt_rows(screen)[0].replace(" ", "") == "早àbcdef"


@pytest.mark.parametrize("kitty", [False, True])
def test_answers_that_come_late_are_no_typing(tmp_path: Path, kitty: bool) -> None:
    with asked(tmp_path, kitty=kitty, late=1.5) as screen:
        screen.until("Ask")
        screen.write("x")
        screen.until(lambda _: prompt_rows(screen) == ["x"])
        assert screen._answered


def test_a_terminal_without_answers_starts_as_fast_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        screen.until("Ask")
        assert "│" in screen.text
        screen.press("ctrl+c", "ctrl+c")
        assert screen.wait() == 0
        screen.pause(0.1)
        assert "─█→" not in screen.text, "the signs that were measured are wiped out"


@pytest.mark.parametrize(
    ("wide", "wish", "lang", "plain"),
    [
        (7, "auto", "C.UTF-8", True),
        (7, "unicode", "C.UTF-8", False),
        (0, "auto", "zh_CN.GBK", True),
    ],
)
def test_signs_that_would_be_too_wide_are_plain(tmp_path: Path, wide: int, wish: str, lang: str, plain: bool) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/settings.toml").write_text(f'[ui]\nlanguage = "en"\nglyphs = "{wish}"\n')
    with asked(tmp_path, wide=wide, LC_ALL=lang) as screen:
        screen.until("Ask")
        assert ("│" not in screen.text and "|" in screen.text) is plain


@pytest.mark.parametrize("kitty", [False, True])
def test_shift_enter_is_named_where_the_terminal_tells_it_from_enter(tmp_path: Path, kitty: bool) -> None:
    with asked(tmp_path, kitty=kitty) as screen:
        screen.until("Ask")
        screen.press("f1")
        screen.until("/save")
        for _ in range(12):
            if "Alt+Enter" in screen.text:
                break
            before = screen.text
            screen.press("pagedown")
            screen.until(lambda text, before=before: text != before)
            screen.pause(0.3)  # until it stands still
        screen.until(lambda text: "Alt+Enter" in text and ("Shift+Enter" in text) is kitty)


MIXED = """# 订单与 orders 的对照

这一段混排 Chinese 和 English，带 emoji 👩‍💻 与旗帜 🇨🇳，还有全角标点“引号”。

| 名称 | what | 数量 |
| --- | --- | ---: |
| 订单 orders | 👨‍👩‍👧 family | 12 |
| 库存 | stock ✓ | 3,400 |
| 导出（流式） | é accent | 5 |
"""


@pytest.mark.parametrize("columns", [80, 120])
def test_every_row_ends_where_it_should_whatever_stands_in_it(tmp_path: Path, columns: int) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "混排.md").write_text(MIXED, "utf-8")
    (tmp_path / "home").mkdir()
    (tmp_path / "home/settings.toml").write_text("offline_pace_ms = 0\n")
    with terminal(tmp_path, columns=columns, rows=40, LANG="zh_CN.UTF-8") as screen:
        screen.until("输入问题")
        screen.send("读取 混排.md")
        screen.until("read_file")
        screen.write("你好 world 订单")
        screen.until("world")
        screen.pause(0.5)
        shown = cells(screen.screen)
        assert "订单" in screen.text
        edges = [row for row in shown if row[0] in "│╭╰├"]
        if columns >= 100:
            assert len(edges) > 20
            for row in edges:
                assert row[-1] in "│╮╯┤", "".join(row)
        for row in shown:
            assert sum(width(cell) for cell in row if cell) <= columns


def cells(screen: pyte.Screen) -> list[list[str]]:
    """The screen cell by cell; the second cell of a wide character is empty."""
    return [[screen.buffer[y][x].data for x in range(screen.columns)] for y in range(screen.lines)]


def test_clusters_take_the_cells_that_a_terminal_gives_them() -> None:
    for text in ("👩‍💻", "🇨🇳", "é", "中", "👨‍👩‍👧", "“", "a"):
        assert [size for _, _, size in clusters(text)] == [width(text)]


@pytest.mark.parametrize("columns", [80, 120])
def test_a_tiny_window_and_back_leaves_no_rubbish(tmp_path: Path, columns: int) -> None:
    def settled(screen: Terminal) -> str:
        screen.until("Sells books")
        screen.pause(1.0)
        return screen.text

    (tmp_path / "home").mkdir()
    (tmp_path / "home/settings.toml").write_text("offline_pace_ms = 0\n")
    with terminal(tmp_path, columns=columns, rows=24) as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\nSells books. 卖书。\n")
        screen.until("Ask")
        screen.send("read README.md")
        before = settled(screen)
        for size in ((20, 8), (columns, 24), (1, 1), (20, 8), (columns, 24)):
            screen.resize(*size)
            screen.pause(0.3)
        assert settled(screen) == before

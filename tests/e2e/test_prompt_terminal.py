"""The prompt in a real terminal: pastes, the caret, the editor outside, a crash."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from terminal import Terminal, terminal

CTRL_G = b"\x07"
ALT_UP = b"\x1b[1;3A"
EDITOR = """
import os, stat, sys, time
file = sys.argv[-1]
mode = stat.S_IMODE(os.stat(file).st_mode)
text = open(file, encoding="utf-8").read()
print("EDITOR-BEGINS", flush=True)
time.sleep(float(sys.argv[1]))
open(file, "w", encoding="utf-8").write(f"{text}+{mode:o}\\n第二行\\n")
print("EDITOR-ENDS", flush=True)
"""


def caret(screen: Terminal) -> tuple[int, int]:
    return screen.screen.cursor.x, screen.screen.cursor.y


def prompt_row(screen: Terminal) -> int:
    return max(at for at, row in enumerate(screen.screen.display) if "> " in row)


def editor(folder: Path, seconds: float) -> str:
    script = folder / "my editor.py"
    script.write_text(EDITOR)
    return f"{sys.executable} '{script}' {seconds}"


def test_ten_thousand_pasted_lines_are_taken_at_once_and_sent_whole(tmp_path: Path) -> None:
    lines = [f"line {n:05} 粘贴的一行文字" for n in range(10_000)]
    with terminal(tmp_path) as screen:
        screen.until("Ask")
        screen.pause(0.5)
        start = time.perf_counter()
        data = ("\x1b[200~" + "\r".join(lines) + "\x1b[201~").encode()
        while data:  # as a terminal does: as much as the pty takes
            sent = os.write(screen._fd, data[:4096])
            data = data[sent:]
            screen.read(0)
        screen.write(" and typed")
        screen.until("and typed")
        assert time.perf_counter() - start < 2
        assert "[pasted 10,000 lines, 330 KB] and typed" in screen.text
        screen.press("enter")
        screen.until("✗")  # far more than the offline engine's window holds: it says so
        screen.press("ctrl+c", "ctrl+c", "ctrl+c")
        screen.wait()
    [ledger] = (tmp_path / "home/history/raw").iterdir()
    said = [
        record["payload"]["content"]
        for record in map(json.loads, ledger.read_text("utf-8").splitlines())
        if record.get("payload", {}).get("role") == "user"
    ]
    assert said[0] == "\n".join(lines) + " and typed"


@pytest.mark.parametrize("columns", [80, 120])
def test_the_caret_stands_where_an_input_method_puts_its_candidates(tmp_path: Path, columns: int) -> None:
    with terminal(tmp_path, columns=columns, LANG="zh_CN.UTF-8") as screen:
        screen.until("输入问题")
        screen.pause(0.3)
        left, row = caret(screen)
        assert row == prompt_row(screen)
        # An input method commits several characters at once.
        for text, cells in (("中文", 4), ("ab", 6), ("，混排", 12), ("👩‍💻é", 15)):
            screen.write(text)
            screen.until(lambda _, x=left + cells: caret(screen) == (x, row), 5)
        screen.write("\x1b[D")
        screen.until(lambda _: caret(screen) == (left + 14, row), 5)


def test_the_users_editor_takes_the_draft_and_gives_it_back(tmp_path: Path) -> None:
    with terminal(tmp_path, EDITOR=editor(tmp_path, 0.8), VISUAL="") as screen:
        screen.until("Ask")
        screen.write("draft")
        screen.until("draft")
        screen.write_bytes(CTRL_G)
        screen.until("draft+600")
        screen.until("第二行")
        assert list((tmp_path / "home/drafts").glob("prompt-*")) == []
        screen.press("enter")
        screen.until(lambda text: "Ask" in text)
        raw = bytes(screen.raw)
        between = raw[raw.index(b"EDITOR-BEGINS") : raw.index(b"EDITOR-ENDS")]
        assert between.strip() == b"EDITOR-BEGINS"  # nothing was drawn over the editor


def test_the_agent_goes_on_behind_the_editor(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/settings.toml").write_text("offline_pace_ms = 20\n")
    with terminal(tmp_path, VISUAL=editor(tmp_path, 2.5)) as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\n" + "Sells books. " * 20)
        screen.until("Ask")
        screen.send("read README.md and summarise it")
        screen.until("read_file")
        screen.write_bytes(CTRL_G)
        screen.until("第二行")
        screen.until("Sells books", 5)
        raw = bytes(screen.raw)
        between = raw[raw.index(b"EDITOR-BEGINS") : raw.index(b"EDITOR-ENDS")]
        assert between.strip() == b"EDITOR-BEGINS"


@pytest.mark.parametrize(
    ("command", "says"),
    [("", "No editor is set"), ("/no/such/editor -w", "could not be started"), ("false", "ended with 1")],
)
def test_an_editor_that_fails_leaves_the_draft_as_it_was(tmp_path: Path, command: str, says: str) -> None:
    with terminal(tmp_path, EDITOR=command, VISUAL="") as screen:
        screen.until("Ask")
        screen.write("my words")
        screen.until("my words")
        screen.write_bytes(CTRL_G)
        screen.until(says)
        assert "my words" in screen.text
        screen.write(" go on")
        screen.until("my words go on")


def test_ctrl_c_in_the_editor_is_the_editors(tmp_path: Path) -> None:
    script = tmp_path / "patient.py"
    script.write_text(
        "import sys, time\nprint('EDITOR-BEGINS', flush=True)\n"
        "try:\n    time.sleep(30)\nexcept KeyboardInterrupt:\n    open(sys.argv[1], 'a').write(' interrupted')\n"
    )
    with terminal(tmp_path, EDITOR=f"{sys.executable} {script}", VISUAL="") as screen:
        screen.until("Ask")
        screen.write("words")
        screen.until("words")
        screen.write_bytes(CTRL_G)
        screen.until(lambda text: b"EDITOR-BEGINS" in screen.raw)
        screen.pause(0.3)
        screen.press("ctrl+c")
        screen.until("words interrupted")
        screen.send("what can you do")
        screen.until("README")


def test_a_draft_outlives_a_crash(tmp_path: Path) -> None:
    with terminal(tmp_path) as screen:
        screen.until("Ask")
        screen.write("half a thought, 半句话")
        screen.until("半句话")
        end = time.monotonic() + 10
        while not list((tmp_path / "home").glob("drafts/*.json")) and time.monotonic() < end:
            screen.pause(0.1)
        os.kill(screen.pid, signal.SIGKILL)
        assert screen.wait() == -signal.SIGKILL
    with terminal(tmp_path) as screen:
        screen.until("half a thought, 半句话")
        screen.until("your draft from last time")
        screen.press("ctrl+c")
        screen.until("Ask")
        screen.write_bytes(b"\x1b[A")
        screen.until("half a thought, 半句话")
        screen.press("ctrl+c", "ctrl+c", "ctrl+c")
        assert screen.wait() == 0
    assert list((tmp_path / "home/drafts").iterdir()) == []


def test_the_queue_is_seen_changed_and_kept_over_a_crash(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/settings.toml").write_text("offline_pace_ms = 400\n")
    with terminal(tmp_path) as screen:
        (tmp_path / "project/README.md").write_text("# Shop\n\n" + "Sells books. " * 50)
        screen.until("Ask")
        screen.send("read README.md and summarise it")
        screen.until("read_file")
        screen.send("what can you do")
        screen.until("queued 1: what can you do")
        screen.send("list files")
        screen.until("queued 2: list files")
        screen.write_bytes(ALT_UP)
        screen.until("message 2 of the queue")
        screen.write(" in docs")
        screen.press("enter")
        screen.until("queued 2: list files in docs")
        os.kill(screen.pid, signal.SIGKILL)
        screen.wait()
    with terminal(tmp_path, "--continue") as screen:
        screen.until("queued 2: list files in docs")
        screen.pause(0.5)
        assert "queued 1: what can you do" in screen.text  # nothing starts by itself

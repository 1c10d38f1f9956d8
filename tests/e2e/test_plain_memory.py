"""A conflict of memories in a session of lines, decided by typing."""

import json
from pathlib import Path

from terminal import terminal


def test_a_conflict_is_shown_and_decided_by_a_typed_letter(tmp_path: Path) -> None:
    file = tmp_path / "home/memory/long_term_memory.json"
    with terminal(tmp_path, "--plain") as screen:
        screen.until(lambda text: text.rstrip("\n").endswith(">"))
        screen.write("/save the port is 8080\n")
        screen.until("Remembered: the port is 8080")
        screen.write("/save the port is 9090\n")
        screen.until("NEW FACT")
        screen.write("\n")
        screen.until(lambda text: text.count("NEW FACT") > 1)
        screen.pause(0.6)
        screen.write("r\n")
        screen.until("Replaced")
        screen.write("/memory list\n")
        screen.until("1 memories")
        screen.write("\x04")
        assert screen.wait() == 0
    assert [entry["content"] for entry in json.loads(file.read_text())] == ["the port is 9090"]

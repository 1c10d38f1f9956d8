"""The short form of the bench of commands: every shape once, many at a time."""

from pathlib import Path

import pytest

from tests.bench import commands


async def test_no_shape_of_a_command_leaves_anything_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAITUI_BENCH_MARK", "a-mark-of-this-test")
    before = commands.children()
    names = list(commands.SHAPES)
    assert len(names) >= 60
    results = await commands.run_shapes(commands.context_in(tmp_path), names, commands.TOGETHER * 2)
    assert [result for result in results if result.survivors or result.fault] == []
    # Twice what one takes alone: they share the machine with each other.
    assert max(result.over_s for result in results) < 4
    assert commands.survivors("a-mark-of-this-test", "a-mark-of-this-test") == 0
    assert commands.children() == before

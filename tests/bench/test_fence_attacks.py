"""The short form of the bench of the fence: every path, a short race, every special file, in both ways of opening."""

import os
from pathlib import Path
from typing import Any, cast

import pytest

from paitui.tools.base import ToolError
from paitui.tools.files import WriteFile
from paitui.trust import fence as fence_module
from tests.bench import fence

SPECIAL_MS = 100


async def test_no_path_and_no_swapped_link_leads_out(tmp_path: Path) -> None:
    report = await fence.measure(tmp_path, seconds=1.5, grep_every=60)
    assert (report["reads_outside"], report["writes_outside"]) == (0, 0), report["which"]
    for way in ("openat2", "walk"):
        facts = cast(dict[str, Any], report[way])
        assert facts["attacks"] >= 200
        assert facts["race_calls"] > 50 and facts["race_swaps"] > 50
        assert facts["special_worst_ms"] < SPECIAL_MS, facts


async def test_a_hole_in_the_fence_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unfenced(folder: int, path: str, flags: int, resolve: int) -> int:
        return os.open(path, flags, dir_fd=folder)

    monkeypatch.setattr(fence_module, "openat2", unfenced)
    monkeypatch.setattr(fence_module, "_has_openat2", lambda: True)
    monkeypatch.setattr(fence_module.Fence, "resolved", lambda self, path: path)
    place = fence.Place(tmp_path)
    found = await fence.attack(place, ["file", "up/outside", "folder/key"], 1)
    os.close(place.open_outside)
    assert found.reads and found.writes


async def test_a_hard_link_is_never_written_through(tmp_path: Path) -> None:
    place = fence.Place(tmp_path)
    os.close(place.open_outside)
    os.link(place.outside / "key", place.project / "hard")
    os.link(place.project / ".paitui" / "settings.toml", place.project / "hard-own")
    await WriteFile().run({"path": "hard", "content": "new\n"}, place.context())
    assert (place.project / "hard").read_text() == "new\n"
    with pytest.raises(ToolError):
        await WriteFile().run({"path": "hard-own", "content": "new\n"}, place.context())
    assert place.state() == place.before


async def test_a_path_of_any_length_is_refused_at_once(tmp_path: Path) -> None:
    place = fence.Place(tmp_path)
    os.close(place.open_outside)
    with fence.walking(), pytest.raises(ToolError):
        await WriteFile().run({"path": "a/" * 3_000 + "x", "content": "x"}, place.context())
    assert not (place.project / "a").exists()

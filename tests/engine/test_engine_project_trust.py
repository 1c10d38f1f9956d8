"""A project that brings files of its own: asked once, answered by the user, effective at the next start."""

from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker
from scripted_model import ScriptedModel

from paitui.engine import events, ops
from paitui.engine.commands import UnknownCommand, parse
from paitui.trust.project import SETTINGS, is_trusted


def opening(folder: Path, asks: bool = True, text: str | None = 'model = "x/y"\n'):  # type: ignore[no-untyped-def]
    (folder / "project/.paitui").mkdir(parents=True, exist_ok=True)
    if text is not None:
        (folder / "project" / SETTINGS).write_text(text, "utf-8")
    made = options(folder, ScriptedModel([]), asks_about_memory=asks)
    return options(folder, ScriptedModel([]), asks_about_memory=asks, trust=is_trusted(made.paths)), made.paths


def keys(bench: Bench) -> list[str]:
    return [notice.phrase.key for notice in bench.of(events.Notice)]


async def did(bench: Bench, op: ops.Op) -> None:
    before = len(bench.of(events.OpDone))
    bench.worker.send(op)
    await bench.until(lambda: len(bench.of(events.OpDone)) > before)


async def test_a_yes_is_kept_and_said_to_count_from_the_next_start(tmp_path: Path) -> None:
    opened, paths = opening(tmp_path)

    async def use(bench: Bench) -> None:
        [asked] = bench.of(events.ProjectAsked)
        assert (asked.files, asked.changed) == ((SETTINGS,), ()) and asked.items
        await did(bench, ops.DecideProject(asked.id, True))
        await did(bench, ops.DecideProject(asked.id, True))

    bench = await with_worker(opened, use)
    assert keys(bench) == ["project_trust.granted"] and is_trusted(paths).state == "trusted"
    assert len(bench.of(events.ProjectResolved)) == 1


async def test_a_no_changes_nothing_and_can_be_thought_over(tmp_path: Path) -> None:
    opened, paths = opening(tmp_path)

    async def use(bench: Bench) -> None:
        await did(bench, ops.DecideProject(bench.of(events.ProjectAsked)[0].id, False))
        assert is_trusted(paths).state == "untrusted"
        await did(bench, ops.ShowTrust())
        first, second = bench.of(events.ProjectAsked)
        assert first.id != second.id
        await did(bench, ops.DecideProject(first.id, True))
        assert is_trusted(paths).state == "untrusted", "an answer to a question that is gone"
        await did(bench, ops.DecideProject(second.id, True))

    await with_worker(opened, use)
    assert is_trusted(paths).state == "trusted"


async def test_what_changed_under_the_question_is_asked_anew(tmp_path: Path) -> None:
    opened, paths = opening(tmp_path)

    async def use(bench: Bench) -> None:
        (paths.project / SETTINGS).write_text('model = "other/one"\n', "utf-8")
        await did(bench, ops.DecideProject(bench.of(events.ProjectAsked)[0].id, True))
        assert bench.of(events.ProjectAsked)[-1].changed == (SETTINGS,)

    bench = await with_worker(opened, use)
    assert keys(bench) == ["project_trust.changed_meanwhile"] and is_trusted(paths).state == "changed"


async def test_where_nobody_can_be_asked_it_is_said_and_nothing_is_ever_trusted(tmp_path: Path) -> None:
    opened, paths = opening(tmp_path, asks=False)

    async def use(bench: Bench) -> None:
        await did(bench, ops.ShowTrust())
        await did(bench, ops.DecideProject("project-1", True))

    bench = await with_worker(opened, use)
    assert keys(bench) == ["project_trust.ignored_untrusted"] and not bench.of(events.ProjectAsked)
    assert is_trusted(paths).state == "untrusted"


async def test_it_is_taken_back(tmp_path: Path) -> None:
    opened, paths = opening(tmp_path)

    async def use(bench: Bench) -> None:
        await did(bench, ops.DecideProject(bench.of(events.ProjectAsked)[0].id, True))
        await did(bench, ops.RevokeTrust())

    bench = await with_worker(opened, use)
    assert keys(bench)[-1] == "project_trust.revoked" and is_trusted(paths).state == "untrusted"


async def test_a_link_is_never_asked_about(tmp_path: Path) -> None:
    opened, paths = opening(tmp_path, text=None)
    (paths.project / "real.toml").write_text("", "utf-8")
    (paths.project / SETTINGS).symlink_to("../real.toml")
    opened, paths = opening(tmp_path, text=None)

    async def use(bench: Bench) -> None:
        await did(bench, ops.ShowTrust())

    bench = await with_worker(opened, use)
    assert keys(bench) == ["project_trust.refused"] and not bench.of(events.ProjectAsked)


async def test_without_such_files_nothing_is_said(tmp_path: Path) -> None:
    opened, _ = opening(tmp_path, text=None)

    async def use(bench: Bench) -> None:
        await did(bench, ops.ShowTrust())

    bench = await with_worker(opened, use)
    [shown] = bench.of(events.CommandOutput)
    assert not keys(bench) and "project_trust.state_nothing" in [line.key for line in shown.lines]


def test_the_command_takes_only_what_it_knows() -> None:
    for text, op in (("/trust", ops.ShowTrust()), ("/trust --revoke", ops.RevokeTrust())):
        found = parse(text)
        assert found is not None and found[0].make is not None and found[0].make(found[1]) == op
    with pytest.raises(UnknownCommand):
        parse("/trust everything")

"""The pane of sessions, the way to another one, and the offer after a crash."""

import asyncio
from dataclasses import replace

import pytest
from engine_bench import options
from scripted_model import ScriptedModel, says

from paitui.engine import events as e
from paitui.engine import ops
from paitui.engine.assembly import OpenError, open_worker
from paitui.locale import phrase
from paitui.ui.bridge import OpenFailed
from paitui.ui.screens.sessions import SessionBrowser, matching
from tests.stubs.scripted_worker import ScriptedWorker
from tests.ui import session_scenes as stored
from tests.ui.scenes import opened
from tests.ui.test_ui_app import RUNNING, Driven
from tests.ui.test_ui_memory_real import until


def listed(**given):
    return Driven([*opened(), *stored.shown(**given)], size=(100, 50))


def asked(d, verb):
    return [op for op in d.worker.ops if isinstance(op, ops.Sessions) and op.verb == verb]


async def test_the_list_tells_request_tokens_age_and_how_each_ended():
    async with listed() as d:
        await d.press("f7")
        assert isinstance(d.app.screen, SessionBrowser) and asked(d, "list") == [ops.Sessions("list")]
        text = d.screen_text()
        rows = {line.strip("│ ▌") for line in text.splitlines()}
        assert any("this one  run the tests" in row for row in rows)
        assert any("! crashed" in row and "58,910" in row and "3 h" in row for row in rows)
        assert any(row.startswith("copy      survey this project") for row in rows)
        assert "6 sessions of this project" in text and "1 ended in a crash" in text


async def test_slash_sessions_opens_it_and_a_lists_all_projects():
    async with listed() as d:
        d.prompt.text = "/sessions"
        await d.press("enter")
        await d.press("a")
        assert asked(d, "list")[-1] == ops.Sessions("list", everywhere=True)
        await d.emit(*stored.shown(True, view=False))
        assert "7 sessions of all projects" in d.screen_text() and "warehouse" in d.screen_text()


async def test_delete_asks_and_any_other_key_keeps_it():
    async with listed() as d:
        await d.press("f7", "down", "d")
        assert "for good?" in d.screen_text() and not asked(d, "delete")
        await d.press("down", "d", "escape")
        assert isinstance(d.app.screen, SessionBrowser) and not asked(d, "delete")  # Esc was the answer
        await d.press("up", "d", "d")
        assert asked(d, "delete") == [ops.Sessions("delete", id=stored.CRASHED.id, shown=True)]


async def test_the_session_that_is_open_is_not_deleted_or_gone_to():
    async with listed() as d:
        await d.press("f7", "d", "d", "enter")
        assert not asked(d, "delete") and "This is session s1 already." in d.screen_text()


async def test_a_copy_is_told_and_becomes_the_current_row():
    async with listed() as d:
        await d.press("f7", "down", "down", "f")
        assert asked(d, "fork") == [ops.Sessions("fork", id=stored.COPY.id, shown=True)]
        copy = replace(stored.COPY, id="20261201-091200-0001", changed="2026-12-01T09:10:59.000Z")
        await d.emit(e.SessionChanged("forked", copy.id, phrase("session.forked", id=copy.id)))
        await d.emit(e.SessionsShown((copy, *stored.FOUND), "s1", stored.HERE))
        assert d.app.screen.current == copy and "goes on with the copy" in d.screen_text()


async def test_the_proposed_file_is_free_to_change_and_another_is_taken_as_it_is():
    async with listed() as d:
        await d.press("f7", "down", "e", "enter")
        await d.press("e", *["backspace"] * 3, *"x", "full_stop", *"html", "enter")
        first, second = asked(d, "export")
        assert first == ops.Sessions("export", id=stored.CRASHED.id, shown=True)
        assert second.text.endswith("x.html") and second.form == "html"
        await d.emit(e.SessionChanged("exported", stored.CRASHED.id, phrase("session.exported", file="/x/y.md")))
        assert "Exported to /x/y.md" in d.screen_text()


async def test_a_search_finds_words_models_and_projects():
    found = matching((*stored.FOUND, *stored.OTHERS), "survey project")
    assert [info.first_words for info in found] == ["survey this project"] * 2
    assert matching(stored.FOUND, "deepseek") == (stored.CRASHED,)
    async with listed() as d:
        await d.press("f7", "slash", *"fails", "enter")
        assert "Sessions with “fails” 1" in d.screen_text() and d.app.screen.current.id == "s1"
        await d.press("escape")
        assert "6 sessions" in d.screen_text()


async def test_the_whole_of_a_session_is_asked_for_once_the_cursor_rests():
    async with listed(view=False) as d:
        await d.press("f7", "down")
        await until(d, lambda: any(op.id == stored.CRASHED.id for op in asked(d, "show")))
        await d.emit(e.SessionShown(stored.VIEW))
        await d.press("space")
        text = d.screen_text()
        assert "docs.python.org" in text and "plan:t1" in text and "跑一下订单的测试" in text


async def test_while_something_runs_nobody_goes_elsewhere():
    async with Driven(RUNNING) as d:
        await d.emit(e.SessionFound(stored.CRASHED))
        assert "Stop it first" in d.screen_text() and not d.worker.closed.is_set()


async def test_a_session_of_another_project_is_named_with_its_command():
    async with Driven(opened(), size=(160, 40)) as d:
        await d.emit(e.SessionFound(stored.OTHERS[0]))
        [notice] = d.app.state.notices
        command = notice.phrase.params["command"]
        assert command == f"paitui --project {stored.ELSEWHERE} --resume {stored.OTHERS[0].id}"
        assert "belongs to another project" in d.screen_text()


async def test_another_session_takes_the_place_of_this_one_and_what_is_typed_meanwhile_waits_for_it():
    other = ScriptedWorker([e.SessionOpened("s2", stored.HERE, "offline", resumed=True), *opened()[1:]])
    wanted = []

    async with Driven([*opened(), e.UserSaid("of the old one")]) as d:

        async def open_worker(resume=""):
            wanted.append(resume)
            return other

        d.app._link._open = open_worker
        d.worker.closed.set = lambda: None  # the old one takes its time
        await d.emit(e.SessionFound(stored.CRASHED))
        await until(d, lambda: bool(d.app._link._next))
        d.app._link.send(ops.Submit("to the new one"))
        await d.emit(e.UserSaid("late words of the old one"))
        assert isinstance(d.worker.ops[-1], ops.Close) and other.ops == []
        asyncio.Event.set(d.worker.closed)
        await until(d, lambda: d.app.state.session == "s2")
        assert wanted == [stored.CRASHED.id] and other.ops == [ops.Submit("to the new one")]
        assert "old one" not in d.screen_text() and d.app.is_running


async def test_one_that_cannot_be_opened_changes_nothing():
    async with Driven(opened()) as d:

        async def open_worker(resume=""):
            raise OpenFailed(phrase("session.locked", session=resume))

        d.app._link._open = open_worker
        await d.emit(e.SessionFound(stored.CRASHED))
        await until(d, lambda: "is open in another" in d.screen_text())
        assert d.app.state.session == "s1" and not d.worker.ops
        await d.press(*"still here", "enter")
        assert d.worker.ops == [ops.Submit("still here")]


async def test_the_real_engine_goes_to_another_session_and_back(tmp_path):
    model = ScriptedModel([says("first answer"), says("second answer"), says("third answer")])
    opening = options(tmp_path, model)
    d = Driven(opened())

    async def opening_one(resume=""):
        try:
            return await open_worker(replace(opening, resume=resume))
        except OpenError as error:
            raise OpenFailed(error.phrase) from error

    d.app._link._open = opening_one
    async with d:
        await until(d, lambda: d.app.state.phase == "idle" and d.app._link.ready)
        await d.press(*"one", "enter")
        await until(d, lambda: "first answer" in d.screen_text() and d.app.state.phase == "idle")
        first = d.app.state.session
        await d.press("f7")
        await until(d, lambda: "this one" in d.screen_text())
        await d.press("f")
        await until(d, lambda: "goes on with the copy" in d.screen_text())
        await d.press("enter")
        await until(d, lambda: d.app.state.session not in ("", first) and d.app._link.ready)
        assert d.app.screen is d.app.chat and "first answer" in d.screen_text()
        await d.press(*"two", "enter")
        await until(d, lambda: "second answer" in d.screen_text() and d.app.state.phase == "idle")
        d.prompt.text = f"/resume {first}"
        await d.press("enter")
        await until(d, lambda: d.app.state.session == first and d.app._link.ready)
        assert "second answer" not in d.screen_text()


@pytest.mark.parametrize("way", ["works", "dismisses"])
async def test_the_offer_is_one_line_that_goes_once_the_user_does_something(way):
    async with Driven(opened()) as d:
        await d.emit(stored.broken_off())
        assert "! The session of" in d.screen_text() and "/resume" in d.screen_text()
        await d.press(*"hello")
        assert "hello" in d.screen_text()  # typing is not held up
        await (d.emit(e.TurnStarted(1)) if way == "works" else d.press("escape", "escape"))
        assert "/resume" not in d.screen_text()


async def test_no_offer_comes_late():
    async with Driven(RUNNING) as d:
        await d.emit(stored.broken_off())
        assert "/resume" not in d.screen_text()

"""What a key press costs does not grow with the conversation."""

import time

from paitui.engine import events as e
from paitui.messages.message import Message
from tests.ui.scenes import EMPTY
from tests.ui.test_ui_app import Driven


def resumed(count: int) -> list[e.Event]:
    history = []
    for n in range(count // 2):
        history += [Message("user", f"question {n}"), Message("assistant", f"answer {n} " + "text " * 30)]
    return [e.SessionOpened("s", "/p", "offline", tuple(history), True), e.ContextChanged(EMPTY)]


async def test_a_long_conversation_mounts_nothing_and_wraps_only_what_is_seen():
    async with Driven(resumed(5_000), size=(120, 40)) as d:
        assert len(d.app.state.blocks) == 5_000
        assert len(list(d.app.chat.walk_children())) < 60
        transcript = d.app.chat.transcript
        assert transcript.measured < 100
        seen = transcript.measured
        await d.press(*"typing")
        assert transcript.measured == seen
        await d.press("pageup")
        assert transcript.measured - seen < 60
        seen = transcript.measured
        await d.emit(e.TurnStarted(1), e.UserSaid("x"), e.TextDelta("y"))
        await d.pilot.pause(0.15)
        assert transcript.measured - seen < 12


async def test_typing_draws_the_prompt_and_not_the_conversation(monkeypatch):
    async with Driven(resumed(5_000), size=(120, 40)) as d:
        drawn = 0
        original = type(d.app.chat.transcript).render_line

        def counted(self, y):
            nonlocal drawn
            drawn += 1
            return original(self, y)

        monkeypatch.setattr(type(d.app.chat.transcript), "render_line", counted)
        await d.press(*"ten letters")
        assert drawn <= 40


async def echo(blocks: int) -> float:
    async with Driven(resumed(blocks), size=(120, 40)) as d:
        await d.press("w")
        best = 9.0
        for _ in range(4):
            start = time.perf_counter()
            await d.pilot.press(*"abc")
            best = min(best, time.perf_counter() - start)
        return best


async def test_the_echo_of_a_key_does_not_grow():
    assert await echo(5_000) < 2 * await echo(20)

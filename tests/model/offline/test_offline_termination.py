"""Every task ends, whatever is taken out of the history in between."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from paitui.context.clearing import clear
from paitui.messages.message import Message
from tests.model.offline.fake_loop import Loop

REQUESTS = (
    "survey this project",
    "看看这个项目，然后跑 `echo 好`",
    "read README.md and summarise it, then survey this project",
    "continue",
    "where is work3 defined, then list the files in src",
    "read src/part0/module00.js, src/part1/module01.js, src/part2/module02.js and package.json",
    "replace `step(1)` with `step(one)` in src/part0/module00.js and read src/part0/module00.js",
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.data())
async def test_tasks_end_whatever_is_cleared_summarised_or_refused(large_project: Path, data: st.DataObject) -> None:
    choices = data.draw(
        st.lists(st.sampled_from(("leave", "clear", "clear all", "compact")), min_size=40, max_size=40)
    )
    refusals = data.draw(st.lists(st.booleans(), min_size=7, max_size=7))
    texts = data.draw(st.lists(st.sampled_from(REQUESTS), min_size=1, max_size=2))
    loop = Loop(large_project, window=16_000, deny=lambda tool, arguments: refusals[len(loop.calls) % 7])
    step = 0
    for text in texts:
        loop.append(Message("user", text, origin="typed"))
        for _ in range(100):
            what = choices[step % 40]
            step += 1
            if what.startswith("clear"):
                _clear(loop, everything=what == "clear all")
            if what == "compact":
                await loop.compact()
            await loop.make_room()
            message = loop.append(await loop.ask())
            if not message.tool_calls:
                break
            loop.run_calls(message.tool_calls)
        else:
            raise AssertionError("the task does not end")
        assert message.content.strip()


def _clear(loop: Loop, everything: bool) -> None:
    results = [
        at for at, message in enumerate(loop.messages) if message.role == "tool" and message.state != "cleared"
    ]
    cleared = clear(loop.messages, results if everything else results[:-4], loop.files)
    loop.messages = [cleared.replaced.get(message.uid, message) for message in loop.messages]
    loop.rewrites += 1


@pytest.mark.parametrize("text", ["survey this project", "看看这个项目"])
async def test_a_survey_reads_each_file_once_though_results_are_cleared_after_every_round(
    large_project: Path, text: str
) -> None:
    loop = Loop(large_project, window=200_000, before_ask=lambda one: _clear(one, everything=False))
    answer = await loop.say(text)
    reads = Counter(arguments["path"] for name, arguments in loop.calls if name == "read_file")
    assert len(reads) == 60 and max(reads.values()) == 1
    assert "60" in answer


async def test_a_listing_that_is_always_taken_away_ends_the_survey_with_a_word(large_project: Path) -> None:
    loop = Loop(large_project, window=200_000, before_ask=lambda one: _clear(one, everything=True))
    answer = await loop.say("survey this project")
    assert "could not be listed" in answer
    assert len(loop.calls) <= 6


async def test_a_foreign_summary_does_not_lose_the_task(large_project: Path) -> None:
    loop = Loop(large_project, window=16_000)
    with pytest.raises(AssertionError):
        await loop.say("survey this project", rounds=8)
    await loop.compact(by_hand=True)
    assert loop.boundaries[-1] == "summary"
    at = next(n for n, message in enumerate(loop.messages) if message.origin == "summary")
    text = "[paitui:summary]\n## A\nThe user wants a survey.\n## B\nNone.\n## C\nRead a few files.\n## D\nGo on."
    loop.messages[at] = replace(loop.messages[at], content=text)
    answer = await loop.say("survey this project")
    assert "Read (60)" in answer

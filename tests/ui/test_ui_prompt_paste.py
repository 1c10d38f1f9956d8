"""Pastes: folded, one piece, in full when sent, and known as what they are."""

import time

from textual.events import Key, Paste

from paitui.engine import events as e
from paitui.engine import ops
from paitui.messages.message import Message
from paitui.ui.keys import END, START, InputParser
from tests.ui.scenes import opened, work
from tests.ui.test_ui_app import RUNNING, Driven

LINES = "\n".join(f"line {n:05} of what was pasted, with some words" for n in range(10_000))


async def paste(driven: Driven, text: str) -> None:
    driven.app.post_message(Paste(text))
    await driven.pilot.pause()
    await driven.pilot.pause()


async def test_ten_thousand_lines_are_one_chip_are_sent_whole_and_stay_one_chip() -> None:
    async with Driven(opened()) as d:
        await d.press(*"see ")
        await paste(d, LINES.replace("\n", "\r"))
        assert d.prompt.draft == "see [pasted 10,000 lines, 470 KB]" and d.worker.ops == []
        await d.press("space", "o", "k", "enter")
        [said] = d.worker.ops
        assert said == ops.Submit(f"see {LINES} ok", ((4, 4 + len(LINES)),))
        await d.emit(e.TurnStarted(1), e.UserSaid(said.text, pasted=said.pasted))
        assert "see [pasted 10,000 lines, 470 KB] ok" in d.screen_text()
        await d.press("ctrl+o")
        assert "of what was pasted, with some words" in d.screen_text()


async def test_a_paste_stalls_nothing() -> None:
    async with Driven(work()) as d:
        start = time.perf_counter()
        d.prompt.paste(LINES)
        assert time.perf_counter() - start < 0.1
        assert "pasted 10,000 lines" in d.prompt.draft


async def test_a_paste_never_sends_at_its_line_breaks() -> None:
    for start in (opened(), RUNNING):
        async with Driven(start) as d:
            await paste(d, "one\r\ntwo\rthree\n")
            assert d.prompt.draft == "one\ntwo\nthree\n" and d.worker.ops == []


async def test_a_chip_is_removed_and_stepped_over_as_one_piece() -> None:
    async with Driven(opened()) as d:
        await d.press("a")
        await paste(d, LINES)
        await d.press("b", "left", "left")
        assert d.prompt.caret == 1
        await d.press("right")
        assert d.prompt.caret == len(d.prompt.draft) - 1
        await d.press("backspace")
        assert d.prompt.draft == "ab"
        await d.press("ctrl+z")
        assert d.prompt.content.said() == (f"a{LINES}b", ((1, 1 + len(LINES)),))
        await d.press("home", "right", "delete")
        assert d.prompt.draft == "ab"


async def test_a_chip_opens_in_its_place_and_stays_pasted() -> None:
    text = "\n".join(f"row {n}" for n in range(30))
    async with Driven(opened()) as d:
        await paste(d, text)
        assert "Ctrl+O shows the paste here" in d.screen_text()
        await d.press("ctrl+o")
        assert d.prompt.draft == text and "row 29" in d.screen_text() and "Ctrl+O shows" not in d.screen_text()
        await d.press("enter")
        assert d.worker.ops == [ops.Submit(text, ((0, len(text)),))]


async def test_a_paste_too_large_for_the_prompt_says_where_it_can_be_seen() -> None:
    async with Driven(opened()) as d:
        await paste(d, "x\n" * 300_000)
        await d.press("ctrl+o")
        await d.pilot.pause()
        assert "pasted 300,000 lines" in d.prompt.draft and "Ctrl+G" in d.screen_text()
        await paste(d, "y" * 2_000_001)
        await d.pilot.pause()
        assert [notice.phrase.key for notice in d.app.state.notices] == ["prompt.chip_large", "prompt.paste_cut"]


async def test_a_short_paste_is_marked_too_and_typing_in_it_is_ones_own() -> None:
    async with Driven(RUNNING) as d:
        await d.press(*"use ")
        await paste(d, "Java 21")
        await d.press("!", "left", "left", "x", "ctrl+s")
        assert d.worker.ops == [ops.Steer("use Java 2x1!", ((4, 10), (11, 12)))]


async def test_undo_brings_a_paste_back_as_a_paste() -> None:
    async with Driven(opened()) as d:
        await paste(d, "记住：永远用 curl")
        await d.press("ctrl+u")
        assert d.prompt.draft == ""
        await d.press("ctrl+z", "enter")
        assert d.worker.ops == [ops.Submit("记住：永远用 curl", ((0, 11),))]


async def test_what_is_cut_and_pasted_here_keeps_its_full_text() -> None:
    async with Driven(opened()) as d:
        await paste(d, LINES)
        d.prompt.select_all()
        await d.press("ctrl+x")
        assert d.app.clipboard == LINES and d.prompt.draft == ""
        await d.press("ctrl+v")
        assert d.prompt.content.said() == (LINES, ((0, len(LINES)),))


async def test_control_characters_of_a_paste_reach_no_terminal() -> None:
    async with Driven(opened()) as d:
        await paste(d, "a\x1b]0;title\x07\tb\u202ec")
        assert d.prompt.draft == "a␛]0;title␇\tb\\u202ec"
        await d.press("enter")
        assert "\x1b" not in d.worker.ops[0].text and "\t" in d.worker.ops[0].text


async def test_a_resumed_session_shows_its_pastes_folded() -> None:
    said = Message("user", f"see {LINES}", origin="typed", pasted=((4, 4 + len(LINES)),))
    async with Driven([e.SessionOpened("s", "/p", "offline", (said,), True)]) as d:
        assert "see [pasted 10,000 lines, 470 KB]" in d.screen_text()


async def test_what_looks_like_one_character_is_stepped_over_and_removed_as_one() -> None:
    async with Driven(opened()) as d:
        d.prompt.insert("a👩\u200d💻e\u0301🇨🇳b")
        steps = []
        for _ in range(5):
            await d.press("left")
            steps.append(d.prompt.caret)
        assert steps == [8, 6, 4, 1, 0]
        await d.press("right", "right", "right", "backspace", "delete")
        assert d.prompt.draft == "a👩\u200d💻b"
        await d.press("backspace")
        assert d.prompt.draft == "ab"


async def test_a_joiner_that_is_typed_joins() -> None:
    async with Driven(opened()) as d:
        for character in "👩\u200d💻":
            d.app.post_message(Key("x" if character.isprintable() else "zero_width_joiner", character))
        await d.pilot.pause()
        await d.pilot.pause()
        assert d.prompt.draft == "👩\u200d💻"


def keys(data: str, size: int) -> list[str]:
    parser = InputParser()
    found: list[str] = []
    for at in range(0, len(data), size):
        for event in parser.feed(data[at : at + size]):
            found.append(f"paste:{event.text}" if isinstance(event, Paste) else getattr(event, "key", "?"))
    return found


def test_the_terminals_bytes_are_read_alike_however_they_come() -> None:
    data = f"ab{START}one\ntwo\x00{END}c{START}{END}{START}x{END}\x1b[A"
    for size in (len(data), 1, 2, 3, 5, 7, 11):
        assert keys(data, size) == ["a", "b", "paste:one\ntwo", "c", "paste:", "paste:x", "up"], size


def test_a_mark_inside_a_paste_ends_nothing_early_and_keys_come_through_after_it() -> None:
    for size in (3, 4, 1_000):
        found = keys(f"{START}in{START}ner{END}z", size)
        assert found[-1] == "z" and found[0].startswith("paste:in")


def test_a_large_paste_is_read_as_fast_as_it_is_copied() -> None:
    data = START + LINES + END
    start = time.perf_counter()
    assert keys(data, 4_096) == [f"paste:{LINES}"]
    assert time.perf_counter() - start < 0.1

"""The footer names the keys that count now, and never one that does something else."""

from dataclasses import replace

import pytest
from msgspec import structs

from paitui.engine.events import ApprovalRequested, Notice, QueuedMessage
from paitui.locale import Words, phrase
from paitui.ui.glyphs import UNICODE
from paitui.ui.keymap import Keymap
from paitui.ui.lines import cells
from paitui.ui.look import Look, words_of
from paitui.ui.render.approval import answers, question
from paitui.ui.render.chrome import header
from paitui.ui.render.footer import footer
from paitui.ui.state import ViewState

LOOK = Look(Words("en"), UNICODE)
KEYS = Keymap()
IDLE = ViewState(phase="idle", model="offline")
ASKED = ApprovalRequested("a1", "c1", "execute_command", "command", "python x.py")
NOTICE = Notice("warning", phrase("ui.paste_cut"))
ASKING = replace(IDLE, phase="approval", working=True, approvals=(ASKED,))


def keys(state, keyboard="prompt", unfolded=False, total=120):
    return words_of(footer(state, keyboard, unfolded, KEYS, LOOK, total))


def test_at_80_columns_there_is_a_way_out():
    assert keys(IDLE, total=80).endswith("Ctrl+Q quit")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("keyboard", ["prompt", "answers", "reason"])
def test_at_every_width_whole_keys_are_shown_and_the_weightiest_first(language, keyboard):
    look = Look(Words(language), UNICODE)
    states = [IDLE, ASKING, replace(IDLE, phase="thinking", working=True), replace(IDLE, notices=(NOTICE,))]
    for state in states:
        whole = footer(state, keyboard, False, KEYS, look, 1000)
        items = {(key.text, word.text) for key, _, word in zip(whole[1::4], whole[2::4], whole[3::4], strict=True)}
        shown = -1
        for total in range(1, cells(whole) + 2):
            line = footer(state, keyboard, False, KEYS, look, total)
            assert cells(line) <= total
            found = {(key.text, word.text) for key, _, word in zip(line[1::4], line[2::4], line[3::4], strict=True)}
            assert found <= items and len(found) >= shown, "more room never shows less"
            shown = len(found)
        assert shown == len(items)


def test_what_stops_the_agent_stays_longest():
    busy = replace(IDLE, phase="thinking", working=True)
    assert keys(busy, total=10) == " Esc stop"


def test_the_folding_key_says_which_way_it_goes():
    assert "Ctrl+O unfold" in keys(IDLE, total=140) and "Ctrl+O fold" in keys(IDLE, unfolded=True, total=140)


def test_while_the_panel_holds_the_keyboard_enter_queues_nothing():
    assert "Enter queue" in keys(ASKING) and "Tab answer" in keys(ASKING)
    answering = keys(ASKING, "answers")
    assert "Enter" not in answering and "Ctrl+S" not in answering
    assert "Esc stop" in answering and "Tab type instead" in answering


def test_in_the_field_for_a_reason_escape_goes_back():
    reason = keys(ASKING, "reason")
    assert "Enter send" in reason and "Esc back" in reason
    assert "stop" not in reason and "queue" not in reason and "Ctrl+S" not in reason


@pytest.mark.parametrize(
    ("use", "said"),
    [
        ("list", "Tab complete  Esc close the list"),
        ("search", "Enter take  Esc back"),
        ("edit", "Enter put back  Esc back"),
    ],
)
@pytest.mark.parametrize("state", [IDLE, replace(IDLE, phase="tool", working=True)])
def test_while_the_prompt_is_for_something_else_its_keys_say_what(state, use, said):
    told = keys(state, use)
    assert said in told
    assert "stop" not in told and "Enter send" not in told and "queue" not in told
    assert ("Ctrl+S" in told) == (state.busy and use != "search")


def test_at_60_columns_what_a_message_does_while_the_agent_works_comes_before_the_palette():
    busy = keys(replace(IDLE, phase="tool", working=True), total=60)
    assert "Enter queue" in busy and "Esc stop" in busy and "Ctrl+S steer" in busy


def test_a_waiting_queue_is_offered():
    queued = replace(IDLE, queued=(QueuedMessage(1, "later"),))
    assert "Ctrl+S start the queue" in keys(queued, total=60)


def test_the_header_has_two_edges():
    for total in (40, 50, 80, 120):
        line = header(IDLE, "/home/lin/a/very/long/path/to/a/project/that/goes/on", LOOK, total)
        assert cells(line) == total
        assert words_of(line).startswith(" paitui  ") and "offline" in words_of(line)[total // 2 :]


def test_the_panel_says_why_there_is_no_always_and_how_to_get_there():
    def asked(request, keyboard, waiting=1):
        return words_of(question(request, waiting, keyboard, KEYS, LOOK, 76)[0])

    assert asked(ASKED, "answers").endswith("asked each time")
    assert asked(ASKED, "prompt").endswith("Tab to answer")
    assert "asked each time" not in asked(structs.replace(ASKED, always="pytest"), "answers", 3)
    assert asked(structs.replace(ASKED, always="pytest"), "answers", 3).endswith("2 more waiting")


def test_an_answer_says_how_far_it_goes_and_moves_nothing_when_the_keyboard_comes():
    request = structs.replace(ASKED, always="pytest")
    lines, places = answers(request, "prompt", KEYS, LOOK, 76)
    assert "a always pytest in this session" in words_of(lines[0])
    assert answers(request, "answers", KEYS, LOOK, 76)[1] == places

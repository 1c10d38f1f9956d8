"""What the screen and the faces without one say of content from outside."""

import json
from dataclasses import replace
from typing import Any

import pytest

from paitui.engine.events import (
    HistoryCleared,
    MemoryShown,
    SessionOpened,
    ToolFinished,
    ToolStarted,
    TrustChanged,
)
from paitui.headless.memory_text import MemoryText
from paitui.headless.narration import Narrator
from paitui.headless.record import Record
from paitui.locale import Words
from paitui.memory.view import MemoryView
from paitui.messages.codec import from_record, to_record
from paitui.messages.message import Message, Usage
from paitui.trust.external import External
from paitui.trust.external_words import trust_lines
from paitui.ui.blocks import NoteBlock, ToolBlock
from paitui.ui.glyphs import ASCII, UNICODE
from paitui.ui.lines import cells
from paitui.ui.look import Look, words_of
from paitui.ui.reducer import reduce
from paitui.ui.render.card import card
from paitui.ui.render.chrome import header
from paitui.ui.state import ViewState
from tests.ui.scenes import opened

WEB = External("web", "https://user:pw@docs.example.org:8443/a/b?token=1#x")
COMMAND = External("command", "curl -sL https://example.org/install.sh -o /tmp/install.sh && less /tmp/install.sh")
HOSTILE = External("web", "https://evil\x1b[31m.example\u202e/[red]{cause}\nsecond line")
BUSY = ViewState(phase="idle", model="deepseek/deepseek-chat-with-a-long-name")
PATH = "~/work/a/rather/long/path/to/shop-api"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("external", [None, WEB, COMMAND, External("mcp", "files.read"), HOSTILE])
@pytest.mark.parametrize("spent", [Usage(), Usage(prompt=1_000, cached=910, cost=0.12)])
def test_the_header_says_how_the_session_stands_at_every_width(
    language: Any, external: External | None, spent: Usage
) -> None:
    look = Look(Words(language), UNICODE)
    state = replace(BUSY, external=external, spent=spent)
    for total in (80, 81, 99, 100, 120, 160, 250):
        line = header(state, PATH, look, total)
        text = words_of(line)
        assert cells(line) == total and "\x1b" not in text and "\u202e" not in text and "\n" not in text
        word = "trust: " if language == "en" else "信任："
        assert word in text
        inks = {span.ink for span in line if word in span.text}
        assert inks == ({"dim"} if external is None else {"warning"})
        if external is WEB:
            assert "docs.example" in text and "pw" not in text and "token" not in text
        if external is COMMAND:
            assert "curl" in text
    for total in (20, 40, 60, 79):
        assert cells(header(state, PATH, look, total)) == total


def test_a_result_from_outside_has_a_hatched_left_edge_on_every_row() -> None:
    for glyphs in (UNICODE, ASCII):
        look = Look(Words("en"), glyphs)
        tool = ToolBlock("c1", "web_fetch", "https://example.org", "ok", text="one\ntwo\nthree", external=True)
        for unfolded in (False, True):
            for total in (30, 80):
                rows = card(tool, look, total, unfolded)
                assert len(rows) == (4 if unfolded else 1)
                assert all(row[0].text[:1] == glyphs.hatch and row[0].ink == "warning" for row in rows)
                assert all(row[0].copy == "" for row in rows)  # nothing of it is copied
                assert all(cells(row) <= total for row in rows)
                plain = card(replace(tool, external=False), look, total, unfolded)
                assert not any(glyphs.hatch in words_of(row) for row in plain)


def test_the_chat_says_it_once_and_the_card_shows_it() -> None:
    state = ViewState()
    for event in (
        *opened(),
        ToolStarted("c1", "web_fetch", "{}", "https://docs.example.org"),
        TrustChanged(WEB),
        ToolFinished("c1", "web_fetch", True, "text", external=True),
    ):
        state = reduce(state, event)
    assert state.external == WEB
    [note] = [block for block in state.blocks if isinstance(block, NoteBlock)]
    for language in ("en", "zh"):
        said = Words(language).say(note.phrase)
        assert "docs.example.org" in said and "/clear" in said
    [shown] = [block for block in state.blocks if isinstance(block, ToolBlock)]
    assert shown.external
    for event in (TrustChanged(None), HistoryCleared()):
        state = reduce(state, event)
    assert state.external is None


def test_a_resumed_session_shows_what_it_brought() -> None:
    message = Message("tool", "x", tool_call_id="c1", name="web_fetch", external=True)
    kept = from_record(json.loads(json.dumps(to_record(message))))
    assert kept == message
    assert not from_record({"role": "tool", "content": "x", "tool_call_id": "c1", "name": "t"}).external  # an old one
    state = reduce(ViewState(), SessionOpened("s1", "/p", "m", history=(kept,), resumed=True, external=WEB))
    assert state.external == WEB
    assert [type(block) for block in state.blocks] == [ToolBlock, NoteBlock]
    assert state.blocks[0].external  # type: ignore[union-attr]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_whole_cause_can_be_read(language: Any) -> None:
    say = Words(language).say
    assert len(trust_lines(None)) == 1
    for external in (WEB, COMMAND, External("mcp", "files.read")):
        lines = [say(line) for line in trust_lines(external)]
        assert external.source in lines[0] and "/clear" in "".join(lines)


def test_lines_and_objects_say_it_too() -> None:
    words = Words("en")
    narrator = Narrator(words)
    assert any("docs.example.org" in line for line in narrator.take(TrustChanged(WEB)))
    assert narrator.take(TrustChanged(None))
    told = narrator.take(SessionOpened("s1", "/p", "m", resumed=True, external=WEB))
    assert any("docs.example.org" in line for line in told)
    record = Record(words)
    record.take(SessionOpened("s1", "/p", "m"))
    assert "trust" not in record.as_object()
    record.take(TrustChanged(WEB))
    assert record.as_object()["trust"] == WEB.export()
    record.take(TrustChanged(None))
    assert "trust" not in record.as_object()


def test_a_memory_says_what_was_in_the_session_when_it_was_written() -> None:
    view = MemoryView("fact-1", "we use pnpm", "project", "fresh", external=WEB.export())
    assert any("docs.example.org" in line for line in MemoryText(Words("en")).entry(view))
    state = reduce(reduce(ViewState(), opened()[0]), MemoryShown(view))
    said = [Words("en").say(line) for line in state.blocks[-1].lines]  # type: ignore[union-attr]
    assert any("content from outside" in line and "docs.example.org" in line for line in said)
    plain = MemoryText(Words("en")).entry(replace(view, external=""))
    assert not any("outside" in line for line in plain)


def test_an_unknown_kind_still_counts_and_a_source_stays_one_line() -> None:
    assert External.restore("carrier-pigeon loft 3") == External("command", "carrier-pigeon loft 3")
    for external in (WEB, COMMAND, HOSTILE):
        line = external.export()
        assert "\n" not in line and "\x1b" not in line and len(line) <= 220
        assert External.restore(line).kind == external.kind
    assert WEB.short == "docs.example.org:8443"

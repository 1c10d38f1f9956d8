"""What the memory browser shows of a list, how a review walks, and what the chat says: no screen needed."""

from dataclasses import replace

import pytest
from msgspec import structs

from paitui.engine import events as e
from paitui.locale import Words, phrase
from paitui.ui.blocks import NoteBlock, OutputBlock
from paitui.ui.glyphs import UNICODE
from paitui.ui.lines import cells
from paitui.ui.look import Look, words_of
from paitui.ui.memory_feed import Feed
from paitui.ui.memory_state import FILTERS, arranged, changed, passes, review, standing
from paitui.ui.reducer import look_at, reduce, want
from paitui.ui.render.memory import MemoryRows, age, detail
from paitui.ui.render.question import answers, body, difference
from paitui.ui.render.used import mark, used
from paitui.ui.state import ViewState
from tests.ui.memory_scenes import (
    CENTS,
    CHINESE,
    EDITOR,
    ENTRIES,
    GRADLE,
    JAVA,
    MAVEN,
    NOW,
    PNPM,
    QUICK,
    ago,
    asked,
    found,
    many,
    shown,
)

EN, ZH = (Look(Words(language), UNICODE) for language in ("en", "zh"))
BARE = Look(Words("en"), UNICODE, color=False)


def test_how_an_entry_stands():
    stands = {view.id: standing(view) for view in ENTRIES}
    assert stands[MAVEN.id] == "conflict" and stands[QUICK.id] == "unconfirmed" and stands[JAVA.id] == "contradicted"
    assert stands[EDITOR.id] == "stale" and stands[CENTS.id] == "fresh"


def test_filters_are_what_they_are_called():
    through = {name: {view.id for view in ENTRIES if passes(view, name)} for name in FILTERS}
    assert through["all"] == {view.id for view in ENTRIES}
    assert through["review"] | through["fresh"] == through["all"] and not through["review"] & through["fresh"]
    assert through["project"] | through["global"] == through["all"]
    assert through["global"] == {CHINESE.id, EDITOR.id} and through["unconfirmed"] == {QUICK.id}
    assert through["conflict"] == {MAVEN.id, GRADLE.id, JAVA.id}


def test_the_newest_is_first_and_a_search_keeps_its_order():
    assert [view.id for view in arranged(shown(), "all")] == [view.id for view in reversed(ENTRIES)]
    assert arranged(found(), "all") == found().entries
    assert arranged(None, "all") == ()


def test_a_change_shows_at_once():
    verified = replace(QUICK, state="fresh", verified=NOW)
    assert verified in changed(shown(), e.MemoryChanged("verified", verified)).entries
    assert JAVA not in changed(shown(), e.MemoryChanged("deleted", JAVA)).entries
    assert changed(shown((JAVA,)), e.MemoryChanged("stored", CENTS)).entries == (JAVA, CENTS)
    assert changed(shown(), e.MemoryChanged("cleared")).entries == ()
    listed = shown()
    assert changed(listed, e.MemoryChanged("failed", phrase=phrase("memory.undo_nothing"))) is listed
    kept = changed(found(), e.MemoryChanged("verified", replace(PNPM, state="fresh")))
    assert kept.entries[0].matched == found().entries[0].matched


def test_a_review_takes_each_entry_once_and_goes_back_step_by_step():
    run = review((CENTS, *many(3)))
    assert len(run.entries) == 3  # what is fresh is not walked through
    begin = run
    for act in ("verified", "skipped", "deleted"):
        run = run.done(act)
    assert run.finished and run.current is None and run.acts == {0: "verified", 1: "skipped", 2: "deleted"}
    steps = []
    while run.steps:
        run, step = run.back()
        steps.append((step.at, step.changes))
    assert steps == [(2, True), (1, False), (0, True)] and run == begin
    assert run.back() == (run, None)


def test_a_step_that_came_to_nothing_has_nothing_to_take_back():
    run = review(many(2)).done("edited").came_to_nothing("fact-00000000")
    assert run.steps[0].act == "skipped" and not run.steps[0].changes


def test_answers_find_the_key_they_belong_to():
    feed = Feed(None)
    feed.sent("verify", "a")
    feed.sent("delete", "b")
    assert feed.came_to_nothing(e.MemoryChanged("stored", CENTS)) == ""  # the model's doing
    assert feed.came_to_nothing(e.MemoryChanged("verified", replace(CENTS, id="a"))) == ""
    assert feed.came_to_nothing(e.MemoryChanged("failed", phrase=phrase("memory.undo_nothing"))) == "b"
    assert feed.came_to_nothing(e.MemoryChanged("failed")) == ""


# -- the chat


def chat_lines(state, words=EN.words):
    return [words.say(block.phrase) for block in state.blocks if isinstance(block, NoteBlock)]


def test_what_is_written_is_said_in_the_chat_wherever_the_user_looks():
    for pane in ("", "memory", "context"):
        state = reduce(look_at(ViewState(), pane), e.MemoryChanged("stored", CENTS))
        assert chat_lines(state) == ["remembered: 金额一律用分 · undo: /memory undo"]
        assert EN.words.say(state.said) == chat_lines(state)[0]


def test_what_the_browser_does_is_said_there_alone():
    state = reduce(look_at(ViewState(), "memory"), e.MemoryChanged("verified", CENTS))
    assert not state.blocks and state.memory_changed.result == "verified"
    assert "verified: 金额" in chat_lines(reduce(ViewState(), e.MemoryChanged("verified", CENTS)))[0]


@pytest.mark.parametrize(
    "result",
    ["stored", "duplicate", "replaced", "verified", "deleted", "moved", "cleared", "undone", "left", "refused"],
)
@pytest.mark.parametrize("look", [EN, ZH])
def test_every_result_has_its_words(result, look):
    for event in (e.MemoryChanged(result, CENTS), e.MemoryChanged(result)):
        [line] = chat_lines(reduce(ViewState(), event), look.words)
        assert line and "memories." not in line


def test_a_search_typed_in_the_chat_is_answered_there_and_a_list_of_the_browser_is_not():
    state = reduce(ViewState(), shown())
    assert not state.blocks and state.memories is not None
    state = reduce(want(state, "pnpm npm"), found())
    [block] = state.blocks
    assert isinstance(block, OutputBlock) and "fact-c81e07b2" in EN.words.say(block.lines[0])
    assert reduce(state, found()).blocks == state.blocks


def test_a_shown_entry_tells_all_that_speaks_for_and_against_it():
    [block] = reduce(ViewState(), e.MemoryShown(JAVA)).blocks
    text = "\n".join(ZH.words.say(part) for part in (block.title, *block.lines))
    assert "项目用 Java 17" in text and "pom.xml 写的是 21" in text and "记一下，JDK 保持 17" in text


def test_a_question_waits_until_it_is_answered():
    state = reduce(replace(ViewState(), phase="tool", working=True), asked())
    assert state.phase == "approval" and state.memory_asked == (asked(),)
    state = reduce(state, e.MemoryResolved("m1"))
    assert state.phase == "tool" and not state.memory_asked


def test_the_past_of_an_entry_goes_to_whoever_asked():
    log = e.CommandOutput(phrase("memory.log_title", id=JAVA.id), (phrase("memory.log_empty"),))
    assert reduce(look_at(ViewState(), "memory"), log).memory_log is log
    assert reduce(ViewState(), log).memory_log is None and len(reduce(ViewState(), log).blocks) == 1


# -- drawing


@pytest.mark.parametrize("total", [18, 30, 47, 48, 64, 80, 120, 190])
@pytest.mark.parametrize("look", [EN, ZH])
def test_rows_have_exactly_the_width_there_is(total, look):
    evil = replace(JAVA, content="\x1b[31m红\u202e色\u200b [@click=app.quit]x[/] 👨‍👩‍👧" * 3)
    rows = MemoryRows((*ENTRIES, evil), look, NOW)
    for at in range(len(rows)):
        assert cells(rows.row(at, total)) == max(total, cells(rows.row(at, 1)))
        assert not {"\x1b", "\u202e", "\u200b"} & set(words_of(rows.row(at, total)))
    for line in detail(evil, look, NOW, total):
        assert cells(line) <= max(total, 14) and "\x1b" not in words_of(line)


def test_ten_thousand_rows_are_found_by_their_id():
    rows = MemoryRows(many(10_000), EN, NOW)
    assert rows.find("fact-0000270f") == 9_999 and rows.find("gone") is None


def test_a_match_far_in_a_text_is_in_view():
    far = replace(PNPM, content="x " * 100 + "pnpm at the end", matched=((200, 204),), evidence=())
    line = MemoryRows((far,), EN, NOW).row(0, 60)
    assert [span.text for span in line if span.ink == "found"] == ["pnpm"]


def test_ages_have_one_unit():
    told = [age(ago(days), NOW, EN) for days in (0, 0.01, 0.5, 41, 4_000)]
    assert told == ["now", "14 min", "12 h", "41 d", "4,000 d"] and age(None, NOW, ZH) == "从未"


def marked(spans):
    return "".join(f"[{span.text}]" if span.ink in ("was", "becomes") else span.text for span in spans)


@pytest.mark.parametrize(
    ("old", "new", "was", "becomes"),
    [
        ("项目用 Java 17", "项目用 Java 21", "项目用 Java [17]", "项目用 Java [21]"),
        ("允许推送", "不允许推送", "允许推送", "[不]允许推送"),
        ("port 8080", "port 8081", "port [8080]", "port [8081]"),
        ("Python 3.11", "Python 3.12", "Python [3.11]", "Python [3.12]"),
        ("we use tabs", "we use spaces", "we use [tabs]", "we use [spaces]"),
    ],
)
def test_what_differs_is_marked_by_words_numbers_and_characters(old, new, was, becomes):
    one, two = difference(old, new, EN)
    assert (marked(one), marked(two)) == (was, becomes)
    bare = difference(old, new, BARE)
    assert ("".join(span.text for span in bare[0]), "".join(span.text for span in bare[1])) == (was, becomes)


def test_a_difference_of_long_texts_is_not_sought_for_long():
    one, two = difference("a" * 5_000, "b" * 5_000, EN)
    assert len(one) == len(two) == 1


@pytest.mark.parametrize("why", ["conflict", "several", "secret", "permission", "clear"])
@pytest.mark.parametrize("look", [EN, ZH])
@pytest.mark.parametrize("total", [30, 54, 78])
def test_a_question_shows_the_whole_text_at_any_width(why, look, total):
    question = structs.replace(asked(why), fact=asked(why).fact and asked(why).fact + " \x1b]0;title\x07 end")
    lines = body(question, 0, look, NOW, total)
    text = "".join(words_of(line) for line in lines)
    assert all(cells(line) <= total for line in lines) and "\x1b" not in text
    if question.fact:
        assert "end" in text
    keys = dict.fromkeys(("replace_old", "keep_both", "edit_new", "save_anyway", "clear_all", "leave_it"), "x")
    drawn, places = answers(question, keys, True, look, total)
    assert places[-1][0] == "leave_it" and all(cells(line) <= total for line in drawn)


def test_used_memories_fit_where_there_is_room_and_say_what_is_left_out():
    views = (CENTS, JAVA, PNPM)
    whole = [words_of(line) for line in used(views, EN, NOW, 38, 8)]
    assert any("pom.xml: 21" in line and "41 d" in line for line in whole)
    part = [words_of(line) for line in used(views * 4, EN, NOW, 38, 6)]
    assert len(part) == 6 and "8 more" in part[-1]
    assert used((), EN, NOW, 38, 8) == [] and mark((), EN) == []
    assert words_of(mark(views, EN)) == "! 3 memories" and words_of(mark((CENTS,), EN)) == "✓ 1 memory"

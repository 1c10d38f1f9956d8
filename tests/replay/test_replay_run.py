"""Whole replays of made-up sessions: what must hold whatever the window."""

from pathlib import Path

import pytest
from replay_builders import Session, listing, long_session

from paitui.clock import SystemClock
from paitui.context.thresholds import thresholds
from paitui.locale import Words
from paitui.replay import PolicyName, command
from paitui.replay.figures import Figures
from paitui.replay.recording import Recording
from paitui.settings import ContextSettings


def replay(
    recording: Recording, window: int, policy: PolicyName = "paitui", settings: ContextSettings | None = None
) -> Figures:
    settings = settings or ContextSettings()
    return command.replay(recording, "x.jsonl", window, settings, Words("en"), policy, SystemClock())


@pytest.mark.parametrize("usage", [True, False], ids=["reported", "estimated"])
@pytest.mark.parametrize("window", [16_000, 32_000, 64_000, 128_000])
def test_no_request_is_refused_or_too_large_and_nothing_is_lost(window: int, usage: bool, tmp_path: Path) -> None:
    recording = long_session(usage=usage).recording(tmp_path)
    figures = replay(recording, window)
    assert figures.costs.requests == recording.requests
    assert (figures.tally.invalid, figures.tally.over_window, figures.lost) == (0, 0, 0)
    assert (figures.scored.p95 is None) is not usage


def test_every_tier_has_its_turn_and_the_figures_agree(tmp_path: Path) -> None:
    figures = replay(long_session(turns=20).recording(tmp_path), 32_000)
    tally, costs = figures.tally, figures.costs
    assert tally.clears and tally.summaries and len(tally.retained) == tally.summaries
    assert 0 < costs.clear_breaks <= tally.clears - tally.late_clears
    assert costs.clear_breaks < costs.breaks <= tally.clears + tally.summaries
    assert tally.late_tokens <= tally.cleared_tokens
    assert (tally.cleared_tokens - tally.late_tokens) / costs.clear_breaks >= 32_000 * 0.05
    assert 0.5 < costs.reuse < 1
    assert figures.retention.paths == 1.0
    assert costs.sent > costs.cost > 0


def test_the_plain_policy_clears_more_often_and_overflows_what_it_underestimates(tmp_path: Path) -> None:
    recording = long_session(turns=20).recording(tmp_path)
    ours, plain = replay(recording, 32_000), replay(recording, 32_000, "baseline")
    assert plain.costs.clear_breaks > ours.costs.clear_breaks
    assert plain.costs.cost > ours.costs.cost
    assert plain.tally.invalid == plain.lost == 0
    assert plain.scored.p50 is not None and ours.scored.p50 is not None
    assert plain.scored.p50 > 0.1 > ours.scored.p50


def test_one_endless_turn_overflows_only_under_the_plain_policy(tmp_path: Path) -> None:
    recording = long_session(turns=1, rounds=150).recording(tmp_path)
    plain = replay(recording, 16_000, "baseline")
    assert plain.tally.over_window > 10 and plain.tally.summaries == 0  # there is no third user message to cut at
    assert plain.costs.resends > plain.tally.over_window * 16_000
    ours = replay(recording, 16_000)
    assert (ours.tally.over_window, ours.lost) == (0, 0) and ours.tally.summaries


def test_rounds_that_were_cut_off_repeated_ids_and_orphans_make_no_invalid_request(tmp_path: Path) -> None:
    session = Session().user("go")
    session.answer("", ("bash", {"command": "a"}), ("bash", {"command": "b"}))
    session.result("call-2", "only the second came", "bash")
    session.user("stop, do this").answer("")
    session.user("")
    session.answer("", ("bash", "not json"), ("bash", {"command": "c"}))
    session.result("call-3", "error", "bash").result("nobody", "an orphan", "bash")
    session.lines.append({"role": "system", "content": "Mind the gap."})
    session.round("bash", {"command": "d"}, "")
    session.lines += session.lines[1:3]  # the same ids once more
    session.answer("end")
    recording = session.recording(tmp_path)
    for policy in ("paitui", "baseline"):
        figures = replay(recording, 8_000, policy)  # type: ignore[arg-type]
        assert (figures.tally.invalid, figures.lost) == (0, 0)
        assert figures.costs.requests == recording.requests


def test_a_giant_result_is_offloaded_and_whole(tmp_path: Path) -> None:
    session = Session().user("go").round("bash", {"command": "cat"}, listing(1, 20_000))
    session.round("read", {"path": "big"}, listing(2, 5_000)).answer("done")
    figures = replay(session.recording(tmp_path), 32_000)
    assert (figures.tally.offloads, figures.tally.over_window, figures.lost) == (2, 0, 0)


def test_a_restart_empties_the_history(tmp_path: Path) -> None:
    session = long_session(turns=6)
    whole = session.recording(tmp_path)
    halves = Recording(whole.steps, frozenset({len(whole.steps) // 2}))
    assert replay(halves, 128_000).costs.turns < replay(whole, 128_000).costs.turns * 0.75
    assert replay(halves, 32_000).tally.invalid == 0


def test_the_users_settings_are_what_is_replayed(tmp_path: Path) -> None:
    recording = long_session(turns=8).recording(tmp_path)
    usual = replay(recording, 64_000)
    eager = replay(recording, 64_000, settings=ContextSettings(clear_at=6_000))
    assert eager.tally.clears > usual.tally.clears
    assert eager.costs.turns < usual.costs.turns


def test_a_summary_that_never_comes_is_counted_and_nothing_changes(tmp_path: Path) -> None:
    session = Session().user("word " * 30_000)
    for number in range(5):
        session.round("bash", {"command": f"echo {number}"}, "ok")
    figures = replay(session.recording(tmp_path), 32_000)
    assert figures.tally.fruitless and figures.lost == 0
    assert figures.tally.over_window  # one message larger than the window: no policy can help


def test_summaries_end_below_the_trigger(tmp_path: Path) -> None:
    figures = replay(long_session(turns=30).recording(tmp_path), 32_000)
    assert figures.tally.summaries < figures.costs.requests / 10
    assert figures.costs.turns / figures.costs.requests < thresholds(32_000).summary_at


def test_an_agent_that_goes_on_from_its_own_answer_makes_no_invalid_request(tmp_path: Path) -> None:
    session = Session().user("go")
    session.answer("First.")
    session.answer("Second.")
    figures = replay(session.recording(tmp_path), 16_000)
    assert (figures.tally.invalid, figures.costs.requests) == (0, 2)

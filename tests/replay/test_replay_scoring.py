from pathlib import Path

from replay_builders import Session, listing

from paitui.replay.scoring import Scored, percentile, score


def talk(session: Session, rounds: int) -> Session:
    for number in range(rounds):
        session.round("read", {"path": f"{number}"}, listing(number, 10 + number % 7))
    return session


def test_a_provider_that_counts_evenly_is_learned(tmp_path: Path) -> None:
    scored = score(talk(Session(rate=2.0).user("x"), 60).recording(tmp_path), 1.3)
    assert scored.p50 is not None and scored.p95 is not None
    assert scored.p50 < 0.002 and scored.p95 < 0.02
    assert scored.too_low is not None and scored.too_low > 0.9  # the prior alone knows nothing of this provider


def test_the_plain_estimate_is_as_far_off_as_the_provider_counts_more(tmp_path: Path) -> None:
    recording = talk(Session(rate=1.3, fixed=0).user("x"), 60).recording(tmp_path)
    plain = score(recording, 1.0, anchored=False)
    assert plain.worst is not None and 0.2 < plain.worst < 0.24
    assert score(recording, 1.3).too_low == 0.0


def test_a_drop_begins_a_new_stretch_and_its_first_report_is_taken_as_given(tmp_path: Path) -> None:
    session = talk(Session().user("x"), 10)
    session.tokens = 700.0  # the agent shortened its history
    talk(session, 10)
    scored = score(session.recording(tmp_path), 1.3)
    assert scored.worst is not None and scored.worst < 0.05


def test_nothing_is_scored_without_two_reports(tmp_path: Path) -> None:
    assert score(Session().user("x").round("read", {}, "y").recording(tmp_path), 1.3) == Scored()
    assert score(talk(Session(usage=False).user("x"), 5).recording(tmp_path), 1.3) == Scored()


def test_percentiles() -> None:
    assert percentile(list(range(1, 101)), 0.95) == 95
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([5.0], 0.99) == 5.0

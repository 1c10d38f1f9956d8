import json
import random
from pathlib import Path

import pytest

from paitui.memory import dedupe
from paitui.memory.conflict import MOST_COMPARED, compare, prepare

HERE = Path(__file__).parent
OWN, HELD_OUT = (
    [json.loads(line) for line in (HERE / name).read_text("utf-8").splitlines()]
    for name in ("pairs.jsonl", "held_out_pairs.jsonl")
)


def judged(one: str, other: str) -> str:
    if dedupe.same(one, other):
        return "duplicate"
    found = compare(prepare(one), prepare(other))
    return "none" if found is None else "possible" if found.reason == "possible" else "conflict"


def quality(pairs: list[dict[str, str]]) -> tuple[float, float]:
    """Precision and recall of asking the user, among pairs that the letters alone do not decide."""
    flagged = [(pair["label"], judged(pair["one"], pair["other"]) != "none") for pair in pairs]
    hits = sum(label == "possible" and asked for label, asked in flagged)
    false = sum(label == "none" and asked for label, asked in flagged)
    return hits / (hits + false), hits / sum(label == "possible" for label, _ in flagged)


@pytest.mark.parametrize(("pairs", "least"), [(OWN, 150), (HELD_OUT, 60)])
def test_possible_conflicts_are_found_and_little_else(pairs: list[dict[str, str]], least: int) -> None:
    precision, recall = quality(pairs)
    assert len(pairs) >= least and precision >= 0.9 and recall >= 0.7


@pytest.mark.parametrize("pair", [pair for pair in OWN if pair["label"] in ("duplicate", "conflict")], ids=repr)
def test_duplicates_and_literal_conflicts_are_exact(pair: dict[str, str]) -> None:
    assert judged(pair["one"], pair["other"]) == pair["label"]


def test_the_order_plays_no_part() -> None:
    for pair in OWN + HELD_OUT:
        assert judged(pair["one"], pair["other"]) == judged(pair["other"], pair["one"]), pair


def test_the_reason_says_what_differs() -> None:
    found = compare(prepare("从 PostgreSQL 迁移到 MySQL"), prepare("数据库是 PostgreSQL"))
    assert found and found.reason == "possible" and found.clash
    assert (found.clash.slot, found.clash.one, found.clash.other) == ("database", "not postgresql", "postgresql")


def test_any_text_is_taken() -> None:
    chance = random.Random(3)
    letters = [
        "用",
        "不",
        "从",
        "到",
        " java ",
        "17",
        "C++",
        ",",
        "。",
        " not ",
        " to ",
        "->",
        "🚀",
        "\u200b",
        "\n",
        "/",
        ".",
        "`",
    ]
    for _ in range(300):
        one, other = ("".join(chance.choices(letters, k=12)) for _ in range(2))
        compare(prepare(one), prepare(other))
    assert compare(prepare(""), prepare("")) is None
    prepare("用 java " * 2_000)


def test_of_a_text_that_is_no_fact_any_more_only_the_beginning_is_compared() -> None:
    subject = prepare("the database is MySQL. " + "x" * 2_000_000)
    assert len(subject.normalised) <= MOST_COMPARED
    assert compare(subject, prepare("the database is PostgreSQL")) is not None

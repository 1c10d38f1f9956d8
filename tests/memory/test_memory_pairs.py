import random
from itertools import combinations

import pytest

from paitui.memory import pairs
from paitui.memory.conflict import compare, literal, prepare
from paitui.memory.entry import Entry
from paitui.memory.normal import bigrams, dice, normalise
from paitui.memory.pairs import alike_pairs, disagreeing
from paitui.memory.slots import clash

TEXTS = [
    "使用 JDK 17",
    "使用 JDK 21",
    "数据库是 PostgreSQL",
    "从 PostgreSQL 迁移到 MySQL",
    "front end uses pnpm",
    "scripts use npm",
    "we build with Maven",
    "we use Gradle, not Maven",
    "Never push directly to main",
    "Pushing directly to main is fine",
    "always rebase before merging a branch",
    "never rebase before merging a branch",
    "the office is in Berlin",
    "",
    "。",
]


def entry(number: int, content: str, project: str = "/p") -> Entry:
    return Entry(f"fact-{number:08x}", content, metadata={"scope": "project", "project": project})


def test_stored_pairs_are_those_that_a_comparison_of_all_finds() -> None:
    chance = random.Random(5)
    words = [
        "maven",
        "gradle",
        "mysql",
        "postgres",
        "port 8080",
        "port 9090",
        "not",
        "tabs",
        "spaces",
        "use",
        "the",
        "main",
    ]
    texts = TEXTS + [" ".join(chance.choices(words, k=4)) for _ in range(18)]
    entries = [entry(number, text) for number, text in enumerate(texts)]
    found = disagreeing(entries)
    expected = {entry.id: set() for entry in entries}
    for one, other in combinations(entries, 2):
        if compare(prepare(one.content), prepare(other.content)):
            expected[one.id].add(other.id)
            expected[other.id].add(one.id)
    few = {name for name, others in expected.items() if 0 < len(others) <= 20}
    assert len(few) > 10
    for name in few:
        assert {other.id for other, _ in found.get(name, [])} == expected[name]
    assert not {name for name, others in expected.items() if not others} & set(found)


def test_only_entries_of_one_scope_and_project_are_held_against_each_other() -> None:
    here, there = entry(1, "使用 JDK 17"), entry(2, "使用 JDK 21", "/q")
    everywhere = Entry("fact-00000003", "使用 JDK 8")
    other_type = Entry("fact-00000004", "使用 JDK 11", "SUMMARY", metadata=here.metadata)
    assert disagreeing([here, there, everywhere, other_type]) == {}
    assert set(disagreeing([here, entry(5, "使用 JDK 11")])) == {here.id, "fact-00000005"}


def test_near_copies_by_the_thousand_stay_within_bounds() -> None:
    entries = [entry(number, f"module {number} listens on port {number}") for number in range(600)]
    found = disagreeing(entries)
    assert len(found) == 600 and max(map(len, found.values())) <= 20


def test_no_pair_of_like_letters_is_missed() -> None:
    chance = random.Random(11)
    base = ["the quick brown fox jumps", "使用中文回复用户的全部问题", "deploy on fridays is fine"]
    texts = []
    for _ in range(120):
        text = list(chance.choice(base))
        for _ in range(chance.randrange(4)):
            text[chance.randrange(len(text))] = chance.choice("abc中文x")
        texts.append(normalise("".join(text)))
    counters = [bigrams(text) for text in texts]
    sets = [frozenset((pair, n) for pair, count in counter.items() for n in range(count)) for counter in counters]
    found = set(alike_pairs(sets, 0.8))
    for one, other in found:
        assert dice(counters[one], counters[other]) >= 0.8 - 1e-9
    missed = [
        (one, other)
        for one, other in combinations(range(len(texts)), 2)
        if literal(texts[one], texts[other]) == "similar" and (one, other) not in found
    ]
    partners = {number for pair in found for number in pair}
    assert all(one in partners and other in partners for one, other in missed)


@pytest.mark.parametrize("text", ["the database of service {0} is postgres {0}", "we deploy service {0} by hand"])
def test_masses_of_near_copies_are_not_held_against_each_other_one_by_one(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    asked = 0

    def counted(one: pairs.Statement, other: pairs.Statement) -> object:
        nonlocal asked
        asked += 1
        return clash(one, other)

    monkeypatch.setattr(pairs, "clash", counted)
    entries = [entry(number, text.format(number)) for number in range(1_000)]
    found = disagreeing(entries)
    assert len(found) == 1_000 and all(len(against) <= pairs.MOST for against in found.values())
    assert asked <= 1_000 * pairs.MOST * 2


def test_a_comparison_that_nobody_waits_for_ends() -> None:
    entries = [entry(number, f"the database of service {number} is postgres {number}") for number in range(50)]
    looks = 0

    def unwanted() -> bool:
        nonlocal looks
        looks += 1
        return looks > 60  # all were prepared, the pairs are being found

    with pytest.raises(pairs.Stopped):
        disagreeing(entries, unwanted)
    assert looks == 61

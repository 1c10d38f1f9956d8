"""What disagrees stays known while the memory changes, as if everything were compared anew."""

import random
from datetime import UTC, datetime

from paitui.memory.disputes import AT_ONCE, Disputes
from paitui.memory.entry import Entry, new_entry
from paitui.memory.pairs import disagreeing

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HERE = {"scope": "project", "project": "/p"}
WORDS = [
    "the project uses Java 17",
    "the project uses Java 21",
    "we build with Maven",
    "we build with Gradle",
    "tabs",
    "x",
]


def entry(content: str, number: int) -> Entry:
    return new_entry(content, HERE, NOW, lambda count: number.to_bytes(count, "big"))


def pairs(against: dict[str, list[tuple[Entry, object]]]) -> set[tuple[str, str]]:
    return {(name, other.id) for name, others in against.items() for other, _ in others}


def test_changes_give_the_same_as_comparing_all_anew() -> None:
    chance = random.Random(3)
    disputes, stock = Disputes(), {number: entry(chance.choice(WORDS) + " here", number) for number in range(12)}
    for step in range(60):
        number = chance.randrange(14)
        if chance.random() < 0.3:
            stock.pop(number, None)
        else:
            stock[number] = entry(chance.choice(WORDS) + f" {chance.choice(['here', 'there'])}", number)
        entries = tuple(stock.values())
        known = disputes.known(entries)
        assert known is not None
        assert pairs(known) == pairs(disagreeing(entries)), step


def test_of_many_it_is_known_only_after_it_was_found() -> None:
    entries = tuple(
        entry(f"fact number {chr(97 + number % 26)}{number * 7919}", number) for number in range(AT_ONCE + 5)
    )
    disputes = Disputes()
    assert disputes.known(entries) is None
    disputes.find(entries)
    assert disputes.known(entries) is not None
    more = (*entries, entry("we build with Maven", 90_001), entry("we build with Gradle", 90_002))
    known = disputes.known(more)
    assert known is not None
    assert pairs(known) >= {(more[-1].id, more[-2].id), (more[-2].id, more[-1].id)}

"""The list of blocks and the height index grow without copying."""

import random
import time

from paitui.ui.blocks import AnswerBlock, Blocks, UserBlock, blocks
from paitui.ui.heights import Heights


def test_lists_share_what_did_not_change():
    old = blocks([UserBlock(str(n)) for n in range(200)])
    new = old.put(150, UserBlock("changed")).add(UserBlock("added"))
    assert len(old) == 200 and old[150] == UserBlock("150")
    assert new.changed_since(old) == [150, 200]
    assert [new.chunks[n] is old.chunks[n] for n in range(4)] == [True, True, False, False]
    assert new[-1] == UserBlock("added") and list(new)[3] == UserBlock("3")


def test_building_one_by_one_is_the_same_as_at_once():
    items = [UserBlock(str(n)) for n in range(130)]
    grown = Blocks()
    for item in items:
        grown = grown.add(item)
    assert grown == blocks(items) and grown[64:66] == items[64:66]


def _cost(size: int) -> float:
    items = blocks([UserBlock("x")] * size).add(AnswerBlock("", live=True))
    best = 1.0
    for _ in range(5):
        start = time.perf_counter()
        for n in range(300):
            newer = items.put(-1, AnswerBlock(str(n), live=True))
            newer.changed_since(items)
            items = newer
        best = min(best, time.perf_counter() - start)
    return best


def test_a_delta_costs_about_the_same_after_ten_thousand_blocks():
    assert _cost(10_000) < 6 * _cost(200)


def test_heights_agree_with_a_plain_sum():
    rng = random.Random(7)
    plain = [rng.randint(0, 5) for _ in range(150)]
    heights = Heights(plain)
    for _ in range(300):
        if rng.random() < 0.3:
            plain.append(rng.randint(0, 5))
            heights.add(plain[-1])
        else:
            at = rng.randrange(len(plain))
            grown = heights.put(at, value := rng.randint(0, 5))
            assert grown == value - plain[at]
            plain[at] = value
        row = rng.randrange(sum(plain))
        at, offset = heights.find(row)
        assert sum(plain[:at]) + offset == row and offset < plain[at]
        assert heights.before(at) == sum(plain[:at]) and heights.total == sum(plain)
    assert heights.find(sum(plain) + 3)[0] == len(plain)

"""What a check costs does not depend on how long the history is."""

import time

import pytest
from context_builders import MemoryFiles, answer, numbered, system, tool_round, user

from paitui.context.manager import ContextManager
from paitui.context.meter import Calibration
from paitui.messages.message import Message
from paitui.settings import ContextSettings


class Watched(list[Message]):
    """Counts the items that are looked at, one by one or in a walk."""

    looked = 0

    def __getitem__(self, at):  # type: ignore[no-untyped-def]
        self.looked += 1 if isinstance(at, int) else len(range(*at.indices(len(self))))
        return super().__getitem__(at)

    def __iter__(self):  # type: ignore[no-untyped-def]
        self.looked += len(self)
        return super().__iter__()

    def __reversed__(self):  # type: ignore[no-untyped-def]
        self.looked += len(self)
        return super().__reversed__()


def check(keeper: ContextManager, history: Watched) -> None:
    keeper.check(history, 0)
    assert keeper.clear(history, 0) is None
    keeper.must_summarise(history, 0)
    keeper.report(history, 0)


@pytest.mark.parametrize("talk", [True, False])
@pytest.mark.parametrize("level", ["below", "over the clear threshold", "over the summary threshold, breaker open"])
def test_a_check_looks_only_at_what_was_added(talk: bool, level: str) -> None:
    looked, seconds = [], []
    for rounds in (50, 5_000):
        parts = [[user("q"), answer("y")] if talk else tool_round("x") for _ in range(rounds)]
        history = Watched(numbered(system(), user("go"), *parts))
        total = ContextManager(ContextSettings(), 10**7, MemoryFiles(), Calibration(1.0), 0).used(history, 0)
        window = {"below": 20 * total + 60_000, "over the clear threshold": 2 * total + 50_000}.get(level, 8_000)
        clear_at = 1 if level.startswith("over the clear") else 0
        keeper = ContextManager(ContextSettings(clear_at=clear_at), window, MemoryFiles(), Calibration(1.0), 0)
        for _ in range(3):
            keeper.summary_failed()
        check(keeper, history)
        history.looked = 0
        times = []
        for _ in range(40):
            history.append(answer("one more"))
            begin = time.thread_time()
            check(keeper, history)
            times.append(time.thread_time() - begin)
        looked.append(history.looked / 40)
        seconds.append(sorted(times)[20])
    assert looked[0] == looked[1] <= 4
    assert max(seconds) < 0.001

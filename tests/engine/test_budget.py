from paitui.engine.budget import Budget
from paitui.messages.message import ToolCall, Usage
from paitui.settings import AgentSettings


def call(arguments: str, number: int = 0) -> ToolCall:
    return ToolCall(f"c{number}", "read_file", arguments)


def test_only_the_same_calls_in_a_row_count_as_a_repeat() -> None:
    budget = Budget(AgentSettings())
    for n, arguments in enumerate(("a", "a", "b", "a", "a")):
        budget.begin_round([call(arguments, n)])
        assert budget.exhausted() is None
    budget.begin_round([call("a", 9)])
    closed = budget.exhausted()
    assert closed is not None and closed.key == "engine.valve_repeat"


def test_tokens_are_counted_only_with_a_budget() -> None:
    free, limited = Budget(AgentSettings()), Budget(AgentSettings(token_budget=100))
    for budget in (free, limited):
        budget.spend(Usage(prompt=90, completion=9))
        assert budget.exhausted() is None
        budget.spend(Usage(prompt=1, completion=0))
    assert free.exhausted() is None
    closed = limited.exhausted()
    assert closed is not None and closed.key == "engine.valve_tokens"

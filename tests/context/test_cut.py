from context_builders import answer, numbered, system, tool_round, user

from paitui.context.cut import Cut, choose_cut
from paitui.messages.message import Message
from paitui.messages.validity import violations


def cut(history: list[Message], target: int = 10**6, keep: int = 3, tokens: int = 100) -> Cut | None:
    return choose_cut(history, [tokens] * len(history), 0, target, keep)


def test_the_tail_starts_at_the_third_newest_user_message() -> None:
    turns = [part for n in range(5) for part in (user(f"question {n}"), answer("yes"))]
    found = cut(numbered(system(), *turns))
    assert found is not None
    assert (found.start, found.end, found.carried, found.beside) == (1, 5, (), ())


def test_by_hand_only_the_newest_turn_stays() -> None:
    turns = [part for n in range(3) for part in (user(f"question {n}"), answer("yes"))]
    found = cut(numbered(system(), *turns), keep=1)
    assert found is not None and found.end == 5


def test_nothing_to_summarise() -> None:
    assert cut(numbered(system(), user("hello"))) is None
    assert cut(numbered(system())) is None


def test_one_long_turn_is_cut_between_rounds() -> None:
    rounds = [tool_round("a", "b") for _ in range(10)]
    history = numbered(system(), user("do it"), *rounds)
    found = cut(history, target=1_000)
    assert found is not None and found.carried == (1,)
    assert history[found.end].role == "assistant"
    tail = history[found.end :]
    assert len(tail) * 100 + 100 <= 1_000
    assert not violations([user("carried"), *tail])


def test_the_newest_round_always_stays() -> None:
    history = numbered(system(), user("do it"), tool_round("a"), tool_round("b", "c", "d"))
    found = cut(history, target=1)
    assert found is not None and found.end == 4


def test_what_was_just_summarised_is_not_summarised_again() -> None:
    history = numbered(
        system(),
        Message("user", "sum", origin="summary"),
        Message("assistant", "ok", origin="acknowledgement"),
        Message("user", "do it", origin="carried"),
        tool_round("a"),
    )
    assert cut(history, target=1) is None


def test_user_messages_of_whole_newest_turns_that_had_to_go_are_named() -> None:
    history = numbered(
        system(),
        user("one"),
        *[tool_round("x")] * 4,
        answer("1"),
        user("two"),
        answer("2"),
        user("three"),
        *[tool_round("y")] * 2,
    )
    found = cut(history, target=400)
    assert found is not None
    assert [history[at].content for at in found.beside] == ["one", "two"]
    assert [history[at].content for at in found.carried] == ["three"]


def test_what_steered_a_turn_is_carried_with_what_began_it() -> None:
    steered = Message("user", "only the tests", origin="steered")
    history = numbered(
        system(), user("old"), answer("ok"), user("do it"), tool_round("a"), [steered], *[tool_round("b")] * 4
    )
    found = cut(history, target=700)
    assert found is not None
    assert [history[at].content for at in found.carried] == ["do it", "only the tests"]
    assert [history[at].content for at in found.beside] == ["old"]


def test_a_cut_does_not_pass_what_is_pinned() -> None:
    history = numbered(system(), user("do it"), *[tool_round("x") for _ in range(10)])
    free = cut(history, target=500)
    assert free is not None and free.end > 13
    found = choose_cut(history, [100] * len(history), 0, 500, 3, pinned={history[9].uid})
    assert found is not None and found.end == 8  # the round of the pinned result
    assert choose_cut(history, [100] * len(history), 0, 500, 3, pinned={history[1].uid}) is None


def test_a_pin_in_an_older_turn_moves_the_cut_before_it() -> None:
    turns = [part for n in range(6) for part in (user(f"question {n}"), answer("yes"))]
    history = numbered(system(), *turns)
    found = choose_cut(history, [100] * len(history), 0, 10**6, 3, pinned={history[4].uid})
    assert found is not None and found.end == 4


def test_a_task_of_the_programs_is_carried_like_a_users() -> None:
    history = numbered(system(), Message("user", "task", origin="program"), *[tool_round("x") for _ in range(4)])
    found = cut(history, target=1)
    assert found is not None and found.carried == (1,) and found.end == 8


def test_an_answer_without_any_task_before_it_begins_no_tail() -> None:
    summary = Message("user", "sum", origin="summary")
    history = numbered(system(), summary, answer("ok"), user("go"), *[tool_round("x") for _ in range(4)])
    assert cut([message for message in history if message.content != "go"], target=1) is None


def test_giant_user_texts_are_reckoned_as_they_will_stand() -> None:
    history = numbered(system(), user("giant"), *[tool_round("x") for _ in range(10)])
    tokens = [100, 50_000, *[100] * (len(history) - 2)]
    found = choose_cut(history, tokens, 0, 2_000, 3, carried_most=500)
    assert found is not None and len(history) - found.end >= 12

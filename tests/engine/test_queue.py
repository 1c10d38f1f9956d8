from paitui.engine.queue import MessageQueue


def test_every_change_is_told() -> None:
    told: list[list[str]] = []
    queue = MessageQueue(lambda q: told.append(q.texts))
    queue.add("one")
    queue.add("two")
    queue.steer("now")
    queue.edit(1, "ONE")
    queue.commit_steering(len(queue.take_steering()))
    queue.drop_first()
    assert told == [["one"], ["one", "two"], ["now", "one", "two"], ["now", "ONE", "two"], ["ONE", "two"], ["two"]]


def test_missed_steering_goes_first() -> None:
    queue = MessageQueue(lambda q: None)
    queue.add("later")
    queue.steer("sooner")
    queue.steering_missed()
    assert queue.texts == ["sooner", "later"] and queue.steering == []
    assert len({message.id for message in queue.queued}) == 2


def test_an_emptied_message_is_removed_and_an_unknown_one_ignored() -> None:
    queue = MessageQueue(lambda q: None)
    queue.add("one")
    queue.edit(99, "x")
    assert queue.texts == ["one"]
    queue.edit(1, "  ")
    assert queue.first() is None


def test_a_held_message_stays_with_all_behind_it_until_it_is_let_go_or_edited() -> None:
    queue = MessageQueue(lambda q: None)
    queue.add("one")
    queue.add("two", ((0, 3),))
    queue.hold(2)
    assert queue.first() is not None
    queue.drop_first()
    assert queue.first() is None
    queue.edit(2, "TWO", ((1, 2),))
    assert queue.waiting == [("TWO", ((1, 2),))] and queue.first() is not None
    queue.hold(2)
    queue.hold(0)
    assert queue.first() is not None

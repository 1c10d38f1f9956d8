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

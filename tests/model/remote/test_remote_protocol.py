import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.model.remote.protocol import (
    Cancel,
    Chunk,
    Credit,
    Done,
    Failed,
    Message,
    ProtocolError,
    Ready,
    Start,
    Window,
    decode,
    encode,
    read_line,
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ids = st.integers(0, 2**53)
data = st.dictionaries(texts, st.none() | st.booleans() | ids | texts | st.lists(texts, max_size=3), max_size=4)
messages = st.one_of(
    st.builds(Start, ids, data),
    st.builds(Cancel, ids),
    st.builds(Credit, ids, ids),
    st.builds(Ready, texts, st.floats(0, 100)),
    st.builds(Chunk, ids, data),
    st.builds(Done, ids),
    st.builds(Failed, ids, data),
)


@given(messages)
def test_what_is_written_is_read_back(message: Message) -> None:
    line = encode(message)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert decode(line) == message


@pytest.mark.parametrize(
    "line",
    [b"", b"\n", b"{", b"[]", b"1", b'{"id":1}', b'{"is":"nothing"}', b'{"is":"done"}', b'{"is":"done","id":1,"x":2}',
     b"LiteLLM: hello\n", b"\xff\xfe\n", b'{"is":["done"],"id":1}'],
)  # fmt: skip
def test_anything_else_is_refused(line: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(line)


def test_half_characters_do_not_stop_a_request() -> None:
    start = Start(1, {"messages": [{"role": "user", "content": "名\ud83d.txt"}]})
    read = decode(encode(start))
    assert isinstance(read, Start) and read.params["messages"][0]["content"] == "名?.txt"
    json.dumps(dict(read.params), ensure_ascii=False).encode("utf-8")


def test_integers_of_any_size_pass() -> None:
    assert decode(encode(Chunk(1, {"n": 2**70}))) == Chunk(1, {"n": 2**70})


async def test_a_line_over_the_limit_is_an_error_and_not_a_growing_buffer() -> None:
    reader = asyncio.StreamReader(limit=100)
    reader.feed_data(b"x" * 1000)
    with pytest.raises(ProtocolError):
        await read_line(reader)


async def test_a_window_lets_a_sender_be_ahead_by_its_size_and_one_line() -> None:
    window, sent = Window(100), 0

    async def send() -> None:
        nonlocal sent
        while True:
            await window.take(40)
            sent += 40

    sender: asyncio.Task[Any] = asyncio.create_task(send())
    for given_back, expected in ((0, 120), (40, 160), (10, 160), (11, 200), (100, 280)):
        window.give(given_back)
        await asyncio.sleep(0.01)
        assert sent == expected
    sender.cancel()

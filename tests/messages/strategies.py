"""Random histories, valid and damaged, for property tests."""

from hypothesis import strategies as st

from paitui.messages.message import Image, Message, ToolCall

texts = st.text(max_size=12)
ids = st.sampled_from(["", "a", "b", "c", "call_0", "call_0_0"])

calls = st.builds(
    ToolCall,
    id=ids,
    name=st.sampled_from(["read_file", "list_dir"]),
    arguments=st.sampled_from(["{}", '{"path": "x"}', "{", ""]),
)

spans = st.lists(st.integers(0, 40), max_size=4).map(
    lambda ends: tuple(zip(sorted(ends)[::2], sorted(ends)[1::2], strict=False))
)

messages = st.one_of(
    st.builds(Message, role=st.just("system"), content=texts),
    st.builds(
        Message,
        role=st.just("user"),
        content=texts,
        images=st.lists(st.builds(Image, url=st.just("https://x/y.png")), max_size=1).map(tuple),
        origin=st.sampled_from(["", "typed", "steered", "summary", "carried", "program"]),
        pasted=spans,
    ),
    st.builds(
        Message,
        role=st.just("assistant"),
        content=texts,
        tool_calls=st.lists(calls, max_size=3).map(tuple),
        reasoning=texts,
        signed_reasoning=st.lists(
            st.fixed_dictionaries({"type": st.just("thinking"), "signature": texts}), max_size=1
        ).map(tuple),
        partial=st.booleans(),
    ),
    st.builds(
        Message,
        role=st.just("tool"),
        content=texts,
        tool_call_id=ids,
        name=st.just("read_file"),
        state=st.sampled_from(["live", "offloaded", "cleared"]),
        stored=texts,
        body_chars=st.integers(0, 10**9),
        ok=st.booleans(),
        uid=st.integers(0, 10**9),
    ),
)

histories = st.lists(messages, max_size=14)

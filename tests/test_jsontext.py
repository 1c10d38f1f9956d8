import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.jsontext import decode, encode

texts = st.text(st.characters(exclude_categories=[])) | st.text()
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_everything_comes_back(value):
    line = encode(value)
    assert b"\n" not in line
    # JSON cannot tell two escaped halves side by side from the character they make, so compare what was read.
    assert decode(encode(decode(line))) == decode(line)


@given(st.text(st.characters(codec="utf-8")))
def test_normal_text_comes_back_as_it_was(text):
    assert decode(encode({"text": text})) == {"text": text}


@pytest.mark.parametrize("text", ["\udc80", "name-\udcff.txt", "\ud800 half", "中文\udcfe尾", "a\ud83d"])
def test_lone_surrogates_come_back(text):
    with pytest.raises(TypeError):
        orjson.dumps(text)  # why there is a second way at all
    assert decode(encode([text, {text: text}])) == [text, {text: text}]


def test_large_numbers_and_deep_nesting_come_back():
    deep = []
    for _ in range(400):
        deep = [deep]
    for value in (2**70, -(2**80), deep):
        assert decode(encode(value)) == value


def test_bottomless_nesting_is_a_value_error_both_ways():
    loop = []
    loop.append(loop)
    with pytest.raises(ValueError):
        encode(loop)
    with pytest.raises(ValueError):
        decode(b"[" * 200_000)


@pytest.mark.parametrize("data", [b"", b"{", b'{"a": "b', b"\x00\x00", b"\xff\xfe", b"[1,]", b"{} {}"])
def test_what_is_no_json_is_a_value_error(data):
    with pytest.raises(ValueError):
        decode(data)


def test_what_is_no_plain_data_is_a_type_error():
    with pytest.raises(TypeError):
        encode({"x": object()})

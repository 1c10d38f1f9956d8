import errno
import json

import pytest
from context_builders import MemoryFiles
from hypothesis import given
from hypothesis import strategies as st

from paitui.context.stubs import UNREADABLE, stub_paths, stub_savings, stubbed
from paitui.messages.message import ToolCall

LONG = 'line "one"\n\\ two\ttab 数据 \U0001f600\n' * 30


def call(arguments: str) -> ToolCall:
    return ToolCall("c1", "write_file", arguments)


def take(made: ToolCall, least: int = 400) -> tuple[ToolCall, dict[str, str]]:
    files = MemoryFiles()
    return stubbed(made, least, lambda text: files.save(made.name, text)), files.saved


def test_a_long_text_goes_to_a_file_and_short_values_stay() -> None:
    made = call(json.dumps({"path": "src/a.py", "content": LONG, "mode": 420}))
    after, saved = take(made)
    value = json.loads(after.arguments)
    assert (value["path"], value["mode"]) == ("src/a.py", 420)
    [(path, text)] = saved.items()
    assert text == LONG and path in value["content"] and stub_paths(after) == [path]
    assert len(after.arguments) < 450 and stub_savings(made, 400) > 0
    assert take(after) == (after, {}) and stub_savings(after, 400) == 0
    assert take(after, least=50) == (after, {})


def test_everything_around_a_long_text_stays_byte_for_byte() -> None:
    odd = '{ "b" : 1.0e400 , "n":12345678901234567890123,\n"b":[ "x", {"deep": "' + "y" * 500 + '"}, true ] }'
    after, saved = take(call(odd))
    assert list(saved.values()) == ["y" * 500]
    before, _, rest = odd.partition('"' + "y" * 500 + '"')
    assert after.arguments.startswith(before) and after.arguments.endswith(rest)


def test_a_long_key_is_no_value() -> None:
    made = call(json.dumps({"k" * 600: "short"}))
    assert take(made) == (made, {})


def test_arguments_that_are_no_object_become_one_and_are_kept_whole() -> None:
    for broken in ('{"content": "' + "x" * 900, '"' + "x" * 900 + '"', "[1]" + " " * 900):
        after, saved = take(call(broken))
        assert list(saved.values()) == [broken]
        assert list(json.loads(after.arguments)) == [UNREADABLE]


def test_what_cannot_be_stored_is_not_taken_out() -> None:
    full = MemoryFiles(broken=OSError(errno.ENOSPC, "disk full"))
    with pytest.raises(OSError, match="disk full"):
        stubbed(call(json.dumps({"content": LONG})), 400, lambda text: full.save("write_file", text))


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=40)
    | st.text(min_size=350, max_size=400),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=8), json_values, max_size=4), st.booleans())
def test_putting_the_texts_back_gives_the_arguments_back(value: dict[str, object], ascii_only: bool) -> None:
    made = call(json.dumps(value, ensure_ascii=ascii_only))
    after, saved = take(made, least=340)

    def restore(item: object) -> object:
        if isinstance(item, dict):
            return {key: restore(inner) for key, inner in item.items()}
        if isinstance(item, list):
            return [restore(inner) for inner in item]
        found = [text for path, text in saved.items() if isinstance(item, str) and f"whole text in {path};" in item]
        return found[0] if found else item

    assert repr(restore(json.loads(after.arguments))) == repr(value)
    assert all(len(text) > 340 for text in saved.values())

"""The whole result of a call is told from the history, as long as it stands there."""

from paitui.engine import overview
from paitui.engine.events import ResultShown
from paitui.messages.message import Message
from paitui.trust.boundary import wrap

BODY = "line\n" * 4_000 + "<tool_result> [... 3 ...]"


def tool(call_id: str, **given) -> Message:
    return Message("tool", wrap("read_file", BODY), tool_call_id=call_id, name="read_file", **given)


def test_a_result_comes_out_as_it_was():
    history = [tool("a"), Message("user", "x"), tool("b", stored=".paitui/tool-outputs/s/1.txt")]
    assert overview.result(history, "a") == ResultShown("a", BODY)
    assert overview.result(history, "b") == ResultShown("b", BODY, ".paitui/tool-outputs/s/1.txt")


def test_what_was_cleared_or_never_was_is_told_too():
    history = [tool("a", state="cleared", stored="file")]
    assert overview.result(history, "a") == ResultShown("a", None, "file")
    assert overview.result(history, "b") == ResultShown("b", None)

import base64

import pytest

from paitui.context.estimate import image_tokens, message_parts, message_tokens, schema_tokens, text_tokens
from paitui.messages.message import Image, Message, ToolCall, ToolSpec


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("你好吗", 2),
        ("你", 1),
        ("你好abcd", 3),  # 2 / 1.5 + 4 / 4 = 2.33
        ("ひらがな", 3),
        ("한국어", 2),
        ("，。！", 2),
        ("\U00020000" * 3, 2),
    ],
)
def test_text(text: str, tokens: int) -> None:
    assert text_tokens(text) == tokens


def test_images_are_bounded() -> None:
    inline = "data:image/png;base64," + base64.b64encode(b"x" * 768 * 1000).decode()
    assert image_tokens(Image(inline)) == 1_000
    assert image_tokens(Image("data:image/png;base64," + base64.b64encode(b"x").decode())) == 256
    assert image_tokens(Image("data:image/png;base64," + base64.b64encode(b"x" * 10**7).decode())) == 4_096
    assert image_tokens(Image("https://example.org/a.png")) == 1_024


def test_an_assistant_message_counts_calls_and_reasoning() -> None:
    message = Message(
        "assistant", "abcd" * 10, tool_calls=(ToolCall("1", "read_file", '{"path":"a"}'),), reasoning="abcd" * 100
    )
    parts = dict(message_parts(message))
    assert parts == {"assistant": 14, "arguments": 3 + 3, "reasoning": 100}
    assert message_tokens(message, reasoning_sent=False) == message_tokens(message) - 100


def test_schemas_count() -> None:
    spec = ToolSpec("t", "x" * 400, {"type": "object"})
    assert 100 < schema_tokens([spec]) < 150
    assert schema_tokens([spec, spec]) == 2 * schema_tokens([spec])

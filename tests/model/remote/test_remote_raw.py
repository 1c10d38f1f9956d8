"""Chains of errors as litellm builds them, told apart without litellm."""

from itertools import pairwise
from typing import Any

import pytest

from paitui.model.remote.raw import MAX_BODY, MAX_DEPTH, MAX_MESSAGE, describe


class Response:
    def __init__(self, status_code: int, text: str = "", headers: dict[str, str] | None = None) -> None:
        self.status_code, self.text, self.headers = status_code, text, headers or {}


def make(name: str, *bases: str, module: str = "x", message: str = "", **fields: Any) -> Exception:
    """An error of a class of this name, below classes of those names."""
    parent: type[Exception] = Exception
    for base in reversed(bases):
        parent = type(base, (parent,), {})
    kind = type(name, (parent,), {"__module__": module})
    error = kind(message)
    for field, value in fields.items():
        setattr(error, field, value)
    return error


def chain(*errors: BaseException) -> BaseException:
    for upper, lower in pairwise(errors):
        upper.__cause__ = lower
    return errors[0]


def test_a_made_up_status_of_a_refused_connection_is_not_believed() -> None:
    told = describe(
        chain(
            make("InternalServerError", "APIStatusError", module="litellm.exceptions", status_code=500,
                 response=Response(500), message="litellm.InternalServerError: OpenAIException - Connection error."),
            make("OpenAIError", "BaseLLMException", status_code=500),
            make("APIConnectionError", "APIError", module="openai"),
            make("ConnectError", "TransportError"),
            ConnectionRefusedError(111, "Connect call failed"),
        )
    )  # fmt: skip
    assert (told["kind"], told["status"]) == ("APIConnectionError", None)
    assert told["message"] == "Connection error. ([Errno 111] Connect call failed)"


def test_status_headers_and_code_come_from_the_level_that_has_them() -> None:
    body = '{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}'
    told = describe(
        chain(
            make("RateLimitError", "APIStatusError", module="litellm.exceptions", status_code=429, code="429",
                 response=Response(429), message=f"litellm.RateLimitError: AnthropicException - b'{body}'"),
            make("AnthropicError", "BaseLLMException", status_code=429, headers={"Retry-After": "3"}),
            make("HTTPStatusError", "HTTPError", response=Response(429, body, {"Retry-After": "3"})),
        )
    )  # fmt: skip
    assert told == {
        "kind": "RateLimitError",
        "status": 429,
        "code": "rate_limit_error",
        "message": "slow down",
        "headers": {"retry-after": "3"},
        "body": body,
    }


@pytest.mark.parametrize(
    ("inner", "kind"),
    [
        (make("ReadTimeout", "TimeoutException"), "Timeout"),
        (TimeoutError(), "Timeout"),
        (ValueError("Unterminated string"), "Malformed"),
        (AttributeError("'list' object has no attribute 'choices'"), "Malformed"),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), "Malformed"),
        (make("ReadError", "NetworkError", "TransportError"), "APIConnectionError"),
        (make("AnthropicError", "BaseLLMException", status_code=500, message="Overloaded"), "AnthropicError"),
    ],
)
def test_a_failure_in_the_middle_of_a_stream_is_named_after_its_cause(inner: Exception, kind: str) -> None:
    wrapper = make("MidStreamFallbackError", "APIStatusError", module="litellm.exceptions", message="wrapped")
    wrapper.status_code, wrapper.response = 500, Response(500)  # type: ignore[attr-defined]
    told = describe(chain(wrapper, inner))
    assert (told["kind"], told["status"]) == (kind, None)
    assert told["message"] == str(inner) or not str(inner)


def test_an_unreadable_body_is_no_second_failure() -> None:
    class Unread(Response):
        @property
        def text(self) -> str:
            raise RuntimeError("the body was not read")

        @text.setter
        def text(self, value: str) -> None: ...

    told = describe(make("HTTPStatusError", response=Unread(503), message="oops"))
    assert (told["status"], told["body"], told["message"]) == (503, "", "oops")


def test_everything_is_bounded() -> None:
    error: BaseException = make("APIStatusError", message="x" * 100_000, response=Response(500, "y" * 100_000))
    told = describe(error)
    assert len(told["message"]) == MAX_MESSAGE and len(told["body"]) == MAX_BODY
    loop = ValueError("a")
    loop.__cause__ = error
    error.__cause__ = loop
    assert describe(loop)["status"] == 500
    deep: BaseException = ValueError("bottom")
    for _ in range(MAX_DEPTH * 2):
        upper = ValueError("middle")
        upper.__cause__ = deep
        deep = upper
    assert describe(deep)["kind"] == "ValueError"


def test_nothing_at_all_is_still_told() -> None:
    assert describe(StopAsyncIteration())["kind"] == "StopAsyncIteration"
    assert describe(BaseException())["message"] == ""

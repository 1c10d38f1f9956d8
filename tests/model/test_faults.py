# ruff: noqa: E501 - what providers say stands in one line, as it came
"""Each failure its own kind and its own words, tried again only where that helps, and no sooner than asked."""

import random
import re
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.locale import Words
from paitui.model import faults
from paitui.model.faults import MAX_WAIT_S, Asked, Fault, delay, judge, no_key
from paitui.model.port import FaultKind
from paitui.model.providers import load
from paitui.model.raw_error import RawError, Where
from paitui.settings import Settings
from tests.model.test_overflow import OTHERS, OVERFLOWS, anthropic, openai, raw

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC).timestamp()
ASKED = Asked("DeepSeek", "deepseek-chat", "deepseek", "DEEPSEEK_API_KEY", "deepseek")

KINDS: list[tuple[str, RawError, FaultKind, bool]] = [
    ("400", raw(400, openai("Unrecognized request argument supplied: foo")), "bad_request", False),
    ("404", raw(404, openai("The model `gpt-x` does not exist", "model_not_found")), "bad_request", False),
    ("404, page", raw(404, "<html><head><title>404 Not Found</title></head></html>"), "bad_request", False),
    ("405", raw(405, ""), "bad_request", False),
    ("408", raw(408, openai("Request timed out.", "timeout")), "timeout", True),
    ("409", raw(409, openai("The resource is locked")), "server", True),
    ("415", raw(415, ""), "bad_request", False),
    ("418", raw(418, ""), "bad_request", False),
    ("429", raw(429, ""), "rate_limit", True),
    ("429, words", raw(429, openai("Rate limit reached for gpt-x", "rate_limit_exceeded", "requests")), "rate_limit", True),
    ("429, overloaded", raw(429, openai("The engine is currently overloaded, please try again later", None, "engine_overloaded_error")), "server", True),
    ("429, GLM", raw(429, {"error": {"code": "1302", "message": "您的账户已达到速率限制，请您控制请求频率"}}), "rate_limit", True),
    ("429, GLM busy", raw(429, {"error": {"code": "1305", "message": "该模型当前访问量过大，请您稍后再试"}}), "server", True),
    ("429, GLM plan", raw(429, {"error": {"code": "1308", "message": "已达到 5 小时的使用上限。您的限额将在 2026-03-01 18:00:00 重置。"}}), "quota", False),
    ("429, Qwen", raw(429, openai("You have exceeded your request limit", "limit_requests", "limit_requests")), "rate_limit", True),
    ("403, Qwen free tier", raw(403, openai("The free tier of the model has been exhausted.", "AllocationQuota.FreeTierOnly")), "quota", False),
    ("429, OpenRouter day", raw(429, {"error": {"message": "Rate limit exceeded: free-models-per-day. Add 10 credits", "code": 429}}), "quota", False),
    ("429, too big", raw(*OTHERS["OpenAI, tokens a minute"][:2]), "rate_limit", False),
    ("413, too big", raw(*OTHERS["Groq, tokens a minute"][:2]), "rate_limit", False),
    ("400, Anthropic money", raw(400, anthropic("Your credit balance is too low to access the Anthropic API.")), "payment", False),
    ("Tencent", RawError("APIError", 200, "", "", {}, '{"Response": {"Error": {"Code": "RequestLimitExceeded", "Message": "x"}}}'), "rate_limit", True),
    ("500", raw(500, openai("The server had an error", "server_error")), "server", True),
    ("502, page", raw(502, "<html><body><h1>502 Bad Gateway</h1></body></html>"), "server", True),
    ("503", raw(503, openai("Service Unavailable")), "server", True),
    ("504", raw(504, ""), "server", True),
    ("520", raw(520, ""), "server", True),
    ("529", raw(529, anthropic("Overloaded", "overloaded_error")), "server", True),
    ("refused", RawError("APIConnectionError", None, "", "Connection error. ([Errno 111] Connection refused)"), "network", True),
    ("slow to connect", RawError("Timeout", None, "", "Connection timed out."), "timeout", True),
    ("proxy", raw(407, ""), "network", True),
    ("no HTTP at all", RawError("", None, "", "Name or service not known"), "network", True),
    ("no JSON", RawError("Malformed", None, "", "Expecting value: line 1 column 1 (char 0)"), "malformed", False),
    ("no key at all", RawError("AuthenticationError", None, "", "The api_key client option must be set"), "authentication", False),
    ("library refuses", RawError("UnsupportedParamsError", None, "", "x does not support parameters"), "bad_request", False),
    ("overloaded in the stream", RawError("InternalServerError", None, "", "AnthropicException - Overloaded", where="stream"), "server", True),
    ("rate in the stream", RawError("", None, "", '{"error": {"code": 429, "message": "slow down"}}', where="stream"), "rate_limit", True),
    ("broken off", RawError("", None, where="stream"), "network", True),
    ("broken off by the network", RawError("APIConnectionError", None, "", "peer closed connection", where="stream"), "network", True),
    ("broken event", RawError("JSONDecodeError", None, "", "Unterminated string", where="stream"), "malformed", False),
    ("too long an answer", RawError("", None, "length", where="stream"), "malformed", False),
    ("filtered", RawError("", None, "content_filter", where="stream"), "bad_request", False),
    ("nothing comes", RawError(where="first_event"), "timeout", False),
    ("nothing more comes", RawError(where="idle"), "stall", False),
    ("the process ended", RawError(message="Segmentation fault", where="child"), "server", False),
]  # fmt: skip


@pytest.mark.parametrize(("error", "kind", "retry"), [case[1:] for case in KINDS], ids=[case[0] for case in KINDS])
def test_each_failure_is_its_own_kind_and_only_the_right_ones_are_tried_again(
    error: RawError, kind: FaultKind, retry: bool
) -> None:
    fault = judge(error, ASKED)
    assert (fault.kind, fault.retry) == (kind, retry)


@pytest.mark.parametrize("name", OTHERS)
def test_quota_money_and_keys_are_never_tried_again(name: str) -> None:
    status, body, kind = OTHERS[name]
    assert (
        judge(raw(status, body), ASKED).retry
        == (kind in ("server", "timeout") or (kind == "rate_limit" and "Requested" not in str(body)))
        or name == "OpenAI, rate"
    )


def test_every_kind_occurs() -> None:
    seen = {case[2] for case in KINDS} | {case[2] for case in OTHERS.values()} | {"overflow"}
    assert seen == set(get_args(FaultKind))


def test_a_number_means_what_it_means_at_its_provider() -> None:
    error = raw(200, {"code": 1002, "msg": "x"})
    assert judge(error, Asked(rule="minimax")).kind == "rate_limit"
    assert judge(error, Asked(rule="zai")).kind == "authentication"
    inner = RawError(
        "", 200, "", "", {}, '{"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}}'
    )
    assert judge(inner, Asked(rule="minimax")).kind == "payment"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_cause_has_words_that_say_what_happened_and_what_to_do(language: str) -> None:
    words = Words("zh" if language == "zh" else "en")
    said = {}
    errors = [case[1] for case in KINDS] + [raw(*case[:2]) for case in OTHERS.values()] + [raw(*OVERFLOWS["GLM"])]
    for error in errors:
        phrase = judge(error, ASKED).phrase
        text = words.say(phrase)
        assert "DeepSeek" in text and "deepseek-chat" in text
        assert len(text) < 700 and not re.search(r"\{\w*\}|model\.[a-z]+_", text)
        said[phrase.key] = text
    causes = {f"model.{cause}" for cause in get_args(faults._Cause)} - {"model.conflict"}
    assert set(said) == causes
    assert len(set(said.values())) == len(said)
    assert (
        "DEEPSEEK_API_KEY" in said["model.authentication"] and "[providers.deepseek]" in said["model.authentication"]
    )
    assert "[providers.deepseek]" in said["model.network"] and "/compact" in said["model.overflow"]


def test_what_the_provider_said_is_shown_short_and_without_secrets() -> None:
    key = "sk-" + "a1B2c3D4" * 5
    fault = judge(raw(401, openai(f"Incorrect API key provided: {key}.\n\n  See the page. {'x' * 900}")), ASKED)
    text = Words("en").say(fault.phrase)
    assert key not in text and "Incorrect API key provided" in text and "See the page." in text
    assert "\n" not in text and len(text) < 600
    assert "It gave no reason" in Words("en").say(judge(raw(401, ""), ASKED).phrase)


def test_without_a_key_the_variable_and_the_setting_are_named() -> None:
    target = load().target("kimi/kimi-k3", Settings(), {})
    assert target.lacks_key
    fault = no_key(Asked.of(target))
    text = Words("en").say(fault.phrase)
    assert fault.kind == "authentication" and not fault.retry
    assert "MOONSHOT_API_KEY" in text and "[providers.kimi]" in text and "Kimi" in text


def test_whom_it_went_to_may_be_unknown() -> None:
    for language in ("en", "zh"):
        assert "{" not in Words("zh" if language == "zh" else "en").say(judge(raw(500, "")).phrase)


WAITS: list[tuple[str, int, dict[str, str], Any, float | None]] = [
    ("seconds", 429, {"Retry-After": "3"}, "", 3),
    ("fraction", 429, {"retry-after": "1.5"}, "", 1.5),
    ("on 503", 503, {"retry-after": "2"}, "", 2),
    ("zero", 429, {"retry-after": "0"}, "", 0),
    ("milliseconds", 429, {"retry-after-ms": "2500", "retry-after": "3"}, "", 2.5),
    ("date", 429, {"retry-after": "Sun, 01 Mar 2026 12:00:07 GMT"}, "", 7),
    ("date, by the server's time", 429, {"retry-after": "Sun, 01 Mar 2026 13:00:07 GMT", "Date": "Sun, 01 Mar 2026 13:00:00 GMT"}, "", 7),
    ("date that is past", 429, {"retry-after": "Sun, 01 Mar 2026 11:00:00 GMT"}, "", 0),
    ("duration", 429, {"retry-after": "1m30s"}, "", 90),
    ("nonsense", 429, {"retry-after": "soon"}, "", None),
    ("negative", 429, {"retry-after": "-5"}, "", None),
    ("not a number", 429, {"retry-after": "nan"}, "", None),
    ("OpenAI's words", 429, {}, openai("Rate limit reached. Please try again in 20s. Visit x", "rate_limit_exceeded"), 20),
    ("OpenAI's words, ms", 429, {}, openai("Rate limit reached. Please try again in 362ms.", "rate_limit_exceeded"), 0.362),
    ("OpenAI's words, both", 429, {}, openai("Rate limit reached. Please try again in 1m2.5s.", "rate_limit_exceeded"), 62.5),
    ("Groq's words", 429, {}, openai("Rate limit reached for model `x` on tokens per day (TPD): Limit 100000, Used 99, Requested 5. Please try again in 7m12s.", "rate_limit_exceeded"), 432),
    ("Gemini's details", 429, {}, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Resource has been exhausted", "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}]}}, 34.07),
    ("Gemini's words", 429, {}, {"error": {"status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota. Please retry in 34.074824224s.", "details": [{"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel"}]}]}}, 34.074824224),
    ("a field", 429, {}, {"error": {"message": "slow down", "retry_after": 5}}, 5),
    ("plain words", 429, {}, "Too many requests, retry after 12 seconds", 12),
    ("Chinese words", 429, {}, {"error": {"code": "1302", "message": "请求过于频繁，请在 30 秒后重试"}}, 30),
    ("Chinese minutes", 429, {}, {"error": {"message": "请求过于频繁，请2分钟后再试"}}, 120),
    ("reset, used up", 429, {"x-ratelimit-reset-requests": "1s", "x-ratelimit-remaining-requests": "9", "x-ratelimit-reset-tokens": "6m0s", "x-ratelimit-remaining-tokens": "0"}, "", 360),
    ("reset, nobody says which", 429, {"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}, "", None),
    ("reset, point in time", 429, {"X-RateLimit-Reset": str(int(NOW + 9))}, "", 9),
    ("reset, in milliseconds", 429, {"X-RateLimit-Reset": str(int((NOW + 9) * 1000))}, "", 9),
    ("reset, Anthropic", 429, {"anthropic-ratelimit-requests-reset": "2026-03-01T12:00:11Z", "anthropic-ratelimit-requests-remaining": "0"}, "", 11),
    ("reset on 500 says nothing", 500, {"x-ratelimit-reset-requests": "1s"}, "", None),
    ("none", 429, {}, openai("Rate limit reached for gpt-x", "rate_limit_exceeded"), None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "headers", "body", "wait"), [case[1:] for case in WAITS], ids=[case[0] for case in WAITS]
)
def test_the_wait_is_found_wherever_it_hides(
    status: int, headers: dict[str, str], body: Any, wait: float | None
) -> None:
    error = raw(status, body, "RateLimitError")
    fault = judge(RawError(error.kind, status, "", error.message, headers, error.body), ASKED, NOW)
    assert fault.retry_after_s == (None if wait is None else pytest.approx(wait))
    assert fault.retry == (wait is None or wait <= MAX_WAIT_S)
    if not fault.retry:
        assert fault.phrase.key == "model.rate_limit_long"
        assert fault.kind == "rate_limit"


@pytest.mark.parametrize(("asked", "shown"), [("61", "61 s"), ("432", "8 min"), ("86400", "24 h")])
def test_a_wait_that_is_too_long_is_named(asked: str, shown: str) -> None:
    fault = judge(RawError("RateLimitError", 429, headers={"retry-after": asked}), ASKED)
    assert not fault.retry and shown in Words("en").say(fault.phrase)


def test_a_date_without_any_clock_is_no_wait() -> None:
    error = RawError("", 429, headers={"retry-after": "Sun, 01 Mar 2026 12:00:07 GMT"})
    assert judge(error).retry_after_s is None


@given(st.integers(1, 200), st.one_of(st.none(), st.floats(0, 60)), st.integers())
def test_the_delay_is_jittered_bounded_and_never_sooner_than_asked(
    attempt: int, asked: float | None, seed: int
) -> None:
    fault = Fault("rate_limit", judge(raw(429, "")).phrase, True, asked)
    wait = delay(attempt, fault, random.Random(seed))
    assert (asked or 0) <= wait <= MAX_WAIT_S
    if asked is None:
        assert wait <= 2.0 ** (attempt - 1)
    else:
        assert wait <= asked + 1


def test_the_jitter_is_full() -> None:
    fault, rng = judge(raw(500, "")), random.Random(7)
    waits = [delay(4, fault, rng) for _ in range(4_000)]
    assert min(waits) < 0.1 and max(waits) > 7.9 and 3.8 < sum(waits) / len(waits) < 4.2


texts = st.one_of(
    st.text(), st.sampled_from(["{", "[[[[", '{"error": [', "b'{", "<html>", '{"error": {"error": {}}}'])
)
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["error", "code", "message", "details", "type", "retryDelay", "x"]), inner),
    ),
    max_leaves=8,
)


@given(
    st.builds(
        RawError,
        kind=st.sampled_from(["", "RateLimitError", "BadRequestError", "Timeout", "KeyError"]),
        status=st.one_of(st.none(), st.integers(100, 999)),
        code=texts,
        message=st.one_of(texts, json_values.map(repr)),
        headers=st.dictionaries(
            st.sampled_from(["retry-after", "date", "x-ratelimit-reset", "retry-after-ms"]), texts
        ),
        body=st.one_of(texts, json_values.map(repr)),
        where=st.sampled_from(get_args(Where)),
    )
)
def test_whatever_comes_is_judged(error: RawError) -> None:
    fault = judge(error, ASKED, NOW)
    assert fault.kind in get_args(FaultKind)
    assert Words("zh").say(fault.phrase)
    assert fault.retry_after_s is None or fault.retry_after_s >= 0

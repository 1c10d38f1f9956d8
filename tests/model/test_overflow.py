# ruff: noqa: E501 - what providers say stands in one line, as it came
"""Context overflows in the words of their providers, and errors that must not be taken for one."""

import json
from typing import Any

import pytest

from paitui.model.faults import Asked, judge
from paitui.model.raw_error import RawError


def openai(message: str, code: Any = None, type: str = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def anthropic(message: str, type: str = "invalid_request_error") -> dict[str, Any]:
    return {"type": "error", "error": {"type": type, "message": message}}


_STEMS = "This model's maximum context length is {0} tokens. However, {1}"
_IN_TWO = "you requested {0} tokens ({1} in the messages, {2} in the completion). Please reduce the length of the messages or completion."
_GEMINI = "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."

OVERFLOWS: dict[str, tuple[int | None, Any]] = {
    "OpenAI": (
        400,
        openai(_STEMS.format(8192, "your messages resulted in 8227 tokens. Please reduce the length of the messages."), "context_length_exceeded"),
    ),
    "OpenAI, with answer": (400, openai(_STEMS.format(4096, _IN_TWO.format(4104, 3104, 1000)), "context_length_exceeded")),
    "OpenAI, responses": (400, openai("Your input exceeds the context window of this model. Please adjust your input and try again.", "context_length_exceeded")),
    "OpenAI, functions": (400, openai(_STEMS.format(8192, "you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion)."), None)),
    "OpenAI, completions": (400, openai("This model's maximum context length is 4097 tokens, however you requested 4231 tokens (3975 in your prompt; 256 for the completion).")),
    "Azure": (400, openai(_STEMS.format(16385, "your messages resulted in 19311 tokens."), "context_length_exceeded")),
    "Anthropic": (400, anthropic("prompt is too long: 213462 tokens > 200000 maximum")),
    "Anthropic, with answer": (400, anthropic("input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again")),
    "Anthropic, bytes": (413, anthropic("Request exceeds the maximum allowed number of bytes.", "request_too_large")),
    "Anthropic, size": (413, anthropic("Request exceeds the maximum size", "request_too_large")),
    "Gemini": (400, {"error": {"code": 400, "message": _GEMINI, "status": "INVALID_ARGUMENT"}}),
    "Gemini, list": (400, [{"error": {"code": 400, "message": _GEMINI, "status": "INVALID_ARGUMENT"}}]),
    "Vertex": (400, {"error": {"code": 400, "message": "Unable to submit request because the input token count is 1102030 but model only supports up to 1048576. Reduce the input token count and try again.", "status": "INVALID_ARGUMENT"}}),
    "DeepSeek": (400, openai(_STEMS.format(65536, _IN_TWO.format(87731, 87731, 0)), "invalid_request_error")),
    "GLM": (400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}),
    "GLM, Chinese": (400, {"error": {"code": "1210", "message": "Prompt 超长"}}),
    "GLM, request": (400, {"error": {"code": "1210", "message": "tokens in request more than max tokens allowed"}}),
    "Kimi": (400, openai("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)")),
    "Kimi, old": (400, openai("Your request exceeded model token limit: 8192")),
    "Qwen": (400, openai("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 129024]", "invalid_parameter_error")),
    "Qwen, own format": (400, {"code": "InvalidParameter", "message": "Range of input length should be [1, 6000]", "request_id": "x"}),
    "Mistral": (400, {"object": "error", "message": "Prompt contains 40014 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "type": "invalid_request_prompt", "code": "3051"}),
    "Grok": (400, {"code": "Client specified an invalid argument", "error": "This model's maximum prompt length is 131072 but the request contains 537812 tokens."}),
    "MiniMax": (400, {"type": "error", "error": {"type": "bad_request_error", "message": "invalid params, context window exceeds limit (2013)", "http_code": "400"}}),
    "MiniMax, own format": (200, {"base_resp": {"status_code": 2013, "status_msg": "invalid params, context window exceeds limit"}}),
    "OpenRouter": (400, {"error": {"message": "This endpoint's maximum context length is 128000 tokens. However, you requested about 140012 tokens (138012 of text input, 2000 in the output). Please reduce the length of either one, or use the \"middle-out\" transform.", "code": 400}}),
    "OpenRouter, upstream": (400, {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": json.dumps(anthropic("prompt is too long: 213462 tokens > 200000 maximum")), "provider_name": "Anthropic"}}}),
    "OpenRouter, in the stream": (None, {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "prompt is too long: 213462 tokens > 200000 maximum"}}}),
    "Groq": (400, openai("Please reduce the length of the messages or completion.", "context_length_exceeded")),
    "Groq, without code": (400, openai("Please reduce the length of the messages or completion.")),
    "Cerebras": (400, {"message": "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000", "type": "invalid_request_error", "param": "messages", "code": "context_length_exceeded"}),
    "Cerebras, no body": (413, ""),
    "vLLM, old": (400, {"object": "error", "message": _STEMS.format(32768, _IN_TWO.format(33348, 32836, 512)), "type": "BadRequestError", "param": None, "code": 400}),
    "vLLM, 0.19": (400, openai(_STEMS.format(32768, "your request has 32836 input tokens. Please reduce the length of the input messages."), 400, "BadRequestError")),
    "vLLM, new": (400, openai(_STEMS.format(32768, "you requested 512 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 33281 tokens. Please reduce the length of the input prompt or the number of requested output tokens."), 400, "BadRequestError")),
    "vLLM, engine": (400, {"object": "error", "message": "The decoder prompt (length 5951) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.", "type": "BadRequestError", "code": 400}),
    "vLLM, other": (400, openai("You passed 16321 input tokens and requested 0 output tokens. However, the model's context length is only 16320 tokens", 400)),
    "SGLang": (400, {"object": "error", "message": "The input (61709 tokens) is longer than the model's context length (40960 tokens).", "type": "BadRequestError", "code": 400}),
    "SGLang, new": (400, {"object": "error", "message": "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 140000 tokens.", "code": 400}),
    "TGI": (422, {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 512 `max_new_tokens`", "error_type": "validation"}),
    "llama.cpp": (400, {"error": {"code": 400, "message": "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it", "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}}),
    "llama.cpp, older": (500, {"error": {"code": 500, "message": "the request exceeds the available context size. try increasing the context size or enable context shift", "type": "server_error"}}),
    "LM Studio": (400, {"error": "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length"}),
    "LM Studio, new": (400, {"error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}),
    "Ollama": (400, {"error": "prompt too long; exceeded max context length by 4 tokens"}),
    "Ollama, embedding path": (400, {"error": "the input length exceeds the context length"}),
    "Together": (422, openai("The input (140000 tokens) is longer than the model's context length (131072 tokens).")),
    "Together, sum": (422, openai("`inputs` tokens + `max_new_tokens` must be <= 131073. Given: 140000 `inputs` tokens and 1 `max_new_tokens`")),
    "Fireworks": (400, {"error": {"object": "error", "type": "invalid_request_error", "message": "The prompt is too long: 262145, model maximum context length: 262144", "code": "invalid_request_error"}}),
    "Cohere": (400, {"message": "too many tokens: total number of tokens in the prompt cannot exceed 128000 - received 190123. Try using a shorter prompt"}),
    "Cohere, old": (400, {"message": "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354."}),
    "Bedrock": (400, {"message": "Input is too long for requested model."}),
    "Bedrock, wrapped": (400, {"message": "The model returned the following errors: Input is too long for requested model."}),
    "Hunyuan": (400, openai("prompt tokens exceed the max input limit")),
    "Hunyuan, Chinese": (400, openai("输入内容过长，请缩短后重试")),
    "Step": (400, openai(_STEMS.format(262144, _IN_TWO.format(264128, 264128, 0)))),
    "SambaNova": (400, openai("This model's maximum context length is 8192 tokens. However, you requested 9301 tokens.", None, "Error")),
    "SiliconFlow": (400, {"code": 20015, "message": "number of input tokens (204703) has exceeded max_prompt_tokens (202752) limit.", "data": None}),
    "Xunfei": (400, {"error": {"code": "10012", "message": "InternalError.Algo.InvalidParameter: Range of input length should be [1, 202745]"}}),
    "Copilot": (400, openai("prompt token count of 100000 exceeds the limit of 65536", "model_max_prompt_tokens_exceeded")),
    "DS4": (400, {"error": {"message": "Prompt tokens (9000) exceeds context size (8192)", "type": "context_exceeded", "n_ctx": 8192}}),
    "z.ai, gateway": (400, openai("model_context_window_exceeded", "model_context_window_exceeded")),
    "nginx": (413, "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body><center><h1>413 Request Entity Too Large</h1></center></body></html>"),
    "gateway, Chinese": (400, openai("请求上下文长度超出模型限制")),
}  # fmt: skip

_ECHO = "429 too long: this model's maximum context length is 10 tokens, prompt is too long"

OTHERS: dict[str, tuple[int | None, Any, str]] = {
    "Groq, tokens a minute": (413, openai("Request too large for model `llama-3.1-8b-instant` in organization `org_x` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again.", "rate_limit_exceeded", "tokens"), "rate_limit"),
    "OpenAI, tokens a minute": (429, openai("Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.", "rate_limit_exceeded", "tokens"), "rate_limit"),
    "OpenAI, rate": (429, openai("Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 2s.", "rate_limit_exceeded", "tokens"), "rate_limit"),
    "Anthropic, rate": (429, anthropic("This request would exceed your organization's rate limit of 40,000 input tokens per minute. Please reduce the prompt length or the maximum tokens requested", "rate_limit_error"), "rate_limit"),
    "Anthropic, long context": (429, anthropic("Extra usage is required for long context requests.", "rate_limit_error"), "rate_limit"),
    "Bedrock, throttled": (429, {"message": "Too many tokens, please wait before trying again.", "__type": "ThrottlingException"}, "rate_limit"),
    "Gemini, minute": (429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota. Quota exceeded for metric: input_token_count, limit: 250000", "details": [{"violations": [{"quotaId": "GenerateContentInputTokensPerModelPerMinute-FreeTier"}]}]}}, "rate_limit"),
    "Gemini, day": (429, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "You exceeded your current quota", "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}, {"retryDelay": "18s"}]}}, "quota"),
    "OpenAI, quota": (429, openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota", "insufficient_quota"), "quota"),
    "Kimi, quota": (429, openai("Your account org-x <ak-x> is suspended, please check your plan and billing details", None, "exceeded_current_quota_error"), "quota"),
    "OpenRouter, credits": (402, {"error": {"message": "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 7", "code": 402}}, "payment"),
    "OpenRouter, prompt limit": (402, {"error": {"message": "Prompt tokens limit exceeded: 36163 > 29652. To increase, visit https://openrouter.ai/settings/credits", "code": 402}}, "payment"),
    "GLM, balance": (429, {"error": {"code": "1113", "message": "余额不足或无可用资源包,请充值。"}}, "payment"),
    "DeepSeek, balance": (402, openai("Insufficient Balance"), "payment"),
    "Qwen, arrears": (400, {"code": "Arrearage", "message": "Access denied, please make sure your account is in good standing."}, "payment"),
    "OpenAI, key": (401, openai("Incorrect API key provided: sk-abc. " + _ECHO, "invalid_api_key"), "authentication"),
    "Gemini, key": (400, {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}, "authentication"),
    "permission": (403, anthropic("Your account does not have access to the long context window", "permission_error"), "permission"),
    "timeout": (408, openai("Request timed out: the prompt is too long to be processed in time"), "timeout"),
    "gateway timeout": (504, "upstream request timeout", "server"),
    "overloaded": (529, anthropic("Overloaded", "overloaded_error"), "server"),
    "echo in a value": (400, openai(f"Invalid value: '{_ECHO}'. Supported values are: 'system' and 'user'.", "invalid_value"), "bad_request"),
    "echo of a message": (400, openai(f"Invalid 'messages[1].content': got \"{_ECHO}\""), "bad_request"),
    "echo at the start": (400, openai(f'"{_ECHO}" is not a valid role'), "bad_request"),
    "echo in the details": (422, {"detail": [{"loc": ["body", "messages", 0], "msg": "field required", "type": "value_error.missing", "input": {"message": _ECHO, "code": "context_length_exceeded"}}]}, "bad_request"),
    "echo in a parse error": (400, openai(f"Failed to parse tool call arguments as JSON: {_ECHO}"), "bad_request"),
    "echo in a filter": (400, openai(f"The response was filtered: {_ECHO}", "content_filter"), "bad_request"),
    "echo in a schema error": (400, openai(f"Invalid schema for function 'f': {_ECHO}", "invalid_function_parameters"), "bad_request"),
    "echo in Chinese": (400, openai("参数错误：“请求上下文长度超出模型限制”不是有效的角色"), "bad_request"),
    "answer too long": (400, openai("max_tokens is too large: 999999. This model supports at most 16384 completion tokens, whereas you provided 999999.", "invalid_value"), "bad_request"),
    "answer too long, Qwen": (400, openai("Range of max_tokens should be [1, 8192]"), "bad_request"),
    "name too long": (400, openai("Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64, but got a string with length 80 instead.", "string_above_max_length"), "bad_request"),
    "too many images": (400, anthropic("messages.3.content: too many images: maximum 20"), "bad_request"),
    "alternation": (400, anthropic('messages: roles must alternate between "user" and "assistant"'), "bad_request"),
}  # fmt: skip


def raw(status: int | None, body: Any, kind: str = "BadRequestError") -> RawError:
    """An error as the model process describes it: the library's labels before the body, in one of its ways."""
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    return RawError(kind, status, "", f"OpenAIException - {text}", {}, text)


def wrappings(status: int | None, body: Any) -> list[RawError]:
    text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
    ways = [
        RawError("BadRequestError", status, "", "", {}, text),
        RawError("BadRequestError", status, "", f"litellm.BadRequestError: OpenAIException - {text}", {}, ""),
        RawError("BadRequestError", status, "", f"AnthropicException - b'{text}'", {}, ""),
        RawError("BadRequestError", status, "", f"Error code: {status} - {body!r}", {}, ""),
    ]
    return ways if status is not None else [*ways[:3], RawError("", None, "", text, where="stream")]


@pytest.mark.parametrize("name", OVERFLOWS)
def test_an_overflow_is_recognised_in_the_words_of_every_provider(name: str) -> None:
    for each in wrappings(*OVERFLOWS[name]):
        assert judge(each).kind == "overflow", each


def test_at_least_twenty_providers_are_covered() -> None:
    assert len({name.partition(",")[0] for name in OVERFLOWS}) >= 25


@pytest.mark.parametrize("name", OTHERS)
def test_no_other_error_is_taken_for_an_overflow(name: str) -> None:
    status, body, kind = OTHERS[name]
    for each in wrappings(status, body):
        assert judge(each).kind == kind, each
    # The library calls some of these overflows; that is no evidence.
    assert judge(raw(status, body, "ContextWindowExceededError")).kind == kind


def test_at_least_twenty_other_errors_are_covered() -> None:
    assert len(OTHERS) >= 30


@pytest.mark.parametrize("status", [400, 413])
@pytest.mark.parametrize("body", ["", '{"error": {"message": "Bad request", "code": null}}', "something odd"])
def test_a_refusal_without_usable_words_counts_while_the_window_is_nearly_full(status: int, body: str) -> None:
    full = judge(RawError("BadRequestError", status, "", body, {}, body), Asked(estimate=81_000, window=100_000))
    assert full.kind == "overflow" and not full.retry
    roomy = judge(RawError("BadRequestError", status, "", body, {}, body), Asked(estimate=80_000, window=100_000))
    assert roomy.kind == ("overflow" if status == 413 else "bad_request")
    assert judge(RawError("BadRequestError", 400, "", body, {}, body), Asked(estimate=81_000)).kind == "bad_request"


@pytest.mark.parametrize("name", [name for name, (_, _, kind) in OTHERS.items() if kind != "bad_request"])
def test_a_nearly_full_window_turns_no_other_fault_into_an_overflow(name: str) -> None:
    status, body, kind = OTHERS[name]
    assert judge(raw(status, body), Asked(estimate=99_000, window=100_000)).kind == kind

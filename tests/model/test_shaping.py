"""The wire list of a history obeys the rule of each provider."""

import json
from typing import Any

import pytest
from hypothesis import given, settings

from paitui.messages.message import Image, Message, ToolCall, ToolSpec
from paitui.messages.validity import repair
from paitui.model.catalogue import ModelFacts
from paitui.model.port import Request
from paitui.model.providers import Rule, load
from paitui.model.shaping import GO_ON, NO_IMAGE, request_params, shape, tools_for
from paitui.settings import ContextSettings, ProviderSettings, Settings
from tests.messages.strategies import histories

PROVIDERS = load()
RULES = [*PROVIDERS.rules.values(), PROVIDERS.default]

SIGNED = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
DETAIL = {"type": "reasoning.encrypted", "data": "AAA"}
READ = ToolCall("call_1", "read_file", '{"path": "a"}')
HISTORY = (
    Message("system", "Be brief."),
    Message("user", "hi"),
    Message("assistant", "", (READ,), reasoning="I should read.", signed_reasoning=(SIGNED, DETAIL)),
    Message("tool", "text", tool_call_id="call_1", name="read_file"),
    Message("assistant", "It says text.", reasoning="Simple."),
    Message("user", "thanks"),
)


def rule(name: str) -> Rule:
    found = PROVIDERS.find(name)
    assert found is not None
    return found


def assistants(name: str, *messages: Message) -> list[dict[str, Any]]:
    return [each for each in shape(messages or HISTORY, rule(name)) if each["role"] == "assistant"]


@pytest.mark.parametrize("name", ["openai", "gemini", "dashscope", "step", "hunyuan", "ollama", "freellmapi"])
def test_reasoning_stays_here_where_it_is_refused_or_ignored(name: str) -> None:
    for each in assistants(name):
        assert not {"reasoning_content", "thinking_blocks", "reasoning_details"} & set(each)
    assert not rule(name).sends_reasoning_back


@pytest.mark.parametrize("name", ["deepseek", "zai", "minimax", "vllm", "llamacpp"])
def test_reasoning_goes_back_with_tool_rounds_only_where_these_need_it(name: str) -> None:
    round_, answer = assistants(name)
    assert round_["reasoning_content"] == "I should read." and "reasoning_content" not in answer
    assert rule(name).sends_reasoning_back


def test_all_reasoning_goes_back_where_it_must() -> None:
    assert [each["reasoning_content"] for each in assistants("kimi")] == ["I should read.", "Simple."]


def test_signed_blocks_go_back_untouched_to_who_signed_them() -> None:
    round_, answer = assistants("anthropic")
    assert round_["thinking_blocks"] == [SIGNED] and "thinking_blocks" not in answer
    assert "reasoning_content" not in round_ and "reasoning_details" not in round_
    round_, _ = assistants("openrouter")
    assert round_["reasoning_details"] == [DETAIL] and "thinking_blocks" not in round_


def test_blocks_that_are_not_whole_are_left_out_with_all_of_their_message() -> None:
    unsigned = Message("assistant", "x", signed_reasoning=(SIGNED, {"type": "thinking", "thinking": "more"}))
    assert assistants("anthropic", Message("user", "a"), unsigned, Message("user", "b")) == [
        {"role": "assistant", "content": "x"}
    ]


def test_a_message_of_nothing_but_foreign_reasoning_is_left_out() -> None:
    foreign = Message("assistant", " ", signed_reasoning=(SIGNED,))
    messages = (Message("user", "a"), foreign, Message("user", "b"))
    assert [each["content"] for each in shape(messages, rule("openai"))] == ["a", "b"]
    assert assistants("anthropic", *messages)[0]["thinking_blocks"] == [SIGNED]


@pytest.mark.parametrize("content", ["", " \n"])
def test_an_assistant_message_that_only_calls_is_empty_in_the_provider_s_way(content: str) -> None:
    messages = (Message("user", "a"), Message("assistant", content, (READ,)), HISTORY[3])
    assert shape(messages, rule("openai"))[1]["content"] is None
    assert shape(messages, rule("qwen"))[1]["content"] == ""


def test_tool_messages_carry_a_name_only_where_it_is_wanted() -> None:
    assert shape(HISTORY, rule("gemini"))[3]["name"] == "read_file"
    assert "name" not in shape(HISTORY, rule("openai"))[3]


def test_system_messages_become_one() -> None:
    messages = (Message("system", "a"), Message("system", "b"), Message("user", "c"))
    assert shape(messages, rule("vllm"))[0] == {"role": "system", "content": "a\n\nb"}


def test_images_go_where_they_are_taken_and_leave_a_note_elsewhere() -> None:
    message = Message("user", " ", images=(Image("https://x/y.png"),))
    assert shape([message], rule("openai"))[0]["content"] == [
        {"type": "image_url", "image_url": {"url": "https://x/y.png"}}
    ]
    assert shape([message], rule("openai"), vision=False)[0]["content"] == NO_IMAGE
    worded = Message("user", "see", images=message.images)
    assert shape([worded], rule("openai"), vision=False)[0]["content"] == f"see\n{NO_IMAGE}"


def test_what_a_model_wrote_wrongly_is_sent_back_so_that_it_is_accepted() -> None:
    calls = (ToolCall("a", "read file!", '{"path": "a'), ToolCall("b", "", "[1]"))
    answers = (Message("tool", "no", tool_call_id="a", name="read file!"), Message("tool", "no", tool_call_id="b"))
    made = shape([Message("user", "x"), Message("assistant", "", calls), *answers], rule("gemini"))
    first, second = made[1]["tool_calls"]
    assert first["function"] == {"name": "read_file_", "arguments": '{"unreadable_arguments": "{\\"path\\": \\"a"}'}
    assert second["function"]["name"] == "unnamed" and json.loads(second["function"]["arguments"])
    assert made[2]["name"] == "read_file_"


def test_ids_are_plain_unless_signatures_travel_in_them() -> None:
    long = "call_x__thought__" + "A+/=" * 40
    messages = [Message("user", "x")]
    for id in (long, long + "B", "a.b", "a:b"):
        messages.append(Message("assistant", "", (ToolCall(id, "list_dir", "{}"),)))
        messages.append(Message("tool", "y", tool_call_id=id, name="list_dir"))
    for name in ("openai", "anthropic"):
        made = shape(messages, rule(name))
        ids = [each["tool_calls"][0]["id"] for each in made if "tool_calls" in each]
        assert len(set(ids)) == 4 and all(id.replace("_", "").isalnum() and len(id) <= 40 for id in ids)
        assert ids == [each["tool_call_id"] for each in made if each["role"] == "tool"]
    assert shape(messages, rule("gemini"))[1]["tool_calls"][0]["id"] == long


def test_the_assistant_does_not_have_the_last_word() -> None:
    made = shape(HISTORY[:5], rule("anthropic"))
    assert made[-1] == {"role": "user", "content": GO_ON}
    assert shape(HISTORY, rule("anthropic"))[-1]["content"] == "thanks"


@pytest.mark.parametrize("each", RULES, ids=lambda each: each.name or "default")
@settings(max_examples=40)
@given(histories)
def test_any_valid_history_is_shaped_into_one_that_obeys(each: Rule, history: list[Message]) -> None:
    valid = repair(history)
    made = shape(valid, each)
    open_ids: list[str] = []
    seen: set[str] = set()
    for at, one in enumerate(made):
        assert one["role"] != "system" or at == 0
        assert bool(open_ids) == (one["role"] == "tool")
        if one["role"] == "tool":
            open_ids.remove(one["tool_call_id"])
            assert ("name" in one) == each.tool_names
        for call in one.get("tool_calls", ()):
            assert call["id"] not in seen and isinstance(json.loads(call["function"]["arguments"]), dict)
            assert call["function"]["name"]
            seen.add(call["id"])
            open_ids.append(call["id"])
        content = one.get("content")
        has_more = bool(one.get("tool_calls") or one.get("thinking_blocks") or one.get("reasoning_details"))
        assert has_more or content
        assert not isinstance(content, str) or content.strip() or has_more
        if isinstance(content, list):
            assert all(part["type"] != "text" or part["text"].strip() for part in content)
        assert "reasoning_content" not in one or one["reasoning_content"]
    assert not open_ids
    assert not made or made[-1]["role"] != "assistant" or each.ends_with_assistant
    json.dumps(made)


SPEC = ToolSpec("list_dir", "Lists.", {"type": "object"})


def test_last_words_name_the_tools_where_their_history_must_be_explained() -> None:
    last = Request(HISTORY, purpose="final")
    named = tools_for(last, rule("anthropic"))
    assert [tool["function"]["name"] for tool in named["tools"]] == ["read_file"] and named["tool_choice"] == "none"
    known = tools_for(last, rule("anthropic"), (SPEC,))
    assert [tool["function"]["name"] for tool in known["tools"]] == ["list_dir"] and known["tool_choice"] == "none"
    assert tools_for(last, rule("openai"), (SPEC,)) == {}
    assert tools_for(Request(HISTORY[:2], purpose="summary"), rule("anthropic"), (SPEC,)) == {}
    turn = tools_for(Request(HISTORY, (SPEC,)), rule("anthropic"))
    assert [tool["function"]["name"] for tool in turn["tools"]] == ["list_dir"] and "tool_choice" not in turn


def test_the_arguments_of_a_request_are_complete() -> None:
    house = Settings(providers={"house": ProviderSettings(base_url="http://127.0.0.1:9/v1")})
    target = PROVIDERS.target("house/qwen", house, {"OPENAI_API_KEY": "sk-1"})
    params = request_params(target, Request(HISTORY, (SPEC,)), ModelFacts())
    assert set(params) == {"model", "messages", "tools", "api_base", "api_key", "stream_options"}
    assert params["api_base"] == "http://127.0.0.1:9/v1" and "sk-1" not in json.dumps(params)
    assert params["stream_options"] == {"include_usage": True}


def test_the_answer_has_room_and_local_windows_are_asked_for() -> None:
    claude = PROVIDERS.target("anthropic/claude", Settings(), {"ANTHROPIC_API_KEY": "k"})
    request = Request(HISTORY)
    assert request_params(claude, request, ModelFacts(200_000, 64_000))["max_tokens"] == 20_000
    assert request_params(claude, request, ModelFacts(200_000, 8_192))["max_tokens"] == 8_192
    assert request_params(claude, request, ModelFacts(16_000, 8_192))["max_tokens"] == 4_000
    assert "max_tokens" not in request_params(claude, request, ModelFacts(200_000))
    llama = PROVIDERS.target("ollama/llama3", Settings(context=ContextSettings(window=16_000)), {})
    assert request_params(llama, request, ModelFacts(16_000, source="setting"))["num_ctx"] == 16_000
    assert "num_ctx" not in request_params(llama, request, ModelFacts())

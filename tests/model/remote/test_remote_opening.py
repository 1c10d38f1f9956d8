"""From settings to an answer, over real HTTP."""

import base64
import dataclasses

import pytest

from paitui.messages.message import Image, Message, ToolCall, ToolSpec
from paitui.model.port import ModelEvent, ModelFault, Reply, Request
from paitui.model.remote.host import ModelHost
from paitui.model.remote.opening import open_remote
from paitui.settings import ProviderSettings, Settings
from tests.provider.server import Provider, Response
from tests.provider.wire import Answer, agent, anthropic_stream, openai_stream

pytestmark = pytest.mark.asyncio(loop_scope="session")

READ = ToolSpec("read", "Reads a file.", {"type": "object", "properties": {"path": {"type": "string"}}})
HISTORY = (
    Message("system", "Be brief."),
    Message("user", "what is in a?"),
    Message("assistant", "", (ToolCall("c1", "read", '{"path":"a"}'),), reasoning="look first"),
    Message("tool", "42", tool_call_id="c1", name="read"),
)


def settings_for(provider: str, url: str, **more: object) -> Settings:
    own = dataclasses.replace(ProviderSettings(base_url=url), **more)  # type: ignore[arg-type]
    return Settings(providers={provider: own})


async def ask(
    model_name: str, settings: Settings, host: ModelHost, request: Request, **keys: str
) -> list[ModelEvent]:
    model = open_remote(model_name, settings, host, keys, tools=lambda: (READ,))
    return [event async for event in model.stream(request)]


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("house/qwen3", {}),
        ("openai/gpt-5.1", {"OPENAI_API_KEY": "key-of-openai"}),
        ("deepseek/deepseek-chat", {"DEEPSEEK_API_KEY": "key-of-deepseek"}),
        ("zai/glm-4.6", {"ZAI_API_KEY": "key-of-zai"}),
        ("moonshot/kimi-k2-thinking", {"MOONSHOT_API_KEY": "key-of-moonshot"}),
        ("openrouter/qwen/qwen3-coder", {"OPENROUTER_API_KEY": "key-of-openrouter"}),
        ("anthropic/claude-sonnet-4-5", {"ANTHROPIC_API_KEY": "key-of-anthropic"}),
    ],
)
async def test_a_round_with_tools_at_each_provider(
    host: ModelHost, provider: Provider, name: str, keys: dict[str, str]
) -> None:
    route = provider.route(agent(lambda messages, tools: Answer("It says 42.")))
    messages = name.startswith("anthropic/")
    settings = settings_for(name.partition("/")[0], route.url if messages else route.openai)
    for request in (Request(HISTORY, (READ,)), Request(HISTORY, purpose="final")):
        events = await ask(name, settings, host, request, **keys)
        assert isinstance(events[-1], Reply) and events[-1].message.content == "It says 42."
        assert events[-1].usage is not None and events[-1].usage.prompt == 100
    first, last = (seen.body for seen in route.requests)
    assert first["tools"] and "42" in str(first["messages"]) and first["stream"] is True
    assert not last.get("tools") or "none" in str(last.get("tool_choice"))
    sent = {name: value for seen in route.requests for name, value in seen.headers.items()}
    for key in keys.values():
        assert key in (sent.get("authorization", "").removeprefix("Bearer "), sent.get("x-api-key"))


async def test_a_key_goes_to_its_own_provider_only(host: ModelHost, provider: Provider) -> None:
    route = provider.route(openai_stream(Answer("hi")))
    await ask("house/qwen3", settings_for("house", route.openai), host, Request(HISTORY[:2]), OPENAI_API_KEY="key-o")
    # Without a key in the call the library would take OpenAI's from the environment.
    assert route.requests[0].headers["authorization"] == "Bearer none"


async def test_a_missing_key_is_told_before_anything_is_sent(host: ModelHost, provider: Provider) -> None:
    route = provider.route(openai_stream(Answer("hi")))
    with pytest.raises(ModelFault) as told:
        await ask("deepseek/deepseek-chat", settings_for("deepseek", route.openai), host, Request(HISTORY[:2]))
    assert told.value.kind == "authentication" and told.value.phrase.key == "model.no_key"
    assert route.count == 0


async def test_what_the_settings_say_of_a_model_holds(host: ModelHost, provider: Provider) -> None:
    route = provider.route(openai_stream(Answer("hi", prompt=1000, cached=400, completion=10)))
    settings = settings_for(
        "house", route.openai, window=50_000, input_price=2.0, output_price=10.0, cache_read_price=0.5
    )
    model = open_remote("house/qwen3", settings, host, {})
    assert (model.info.name, model.info.window) == ("house/qwen3", 50_000)
    (*_, reply) = [event async for event in model.stream(Request(HISTORY[:2]))]
    assert isinstance(reply, Reply) and reply.usage is not None
    assert reply.usage.cost == pytest.approx((600 * 2 + 400 * 0.5 + 10 * 10) / 1e6)


async def test_the_librarys_guess_of_a_price_does_not_stand_in_for_ours(host: ModelHost, provider: Provider) -> None:
    route = provider.route(openai_stream(Answer("hi", prompt=1000, completion=10)))
    settings = settings_for("deepseek", route.openai, input_price=100.0, output_price=100.0)
    events = await ask("deepseek/deepseek-chat", settings, host, Request(HISTORY[:2]), DEEPSEEK_API_KEY="k")
    assert isinstance(events[-1], Reply) and events[-1].usage is not None
    assert events[-1].usage.cost == pytest.approx(0.101)


async def test_signed_reasoning_goes_out_and_comes_back(host: ModelHost, provider: Provider) -> None:
    thinking = Answer("", "let me think", "SIGNED", [("c1", "read", '{"path":"a"}')])
    route = provider.route(anthropic_stream(thinking), anthropic_stream(Answer("It says 42.")))
    settings = settings_for("anthropic", route.url)
    asked = HISTORY[:2]
    first = await ask("anthropic/claude-sonnet-4-5", settings, host, Request(asked, (READ,)), ANTHROPIC_API_KEY="k")
    assert isinstance(first[-1], Reply)
    message = first[-1].message
    result = Message("tool", "42", tool_call_id=message.tool_calls[0].id, name="read")
    await ask(
        "anthropic/claude-sonnet-4-5",
        settings,
        host,
        Request((*asked, message, result), (READ,)),
        ANTHROPIC_API_KEY="k",
    )
    sent = route.requests[1].body["messages"]
    blocks = [block for entry in sent if entry["role"] == "assistant" for block in entry["content"]]
    assert {"type": "thinking", "thinking": "let me think", "signature": "SIGNED"} in blocks


async def test_an_image_arrives_in_the_form_of_each_format(host: ModelHost, provider: Provider) -> None:
    pixel = "data:image/png;base64," + base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(60)).decode()
    asked = Request((Message("user", "what is it?", images=(Image(pixel),)),))
    for name, wire in (("openai/gpt-5.1", "openai"), ("anthropic/claude-sonnet-4-5", "anthropic")):
        route = provider.route(agent(lambda messages, tools: Answer("a dot")))
        settings = settings_for(wire, route.openai if wire == "openai" else route.url)
        await ask(name, settings, host, asked, OPENAI_API_KEY="k", ANTHROPIC_API_KEY="k")
        assert pixel.partition(",")[2] in str(route.requests[0].body)


async def test_a_web_page_instead_of_an_answer_is_malformed_and_says_where_to_look(
    host: ModelHost, provider: Provider
) -> None:
    route = provider.route(Response([b"<html>log in</html>"], headers={"content-type": "text/html"}))
    with pytest.raises(ModelFault) as told:
        await ask("house/qwen3", settings_for("house", route.openai), host, Request(HISTORY[:2]))
    assert told.value.kind == "malformed" and route.count == 1
    assert told.value.phrase.params["name"] == "house"

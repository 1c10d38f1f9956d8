"""Where a model is reached, and with which key."""

import tomllib
from dataclasses import fields

import pytest

import paitui.model.providers as module
from paitui.model.providers import NO_KEY, Providers, Rule, load, split
from paitui.settings import ProviderSettings, Settings

KEYS = {"OPENAI_API_KEY": "sk-openai", "ZAI_API_KEY": " zai-key\n", "MY_KEY": "mine"}


@pytest.fixture(scope="module")
def providers() -> Providers:
    return load()


def test_every_provider_says_only_what_a_rule_can_hold() -> None:
    tables = tomllib.loads(module._FILE.read_text("utf-8"))
    names = {field.name for field in fields(Rule)} - {"name"}
    assert set(tables["default"]) == names
    assert all(set(table) <= names for table in tables.values())


def test_no_name_means_two_providers(providers: Providers) -> None:
    names = [name for rule in providers.rules.values() for name in (rule.name, *rule.also)]
    assert len(names) == len(set(names)) and all(name == name.lower() for name in names)


def test_the_providers_of_the_readme_are_known(providers: Providers) -> None:
    wanted = "openai anthropic gemini deepseek glm zai kimi moonshot qwen dashscope step hunyuan minimax openrouter "
    wanted += "ollama vllm llama.cpp llamacpp freellmapi"
    assert [name for name in wanted.split() if providers.find(name) is None] == []


@pytest.mark.parametrize(
    ("model", "library", "address", "key", "variable"),
    [
        ("openai/gpt-4o", "openai/gpt-4o", "", "sk-openai", "OPENAI_API_KEY"),
        ("GLM/glm-5.1", "zai/glm-5.1", "", "zai-key", "ZAI_API_KEY"),
        ("claude/claude-opus-4-5", "anthropic/claude-opus-4-5", "", "", "ANTHROPIC_API_KEY"),
        ("openrouter/z-ai/glm-5.1", "openrouter/z-ai/glm-5.1", "", "", "OPENROUTER_API_KEY"),
        ("step/step-3", "openai/step-3", "https://api.stepfun.com/v1", "", "STEP_API_KEY"),
        ("ollama/llama3:8b", "ollama_chat/llama3:8b", "http://localhost:11434", NO_KEY, ""),
        ("llama.cpp/any", "openai/any", "http://localhost:8080/v1", NO_KEY, ""),
        ("vllm/Qwen/Qwen3-8B", "hosted_vllm/Qwen/Qwen3-8B", "http://localhost:8000/v1", NO_KEY, ""),
        ("groq/llama-3", "groq/llama-3", "", "", ""),
        ("bedrock/us.amazon.nova", "bedrock/us.amazon.nova", "", "", ""),
    ],
)
def test_a_known_name_is_enough(
    providers: Providers, model: str, library: str, address: str, key: str, variable: str
) -> None:
    target = providers.target(model, Settings(), KEYS)
    assert (target.model, target.base_url, target.key, target.key_env) == (library, address, key, variable)
    assert target.lacks_key == (bool(variable) and not key)


def test_any_address_is_taken_and_no_key_goes_to_a_stranger(providers: Providers) -> None:
    settings = Settings(providers={"House": ProviderSettings(base_url="http://127.0.0.1:9/v1")})
    target = providers.target("house/some/model", settings, KEYS)
    assert (target.model, target.base_url, target.key) == ("openai/some/model", "http://127.0.0.1:9/v1", NO_KEY)
    assert target.rule.title == "house" and not target.lacks_key


def test_the_settings_name_address_key_and_rules(providers: Providers) -> None:
    settings = Settings(
        providers={
            "proxy": ProviderSettings(base_url="http://p", api_key_env="MY_KEY", like="anthropic"),
            "kimi": ProviderSettings(base_url="https://api.moonshot.cn/v1", api_key="in-file"),
            "openai": ProviderSettings(api_key_env="OTHER_KEY"),
        }
    )
    proxy = providers.target("proxy/claude", settings, KEYS)
    assert (proxy.model, proxy.key, proxy.rule.reasoning) == ("anthropic/claude", "mine", "signed")
    kimi = providers.target("moonshot/kimi-k3", settings, KEYS)
    assert (kimi.model, kimi.base_url, kimi.key) == ("moonshot/kimi-k3", "https://api.moonshot.cn/v1", "in-file")
    assert providers.target("openai/gpt", settings, KEYS).lacks_key


def test_a_key_is_not_printed(providers: Providers) -> None:
    assert "sk-openai" not in f"{providers.target('openai/gpt', Settings(), KEYS)!r}"


@pytest.mark.parametrize("model", ["", "gpt-4o", "openai/", "/gpt", " "])
def test_a_model_needs_a_provider(model: str) -> None:
    with pytest.raises(ValueError, match="provider/name"):
        split(model)

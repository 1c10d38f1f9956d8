"""Windows, prices and abilities, from the installed library's table and from one made here."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from paitui.model.catalogue import UNKNOWN_WINDOW, Catalogue, ModelFacts, packaged_table
from paitui.model.providers import Providers, load
from paitui.settings import ContextSettings, ProviderSettings, Settings


@pytest.fixture(scope="module")
def providers() -> Providers:
    return load()


@pytest.fixture(scope="module")
def installed(providers: Providers) -> Catalogue:
    return Catalogue.load(providers)


def entry(provider: str, window: int, **more: Any) -> dict[str, Any]:
    return {"litellm_provider": provider, "max_input_tokens": window, "mode": "chat", **more}


@pytest.fixture
def made(providers: Providers) -> Catalogue:
    return Catalogue(
        {
            "sample_spec": {"max_input_tokens": "max input tokens", "mode": "one of"},
            "gpt-9": entry("openai", 400_000, input_cost_per_token=2e-6, output_cost_per_token=8e-6),
            "claude-opus-9-5": entry("anthropic", 500_000, max_output_tokens=64_000, supports_vision=True),
            "zai/glm-7": entry("zai", 300_000, supports_reasoning=True, supports_function_calling=False),
            "a/Big-1": entry("a", 100_000, input_cost_per_token=1.0),
            "b/big-1": entry("b", 200_000),
            "c/x/big-1": entry("c", 300_000),
            "gpt-9-image": {"litellm_provider": "openai", "mode": "image_generation", "max_input_tokens": 7},
            "zai/odd": {"litellm_provider": "zai", "mode": "chat", "max_input_tokens": "many", "max_tokens": 9_000},
            "broken": "text",
        },
        providers,
    )


def test_the_installed_table_is_read_without_importing_the_library() -> None:
    code = (
        "import sys\n"
        "from paitui.model.providers import load\n"
        "from paitui.model.catalogue import Catalogue\n"
        "from paitui.settings import Settings\n"
        "facts = Catalogue.load(load()).describe('openai/gpt-4o', Settings())\n"
        "print(facts.window, facts.source, 'litellm' in sys.modules, 'httpx' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["128000", "catalogue", "False", "False"]


def test_reading_the_table_costs_no_more_than_parsing_it(providers: Providers) -> None:
    file = packaged_table()
    assert file is not None

    def cost(work: Callable[[], object]) -> float:
        """Processor seconds at best; clocks on a wall also measure the neighbours."""
        times = []
        for _ in range(3):
            begin = time.process_time()
            work()
            times.append(time.process_time() - begin)
        return min(times)

    assert cost(lambda: Catalogue.load(providers, file)) < 3 * cost(lambda: json.loads(file.read_bytes()))


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("zai/glm-5.1", 200_000),
        ("glm/GLM-5.1", 200_000),
        ("glm-5.1", 200_000),
        ("house/zai-org/GLM-5.1-FP8", 200_000),
        ("zai/glm-5.3", 1_000_000),
        ("house/glm-5.3-flash", 1_000_000),
        ("kimi/kimi-k2.99", 256_000),
        ("house/kimi-for-coding", 256_000),
        ("step/step-3.5-flash", 256_000),
        ("stepfun/step-99", 256_000),
        ("deepseek/deepseek-v4.9-flash", 1_000_000),
        ("house/deepseek-v4", 1_000_000),
        ("hunyuan/hy4", 1_000_000),
        ("hunyuan/hunyuan-hy4-preview", 1_000_000),
        ("freellmapi/auto", 128_000),
        ("FreeLLMAPI/glm-5.3", 128_000),
        ("house/stepping-stone", UNKNOWN_WINDOW),
        ("house/hy42", UNKNOWN_WINDOW),
        ("ollama/qwen99", 32_768),
    ],
)
def test_models_are_known_by_name_where_the_table_lags(installed: Catalogue, model: str, window: int) -> None:
    assert installed.describe(model, Settings()).window == window


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("openai/gpt-9", 400_000),
        ("openai/GPT-9", 400_000),
        ("gpt-9", 400_000),
        ("openai/gpt-9-2027-01-31", 400_000),
        ("openai/gpt-9-0131", 400_000),
        ("openai/gpt-9-latest", 400_000),
        ("anthropic/claude-opus-9-5", 500_000),
        ("claude/claude-opus-9.5-20270131", 500_000),
        ("openrouter/anthropic/claude-opus-9.5", 500_000),
        ("openrouter/z-ai/glm-7:free", 300_000),
        ("zai/odd", 9_000),
        ("b/big-1", 200_000),
        ("house/big-1", 200_000),
        ("openai/gpt-9-image", UNKNOWN_WINDOW),
        ("openai/broken", UNKNOWN_WINDOW),
        ("house/never-heard-of", UNKNOWN_WINDOW),
        ("sample_spec", UNKNOWN_WINDOW),
        ("", UNKNOWN_WINDOW),
    ],
)
def test_a_name_is_found_in_every_spelling(made: Catalogue, model: str, window: int) -> None:
    facts = made.describe(model, Settings())
    assert facts.window == window
    assert facts.source == ("default" if window == UNKNOWN_WINDOW else "catalogue")


def test_prices_are_only_those_of_the_provider_itself(made: Catalogue) -> None:
    facts = made.describe("openai/gpt-9", Settings())
    assert facts.price(1_000_000, 0, 1_000_000) == pytest.approx(10.0)
    assert made.describe("house/big-1", Settings()).input_price is None
    assert ModelFacts().price(1, 0, 1) is None
    cached = ModelFacts(input_price=2.0, output_price=0.0, cache_read_price=0.5)
    assert cached.price(10, 4, 7) == pytest.approx(14.0)


def test_abilities_are_read(made: Catalogue) -> None:
    opus, glm = made.describe("anthropic/claude-opus-9-5", Settings()), made.describe("zai/glm-7", Settings())
    assert (opus.vision, opus.reasoning, opus.tools, opus.max_output) == (True, False, True, 64_000)
    assert (glm.vision, glm.reasoning, glm.tools) == (False, True, False)


def test_settings_win(made: Catalogue) -> None:
    own = ProviderSettings(window=64_000, max_output=1_000, input_price=3.0, output_price=6.0, cache_read_price=0.3)
    settings = Settings(providers={"Claude": own})
    facts = made.describe("anthropic/claude-opus-9-5", settings)
    assert (facts.window, facts.max_output, facts.source) == (64_000, 1_000, "setting")
    assert (facts.input_price, facts.output_price, facts.cache_read_price) == pytest.approx((3e-6, 6e-6, 3e-7))
    both = Settings(context=ContextSettings(window=16_000), providers={"claude": own})
    assert made.describe("anthropic/claude-opus-9-5", both).window == 16_000
    assert made.describe("freellmapi/auto", both).window == 16_000
    small = made.describe("anthropic/claude-opus-9-5", Settings(context=ContextSettings(window=16_000)))
    assert small.max_output == 16_000


def test_the_models_of_a_provider_are_listed(made: Catalogue, installed: Catalogue) -> None:
    assert made.known("openai") == ["openai/gpt-9"]
    assert made.known("claude") == ["claude/claude-opus-9-5"]
    assert made.known("zai") == ["zai/glm-7", "zai/odd"]
    assert made.known("step") == made.known("house") == []
    settings = Settings(
        providers={"house": ProviderSettings(models=("x", "y")), "glm": ProviderSettings(models=("odd",))}
    )
    assert made.known("house", settings) == ["house/x", "house/y"]
    assert made.known("zai", settings) == ["zai/odd", "zai/glm-7"]
    assert "deepseek/deepseek-chat" in installed.known("deepseek")
    assert all(name.startswith("zai/glm") for name in installed.known("zai"))


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", None])
def test_a_table_that_cannot_be_read_is_said_and_names_still_count(
    providers: Providers, tmp_path: Path, content: bytes | None
) -> None:
    file = tmp_path / "table.json"
    if content is not None:
        file.write_bytes(content)
    catalogue = Catalogue.load(providers, file)
    assert catalogue.problem is not None and catalogue.problem.params["file"] == str(file)
    assert catalogue.describe("zai/glm-5.1", Settings()).window == 200_000
    assert catalogue.describe("openai/gpt-4o", Settings()).window == UNKNOWN_WINDOW


def test_a_missing_library_is_said(providers: Providers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paitui.model.catalogue.find_spec", lambda name: None)
    problem = Catalogue.load(providers).problem
    assert problem is not None and problem.key == "model.no_catalogue"

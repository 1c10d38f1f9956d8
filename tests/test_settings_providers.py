import dataclasses
from pathlib import Path

import pytest

from paitui.settings import ProviderSettings, Settings, load
from tests import settings_table


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def test_each_provider_has_a_table_of_its_own(file: Path) -> None:
    file.write_text(
        'model = "house/qwen3"\nsmall_model = "deepseek/deepseek-chat"\n'
        '[providers.house]\nbase_url = "http://127.0.0.1:8000/v1"\nwindow = 65_536\nmodels = ["qwen3"]\n'
        '[providers.deepseek]\napi_key_env = "MY_KEY"\ninput_price = 1\n',
        "utf-8",
    )
    loaded = load(file)
    assert loaded.problems == ()
    assert loaded.settings.small_model == "deepseek/deepseek-chat"
    assert loaded.settings.providers == {
        "house": ProviderSettings(base_url="http://127.0.0.1:8000/v1", window=65_536, models=("qwen3",)),
        "deepseek": ProviderSettings(api_key_env="MY_KEY", input_price=1.0),
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("providers = 3", ("settings.wrong", "providers")),
        ("[providers]\nhouse = 3", ("settings.wrong", "providers.house")),
        ("[providers.house]\nurl = 'x'", ("settings.unknown", "providers.house.url")),
        ("[providers.house]\nwindow = 'big'", ("settings.wrong", "providers.house.window")),
        ("[providers.house]\ninput_price = -1", ("settings.wrong", "providers.house.input_price")),
    ],
)
def test_a_bad_key_of_a_provider_is_named_and_the_rest_counts(
    file: Path, text: str, problem: tuple[str, str]
) -> None:
    file.write_text(f"{text}\n[agent]\nmax_rounds = 7\n", "utf-8")
    loaded = load(file)
    assert [(found.key, found.params["key"]) for found in loaded.problems] == [problem]
    assert loaded.settings.agent.max_rounds == 7
    assert loaded.settings.providers in ({}, {"house": ProviderSettings()})


def test_a_key_in_the_settings_is_not_printed() -> None:
    assert "s3cret" not in repr(Settings(providers={"house": ProviderSettings(api_key="s3cret")}))


def test_every_setting_of_a_provider_is_documented_where_it_stands() -> None:
    documented = settings_table.docstrings()
    assert [
        f.name for f in dataclasses.fields(ProviderSettings) if ("ProviderSettings", f.name) not in documented
    ] == []

"""Which providers are known, what each accepts, and where a model of the user's choice is reached."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from paitui.settings import ProviderSettings, Settings

_FILE = Path(__file__).parent / "providers.toml"

NO_KEY = "none"
"""Sent as the key to a server that needs none. It must not be left out: the library would send OpenAI's instead."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What a provider accepts; `providers.toml` says why there are such rules."""

    name: str
    """Name before the slash; as the user wrote it where the provider is not known."""
    title: str
    """Name in messages."""
    also: tuple[str, ...]
    """Other names that are understood."""
    litellm: str
    """The library's name of the provider."""
    base_url: str
    """Address; empty where the library knows it."""
    key_env: str
    """Environment variable with the key; empty where none is needed."""
    reasoning: Literal["drop", "send", "rounds", "signed", "details"]
    """What of earlier reasoning goes back."""
    images: bool
    """Whether images are taken."""
    empty: Literal["null", "text", "omit"]
    """Content of an assistant message that only calls tools."""
    tool_names: bool
    """Whether tool messages carry the tool's name."""
    system: Literal["system", "developer"]
    """Role of the system message."""
    ends_with_assistant: bool
    """Whether the last message may be the assistant's."""
    tools_with_history: bool
    """Whether tools must be named when tool messages stand in the history."""
    plain_ids: bool
    """Whether call ids must be short and plain."""
    usage: bool
    """Whether usage must be asked for."""
    max_tokens: bool
    """Whether the longest answer must be named."""
    window: str
    """Parameter by which the window is asked for; empty where the server fixes it."""

    @property
    def sends_reasoning_back(self) -> bool:
        """Whether earlier reasoning is part of a request."""
        return self.reasoning != "drop"


@dataclass(frozen=True, slots=True)
class Target:
    """Where a model is reached, and how."""

    provider: str
    """As the user wrote it."""
    name: str
    """The model's name at the provider."""
    rule: Rule
    model: str
    """The library's name of the model."""
    base_url: str
    """Address; empty where the library knows it."""
    key: str
    """The key; empty if there is none, which the library then looks for itself."""
    key_env: str
    """Environment variable to set; empty where no key is needed, or the library knows its name."""

    @property
    def lacks_key(self) -> bool:
        """Whether a key is needed and none was found."""
        return bool(self.key_env) and not self.key

    def __repr__(self) -> str:
        """Leave out the key."""
        return f"Target({self.model!r}, base_url={self.base_url!r}, key={'set' if self.key else 'none'})"


@dataclass(frozen=True, slots=True)
class Providers:
    """The known providers. Read once with `load`, passed to whoever needs them."""

    rules: Mapping[str, Rule]
    """By name, in the order in which they are offered."""
    default: Rule
    """For any address that speaks the chat-completions format."""

    def find(self, name: str) -> Rule | None:
        """Find a provider by any of its names, in any case."""
        wanted = name.lower()
        return next((r for r in self.rules.values() if wanted == r.name or wanted in r.also), None)

    def target(self, model: str, settings: Settings, environment: Mapping[str, str]) -> Target:
        """Find out where a model is reached.

        Args:
            model: As the user writes it, ``provider/name``. A provider that is neither known nor set up is taken to
                be one that the library knows.
            settings: All settings; a table of the provider wins over what is known.
            environment: The process environment, for keys.

        Returns:
            Address, key and rule. A key of one provider is never sent to another.

        Raises:
            ValueError: The model is not written as ``provider/name``.
        """
        provider, name = split(model)
        own = provider_settings(settings, provider, self)
        known = self.find(provider)
        rule = self.find(own.like) if own.like else known
        address = own.base_url or (known.base_url if known else "")
        prefix = rule.litellm if rule else self.default.litellm if address else provider.lower()
        key_env = own.api_key_env or (known.key_env if known else "")
        key = own.api_key or environment.get(key_env, "").strip() if key_env else own.api_key
        if not key and not key_env and (known or address):
            key = NO_KEY
        fallback = _named(self.default, provider)
        return Target(provider, name, rule or fallback, f"{prefix}/{name}", address, key, key_env)


def load() -> Providers:
    """Read the list of providers.

    Returns:
        All known providers.
    """
    tables = tomllib.loads(_FILE.read_text("utf-8"))
    default = tables.pop("default")
    rules = {name: _rule(name, {**default, **table}) for name, table in tables.items()}
    return Providers(rules, _rule("", default))


def split(model: str) -> tuple[str, str]:
    """Split ``provider/name``; the name may hold slashes of its own.

    Raises:
        ValueError: A part is missing.
    """
    provider, _, name = model.strip().partition("/")
    if not provider or not name:
        raise ValueError(f"not provider/name: {model}")
    return provider, name


def provider_settings(settings: Settings, provider: str, providers: Providers) -> ProviderSettings:
    """Give the user's table for a provider, under whichever of its names it stands; an empty one if there is none."""
    known = providers.find(provider)
    names = [provider.lower(), *([known.name, *known.also] if known else [])]
    tables = {name.lower(): table for name, table in settings.providers.items()}
    return next((tables[name] for name in names if name in tables), ProviderSettings())


def _rule(name: str, table: dict[str, object]) -> Rule:
    also = table["also"]
    assert isinstance(also, list)
    return Rule(**{**table, "name": name, "also": tuple(map(str, also))})  # type: ignore[arg-type]


def _named(rule: Rule, name: str) -> Rule:
    return replace(rule, name=name, title=name)

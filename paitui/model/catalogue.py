"""What is known of models: windows, prices, abilities. From the library's packaged table, without the library."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median_low
from typing import Any, Literal

from paitui.jsontext import decode
from paitui.locale import Phrase, phrase
from paitui.model.providers import Providers, provider_settings, split
from paitui.settings import Settings

UNKNOWN_WINDOW = 128_000
"""Tokens, where nothing is known."""

_OWN = Path(__file__).parent / "windows.toml"
_TABLE = "model_prices_and_context_window_backup.json"
_SUFFIX = re.compile(r":[a-z][a-z0-9-]*$")
_DATE = re.compile(r"[-@](?:\d{4}-\d{2}-\d{2}|20\d{6}|\d{4}|latest)$")


@dataclass(frozen=True, slots=True)
class ModelFacts:
    """What is known of a model."""

    window: int = UNKNOWN_WINDOW
    """Context size in tokens."""
    max_output: int = 0
    """Longest answer in tokens; 0 if unknown."""
    input_price: float | None = None
    """US dollars per token sent; None if unknown."""
    output_price: float | None = None
    """US dollars per token answered; None if unknown."""
    cache_read_price: float | None = None
    """US dollars per token sent that the provider had cached; None if unknown."""
    vision: bool = False
    """Whether it takes images."""
    reasoning: bool = False
    """Whether it reasons before it answers."""
    tools: bool = True
    """Whether it calls tools."""
    source: Literal["setting", "catalogue", "table", "default"] = "default"
    """Where the window comes from."""

    def price(self, prompt: int, cached: int, completion: int) -> float | None:
        """Give the price of a request.

        Args:
            prompt: Tokens sent, cached ones included.
            cached: The cached part of them.
            completion: Tokens answered.

        Returns:
            US dollars; None if a price is unknown.
        """
        if self.input_price is None or self.output_price is None:
            return None
        cached_price = self.input_price if self.cache_read_price is None else self.cache_read_price
        return (prompt - cached) * self.input_price + cached * cached_price + completion * self.output_price


class Catalogue:
    """The table of models. It is large: make one with `load` when it is needed, ask it, and let it go."""

    def __init__(self, table: Mapping[str, Any], providers: Providers, problem: Phrase | None = None) -> None:
        """Make a catalogue.

        Args:
            table: The library's table: entries by model name.
            providers: The known providers.
            problem: Why the table is empty, if it should not be.
        """
        self._providers = providers
        self.problem = problem
        """Why the table could not be read; None if it was."""
        chat = {
            key.lower(): entry
            for key, entry in table.items()
            if isinstance(entry, Mapping) and entry.get("mode") in ("chat", "responses", "completion", None)
        }
        chat.pop("sample_spec", None)
        self._entries: Mapping[str, Mapping[str, Any]] = chat
        self._names = {key.lower(): key for key in table}
        own = tomllib.loads(_OWN.read_text("utf-8"))
        self._models: Mapping[str, int] = own["models"]
        self._by_provider: Mapping[str, int] = own["providers"]

    @classmethod
    def load(cls, providers: Providers, file: Path | None = None) -> "Catalogue":
        """Read the library's table; the library itself is not imported.

        Args:
            providers: The known providers.
            file: The table; None finds it in the installed library.

        Returns:
            The catalogue; without a table it still knows what paitui knows by itself, and says why in `problem`.
        """
        file = file or packaged_table()
        if file is None:
            return cls({}, providers, phrase("model.no_catalogue"))
        try:
            table = decode(file.read_bytes())
        except (OSError, ValueError) as error:
            return cls({}, providers, phrase("model.bad_catalogue", file=str(file), why=str(error)))
        if not isinstance(table, Mapping):
            return cls({}, providers, phrase("model.bad_catalogue", file=str(file), why="-"))
        return cls(table, providers)

    def describe(self, model: str, settings: Settings) -> ModelFacts:
        """Tell what is known of a model.

        Args:
            model: As the user writes it; with or without provider, date, ``:free``, in any case.
            settings: All settings; what they say wins. `context.window` holds for every model.

        Returns:
            The facts. The window is, in this order, that of the settings, of the table under the provider's name, of
            paitui's own list, of the table under other providers' names, or 128,000.
        """
        try:
            provider, name = split(model)
        except ValueError:
            provider, name = "", model
        facts = self._known(provider, name)
        own = provider_settings(settings, provider, self._providers)
        window = settings.context.window or own.window
        if window:
            facts = replace(facts, window=window, source="setting")
        return replace(
            facts,
            max_output=min(own.max_output or facts.max_output, facts.window),
            input_price=own.input_price / 1e6 or facts.input_price,
            output_price=own.output_price / 1e6 or facts.output_price,
            cache_read_price=own.cache_read_price / 1e6 or facts.cache_read_price,
        )

    def known(self, provider: str, settings: Settings | None = None) -> list[str]:
        """List a provider's models, for choosing one.

        Args:
            provider: Any of its names.
            settings: All settings; models named there come first.

        Returns:
            Names as the user would write them, ``provider/name``, each once.
        """
        own = provider_settings(settings, provider, self._providers).models if settings else ()
        found = []
        for prefix in self._prefixes(provider):
            for key, entry in self._entries.items():
                if entry.get("mode") not in ("chat", "responses"):
                    continue
                if key.startswith(f"{prefix}/"):
                    found.append(self._names[key].partition("/")[2])
                elif "/" not in key and ":" not in key and entry.get("litellm_provider") == prefix:
                    found.append(self._names[key])
        return [f"{provider}/{name}" for name in dict.fromkeys([*own, *sorted(found)])]

    def _known(self, provider: str, name: str) -> ModelFacts:
        names = list(_variants(name))
        if entry := self._exact(provider, names):
            facts = _facts([entry], own=True)
            if facts.window:
                return replace(facts, source="catalogue")
        facts = _facts(self._elsewhere(names), own=False)
        if window := self._by_provider.get(self._canonical(provider)) or self._own(names):
            return replace(facts, window=window, source="table")
        if facts.window:
            return replace(facts, source="catalogue")
        return replace(facts, window=UNKNOWN_WINDOW, source="default")

    def _canonical(self, provider: str) -> str:
        rule = self._providers.find(provider)
        return rule.name if rule else provider.lower()

    def _prefixes(self, provider: str) -> list[str]:
        """Give the names under which the table has a provider's models."""
        rule = self._providers.find(provider)
        if rule is None:
            return [provider.lower()]
        own_server = rule.litellm == "openai" and rule.name != "openai"
        return [] if own_server else [rule.litellm.removesuffix("_chat")]

    def _exact(self, provider: str, names: list[str]) -> Mapping[str, Any] | None:
        if not provider:
            return next((self._entries[name] for name in names if name in self._entries), None)
        for prefix in self._prefixes(provider):
            for name in names:
                bare = self._entries.get(name)
                if entry := self._entries.get(f"{prefix}/{name}"):
                    return entry
                if bare and bare.get("litellm_provider") == prefix:
                    return bare
        return None

    def _elsewhere(self, names: list[str]) -> list[Mapping[str, Any]]:
        """Give the entries for the same model elsewhere: its maker's, which stands under the bare name, else all."""
        tails = list(dict.fromkeys(name.rpartition("/")[2] for name in names))
        for tail in tails:
            if entry := self._entries.get(tail):
                return [entry]
        for tail in tails:
            if found := [entry for key, entry in self._entries.items() if key.endswith(f"/{tail}")]:
                return found
        return []

    def _own(self, names: list[str]) -> int:
        tails = [name.rpartition("/")[2] for name in names]
        fits = [key for key in self._models if any(_begins(tail, key) for tail in tails)]
        return self._models[max(fits, key=len)] if fits else 0


def packaged_table() -> Path | None:
    """Find the table in the installed library, without importing the library.

    Returns:
        Its path; None if the library is not installed.
    """
    spec = find_spec("litellm")
    folders: Iterable[str] = (spec.submodule_search_locations or ()) if spec else ()
    return next((Path(folder) / _TABLE for folder in folders), None)


def _variants(name: str) -> Iterable[str]:
    """Give the spellings under which a name may stand, the closest first."""
    name = name.lower()
    seen: dict[str, None] = {}
    for one in (name, _SUFFIX.sub("", name)):
        for two in (one, _DATE.sub("", one)):
            for three in (two, two.rpartition("/")[2]):
                seen[three] = None
                seen[re.sub(r"(?<=\d)\.(?=\d)", "-", three)] = None
    return seen


def _begins(name: str, key: str) -> bool:
    """Whether a name is of a family: the family's name, and no letter or digit right after it."""
    return name.startswith(key) and not name[len(key) : len(key) + 1].isalnum()


def _facts(entries: list[Mapping[str, Any]], own: bool) -> ModelFacts:
    """Read entries of one model: the provider's own, or those of others, which differ in window and price.

    Of others the middle window counts, and no price.
    """
    windows = [_tokens(entry, "max_input_tokens") or _tokens(entry, "max_tokens") for entry in entries]
    outputs = [_tokens(entry, "max_output_tokens") for entry in entries]
    one = entries[0] if own else {}
    return ModelFacts(
        window=median_low(list(filter(None, windows)) or [0]),
        max_output=median_low(list(filter(None, outputs)) or [0]),
        input_price=_price(one, "input_cost_per_token"),
        output_price=_price(one, "output_cost_per_token"),
        cache_read_price=_price(one, "cache_read_input_token_cost"),
        vision=any(entry.get("supports_vision") is True for entry in entries),
        reasoning=any(entry.get("supports_reasoning") is True for entry in entries),
        tools=not any(entry.get("supports_function_calling") is False for entry in entries),
    )


def _tokens(entry: Mapping[str, Any], key: str) -> int:
    value = entry.get(key)
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else 0


def _price(entry: Mapping[str, Any], key: str) -> float | None:
    value = entry.get(key)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None

"""Where searches go: what each provider is sent, and where its answer has the results."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from paitui.locale import Phrase, phrase
from paitui.settings import SearchSettings
from paitui.tools.web.address import AddressError, Target, parse_address

MOST_RESULTS = 10
"""Results that are asked for and shown."""
_ZHIPU_CHARS = 70
"""Longest query that Zhipu takes, as its reference says."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result."""

    title: str
    url: str
    snippet: str


@dataclass(frozen=True, slots=True)
class Question:
    """A request to a provider."""

    url: str
    """May hold the key; never shown."""
    headers: Mapping[str, str]
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider, ready to be asked."""

    name: str
    host: str
    """To be named in errors."""
    ask: Callable[[str], Question]
    """From a query to a request."""
    read: Callable[[Any], Iterable[Hit]]
    """From the parsed answer to results; an answer of another shape has none."""
    key_from: str = ""
    """Environment variable of the key, to be named in errors."""


def open_provider(settings: SearchSettings, environment: Mapping[str, str]) -> Provider | Phrase | None:
    """Set up the configured provider.

    Args:
        settings: Which one, and where.
        environment: Holds the key.

    Returns:
        The provider; None if none is configured; a phrase if what is configured cannot work.
    """
    name = settings.provider.strip().lower()
    if not name:
        return None
    if name not in _DEFAULTS:
        return phrase("web.unknown_provider", name=settings.provider, known=", ".join(_DEFAULTS))
    url, variable = _DEFAULTS[name]
    url, variable = settings.base_url or url, settings.api_key_env or variable
    if not url:
        return phrase("web.no_search_url", name=name)
    try:
        target = parse_address(url)
    except AddressError as error:
        return error.phrase
    key = environment.get(variable, "").strip() if variable else ""
    if variable and not key:
        return phrase("web.no_search_key", name=name, variable=variable)
    if not (key.isascii() and key.isprintable()):
        return phrase("web.bad_search_key", name=name, variable=variable)
    match name:
        case "searxng":
            return Provider(
                name, target.place, _searxng(target, key), _results("results", "url", "content"), variable
            )
        case "zhipu":
            return Provider(
                name, target.place, _zhipu(target, key), _results("search_result", "link", "content"), variable
            )
        case _:
            return Provider(
                name, target.place, _serpapi(target, key), _results("organic_results", "link", "snippet"), variable
            )


_DEFAULTS: Mapping[str, tuple[str, str]] = {
    "searxng": ("", ""),
    "zhipu": ("https://open.bigmodel.cn/api/paas/v4/web_search", "ZHIPUAI_API_KEY"),
    "serpapi": ("https://serpapi.com/search.json", "SERPAPI_API_KEY"),
}
"""Usual address and environment variable of the key; SearXNG is the user's own, and mostly has none."""


def _searxng(target: Target, key: str) -> Callable[[str], Question]:
    base = target.url.partition("?")[0].rstrip("/").removesuffix("/search")
    headers = {"Accept": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})}
    return lambda query: Question(f"{base}/search?{urlencode({'q': query, 'format': 'json'})}", headers)


def _zhipu(target: Target, key: str) -> Callable[[str], Question]:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def ask(query: str) -> Question:
        body = {"search_query": query[:_ZHIPU_CHARS], "search_engine": "search_std", "search_intent": False}
        return Question(target.url, headers, json.dumps({**body, "count": MOST_RESULTS}, ensure_ascii=False).encode())

    return ask


def _serpapi(target: Target, key: str) -> Callable[[str], Question]:
    joint = "&" if "?" in target.resource else "?"

    def ask(query: str) -> Question:
        values = {"engine": "google", "q": query, "num": MOST_RESULTS, "api_key": key}
        return Question(f"{target.url}{joint}{urlencode(values)}", {"Accept": "application/json"})

    return ask


def _results(under: str, url: str, snippet: str) -> Callable[[Any], list[Hit]]:
    def read(answer: Any) -> list[Hit]:
        items = answer.get(under) if isinstance(answer, dict) else None
        return [
            Hit(_line(item.get("title")), _line(item.get(url)), _line(item.get(snippet)))
            for item in (items if isinstance(items, list) else [])
            if isinstance(item, dict) and isinstance(item.get(url), str) and item[url]
        ]

    return read


def _line(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""

"""What a project's files would set, put so that the user can judge it: what is dangerous first."""

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paitui.locale import Phrase, phrase
from paitui.trust.project import SERVERS, SETTINGS, ProjectFile, Trust
from paitui.trust.safe_text import safe_text
from paitui.trust.secrets import mask

MOST_ITEMS = 500
"""More are only counted; the dangerous ones come first, so that none can hide behind harmless ones."""
MOST_CHARS = 4_000
"""Of one value; of a longer one it is said how much is missing."""


_RISKS = {"program": 0, "connection": 0, "server_detail": 0, "address": 1, "key_name": 2, "environment": 3}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that would be set."""

    what: Phrase
    """In full, in one line."""
    risky: bool = False
    """It sends something somewhere, runs something, hands out something, or changes what a key does."""


def items(trust: Trust) -> tuple[Item, ...]:
    """Say what the files would set.

    Args:
        trust: The files as they were judged; those that are refused are left out.

    Returns:
        The dangerous items, then the others, each in the order of the files.
    """
    found = [item for file in trust.files for item in _items(file)]
    found.sort(key=_place)
    if left := found[MOST_ITEMS:]:
        found[MOST_ITEMS:] = [Item(phrase("project_trust.more", n=len(left)), left[0].risky)]
    return tuple(found)


def _place(item: Item) -> int:
    """What runs comes first, then where requests go, what is handed out, what else is risky, and the harmless."""
    if not item.risky:
        return len(_RISKS) + 1
    return _RISKS.get(item.what.key.removeprefix("project_trust."), len(_RISKS))


def _items(file: ProjectFile) -> Iterator[Item]:
    if file.data is None:
        return
    try:
        text = file.data.decode("utf-8-sig")
        values = tomllib.loads(text) if file.name == SETTINGS else json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        yield Item(phrase("project_trust.broken", file=file.name))
        return
    yield from _settings(values) if file.name == SETTINGS else _servers(values)


def _settings(values: dict[str, Any]) -> Iterator[Item]:
    for path, value in _leaves((), values):
        shown, name = _shown(value), _cut(".".join(path))
        match path:
            case ("providers", _, "base_url") | ("search", "base_url"):
                yield Item(phrase("project_trust.address", value=shown, name=name), True)
            case ("providers", _, "api_key_env") | ("search", "api_key_env"):
                yield Item(phrase("project_trust.key_name", value=shown, name=name), True)
            case ("providers", _, "api_key"):
                yield Item(phrase("project_trust.key_ignored", name=name))
            case ("web", "allow_hosts"):
                yield Item(phrase("project_trust.hosts", value=shown, name=name), True)
            case ("command", "env_allow"):
                yield Item(phrase("project_trust.environment", value=shown, name=name), True)
            case ("model" | "small_model",):
                yield Item(phrase("project_trust.model", value=shown, name=name), True)
            case ("keys", *_):
                yield Item(phrase("project_trust.keys", value=shown, name=name), True)
            case _:
                yield Item(phrase("project_trust.other", value=shown, name=name), not _is_harmless(path))


def _is_harmless(path: tuple[str, ...]) -> bool:
    """Whether a setting only shapes how paitui works; one that is not known here counts as dangerous."""
    match path:
        case ("context" | "agent" | "plan" | "memory" | "mcp" | "ui", _) | ("offline_pace_ms",):
            return True
        case ("command", "timeout_s" | "output_mb"):
            return True
        case ("providers", _, "window" | "max_output" | "input_price" | "output_price" | "cache_read_price"):
            return True
    return False


def _servers(values: Any) -> Iterator[Item]:
    servers = values.get("mcpServers") if isinstance(values, dict) else None
    if not isinstance(servers, dict):
        yield Item(phrase("project_trust.broken", file=SERVERS))
        return
    for key, entry in servers.items():
        name = _cut(key)
        if not isinstance(entry, dict):
            yield Item(phrase("project_trust.other", value=_shown(entry), name=name))
            continue
        left = dict(entry)
        if "command" in left:
            command, arguments = left.pop("command"), left.pop("args", [])
            words = [command, *(arguments if isinstance(arguments, list) else [arguments])]
            line = " ".join(_word(word) for word in words)
            yield Item(phrase("project_trust.program", value=_cut(mask(line)), name=name), True)
        if "url" in left:
            yield Item(phrase("project_trust.connection", value=_shown(left.pop("url")), name=name), True)
        for path, value in _leaves((), left):
            detail = phrase(
                "project_trust.server_detail", server=name, name=_cut(".".join(path)), value=_shown(value)
            )
            yield Item(detail, path[0] in ("env", "headers", "cwd"))


def _leaves(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Take tables apart, without recursion: a file may nest them as deep as it likes."""
    waiting: list[tuple[tuple[str, ...], Any]] = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict) and (value or not path):
            waiting += [((*path, str(key)), inner) for key, inner in reversed(value.items())]
        else:
            yield path, value


def _word(word: object) -> str:
    """One word of a command line, quoted where it would read as several."""
    text = word if isinstance(word, str) else _json(word)
    return _json(text) if not text or any(sign.isspace() or sign in "\"'" for sign in text) else text


def _shown(value: object) -> str:
    return _cut(mask(value if isinstance(value, str) else _json(value)))


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        return "…"


def _cut(text: str) -> str:
    """Make it safe for every terminal and file that it may be told in, and short enough to be read."""
    shown = safe_text(text[:MOST_CHARS], keep_newlines=False)
    return shown if len(text) <= MOST_CHARS else f"{shown} … (+{len(text) - MOST_CHARS:,})"

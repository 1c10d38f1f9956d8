"""The program's words in English and Chinese. Code names a phrase; a face renders it."""

import locale as system_locale
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class Phrase:
    """Something to say to the user, language left open.

    Raised, returned and carried in events; only a face (screen, headless printer) turns it into text.
    """

    key: str
    """Key in the language files, ``room.name``."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """Values for the placeholders of the text."""


def phrase(key: str, /, **params: Any) -> Phrase:
    """Shorthand for a `Phrase`."""
    return Phrase(key, params)


class Words:
    """The phrases of one language.

    Texts are `str.format` templates; integers are grouped by ``{n:,}`` in the template. A key that a language
    lacks falls back on English; a key that no language has is shown as it is (a test proves there is none). Each
    room's file is read when its first phrase is said, so that a start pays only for what it shows.
    """

    def __init__(self, language: Language) -> None:
        self.language: Language = language
        self._rooms: dict[str, dict[str, str]] = {}

    def __call__(self, key: str, /, **params: Any) -> str:
        """Render a key with its parameters."""
        text = self._text(key)
        if text is None:
            return key
        return text.format(**{name: self._value(value) for name, value in params.items()}) if params else text

    def say(self, what: Phrase) -> str:
        """Render a phrase; a parameter may itself be a phrase."""
        return self(what.key, **what.params)

    def has(self, key: str) -> bool:
        """Whether the key exists."""
        return self._text(key) is not None

    def _text(self, key: str) -> str | None:
        room, _, name = key.partition(".")
        if room not in self._rooms:
            own = {} if self.language == "en" else _load(self.language, room)
            self._rooms[room] = {**_load("en", room), **own}
        return self._rooms[room].get(name)

    def _value(self, value: Any) -> Any:
        return self.say(value) if isinstance(value, Phrase) else value


def _load(language: Language, room: str) -> dict[str, str]:
    file = Path(__file__).parent / language / f"{room}.toml"
    if not room.isidentifier() or not file.is_file():
        return {}
    texts: dict[str, str] = tomllib.loads(file.read_text("utf-8"))[room]
    return texts


def detect(setting: str = "auto", environment: Mapping[str, str] | None = None) -> Language:
    """Choose the interface language.

    Args:
        setting: ``en``, ``zh`` or ``auto``.
        environment: The process environment; ``LC_ALL``, ``LC_MESSAGES`` and ``LANG`` count, in this order.

    Returns:
        ``zh`` if the setting or the locale says Chinese, else ``en``.
    """
    if setting in ("en", "zh"):
        return "zh" if setting == "zh" else "en"
    environment = os.environ if environment is None else environment
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environment.get(name):
            return "zh" if value.lower().startswith("zh") else "en"
    code = system_locale.getlocale()[0] or ""
    return "zh" if code.lower().startswith(("zh", "chinese")) else "en"

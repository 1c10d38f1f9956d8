"""Names of keys: as people write them, as Textual calls them, and which of them terminals cannot tell apart."""

from textual.keys import REPLACED_KEYS, Keys, _character_to_key, key_to_character

_WRITTEN = {
    "escape": "Esc",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "delete": "Del",
    "ctrl+@": "Ctrl+Space",
}
"""Keys that are written otherwise than by a capital letter."""

_ALIASES = {
    "esc": "escape",
    "return": "enter",
    "del": "delete",
    "ins": "insert",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
}
_MODIFIERS = ("alt", "ctrl", "shift")
_BASES = frozenset(key.value for key in Keys if key.value.isalnum()) - {"ignore"}
"""Textual's names of the keys that type nothing: ``f1``, ``pageup`` and so on."""

SAME_EVERYWHERE = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+h": "backspace", "ctrl+left_square_bracket": "escape"}
"""Keys that have always been the same byte as another one."""

EDITING = frozenset(
    {"up", "down", "left", "right", "home", "end", "backspace", "delete", "tab", "shift+tab", "enter", "space"}
)
"""Keys that whoever writes needs; an action of the whole screen would take them away."""


def parse(written: str) -> str | None:
    """Read a key as a user writes it.

    Args:
        written: Such as ``Ctrl+X``, ``alt+enter``, ``F9``, ``pgup`` or ``?``; modifiers in any order.

    Returns:
        Textual's name of it; None if there is no such key.
    """
    *modifiers, last = written.strip().replace("++", "+plus").split("+")
    held = sorted({modifier.strip().lower() for modifier in modifiers})
    base = last.strip()
    if not base or any(modifier not in _MODIFIERS for modifier in held):
        return None
    if len(base) == 1:
        if held == ["shift"] and base.isalpha():
            return base.upper()
        base = base.lower() if held else base
        name = base if base.isalnum() else _character_to_key(base)
    else:
        name = _ALIASES.get(base.lower(), base.lower())
        if name not in _BASES and not _character(name):
            return None
    key = "+".join([*held, name])
    return "ctrl+@" if key in ("ctrl+space", "ctrl+at") else key


def label(key: str) -> str:
    """How a key is written: ``Ctrl+S``, ``F1``, ``PgUp``, ``y``, ``/``."""
    if key in _WRITTEN:
        return _WRITTEN[key]
    *modifiers, last = key.split("+")
    sign = _character(last)
    if last in _WRITTEN:
        named = _WRITTEN[last]
    elif sign and not sign.isspace():
        named = sign.upper() if modifiers else sign
    else:
        named = last.capitalize()
    return "+".join([*(modifier.capitalize() for modifier in modifiers), named])


def types(key: str) -> bool:
    """Whether a key writes a character."""
    return "+" not in key and bool(_character(key))


def _character(name: str) -> str:
    """The character that a key without modifiers writes; empty if it writes none."""
    character = key_to_character(REPLACED_KEYS.get(name, name))
    return character if character and character.isprintable() else ""


def twin(key: str, extended: bool) -> str:
    """The other key that a terminal sends the same for.

    Args:
        key: Textual's name of a key.
        extended: Whether the terminal reports keys in one of the newer ways, which tell almost all apart.

    Returns:
        Textual's name of the other one; empty if there is none.
    """
    if key in SAME_EVERYWHERE:
        return SAME_EVERYWHERE[key]
    if extended or "+" not in key:
        return ""
    *modifiers, base = key.split("+")
    if base in ("enter", "tab", "backspace", "escape", "space"):
        apart = ("shift+tab", "alt+enter")
        return "" if key in apart else base
    if len(base) == 1 and base.isdigit() and modifiers != ["alt"]:
        return base
    if len(base) == 1 and "shift" in modifiers and "ctrl" in modifiers:
        return "+".join([*(modifier for modifier in modifiers if modifier != "shift"), base])
    return ""

"""Palettes: TOML files that name the colours, paitui's own and the user's."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path

from paitui.locale import Phrase, phrase
from paitui.reading import open_file

MAX_FILE_BYTES = 100_000
"""A larger file is no palette."""
DEFAULT = "default"
"""In palettes of the terminal's own colours: its text, or its ground."""
_HUES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
TERMINAL = frozenset((DEFAULT, *_HUES, *(f"bright_{hue}" for hue in _HUES)))
"""The names of the terminal's own colours."""
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Palette:
    """Named colours, each ``#rrggbb``; if `ansi`, each one of the terminal's own."""

    name: str
    dark: bool
    ansi: bool
    """Only the terminal's sixteen colours, on its own ground."""
    background: str
    surface: str
    """Background of header, footer and what is raised."""
    panel: str
    """Background of code, of the current row of a list and of the empty part of bars."""
    text: str
    strong: str
    dim: str
    border: str
    focus: str
    """Border of what holds the keyboard."""
    user: str
    offload: str
    clear: str
    summary: str
    danger: str
    warning: str
    good: str
    accent: str
    code: str
    added: str
    removed: str
    selection: str = ""
    """Background of selected text; empty takes `panel`."""
    code_keyword: str = ""
    """The colours of the parts of code; empty takes `code`, for comments `dim`."""
    code_name: str = ""
    code_string: str = ""
    code_number: str = ""
    code_comment: str = ""


class PaletteError(Exception):
    """A palette cannot be used.

    Attributes:
        phrase: What is wrong and where.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


COLORS: tuple[str, ...] = tuple(field.name for field in fields(Palette) if field.name not in ("name", "dark", "ansi"))
"""What a palette's `[colors]` may name."""
REQUIRED = frozenset(field.name for field in fields(Palette) if field.default is MISSING) & frozenset(COLORS)
"""What it must name."""


def builtin_folder() -> Path:
    """Where the palettes that come with paitui are: packed in the wheel, else beside the package."""
    package = Path(__file__).resolve().parents[1]
    packed = package / "_themes"
    return packed if packed.is_dir() else package.parent / "themes"


def names(user_folder: Path) -> list[str]:
    """The palettes there are, paitui's own first.

    Args:
        user_folder: The user's palettes; may be missing.
    """
    found: dict[str, None] = {}
    for folder in (builtin_folder(), user_folder):
        try:
            files = sorted(file.stem for file in folder.iterdir() if file.suffix == ".toml")
        except OSError:
            continue  # no such folder, or none that may be read: no palettes
        found |= dict.fromkeys(files)
    return list(found)


def load(name: str, user_folder: Path) -> Palette:
    """Find a palette by name; the user's own wins.

    Args:
        name: File name without ``.toml``.
        user_folder: The user's palettes; may be missing.

    Raises:
        PaletteError: There is none of that name, or it cannot be used.
    """
    for folder in (user_folder, builtin_folder()):
        file = folder / f"{name}.toml"
        if name and Path(name).name == name and file.is_file():
            return read(file)
    known = ", ".join(names(user_folder))
    raise PaletteError(phrase("themes.missing", name=name, folder=str(user_folder), known=known))


def read(file: Path) -> Palette:
    """Read one palette file.

    Raises:
        PaletteError: It cannot be read, or a colour is missing or is none.
    """
    try:
        with open_file(file) as opened:
            data = opened.read(MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise PaletteError(phrase("themes.too_large", file=str(file), limit=MAX_FILE_BYTES))
        values = tomllib.loads(data.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:  # no TOML, no UTF-8, or nested beyond reason
        raise PaletteError(phrase("themes.broken", file=str(file), why=str(error))) from error
    ansi = values.get("ansi") is True
    given = values.get("colors")
    colors: Mapping[str, object] = given if isinstance(given, dict) else {}
    chosen: dict[str, str] = {}
    for color in COLORS:
        value = str(colors.get(color, ""))
        if (value in TERMINAL) if ansi else _HEX.fullmatch(value):
            chosen[color] = value
        elif color in colors or color in REQUIRED:
            wanted = phrase("themes.wanted_ansi") if ansi else phrase("themes.wanted_hex")
            raise PaletteError(phrase("themes.color", file=str(file), color=color, wanted=wanted))
    chosen.setdefault("selection", chosen["panel"])
    for part in ("keyword", "name", "string", "number", "comment"):
        chosen.setdefault(f"code_{part}", chosen["dim" if part == "comment" else "code"])
    return Palette(name=file.stem, dark=values.get("dark") is not False, ansi=ansi, **chosen)

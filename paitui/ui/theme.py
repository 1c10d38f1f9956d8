"""Palettes: TOML files that name the colours, once for the widgets' style sheets and once for drawn lines."""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from rich.style import Style
from textual.theme import Theme

from paitui.locale import Phrase, phrase
from paitui.ui.lines import Ink

_HEX = re.compile(r"#[0-9a-fA-F]{6}")


@dataclass(frozen=True, slots=True)
class Palette:
    """Named colours, each ``#rrggbb``."""

    name: str
    dark: bool
    background: str
    surface: str
    """Background of what is raised: modals."""
    panel: str
    """Background of code and of the empty part of bars."""
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


class PaletteError(Exception):
    """A palette cannot be used.

    Attributes:
        phrase: What is wrong and where.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


COLORS: tuple[str, ...] = tuple(field.name for field in fields(Palette) if field.name not in ("name", "dark"))
"""What a palette's `[colors]` must name."""


def builtin_folder() -> Path:
    """Where the palettes that come with paitui are: packed in the wheel, else beside the package."""
    package = Path(__file__).resolve().parents[1]
    packed = package / "_themes"
    return packed if packed.is_dir() else package.parent / "themes"


def load(name: str, user_folder: Path) -> Palette:
    """Find a palette by name; the user's own wins.

    Args:
        name: File name without ``.toml``.
        user_folder: The user's palettes; may be missing.

    Raises:
        PaletteError: There is none of that name, or it lacks a colour.
    """
    for folder in (user_folder, builtin_folder()):
        file = folder / f"{name}.toml"
        if name and Path(name).name == name and file.is_file():
            return read(file)
    raise PaletteError(phrase("ui.theme_missing", name=name, folder=str(user_folder)))


def read(file: Path) -> Palette:
    """Read one palette file.

    Raises:
        PaletteError: It cannot be read, or a colour is missing or not ``#rrggbb``.
    """
    try:
        values = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PaletteError(phrase("ui.theme_broken", file=str(file), why=str(error))) from error
    given = values.get("colors")
    colors: Mapping[str, object] = given if isinstance(given, dict) else {}
    for color in COLORS:
        if not _HEX.fullmatch(str(colors.get(color, ""))):
            raise PaletteError(phrase("ui.theme_color", file=str(file), color=color))
    chosen = {color: str(colors[color]) for color in COLORS}
    return Palette(name=file.stem, dark=values.get("dark") is not False, **chosen)


def textual_theme(palette: Palette, color: bool = True) -> Theme:
    """The palette as the style sheets see it.

    Args:
        palette: The colours.
        color: False where the user wants none: everything is then in the terminal's own two colours.
    """
    chosen = {name: getattr(palette, name) if color else "ansi_default" for name in COLORS}
    ground, text = chosen["background"], chosen["text"]
    return Theme(
        name=f"paitui-{palette.name}",
        dark=palette.dark,
        ansi=not color,
        primary=chosen["accent"],
        secondary=chosen["summary"],
        accent=chosen["accent"],
        warning=chosen["warning"],
        error=chosen["danger"],
        success=chosen["good"],
        foreground=text,
        background=ground,
        surface=chosen["surface"],
        panel=chosen["panel"],
        boost=None if color else ground,
        variables={
            "ansi-background": ground,  # Textual's own sheets ask for these two
            "ansi-foreground": text,
            "dim": chosen["dim"],
            "line": chosen["border"],
            "line-focus": chosen["focus"],
            "asking": chosen["warning"],
            "input-cursor-background": text,
            "input-cursor-foreground": ground,
            "input-cursor-text-style": "none" if color else "reverse",
            "input-selection-background": chosen["panel"],
            "input-selection-foreground": text,
            "scrollbar": chosen["border"],
            "scrollbar-hover": chosen["focus"],
            "scrollbar-active": chosen["focus"],
            "scrollbar-background": ground,
            "scrollbar-background-hover": ground,
            "scrollbar-background-active": ground,
            "scrollbar-corner-color": ground,
        },
    )


def mix(front: str, back: str, share: float = 0.6) -> str:
    """Blend two colours; what is drawn many times is drawn quieter."""
    pairs = zip(bytes.fromhex(front[1:]), bytes.fromhex(back[1:]), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


def inks(palette: Palette, color: bool = True) -> dict[Ink, Style]:
    """The palette as drawn lines see it.

    Args:
        palette: The colours.
        color: False where the user wants none (``NO_COLOR``): weight alone carries the difference then.
    """
    colors: dict[Ink, tuple[str, str | None, str]] = {
        "text": (palette.text, None, ""),
        "strong": (palette.strong, None, "bold"),
        "dim": (palette.dim, None, ""),
        "faint": (palette.border, None, ""),
        "heading": (palette.strong, None, "bold"),
        "code": (palette.code, palette.panel, ""),
        "emphasis": (palette.text, None, "italic"),
        "user": (palette.user, None, ""),
        "offload": (palette.offload, None, ""),
        "clear": (palette.clear, None, ""),
        "summary": (palette.summary, None, ""),
        "danger": (palette.danger, None, ""),
        "warning": (palette.warning, None, ""),
        "good": (palette.good, None, ""),
        "accent": (palette.accent, None, ""),
        "key": (palette.strong, None, "bold"),
        "border": (palette.border, None, ""),
        "added": (palette.added, None, ""),
        "removed": (palette.removed, None, ""),
        "bar": (palette.accent, palette.panel, ""),
        "bar_clear": (palette.clear, palette.panel, ""),
        "bar_summary": (palette.summary, palette.panel, ""),
        "on_clear": (palette.background, palette.clear, "bold"),
        "on_summary": (palette.background, palette.summary, "bold"),
        "track": (palette.dim, palette.panel, ""),
        "title": (palette.dim, None, ""),
        "meter": (mix(palette.accent, palette.background), None, ""),
        "meter_clear": (mix(palette.clear, palette.background), None, ""),
        "meter_offload": (mix(palette.offload, palette.background), None, ""),
        "meter_summary": (mix(palette.summary, palette.background), None, ""),
        "meter_room": (palette.border, None, ""),
    }
    styles: dict[Ink, Style] = {}
    for ink, (front, back, extra) in colors.items():
        bold, italic = "bold" in extra or None, "italic" in extra or None
        styles[ink] = (
            Style(color=front, bgcolor=back, bold=bold, italic=italic) if color else Style(bold=bold, italic=italic)
        )
    return styles

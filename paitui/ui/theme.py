"""A palette as the style sheets see it, and as drawn lines see it."""

from rich.style import Style
from textual.theme import Theme

from paitui.ui.lines import Ink
from paitui.ui.palette import COLORS, Palette


def textual_theme(palette: Palette, color: bool = True) -> Theme:
    """The palette as the style sheets see it.

    Args:
        palette: The colours.
        color: False where the user wants none: everything is then in the terminal's own two colours.
    """
    own = palette.ansi or not color
    chosen = {
        name: _sheet_color(getattr(palette, name), palette.ansi) if color else "ansi_default" for name in COLORS
    }
    ground, text = chosen["background"], chosen["text"]
    return Theme(
        name=f"paitui-{palette.name}",
        dark=palette.dark,
        ansi=own,
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
        boost=ground,
        variables={
            "ansi-background": ground,  # Textual's own sheets ask for these two
            "ansi-foreground": text,
            "surface": chosen["surface"],  # in the terminal's own colours Textual has no grounds of that name
            "panel": chosen["panel"],
            "dim": chosen["dim"],
            "dim-style": "dim" if own else "none",
            "line": chosen["border"],
            "line-focus": chosen["focus"],
            "asking": chosen["warning"],
            "input-cursor-background": text,
            "input-cursor-foreground": ground,
            "input-cursor-text-style": "reverse" if own else "none",
            "input-selection-background": ground if own else chosen["selection"],
            "input-selection-foreground": text if own else chosen["strong"],
            "selection-style": "reverse" if own else "none",
            "scrollbar": chosen["border"],
            "scrollbar-hover": chosen["focus"],
            "scrollbar-active": chosen["focus"],
            "scrollbar-background": ground,
            "scrollbar-background-hover": ground,
            "scrollbar-background-active": ground,
            "scrollbar-corner-color": ground,
        },
    )


def _sheet_color(color: str, ansi: bool) -> str:
    return f"ansi_{color}" if ansi else color


def mix(front: str, back: str, share: float = 0.75) -> str:
    """Blend two colours; what is drawn many times is drawn quieter."""
    pairs = zip(bytes.fromhex(front[1:]), bytes.fromhex(back[1:]), strict=True)
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in pairs)


def inks(palette: Palette, color: bool = True) -> dict[Ink, Style]:
    """The palette as drawn lines see it.

    Args:
        palette: The colours.
        color: False where the user wants none (``NO_COLOR``): weight alone carries the difference then.
    """

    def quiet(front: str) -> tuple[str, str | None, str]:
        return (front, None, "dim") if palette.ansi else (mix(front, palette.background), None, "")

    # In the terminal's own colours nobody knows what can be read on what: words are in its text colour, quieter by
    # dimming, and what needs a ground of its own has colour and ground exchanged.
    ground = None if palette.ansi else palette.panel
    dimmed = "dim" if palette.ansi else ""
    colors: dict[Ink, tuple[str, str | None, str]] = {
        "text": (palette.text, None, ""),
        "strong": (palette.strong, None, "bold"),
        "dim": (palette.dim, None, dimmed),
        "faint": (palette.border, None, ""),
        "heading": (palette.strong, None, "bold"),
        "code": (palette.code, ground, ""),
        "code_keyword": (palette.code_keyword, ground, ""),
        "code_name": (palette.code_name, ground, ""),
        "code_string": (palette.code_string, ground, ""),
        "code_number": (palette.code_number, ground, ""),
        "code_comment": (palette.code_comment, ground, dimmed),
        "code_added": (palette.added, ground, ""),
        "code_removed": (palette.removed, ground, ""),
        "emphasis": (palette.text, None, "italic"),
        "struck": (palette.dim, None, f"strike {dimmed}"),
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
        "bar": (palette.accent, ground, ""),
        "bar_clear": (palette.clear, ground, ""),
        "bar_summary": (palette.summary, ground, ""),
        "on_clear": _turned(palette, palette.clear),
        "on_summary": _turned(palette, palette.summary),
        "track": (palette.dim, ground, dimmed),
        "title": (palette.dim, None, dimmed),
        "meter": quiet(palette.accent),
        "meter_clear": quiet(palette.clear),
        "meter_offload": quiet(palette.offload),
        "meter_summary": quiet(palette.summary),
        "meter_room": (palette.border, None, ""),
        "selected": (palette.strong, None, "reverse") if palette.ansi else (palette.strong, palette.selection, ""),
        "match": (palette.warning, None, "bold"),
        "found": _turned(palette, palette.warning),
        "was": _turned(palette, palette.removed),
        "becomes": _turned(palette, palette.added),
    }
    styles: dict[Ink, Style] = {}
    for ink, (front, back, extra) in colors.items():
        plain = Style(
            bold="bold" in extra or None, italic="italic" in extra or None, strike="strike" in extra or None
        )
        tinted = Style(color=front, bgcolor=back, dim="dim" in extra or None, reverse="reverse" in extra or None)
        styles[ink] = plain + tinted if color else plain
    if not color:
        styles["selected"] = styles["found"] = Style(reverse=True)
    return styles


def _turned(palette: Palette, color: str) -> tuple[str, str | None, str]:
    """A sign on a ground of its own colour."""
    return (color, None, "bold reverse") if palette.ansi else (palette.background, color, "bold")

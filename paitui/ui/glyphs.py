"""The signs of the screen, in one place, with a plain set for terminals that lack them."""

from collections.abc import Mapping
from dataclasses import dataclass

from paitui.context.report import Part
from paitui.engine.events import BoundaryKind


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One set of signs; each is one cell wide but the arrow, which stands in running text."""

    offload: str
    clear: str
    summary: str
    bar: str
    """Left edge of what the user said."""
    cursor: str
    """Left of the block that keys act on."""
    pin: str
    """Of a message that is never cleared."""
    closed: str
    """Before something folded."""
    opened: str
    """Before something unfolded."""
    good: str
    bad: str
    ellipsis: str
    arrow: str
    """Between before and after."""
    down: str
    bullet: str
    rule: str
    tee_left: str
    tee_right: str
    cross: str
    """Where rules cross."""
    goes_on: str
    """Before the rest of a line of code that was broken."""
    guide: str
    """Left of lines that belong to a card."""
    hatch: str
    """Left edge of what comes from outside."""
    full: str
    """A full cell of a bar."""
    eighths: tuple[str, ...]
    """Parts of a cell, from one eighth up; empty if the bar has no finer step than a cell."""
    levels: tuple[str, ...]
    """Columns of a chart by their height, the lowest first, the last one full."""
    track: str
    """An empty cell of a bar where there is no colour to show it."""
    spinner: tuple[str, ...]
    prompt: str
    plain: bool = False
    """Whether borders must be ASCII too."""

    def tier(self, kind: BoundaryKind) -> str:
        """The sign of one of the three tiers."""
        return {"offload": self.offload, "clear": self.clear, "summary": self.summary}[kind]

    def part(self, part: Part) -> str:
        """The sign of a part of the context that belongs to a tier, else nothing."""
        signs = {"results_offloaded": self.offload, "results_cleared": self.clear, "summary": self.summary}
        return signs.get(part, "")


UNICODE = Glyphs(
    offload="▪",
    clear="◌",
    summary="⋯",
    bar="▌",
    cursor="▐",
    pin="✦",
    closed="▸",
    opened="▾",
    good="✓",
    bad="✗",
    ellipsis="…",
    arrow="→",
    down="↓",
    bullet="◦",
    rule="─",
    tee_left="├",
    tee_right="┤",
    cross="┼",
    goes_on="↳",
    guide="│",
    hatch="░",
    full="█",
    eighths=("▏", "▎", "▍", "▌", "▋", "▊", "▉"),
    levels=("▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"),
    track="·",
    spinner=("⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"),
    prompt=">",
)

ASCII = Glyphs(
    offload="#",
    clear="o",
    summary="~",
    bar="|",
    cursor="]",
    pin="^",
    closed=">",
    opened="v",
    good="+",
    bad="x",
    ellipsis="~",
    arrow="->",
    down="v",
    bullet="*",
    rule="-",
    tee_left="+",
    tee_right="+",
    cross="+",
    goes_on="\\",
    guide="|",
    hatch="%",
    full="=",
    eighths=(),
    levels=("_", ".", ":", "|"),
    track=".",
    spinner=("|", "/", "-", "\\"),
    prompt=">",
    plain=True,
)


def choose(environment: Mapping[str, str], wish: str = "auto", wide: bool = False) -> Glyphs:
    """Choose a set by what the user, the terminal and the locale say.

    Args:
        environment: The process environment. A container or a bare ssh login often sets no locale at all,
            before a terminal that has long been UTF-8; only a locale that names another encoding counts.
        wish: ``unicode`` or ``ascii`` if the user wants one of them; it wins.
        wide: Whether the terminal was seen to draw signs two cells wide.

    Returns:
        The plain set if the signs are too wide, the locale is set and is not UTF-8, or the terminal is the bare
        console.
    """
    if wish in ("unicode", "ascii"):
        return UNICODE if wish == "unicode" else ASCII
    if wide or environment.get("TERM") in ("linux", "dumb"):
        return ASCII
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        if value := environment.get(name):
            return UNICODE if "utf" in value.lower() else ASCII
    return UNICODE

"""Turns Textual's SVG screenshots into PNG, and makes one picture of every state of the screen.

Textual's SVG relies on text lengths that the usual converters ignore, so Chinese looks misaligned where it is
right. Here every character gets a text element of its own, placed at its cell.

    python tests/pictures.py <folder>            # every state, as PNG
    python tests/pictures.py assets              # those that the README shows
    python tests/pictures.py <folder> <name>...  # some of them
"""

import html
import re
import subprocess
import sys
from pathlib import Path

from rich.cells import cell_len

ROOT = Path(__file__).resolve().parents[1]
CELL = 12.2
"""Width of a cell in Textual's SVG, in pixels."""

_TEXT = re.compile(r'<text class="(?P<cls>[^"]*)" x="(?P<x>[\d.]+)" y="(?P<y>[\d.]+)"[^>]*>(?P<text>[^<]*)</text>')
_MATRIX = re.compile(r'<g clip-path="url\(#[^)]*clip-terminal\)">')
_FONT = (
    'font-family: "DejaVu Sans Mono", "Noto Sans Mono CJK SC", "Noto Sans Symbols2", "Noto Color Emoji", monospace'
)


def by_cell(svg: str) -> str:
    """Give every character a text element of its own.

    Args:
        svg: What Textual wrote.

    Returns:
        An SVG that every converter draws alike.
    """
    from paitui.ui.wrap import clusters

    def split(match: re.Match[str]) -> str:
        text = html.unescape(match["text"])
        x = float(match["x"])
        found: list[str] = []
        for start, end, cells in clusters(text):
            piece = text[start:end]
            if piece.strip() and piece != "\xa0":
                found.append(f'<text class="{match["cls"]}" x="{x:.1f}" y="{match["y"]}">{html.escape(piece)}</text>')
            x += cells * CELL
        return "".join(found)

    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    svg = re.sub(r"font-family: Fira Code, monospace", _FONT, svg)
    return _TEXT.sub(split, svg)


def to_png(svg: str, file: Path) -> None:
    """Write a PNG.

    Raises:
        subprocess.CalledProcessError: rsvg-convert failed.
        FileNotFoundError: It is not installed (Debian: librsvg2-bin, fonts-noto-cjk).
    """
    subprocess.run(["rsvg-convert", "-o", str(file)], input=by_cell(svg).encode(), check=True)


def plain(svg: str) -> str:
    """What an SVG shows, as rows of text; for a look without a picture."""
    rows: dict[float, list[tuple[float, str]]] = {}
    for match in _TEXT.finditer(svg):
        rows.setdefault(float(match["y"]), []).append((float(match["x"]), html.unescape(match["text"])))
    lines = []
    for _, pieces in sorted(rows.items()):
        line = ""
        for x, text in sorted(pieces):
            line += " " * (round(x / CELL) - cell_len(line)) + text.replace("\xa0", " ")
        lines.append(line.rstrip())
    return "\n".join(lines)


def shown(readme: str) -> tuple[str, ...]:
    """Names of the pictures that a README shows, each once."""
    return tuple(dict.fromkeys(re.findall(r"\(assets/([\w-]+)\.png\)", readme)))


def main(folder: str, *names: str) -> None:
    """Make the pictures."""
    sys.path[:0] = [str(ROOT)]
    from tests.ui.scenes import SCENES, shoot

    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for_readme = target.resolve() == ROOT / "assets"
    if for_readme and not names:
        names = shown((ROOT / "README.md").read_text("utf-8"))
    for name in names or SCENES:
        svg = shoot(SCENES[name])
        if not for_readme:
            (target / f"{name}.txt").write_text(plain(svg), "utf-8")
        try:
            to_png(svg, target / f"{name}.png")
        except FileNotFoundError:
            print("rsvg-convert is missing; text only")


if __name__ == "__main__":
    main(*sys.argv[1:])

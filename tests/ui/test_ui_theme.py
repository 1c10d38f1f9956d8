"""Palettes are complete, readable, and can be the user's own."""

from pathlib import Path

import pytest

from paitui.ui.lines import Ink
from paitui.ui.theme import COLORS, PaletteError, builtin_folder, inks, load, read

FILES = sorted(builtin_folder().glob("*.toml"))


def luminance(color: str) -> float:
    parts = [byte / 255 for byte in bytes.fromhex(color[1:])]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_text_colour_can_be_read_on_every_ground(file: Path):
    palette = read(file)
    for name in COLORS:
        if name in ("background", "surface", "panel", "border", "focus"):
            continue
        for ground in (palette.background, palette.surface):
            assert contrast(getattr(palette, name), ground) >= 4.5, (name, ground)
    assert contrast(palette.code, palette.panel) >= 4.5
    assert contrast(palette.text, palette.panel) >= 4.5


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_tiers_have_colours_of_their_own(file: Path):
    palette = read(file)
    colours = [palette.offload, palette.clear, palette.summary, palette.user, palette.danger, palette.warning]
    assert len(set(colours)) == len(colours)


def test_there_are_a_dark_and_a_light_one():
    assert {read(file).dark for file in FILES} == {True, False}


def test_every_ink_has_a_style():
    assert set(inks(read(FILES[0]))) == set(Ink.__args__)
    assert all(style.color is None and style.bgcolor is None for style in inks(read(FILES[0]), False).values())


def test_the_users_own_palette_wins_and_a_broken_one_is_named(tmp_path: Path):
    own = (builtin_folder() / "dark.toml").read_text("utf-8").replace("#15171c", "#000000")
    (tmp_path / "dark.toml").write_text(own, "utf-8")
    assert load("dark", tmp_path).background == "#000000"
    (tmp_path / "mine.toml").write_text(own.replace('text = "#', 'text = "'), "utf-8")
    with pytest.raises(PaletteError) as wrong:
        load("mine", tmp_path)
    assert wrong.value.phrase.params["color"] == "text"
    (tmp_path / "bad.toml").write_text("[[[", "utf-8")
    with pytest.raises(PaletteError) as broken:
        load("bad", tmp_path)
    assert broken.value.phrase.key == "ui.theme_broken"
    for name in ("none", "../dark", ""):
        with pytest.raises(PaletteError):
            load(name, tmp_path / "x")

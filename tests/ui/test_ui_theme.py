"""Palettes are complete, readable, and can be the user's own."""

from dataclasses import replace
from pathlib import Path

import pytest
from rich.color import Color
from rich.style import Style

from paitui.locale import Words
from paitui.ui.lines import Ink
from paitui.ui.palette import COLORS, REQUIRED, PaletteError, builtin_folder, load, names, read
from paitui.ui.theme import inks, textual_theme
from tests.ui.scenes import SCENES, arrange, build

FILES = sorted(builtin_folder().glob("*.toml"))
COLORED = [file for file in FILES if file.stem != "ansi"]
LEAST = {"dark": 4.5, "light": 4.5, "high-contrast": 7.0}
"""The contrast that words have."""
GROUNDS = ("background", "surface", "panel", "selection")
DRAWN = ("border", "faint", "meter_room")
"""Inks of lines: nothing is written in them."""
BARS = ("meter", "meter_clear", "meter_offload", "meter_summary", "bar", "bar_clear", "bar_summary")
"""Inks of bars; the number stands beside each."""


def luminance(color: str) -> float:
    parts = [byte / 255 for byte in bytes.fromhex(color[1:])]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def color_of(color: Color | None) -> str:
    assert color is not None and color.triplet is not None, color
    return color.triplet.hex


def test_there_are_four() -> None:
    assert {file.stem for file in FILES} == {"dark", "light", "high-contrast", "ansi"}
    assert {read(file).dark for file in FILES} == {True, False}


@pytest.mark.parametrize("file", COLORED, ids=lambda file: file.stem)
def test_every_ink_can_be_read_on_every_ground_it_can_stand_on(file: Path) -> None:
    palette, least = read(file), LEAST[file.stem]
    for ink, style in inks(palette).items():
        front = color_of(style.color)
        grounds = (
            [color_of(style.bgcolor)]
            if style.bgcolor
            else [getattr(palette, name) for name in GROUNDS[: 2 if ink in BARS else 3]]
        )
        wanted = (4.5 if least > 4.5 else 1.2) if ink in DRAWN else 3.0 if ink in BARS else least
        for ground in grounds:
            assert contrast(front, ground) >= wanted, (ink, front, ground)
    assert contrast(palette.text, palette.selection) >= least
    assert contrast(palette.selection, palette.background) >= 1.5, "what is selected shows"


@pytest.mark.parametrize("file", COLORED, ids=lambda file: file.stem)
@pytest.mark.parametrize(
    "scene", ["work-120-en-light", "ask-command-80-en-dark", "outputs-80-en-light", "help-80-zh-dark"]
)
async def test_every_word_on_the_screen_can_be_read(file: Path, scene: str) -> None:
    app, clock = build(replace(SCENES[scene], theme=file.stem))
    least = LEAST[file.stem]
    async with app.run_test(size=SCENES[scene].size) as pilot:
        await arrange(pilot, SCENES[scene], clock)
        pairs: dict[tuple[str, str], str] = {}
        raised = app.screen.query("#help")  # what lies below it is faded on purpose
        region = raised.first().region if raised else app.screen.region
        for strip in app.screen._compositor.render_strips()[region.y : region.bottom]:
            for text, style, _ in strip.crop(region.x, region.right):
                if any(character.isalnum() for character in text):
                    assert isinstance(style, Style)
                    pairs[color_of(style.color), color_of(style.bgcolor)] = text
    assert len(pairs) >= 2
    for (front, ground), text in pairs.items():
        assert contrast(front, ground) >= least, (text, front, ground)


def test_the_terminals_own_colours_are_the_only_ones_there() -> None:
    palette = read(builtin_folder() / "ansi.toml")
    for ink, style in inks(palette).items():
        assert style.color is not None and (style.color.is_default or style.color.is_system_defined), ink
        assert style.bgcolor is None, f"{ink}: nobody knows what can be read on which ground"
    theme = textual_theme(palette)
    assert theme.ansi and str(theme.background) == "ansi_default"
    for name in ("text", "strong", "code", "dim"):
        assert getattr(palette, name) == "default", "what is read at length can be read on any ground"


async def test_in_the_terminals_own_colours_nothing_else_reaches_the_screen() -> None:
    scene = replace(SCENES["work-120-en-light"], theme="ansi")
    app, clock = build(scene)
    async with app.run_test(size=scene.size) as pilot:
        await arrange(pilot, scene, clock)
        for strip in app.screen._compositor.render_strips():
            for text, style, _ in strip:
                for color in (style.color, style.bgcolor) if style else ():
                    assert color is None or color.is_default or color.is_system_defined, (text, style)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_tiers_have_colours_of_their_own(file: Path) -> None:
    palette = read(file)
    colours = [palette.offload, palette.clear, palette.summary, palette.user, palette.danger, palette.warning]
    assert len(set(colours)) == len(colours)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_ink_has_a_style(file: Path) -> None:
    assert set(inks(read(file))) == set(Ink.__args__)
    assert all(style.color is None and style.bgcolor is None for style in inks(read(file), False).values())


DARK = (builtin_folder() / "dark.toml").read_text("utf-8")


def test_the_users_own_palette_wins_and_is_listed(tmp_path: Path) -> None:
    own = DARK.replace("#15171c", "#000000")
    (tmp_path / "dark.toml").write_text(own, "utf-8")
    (tmp_path / "墨.toml").write_text(own, "utf-8")
    (tmp_path / "notes.txt").write_text("no palette")
    assert load("dark", tmp_path).background == "#000000" and load("墨", tmp_path).name == "墨"
    assert names(tmp_path) == ["ansi", "dark", "high-contrast", "light", "墨"]
    assert names(tmp_path / "none") == ["ansi", "dark", "high-contrast", "light"]


def test_a_palette_of_before_lacks_nothing_it_needs(tmp_path: Path) -> None:
    kept = [line for line in DARK.splitlines() if line.partition(" ")[0] not in set(COLORS) - REQUIRED]
    (tmp_path / "old.toml").write_text("\n".join(kept), "utf-8")
    assert load("old", tmp_path).selection == load("old", tmp_path).panel
    assert set(inks(load("old", tmp_path))) == set(Ink.__args__)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (DARK.replace('text = "#', 'text = "'), "themes.color"),
        (DARK.replace('text = "#d3d7de"', ""), "themes.color"),
        (DARK.replace('text = "#d3d7de"', "text = 5"), "themes.color"),
        (DARK.replace('selection = "#', 'selection = "'), "themes.color"),
        (DARK.replace("dark = true", "ansi = true"), "themes.color"),
        ("colors = 3", "themes.color"),
        ("", "themes.color"),
        ("[[[", "themes.broken"),
        ("a = " + "[" * 5000, "themes.broken"),
        ("\xff", "themes.broken"),
        ("# " + "x" * 200_000, "themes.too_large"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_broken_palette_is_named_with_what_to_do(tmp_path: Path, text: str, key: str, language: str) -> None:
    (tmp_path / "mine.toml").write_bytes(text.encode("latin-1" if "\xff" in text else "utf-8"))
    with pytest.raises(PaletteError) as wrong:
        load("mine", tmp_path)
    assert wrong.value.phrase.key == key
    assert str(tmp_path / "mine.toml") in Words(language).say(wrong.value.phrase)


@pytest.mark.parametrize("name", ["none", "../dark", "", "a/b"])
def test_a_name_that_is_none_is_told_with_those_there_are(tmp_path: Path, name: str) -> None:
    with pytest.raises(PaletteError) as wrong:
        load(name, tmp_path / "x")
    assert wrong.value.phrase.key == "themes.missing" and "high-contrast" in wrong.value.phrase.params["known"]


async def test_with_a_broken_palette_the_dark_one_is_used_and_the_user_told() -> None:
    app, _ = build(replace(SCENES["fresh-80-en-dark"], theme="none"))
    async with app.run_test() as pilot:
        await pilot.pause()
        assert app.theme == "paitui-dark"
        assert [notice.phrase.key for notice in app.state.notices] == ["themes.missing"]

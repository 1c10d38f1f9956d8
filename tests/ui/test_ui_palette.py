"""Every command and action is found by a few letters, and done from there; themes change while the screen runs."""

import shutil
from pathlib import Path

import pytest

from paitui.engine import events as e
from paitui.engine import ops
from paitui.engine.commands import COMMANDS
from paitui.locale import Words, phrase
from paitui.ui.actions import ACTIONS, Scope, around
from paitui.ui.glyphs import UNICODE
from paitui.ui.keymap import Keymap
from paitui.ui.lines import cells
from paitui.ui.look import Look, words_of
from paitui.ui.modals.help import HelpModal
from paitui.ui.modals.palette import PaletteModal
from paitui.ui.offers import SAME, find, offers
from paitui.ui.palette import builtin_folder
from paitui.ui.panes import MAKERS
from paitui.ui.render.help import help_lines
from paitui.ui.theme import inks
from tests.ui.scenes import opened, work
from tests.ui.test_ui_app import RUNNING, Driven

KEYS = Keymap()


def names(query: str, language: str = "en", scope: str = "screen") -> list[str]:
    return [found.offer.shown for found in find(query, offers(KEYS, Words(language), scope))]


def test_all_that_can_be_done_is_offered_once() -> None:
    given = offers(KEYS, Words("en"), "screen", notices=True)
    assert [offer.command for offer in given if offer.command] == [command.name for command in COMMANDS]
    done = {offer.action for offer in given} | {offer.command for offer in given}
    listed = {action.name for action in ACTIONS if action.listed and action.scope in around("screen")}
    assert {SAME.get(name, name) for name in done} >= listed
    assert all(offer.help and not offer.help.startswith(("ui.", "commands.")) for offer in given)
    assert "put_away" not in {offer.action for offer in offers(KEYS, Words("en"), "screen")}, "there is nothing to do"


def test_every_pane_is_reached_by_key_palette_and_command() -> None:
    given = offers(KEYS, Words("en"), "screen")
    for pane in MAKERS:
        assert [offer.key for offer in given if pane in (offer.command, offer.action)] == [KEYS.keys(pane)[0].upper()]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("", "/save"),
        ("comp", "/compact"),
        ("/comp", "/compact"),
        ("COMPACT", "/compact"),
        ("thresholds", "/context"),
        ("older part", "/compact"),
        ("part older", "/compact"),
        ("fold", "unfold"),
        ("bottom", "bottom"),
        ("cpt", "/compact"),
    ],
)
def test_a_few_letters_find_it(query: str, first: str) -> None:
    assert names(query)[0] == first


def test_chinese_finds_what_chinese_says_and_names_are_found_in_every_language() -> None:
    assert names("总结", "zh")[0] == "/compact" and names("compact", "zh")[0] == "/compact"
    assert "展开" in names("fold", "zh"), "the name in the settings counts too"
    assert names("nothing of the kind") == []


def test_marked_letters_are_those_that_match() -> None:
    [found] = [
        found for found in find("cpt", offers(KEYS, Words("en"), "screen")) if found.offer.command == "compact"
    ]
    assert "".join(found.offer.shown[at] for at in found.hits) == "cpt"


def test_where_only_the_description_matches_the_letters_are_marked_there() -> None:
    [found] = [found for found in find("fact", offers(KEYS, Words("en"), "screen")) if found.offer.command == "save"]
    assert found.hits == () and "".join(found.offer.help[at] for at in found.told) == "fact"


async def test_a_command_is_run_from_there() -> None:
    async with Driven(opened()) as d:
        await d.press("ctrl+p")
        assert isinstance(d.app.screen, PaletteModal) and "/compact" in d.screen_text()
        await d.press(*"approv", "backspace", "up", "down")
        d.app.screen.query_one("#palette-field").value = "clear"
        await d.press("enter")
        assert d.app.screen is d.app.chat and d.worker.ops == [ops.Clear()]


async def test_an_action_is_done_and_arrows_choose() -> None:
    async with Driven(work()) as d:
        assert not d.app.chat.transcript.unfolded
        await d.press("ctrl+p", *"unfold", "enter")
        assert d.app.chat.transcript.unfolded
        await d.press("ctrl+p", *"he", "down", "up", "enter")
        assert isinstance(d.app.screen, HelpModal)


async def test_a_command_that_takes_more_goes_into_the_prompt_and_undo_brings_the_draft_back() -> None:
    async with Driven(opened()) as d:
        d.prompt.insert("half a thought")
        await d.press("ctrl+p", *"comp", "enter")
        assert d.prompt.draft == "/compact " and d.prompt.has_focus and d.worker.ops == []
        await d.press("ctrl+z")
        assert d.prompt.draft == "half a thought"


async def test_from_a_pane_it_leads_back_to_the_prompt() -> None:
    async with Driven(opened()) as d:
        await d.press("f5")
        assert d.app.panes.current is not None
        await d.press("ctrl+p", *"compact", "enter")
        assert d.app.screen is d.app.chat and d.prompt.draft == "/compact "


async def test_the_way_back_to_the_chat_is_offered_in_a_pane() -> None:
    async with Driven(opened()) as d:
        await d.press("f5", "ctrl+p", *"newest", "enter")
        assert d.app.screen is d.app.chat


async def test_it_closes_and_nothing_happens() -> None:
    async with Driven(RUNNING) as d:
        for key in ("escape", "ctrl+p"):
            await d.press("ctrl+p", *"zzz", "enter")
            assert isinstance(d.app.screen, PaletteModal) and "Nothing fits" in d.screen_text()
            await d.press(key)
            assert d.app.screen is d.app.chat and d.worker.ops == [] and d.prompt.draft == ""


@pytest.mark.parametrize("size", [(20, 8), (60, 20), (80, 24), (120, 36)])
async def test_it_fits_into_every_window(size: tuple[int, int]) -> None:
    async with Driven(work(), size=size) as d:
        await d.press("ctrl+p", "pagedown", "pagedown")
        palette = d.app.screen.query_one("#palette").region
        assert palette.right <= size[0] and palette.bottom <= size[1]
        await d.press("escape", "f1", "end")
        assert d.app.screen.query_one("#help").region.bottom <= size[1]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("total", [20, 50, 90])
def test_help_tells_every_key_and_command_and_cuts_none(language: str, total: int) -> None:
    look = Look(Words(language), UNICODE)
    for scope in dict.fromkeys(action.scope for action in ACTIONS):
        lines = help_lines(KEYS, scope, look, total)
        assert all(cells(line) <= total for line in lines)
        text = "".join(words_of(line) for line in lines).replace(" ", "")
        for action in KEYS.actions:
            if action.scope in around(scope):
                for label in KEYS.labels(action):
                    assert label.replace(" ", "") in text
        assert all(f"/{command.name}" in text for command in COMMANDS)
        assert "help." not in text and "scope_" not in text


@pytest.mark.parametrize(("scope", "first"), [("screen", "/save"), ("memory", "v"), ("inspector", "p")])
def test_help_begins_with_what_counts_where_it_was_asked_for(scope: Scope, first: str) -> None:
    lines = [words_of(line).split() for line in help_lines(KEYS, scope, Look(Words("en"), UNICODE), 90)]
    assert lines[1][0] == first and sum(line[:1] == ["/save"] for line in lines) == 1


async def test_a_theme_is_switched_while_the_screen_runs(tmp_path: Path) -> None:
    async with Driven(work()) as d:
        before = d.app.screen._compositor.render_strips()[1]
        for name in ("light", "ansi", "high-contrast", "dark"):
            d.prompt.insert(f"/theme {name}")
            await d.press("enter")
            await d.pilot.pause()
            assert d.app.theme == f"paitui-{name}" and f"Theme {name}" in d.screen_text()
            assert d.app._look.inks == inks(d.app._themes.palette)
            assert "settings.toml" in d.screen_text()
        assert d.app.screen._compositor.render_strips()[1] == before and d.worker.ops == []


async def test_themes_are_listed_and_a_bad_one_changes_nothing(tmp_path: Path) -> None:
    async with Driven(opened()) as d:
        d.app._themes._folder = tmp_path
        shutil.copy(builtin_folder() / "dark.toml", tmp_path / "mine.toml")
        (tmp_path / "bad.toml").write_text("[colors]")
        d.prompt.insert("/theme")
        await d.press("enter")
        text = d.screen_text()
        assert "dark (in use)" in text and "mine (yours)" in text and "high-contrast" in text
        for name, key in (("bad", "themes.color"), ("none", "themes.missing")):
            d.prompt.insert(f"/theme {name}")
            await d.press("enter")
            assert d.app.theme == "paitui-dark" and d.app.state.notices[-1].phrase.key == key
        d.prompt.insert("/theme mine")
        await d.press("enter")
        assert d.app.theme == "paitui-mine"
        own = (tmp_path / "mine.toml").read_text("utf-8").replace("#15171c", "#203040")
        (tmp_path / "mine.toml").write_text(own, "utf-8")
        d.prompt.insert("/theme mine")
        await d.press("enter")
        await d.pilot.pause()
        assert d.app.chat.styles.background.hex == "#203040", "the same one again is read anew"


async def test_notices_can_be_put_away_from_there() -> None:
    async with Driven([*opened(), e.Notice("warning", phrase("prompt.paste_cut"))]) as d:
        assert d.app.state.notices
        await d.press("ctrl+p", *"dismiss", "enter")
        assert d.app.state.notices == ()

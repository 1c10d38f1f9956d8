"""One table of keys; what a terminal cannot tell apart is refused."""

import itertools
import re

import pytest

from paitui.locale import Words
from paitui.ui.actions import ACTIONS, meet
from paitui.ui.app import PaituiApp
from paitui.ui.glyphs import ASCII, UNICODE, choose
from paitui.ui.keymap import Keymap, label
from paitui.ui.keynames import SAME_EVERYWHERE, parse, twin
from paitui.ui.screens.chat import ChatScreen
from paitui.ui.screens.inspector import ContextInspector
from paitui.ui.wrap import width
from tests import keys_table


def test_no_two_actions_share_a_key_where_both_count():
    for one, other in itertools.combinations(ACTIONS, 2):
        assert one.name != other.name
        if meet(one.scope, other.scope):
            assert not set(one.keys) & set(other.keys), (one.name, other.name)
    assert not {key for action in ACTIONS for key in action.keys} & set(SAME_EVERYWHERE)


def test_every_action_can_be_done_in_every_terminal():
    for action in ACTIONS:
        assert action.keys and not all(twin(key, extended=False) for key in action.keys), action.name
        assert all(parse(key) == key for key in action.keys), action.name


def test_every_action_of_the_screen_is_carried_out():
    assert all(hasattr(ChatScreen, f"action_{a.name}") for a in ACTIONS if a.scope == "screen")
    assert all(hasattr(PaituiApp, f"action_{a.name}") for a in ACTIONS if a.scope == "app")
    assert all(hasattr(ContextInspector, f"action_{a.name}") for a in ACTIONS if a.scope in ("pane", "inspector"))


def test_a_change_takes_effect_however_it_is_written():
    keymap = Keymap({"fold": ("F9", " Ctrl+Alt+k "), "once": ("?",), "steer": ("esc",), "stop": ("ctrl+s",)})
    assert not keymap.problems
    assert keymap.keys("fold") == ("f9", "alt+ctrl+k") and keymap.keys("once") == ("question_mark",)
    assert (keymap.keys("steer"), keymap.keys("stop")) == (("escape",), ("ctrl+s",)), "two may change places"
    assert keymap.name("f9", "screen") == "fold" and keymap.name("ctrl+o", "screen") is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"nonsense": ("f9",)}, "keys.unknown"),
        ({"folds": ("f9",)}, "keys.unknown_near"),
        ({"fold": ("ctrl+nothing",)}, "keys.no_key"),
        ({"fold": ("hyper+x",)}, "keys.no_key"),
        ({"fold": ("",)}, "keys.no_key"),
        ({"fold": ()}, "keys.none"),
        ({"fold": ("f9", "ctrl+i")}, "keys.indistinct"),
        ({"fold": ("ctrl+[",)}, "keys.indistinct"),
        ({"fold": ("ctrl+enter",)}, "keys.newer"),
        ({"fold": ("ctrl+shift+p",)}, "keys.newer"),
        ({"fold": ("k",)}, "keys.typing"),
        ({"fold": ("up",)}, "keys.typing"),
        ({"send": ("x",)}, "keys.typing"),
        ({"fold": ("escape",)}, "keys.taken"),
        ({"once": ("n",)}, "keys.taken"),
        ({"newline": ("ctrl+s",)}, "keys.taken"),
        ({"once": ("f1",)}, "keys.taken"),
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_change_that_cannot_be_is_told_and_the_rest_counts(change, problem, language):
    keymap = Keymap({"top": ("f12",), **change})
    assert [found.key for found in keymap.problems] == [problem]
    assert keymap.actions == Keymap({"top": ("f12",)}).actions
    told = Words(language).say(keymap.problems[0])
    assert next(iter(change)) in told and not re.search(r"[{}]", told)


def test_of_two_changes_to_one_key_the_first_counts():
    keymap = Keymap({"top": ("f9",), "bottom": ("f9",)})
    assert [problem.params["other"] for problem in keymap.problems] == ["top"]
    assert keymap.keys("top") == ("f9",) and keymap.keys("bottom") == Keymap().keys("bottom")


def test_a_key_may_mean_two_things_where_only_one_of_them_counts_at_a_time():
    assert not Keymap({"once": ("enter",)}).problems


def test_newer_keys_are_for_terminals_that_have_them():
    newline = next(action for action in ACTIONS if action.name == "newline")
    assert Keymap().labels(newline) == ("Ctrl+J", "Alt+Enter")
    assert Keymap(extended=True).labels(newline) == ("Ctrl+J", "Alt+Enter", "Shift+Enter")
    assert Keymap({"fold": ("ctrl+enter",)}, extended=True).problems == ()
    assert Keymap({"fold": ("ctrl+enter", "f9")}).problems == (), "a second key does where the first does not"


@pytest.mark.parametrize(
    ("key", "written"),
    [
        ("ctrl+s", "Ctrl+S"),
        ("f1", "F1"),
        ("escape", "Esc"),
        ("y", "y"),
        ("pageup", "PgUp"),
        ("question_mark", "?"),
        ("ctrl+slash", "Ctrl+/"),
        ("alt+enter", "Alt+Enter"),
        ("ctrl+@", "Ctrl+Space"),
        ("A", "A"),
        ("ctrl+home", "Ctrl+Home"),
    ],
)
def test_keys_are_written_as_people_read_them_and_read_as_they_write_them(key, written):
    assert label(key) == written and parse(written) == key


def test_both_languages_have_the_phrases_for_every_action():
    for language in ("en", "zh"):
        words = Words(language)
        for action in ACTIONS:
            assert words.has(f"{action.room}.key_{action.name}") and words.has(action.help), (language, action.name)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_every_sign_is_one_cell(glyphs):
    for name in glyphs.__dataclass_fields__:
        value = getattr(glyphs, name)
        for sign in value if isinstance(value, tuple) else [value]:
            assert isinstance(sign, bool) or width(sign) == 1 or (name, sign) == ("arrow", "->"), name
    assert all(ord(c) < 128 for n in ASCII.__dataclass_fields__ for c in str(getattr(ASCII, n)))


@pytest.mark.parametrize(
    ("environment", "plain"),
    [
        ({}, False),
        ({"LANG": "zh_CN.UTF-8"}, False),
        ({"LC_ALL": "C", "LANG": "en_US.UTF-8"}, True),
        ({"LANG": "zh_CN.GB2312"}, True),
        ({"LANG": "en_US.utf8", "TERM": "linux"}, True),
    ],
)
def test_the_locale_decides_the_signs(environment, plain):
    assert choose(environment).plain is plain


def test_the_readme_lists_every_action_as_it_is():
    _, inside, _ = keys_table.parts(keys_table.README.read_text("utf-8"))
    assert inside == keys_table.table(), "run: python -m tests.keys_table"

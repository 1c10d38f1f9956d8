"""One table of keys; what a terminal cannot tell apart is refused."""

import itertools
import tomllib
from pathlib import Path

import pytest

import paitui.locale
from paitui.ui.glyphs import ASCII, UNICODE, choose
from paitui.ui.keymap import ACTIONS, INDISTINCT, Keymap, label
from paitui.ui.screens.chat import ChatScreen
from paitui.ui.wrap import width


def test_no_two_actions_share_a_key_where_both_count():
    for one, other in itertools.combinations(ACTIONS, 2):
        if one.scope == other.scope or "approval" not in (one.scope, other.scope):
            assert not set(one.keys) & set(other.keys), (one.name, other.name)
    assert not {key for action in ACTIONS for key in action.keys} & set(INDISTINCT)


def test_every_action_of_the_screen_is_carried_out():
    assert all(hasattr(ChatScreen, f"action_{a.name}") for a in ACTIONS if a.scope == "screen")


def test_a_change_takes_effect_and_impossible_ones_are_named():
    keymap = Keymap({"fold": ("f9",)})
    assert keymap.keys("fold") == ("f9",) and not keymap.problems
    bad = Keymap({"nonsense": ("f9",), "fold": ("ctrl+i",), "steer": ("escape",)})
    assert [problem.key for problem in bad.problems] == ["ui.keys_unknown", "ui.keys_indistinct", "ui.keys_taken"]
    assert bad.actions == Keymap().actions


@pytest.mark.parametrize(
    ("key", "written"), [("ctrl+s", "Ctrl+S"), ("f1", "F1"), ("escape", "Esc"), ("y", "y"), ("pageup", "PgUp")]
)
def test_keys_are_written_as_people_read_them(key, written):
    assert label(key) == written


def test_both_languages_have_the_same_phrases_for_every_action():
    folder = Path(paitui.locale.__file__).parent
    texts = {lang: tomllib.loads((folder / lang / "ui.toml").read_text("utf-8"))["ui"] for lang in ("en", "zh")}
    assert texts["en"].keys() == texts["zh"].keys()
    for action in ACTIONS:
        for language, known in texts.items():
            assert {f"key_{action.name}", f"help_{action.name}"} <= known.keys(), (language, action.name)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_every_sign_is_one_cell(glyphs):
    for name in glyphs.__dataclass_fields__:
        value = getattr(glyphs, name)
        for sign in value if isinstance(value, tuple) else [value]:
            assert isinstance(sign, bool) or width(sign) == 1, name
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

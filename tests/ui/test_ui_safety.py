"""Nothing that comes from outside acts: every hostile text reaches the strips as visible text."""

import ast
import re
from pathlib import Path

import pytest

import paitui.ui
from paitui.engine import events as e
from paitui.locale import phrase
from paitui.messages.message import Message, ToolCall
from tests.ui.scenes import REPORT, Scene, arrange, build

HOSTILE = {
    "click": "[@click=app.quit]press[/]",
    "markup": "[/red][bold]x",
    "link": "\x1b]8;;http://evil\x1b\\go\x1b]8;;\x1b\\",
    "clipboard": "\x1b]52;c;ZXZpbA==\x07",
    "c1": "\x9b31m\x9d0;t\x9c\x85",
    "bidi": "a\u202eb\u2066c\u200f",
    "controls": "\x00\x07\x08\x0d\x7f\x1b[2J",
    "hidden": "a\u200b\u2060\ufeff\U000e0041b",
}
FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e0fff]"
)


def everywhere(text: str) -> list[e.Event]:
    """The text in every place of every event that can carry one."""
    history = (
        Message("user", text),
        Message("assistant", text, reasoning=text, tool_calls=(ToolCall("h", text, f'{{"path": "{text}"}}'),)),
        Message("tool", text, tool_call_id="h", name=text, ok=False, stored=text),
    )
    said = phrase("themes.broken", file=text, why=text)
    return [
        e.SessionOpened(text, text, text, history, True),
        e.ContextChanged(REPORT),
        e.QueueChanged((e.QueuedMessage(1, text),), (text,)),
        e.CommandOutput(said, (said, said)),
        e.Notice("info", said),
        e.Notice("warning", said),
        e.Notice("error", said),
        e.TurnStarted(1),
        e.UserSaid(text, steered=True),
        e.ModelStarted(1),
        e.ReasoningDelta(text),
        e.TextDelta(f"{text}\n# {text}\n- {text}\n> {text}\n**{text}** `{text}`\n```\n{text}\n"),
        e.AnswerFinished(f"{text}\n# {text}\n- {text}\n> {text}\n**{text}** `{text}`\n```\n{text}\n", partial=True),
        e.ToolStarted("d", text, text, text),
        e.ToolFinished("d", text, True, text, said, stored=text, diff=f"--- {text}\n+++ {text}\n+{text}\n-{text}"),
        e.Boundary("offload", 9, 3, 1, text, call_id="d"),
        e.Boundary("summary", 9, 3, 1, text, text),
        e.ToolStarted("e", text, text, text),
        e.ToolFinished("e", text, False, text, said, stored=text),
        e.ToolStarted("f", text, text, text),
        e.ApprovalRequested("a0", "f", text, "command", text),
        e.ApprovalResolved("a0", "no", text),
        e.ToolFinished("f", text, False, text),
        e.ToolStarted("g", text, text, text),
        e.ToolOutput("g", text),
        e.ApprovalRequested("a1", "g", text, "write", text, f"+{text}", text),
    ]


def look_at(app) -> str:
    """Everything on the screen, each piece checked."""
    seen = ""
    for strip in app.chat._compositor.render_strips():
        for segment in strip:
            assert segment.control is None
            assert not FORBIDDEN.search(segment.text), repr(segment.text)
            assert not segment.style or (not segment.style.link and "@click" not in (segment.style.meta or {}))
            seen += segment.text
    return seen


@pytest.mark.parametrize("kinds", [("click", "markup"), ("link", "clipboard", "c1", "bidi", "controls", "hidden")])
async def test_hostile_text_is_only_text(kinds):
    text = " ".join(HOSTILE[kind] for kind in kinds)
    scene = Scene(everywhere(text), (140, 120))
    app, clock = build(scene)
    async with app.run_test(size=scene.size) as pilot:
        await arrange(pilot, scene, clock)
        seen = look_at(app)
        assert seen.count({"click": "[@click=app.quit]", "link": "␛]8;;http://evil"}[kinds[0]]) > 25
        await pilot.click("#transcript", offset=(5, 3))
        await pilot.press("ctrl+o")
        await pilot.pause()
        assert len(look_at(app).replace(" ", "")) > len(seen.replace(" ", ""))
        await pilot.resize_terminal(56, 120)
        await pilot.pause()
        look_at(app)
        assert app.is_running and not app._exit


async def test_a_paste_goes_through_the_door_too():
    from textual.events import Paste

    app, clock = build(Scene(everywhere("x")[:3], (80, 24)))
    async with app.run_test(size=(80, 24)) as pilot:
        await arrange(pilot, Scene([]), clock)
        app.chat.prompt.post_message(Paste("a\x1b]52;c;eA==\x07b\r\nc\u202ed"))
        await pilot.pause()
        assert app.chat.prompt.draft == "a␛]52;c;eA==␇b\nc\\u202ed"


MARKUP_CALLS = {"notify", "Static", "Label", "update", "Button", "Content", "from_markup", "Markdown"}


def test_no_call_hands_a_variable_to_markup():
    """Whatever understands markup gets literals only, or is told not to look for it."""
    for file in Path(paitui.ui.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in MARKUP_CALLS or not node.args or _is_dict_update(node):
                continue
            if all(isinstance(argument, ast.Constant) for argument in node.args):
                continue
            told = [k for k in node.keywords if k.arg == "markup" and getattr(k.value, "value", True) is False]
            assert told, f"{file}:{node.lineno}: {name}() may interpret markup in a variable"


def _is_dict_update(node: ast.Call) -> bool:
    return isinstance(node.args[0], ast.DictComp | ast.Dict | ast.GeneratorExp)


def test_border_titles_and_placeholders_are_the_programs_own_words():
    pattern = re.compile(r"(?:border_title|border_subtitle|placeholder)\s*=\s*(?P<value>.+)")
    for file in Path(paitui.ui.__file__).parent.rglob("*.py"):
        for match in pattern.finditer(file.read_text("utf-8")):
            allowed = r"None$|Text\(|\bwords?\(\"|_word\(\""  # a Text is no markup
            assert re.match(rf"(?:own\()?(?:[\w.]+\.)?(?:{allowed})", match["value"]), f"{file}: {match[0]}"

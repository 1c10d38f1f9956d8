"""Answers that need no tool: greetings, what the engine can do, what was done so far."""

from collections.abc import Sequence

from paitui.model.offline.ground import Answer, Ground
from paitui.model.offline.intents import Unknown
from paitui.model.offline.speech import Speech
from paitui.model.offline.view import Deed, Turn


def greet(ground: Ground) -> Answer:
    """Answer a greeting."""
    return Answer(ground.speech("greeting"))


def help_(ground: Ground) -> Answer:
    """Say what the engine is, and what it understands, with examples."""
    return Answer(f"{ground.speech('what_i_am')}\n\n{ground.speech('examples')}")


def unknown(intent: Unknown, ground: Ground) -> Answer:
    """Say that rules do not understand a request, and what they would."""
    text = " ".join(intent.text.split())
    shown = text if len(text) <= 120 else f"{text[:119]}…"
    return Answer(f"{ground.speech('not_understood', text=shown)}\n\n{ground.speech('examples')}")


def recap(turns: Sequence[Turn], made: Sequence[Deed], summary: str, speech: Speech) -> Answer:
    """Tell what was asked and done in the conversation, from what still stands of it."""
    parts = [speech("recap_title")]
    if summary:
        parts += [speech("recap_summary"), summary.strip()]
    asked = [" ".join(text.split())[:160] for turn in turns for text in turn.texts]
    parts += [speech("recap_asked"), *(f"{n}. {text}" for n, text in enumerate(asked, 1))] if asked else []
    parts.append(tally(made, speech))
    return Answer("\n".join(filter(None, parts)))


def tally(made: Sequence[Deed], speech: Speech) -> str:
    """What was done, in lines: files read and written, commands run, what failed."""
    lines: list[str] = []
    for key, tools in (
        ("did_read", ("read_file", "web_fetch")),
        ("did_change", ("write_file", "edit_file")),
        ("did_run", ("execute_command",)),
        ("did_search", ("grep_code", "glob_files", "list_dir")),
    ):
        names = list(
            dict.fromkeys(
                (deed.key.partition("#")[0] if deed.tool == "read_file" else deed.key)
                for deed in made
                if deed.tool in tools and not deed.failed
            )
        )
        if names:
            shown = ", ".join(f"`{name[:80]}`" for name in names[-20:])
            lines.append(f"- {speech(key, n=len(names), names=shown)}")
    failed = list(dict.fromkeys(f"{deed.tool} {deed.key[:80]}".strip() for deed in made if deed.failed))
    if failed:
        lines.append(f"- {speech('did_fail', n=len(failed), names=', '.join(f'`{name}`' for name in failed[-10:]))}")
    return "\n".join(lines) or speech("did_nothing")

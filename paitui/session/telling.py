"""The words around an exported session, the same for every form of file."""

from datetime import datetime

from paitui.locale import Words
from paitui.session.told import Mark, Said, Story, ToldCall

SHOWN_ARGUMENT = 80
"""Characters of an argument beside the name of its tool."""


def title(story: Story, words: Words) -> str:
    """What stands above all."""
    return story.title or words("export.untitled")


def facts(story: Story, words: Words) -> list[tuple[str, str]]:
    """Names and values of what is known of the session."""
    found = [
        ("session", story.session),
        ("project", story.project),
        ("model", story.model),
        ("created", moment(story.created)),
        ("changed", moment(story.changed)),
        ("forked_from", story.forked_from),
    ]
    return [(words(f"export.{name}"), value) for name, value in found if value]


def heading(said: Said, words: Words) -> str:
    """Who speaks, where and when."""
    parts = [words(f"export.speaker_{said.speaker}"), said.unit, moment(said.at)]
    return " · ".join(part for part in parts if part)


def call_title(call: ToldCall, words: Words) -> str:
    """A call in one line: the tool, and the beginning of what it was given."""
    given = " ".join(call.arguments.strip("{} \n").split())
    short = given if len(given) <= SHOWN_ARGUMENT else given[:SHOWN_ARGUMENT] + "…"
    return f"{call.name}  {short}".strip() or words("export.call")


def mark_text(mark: Mark, words: Words) -> str:
    """What happened to the history, in one line."""
    said = words(f"export.mark_{mark.kind}", before=mark.before, after=mark.after, n=mark.count)
    parts = [said, mark.unit, moment(mark.at)]
    return " · ".join(part for part in parts if part)


def moment(at: str) -> str:
    """A recorded time as the user's own clock showed it; empty stays empty."""
    try:
        return f"{datetime.fromisoformat(at).astimezone():%Y-%m-%d %H:%M}"
    except ValueError:
        return at

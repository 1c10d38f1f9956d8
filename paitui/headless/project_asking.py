"""The question whether a project's own files count, as lines, and which typed answers are one."""

from paitui.engine.events import ProjectAsked
from paitui.engine.project_desk import ignored as told_ignored
from paitui.locale import Phrase, Words


def project_asked(asked: ProjectAsked, words: Words) -> list[str]:
    """Give the question in lines, not yet safe for a terminal.

    Args:
        asked: What is asked.
        words: The user's language.
    """
    lines = ["", words("project_trust.plain_asked", files=", ".join(asked.files))]
    if asked.changed:
        lines.append(words("project_trust.ask_changed", files=", ".join(asked.changed)))
    for item in asked.items:
        lines.append(words("project_trust.risky_line" if item.risky else "project_trust.line", what=item.what))
    if not asked.items:
        lines.append(words("project_trust.ask_empty"))
    return [*(line.replace("\n", " ") for line in lines), words("project_trust.plain_choices")]


def ignored(asked: ProjectAsked) -> Phrase:
    """Say in place of the question that the files do not count."""
    return told_ignored(asked.files, asked.changed)


def read_project_answer(line: str) -> bool | None:
    """Understand an answer.

    Returns:
        True for yes, False for not now; None for a line that is something else.
    """
    match line.strip().lower():
        case "y" | "yes":
            return True
        case "" | "n" | "no":
            return False
    return None

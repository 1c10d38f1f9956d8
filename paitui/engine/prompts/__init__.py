"""What the model is told, one file per prompt and language."""

import platform
import tomllib
from datetime import datetime
from pathlib import Path
from typing import get_args

from paitui.context.factsheet import FactWords
from paitui.context.summary import SummaryPrompts
from paitui.locale import Language
from paitui.messages.tasks import FAILED

_HERE = Path(__file__).parent


def system_prompt(language: Language, project: Path, now: datetime, instructions: str) -> str:
    """The system prompt of a session; it stays byte-identical for the session's whole life.

    Args:
        language: Interface language.
        project: The project folder.
        now: When the session began.
        instructions: Text of the instruction files, or empty.
    """
    text = (_HERE / f"system.{language}.md").read_text("utf-8").strip()
    text = text.format(project=project, system=platform.system(), date=f"{now:%Y-%m-%d}")
    return f"{text}\n\n{turn_prompt(language, 'instructions')}\n{instructions}" if instructions else text


def summary_prompts(language: Language) -> SummaryPrompts:
    """Instructions for summaries in a language."""
    words = tomllib.loads((_HERE / f"summary.{language}.toml").read_text("utf-8"))
    words["facts"] = FactWords(**words["facts"])
    words["known_facts"] = tuple(fact_words(known) for known in get_args(Language))
    headings = words["headings"]
    for name in ("instruction", "merge"):
        words[name] = words[name].strip().replace("{headings}", "\n".join(headings))
    first, second, third, fourth = headings
    return SummaryPrompts(**{**words, "headings": (first, second, third, fourth)})


def fact_words(language: Language) -> FactWords:
    """Words around the facts that stand behind a summary."""
    return FactWords(**tomllib.loads((_HERE / f"summary.{language}.toml").read_text("utf-8"))["facts"])


def turn_prompt(language: Language, name: str) -> str:
    """A short text of the program's own within a turn."""
    text: str = tomllib.loads((_HERE / f"turn.{language}.toml").read_text("utf-8"))[name]
    return text


def plan_prompt(language: Language, name: str) -> str:
    """What a planner, a task, a worker or a reviewer is told, or one of the program's texts in their histories."""
    text: str = tomllib.loads((_HERE / f"plan.{language}.toml").read_text("utf-8"))[name]
    return text.strip().replace("{failed}", FAILED)


def language_of(texts: list[str], default: Language) -> Language:
    """The language of a conversation, by the user's own texts: Chinese from one ideograph in eight characters on."""
    joined = "".join(texts)
    wide = sum("\u4e00" <= character <= "\u9fff" for character in joined)
    if not joined.strip():
        return default
    return "zh" if wide * 8 >= len(joined) else "en"

"""What is said of memory in lines: its past, and what an import came to."""

from paitui.clock import iso
from paitui.engine.events import CommandOutput
from paitui.locale import Phrase, phrase
from paitui.memory.changes import Record
from paitui.memory.exchange import Imported
from paitui.trust.external import External

MOST_TOLD = 300
"""Characters that are told of a fact that was refused."""
MOST_NAMED = 20
"""Facts that an import names; of more only the number is told."""


def past(name: str, records: tuple[Record, ...]) -> CommandOutput:
    """Tell the history of an entry.

    Args:
        name: Its id.
        records: What became of it, oldest first.
    """
    lines = tuple(_step(record) for record in records)
    return CommandOutput(phrase("memory.log_title", id=name), lines or (phrase("memory.log_empty"),))


def refused_outside(fact: str, cause: External, asked: bool) -> tuple[Phrase, Phrase]:
    """Say why the model may not save something while content from outside is in the session.

    Args:
        fact: What it wanted to save.
        cause: What brought that content in.
        asked: Whether the user asked to remember something at all; then these are not the user's words.

    Returns:
        The words for the user, and those for the model.
    """
    told, source = fact if len(fact) <= MOST_TOLD else f"{fact[:MOST_TOLD]}…", cause.short
    if asked:
        said = phrase("memory.external_words", source=source, fact=told)
        return said, phrase("memory.external_words_model", source=source)
    said = phrase("memory.external_not_asked", source=source, fact=told)
    return said, phrase("memory.external_not_asked_model", source=source)


def imported(done: Imported) -> CommandOutput:
    """Tell what an import stored, and what it left out and why."""
    lines: list[Phrase] = []
    for count, key in (
        (done.elsewhere, "memory.import_elsewhere"),
        (done.duplicates, "memory.import_duplicates"),
        (len(done.conflicts), "memory.import_conflicts"),
        (done.secrets, "memory.import_secrets"),
        (done.unfit, "memory.import_unfit"),
    ):
        if count:
            lines.append(phrase(key, n=count))
        if count and key == "memory.import_conflicts":
            lines += [phrase("memory.import_fact", fact=fact) for fact in done.conflicts[:MOST_NAMED]]
    return CommandOutput(phrase("memory.imported", n=done.stored), tuple(lines))


def _step(record: Record) -> Phrase:
    at = iso(record.at)[:16].replace("T", " ") if record.at else "?"
    act = phrase(f"memory.act_{record.act}")
    before = record.before.content if record.before else ""
    after = record.after.content if record.after else ""
    if before and after and before != after:
        return phrase("memory.log_changed", at=at, act=act, before=before, after=after)
    return phrase("memory.log_step", at=at, act=act, fact=after or before)

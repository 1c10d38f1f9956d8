"""What the chat says of long-term memory: a quiet line for each change, blocks for what was asked. Pure."""

from typing import TYPE_CHECKING

from paitui.engine import events
from paitui.locale import Phrase, phrase
from paitui.trust.external_words import written_with
from paitui.ui.blocks import Block, NoteBlock, OutputBlock
from paitui.ui.memory_state import standing

if TYPE_CHECKING:  # not needed before the first frame
    from paitui.memory.view import MemoryView

SHOWN = 20
"""Entries that a search lists in the chat; the browser has them all."""
FACT = 200
"""Characters of a fact in a line that says what became of it."""
ALWAYS_TOLD = ("stored", "duplicate", "replaced")
"""What is written down is said in the chat whoever did it, and wherever the user looks."""
_UNDOABLE = ("stored", "replaced", "deleted", "moved", "verified")


def told(event: events.MemoryChanged, undo: str) -> Phrase:
    """Say what became of an attempt to change memory.

    Args:
        event: What the worker told.
        undo: How it is taken back: a command or a key.
    """
    fact = short(event.entry.content) if event.entry is not None else ""
    if event.phrase is not None and event.result in ("refused", "not_found", "failed"):
        return event.phrase
    if event.phrase is not None and event.result == "undone":
        return phrase("memories.told_what", what=event.phrase, fact=fact) if fact else event.phrase
    if event.phrase is not None and not fact:
        what = event.phrase
    else:
        where = "_global" if event.result == "moved" and event.entry and event.entry.scope == "global" else ""
        what = phrase(f"memories.told_{event.result}{where}", fact=fact)
    return phrase("memories.told_undo", what=what, undo=undo) if event.result in _UNDOABLE else what


def note(event: events.MemoryChanged) -> Block:
    """Give the line in the chat."""
    bad = event.result in ("refused", "not_found", "failed")
    return NoteBlock("warning" if bad else "info", told(event, "/memory undo"))


def found(event: events.MemoriesShown) -> Block:
    """Give the answer to a search that was typed in the chat."""
    lines = [_line(view) for view in event.entries[:SHOWN]]
    if len(event.entries) > SHOWN:
        lines.append(phrase("memories.found_more", n=len(event.entries) - SHOWN))
    if event.query:
        return OutputBlock(phrase("memories.found", n=len(event.entries), query=event.query), tuple(lines))
    return OutputBlock(phrase("memories.listed", n=len(event.entries)), tuple(lines))


def shown(event: events.MemoryShown) -> Block:
    """Give the answer to `/memory show`."""
    view = event.entry
    lines = [phrase("memories.said_state", state=phrase(f"memories.state_{standing(view)}"), scope=_scope(view))]
    if view.written is not None:
        lines.append(
            phrase("memories.said_written", date=f"{view.written.astimezone():%Y-%m-%d}", source=_source(view))
        )
    date = f"{view.verified.astimezone():%Y-%m-%d}" if view.verified else phrase("memories.never")
    lines.append(phrase("memories.said_verified", date=date))
    if view.quote:
        lines.append(phrase("memories.said_quote", quote=short(view.quote)))
    if view.external:
        lines.append(phrase("external.written", cause=written_with(view.external)))
    lines += [
        phrase("memories.said_agrees" if item.agrees else "memories.said_differs", file=item.file, says=item.says)
        for item in view.evidence
    ]
    lines += [phrase("memories.said_against", id=other.id, fact=short(other.content)) for other in view.against]
    return OutputBlock(phrase("memories.said_title", id=view.id, fact=view.content), tuple(lines))


def short(text: str) -> str:
    """A fact as one line of some length."""
    line = " ".join(text.split())
    return line if len(line) <= FACT else f"{line[: FACT - 1]}…"


def _line(view: "MemoryView") -> Phrase:
    state = phrase(f"memories.state_{standing(view)}")
    return phrase("memories.said_line", id=view.id, state=state, fact=short(view.content))


def _scope(view: "MemoryView") -> Phrase:
    return phrase(f"memories.scope_{view.scope}")


def _source(view: "MemoryView") -> Phrase:
    return phrase(f"memories.source_{view.source or 'unknown'}")

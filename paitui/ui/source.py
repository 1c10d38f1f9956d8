"""What a block is as text: what was said, not how it is drawn."""

from dataclasses import replace
from pathlib import Path

from paitui.engine.events import UnitState
from paitui.locale import Words, phrase
from paitui.trust.fence import Fence, FenceError
from paitui.ui.blocks import (
    AnswerBlock,
    Block,
    EndBlock,
    NoteBlock,
    OutputBlock,
    PlanBlock,
    ReasoningBlock,
    TierBlock,
    ToolBlock,
    UserBlock,
)
from paitui.ui.pages import PAGE, FilePages, Pages, TextPages
from paitui.ui.render.answer import MAX_CHARS

STORED = ".paitui/tool-outputs/"
"""Where results are kept, relative to the project; nothing else is read for a block."""
FIRST_CHARS = 120
"""Characters of a message by which its record is found."""
COPY_CHARS = 2_000_000
"""Characters put on the clipboard at most: terminals take no more, and some far less."""


def source_of(block: Block, words: Words) -> str:
    """Give the text of a block as it was written.

    Args:
        block: The block.
        words: For what the program itself said.
    """
    match block:
        case UserBlock() | AnswerBlock() | ReasoningBlock():
            return block.text
        case ToolBlock():
            return block.diff or block.result or block.reason or block.subject
        case TierBlock():
            return block.text or "\n".join(block.stored)
        case NoteBlock():
            return words.say(block.phrase)
        case OutputBlock():
            return "\n".join(words.say(line) for line in (block.title, *block.lines))
        case EndBlock():
            return words.say(block.reason) if block.reason else words(f"ui.end_{block.status}")
        case PlanBlock():
            return "\n".join([block.goal, *(_unit(row.unit, words) for row in block.rows)])


def _unit(unit: UnitState, words: Words) -> str:
    why = f" ({words.say(unit.reason)})" if unit.reason is not None else ""
    text = f"{unit.name}  {words(f'plan_screen.status_{unit.status}')}{why}  {unit.title}"
    return f"{text}\n{unit.answer}" if unit.answer else text


def whole_of(block: Block, words: Words, project: str) -> Pages:
    """Give the whole text of a block; of a result that was offloaded, its file.

    Args:
        block: The block.
        words: For what the program itself said.
        project: The project folder.

    Raises:
        FenceError: The file is gone, or may not be read.
    """
    if isinstance(block, ToolBlock) and block.stored and not block.diff:
        return stored_pages(block.stored, project)
    text = source_of(block, words)
    # What is dressed is dressed whole; its marks may reach over pages.
    return TextPages(text, max(PAGE, len(text))) if dressed(block) else TextPages(text)


def dressed(block: Block) -> bool:
    """Whether the text of a block is shown with its marks carried out; one that is too long is shown as written."""
    return isinstance(block, AnswerBlock | TierBlock) and bool(block.text) and len(block.text) <= MAX_CHARS


def with_all_there_is(block: Block) -> Block:
    """Take what stands in a card for the whole result, where nobody can be asked for more of it."""
    return replace(block, chars=len(block.text)) if isinstance(block, ToolBlock) and block.is_part else block


def copy_of(block: Block, words: Words, project: str) -> tuple[str, bool]:
    """Give the text of a block for the clipboard.

    Returns:
        The text, and whether it is all of it.

    Raises:
        FenceError: The file of a result is gone, or may not be read.
        OSError: It cannot be read.
    """
    pages = whole_of(block, words, project)
    try:
        parts, length = list[str](), 0
        for at in range(len(pages)):
            parts.append(pages.page(at))
            length += len(parts[-1])
            if length > COPY_CHARS:
                return "".join(parts)[:COPY_CHARS], False
        return "".join(parts), True
    finally:
        if isinstance(pages, FilePages):
            pages.close()


def stored_pages(stored: str, project: str) -> FilePages:
    """Open the file of an offloaded result.

    Args:
        stored: Its path, relative to the project; it comes from a history that others may have written.
        project: The project folder.

    Raises:
        FenceError: The file is gone, or may not be read.
    """
    fence = Fence(Path(project).resolve())
    path = fence.relative(stored)
    if not path.startswith(STORED):
        raise FenceError("outside", phrase("trust.outside", path=stored, root=STORED))
    return FilePages(fence.open_read(path))


def in_ledger(block: Block) -> tuple[str, str] | None:
    """Say how the record of a block is found in the ledger.

    Args:
        block: The block.

    Returns:
        The role of its message, empty for other records, and a text that stands in it: the id of a call, else the
        first words. None for what was only said on the screen.
    """
    match block:
        case ToolBlock():
            return "tool", block.id
        case UserBlock():
            return "user", _first_words(block.text)
        case AnswerBlock():
            return "assistant", _first_words(block.text)
        case TierBlock() if block.text:
            return "", _first_words(block.text)
        case _:
            return None


def _first_words(text: str) -> str:
    return " ".join(text.split())[:FIRST_CHARS]

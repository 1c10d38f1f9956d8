"""What is done with the whole of a block: it is copied, or read on a screen of its own.

A card holds the head and the tail of a long result. Its file has the whole, else the engine is asked for what stands
in the history; the answer may take a moment while other things go on.
"""

from collections.abc import Callable
from dataclasses import replace

from textual.screen import Screen

from paitui.engine.events import ResultShown
from paitui.engine.ops import ShowResult
from paitui.locale import phrase
from paitui.trust.fence import FenceError
from paitui.ui.blocks import Block, ToolBlock
from paitui.ui.intents import Ask, Warn
from paitui.ui.keymap import Keymap
from paitui.ui.look import Look
from paitui.ui.source import copy_of


class BlockDesk:
    """Works for one screen."""

    def __init__(self, screen: Screen[None], look: Look, keymap: Keymap, copy: Callable[[str, bool], None]) -> None:
        """Set up.

        Args:
            screen: Speaks for it to the app.
            look: Words and signs.
            keymap: Keys.
            copy: Takes a text to the clipboard, and whether it is all of it.
        """
        self._screen = screen
        self._look = look
        self._keymap = keymap
        self._copy_text = copy
        self._wanted: tuple[ToolBlock, Callable[[Block], None]] | None = None
        self.project = ""
        """The project folder, where results are stored."""

    def copy(self, block: Block) -> None:
        """Copy a block as it was written."""
        self._with_whole(block, self._copy)

    def open(self, block: Block) -> None:
        """Read a block."""
        self._with_whole(block, self._open)

    def answered(self, answer: ResultShown) -> None:
        """The engine told the whole result of a call."""
        if self._wanted is None or self._wanted[0].id != answer.call_id:
            return
        (block, then), self._wanted = self._wanted, None
        if answer.text is None and not answer.stored:
            self._screen.post_message(Warn(phrase("blocks.gone")))
        text = block.text if answer.text is None else answer.text
        then(replace(block, text=text, stored=answer.stored, wrapped=False))

    def _with_whole(self, block: Block, then: Callable[[Block], None]) -> None:
        if isinstance(block, ToolBlock) and block.is_part:
            self._wanted = (block, then)
            self._screen.post_message(Ask(ShowResult(block.id)))
        else:
            self._wanted = None
            then(block)

    def _copy(self, block: Block) -> None:
        try:
            text, whole = copy_of(block, self._look.words, self.project)
        except (FenceError, OSError) as error:
            self._warn(error)
        else:
            self._copy_text(text, whole)

    def _open(self, block: Block) -> None:
        from paitui.ui.modals.reader import Reader  # not needed for the first frame

        if self._screen.app.screen is not self._screen:
            return  # the user went elsewhere before the answer came
        try:
            reader = Reader(block, self._look, self._keymap, self.project)
        except (FenceError, OSError) as error:
            self._warn(error)
        else:
            self._screen.app.push_screen(reader)

    def _warn(self, error: FenceError | OSError) -> None:
        why = error.phrase if isinstance(error, FenceError) else phrase("blocks.unreadable", why=str(error))
        self._screen.post_message(Warn(why))

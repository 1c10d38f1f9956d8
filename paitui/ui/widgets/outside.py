"""The way of a draft to the user's own editor and back, while the screen is put aside."""

from pathlib import Path

from textual.app import App, SuspendNotSupported

from paitui.locale import Phrase, phrase
from paitui.ui.prompting.editor import read_back, run, text_in_a_file


async def edit_outside(app: App[int], command: list[str], folder: Path, text: str) -> str | Phrase:
    """Let the user edit a text in another program; the agent goes on meanwhile.

    Args:
        app: Gives the terminal away and takes it back.
        command: The editor, with its arguments.
        folder: Where the text lies meanwhile.
        text: What is edited.

    Returns:
        The text as it is now, or why it is as it was.
    """
    name = command[0]
    try:
        with text_in_a_file(folder, text) as path:
            try:
                # Nothing is drawn over the editor, whatever happens in the session.
                with app.batch_update(), app.suspend():
                    ended = await _run(command, path)
            except SuspendNotSupported:
                return phrase("prompt.editor_here")
            if isinstance(ended, OSError):
                return phrase("prompt.editor_start", command=name, why=ended.strerror or str(ended))
            return read_back(path) if ended == 0 else phrase("prompt.editor_status", command=name, status=ended)
    except OSError as error:
        return phrase("prompt.editor_file", why=error.strerror or str(error))
    finally:
        app.refresh(layout=True)


async def _run(command: list[str], path: Path) -> int | OSError:
    """Run the editor; an error is given, not raised, since it would leave the terminal as the editor had it."""
    try:
        return await run(command, path)
    except OSError as error:
        return error

"""The way in for the command line. Textual is imported only when the screen is really wanted."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paitui.clock import Clock, SystemClock
from paitui.locale import Phrase, Words
from paitui.paths import Paths
from paitui.settings import Settings

if TYPE_CHECKING:
    from paitui.ui.app import PaituiApp
    from paitui.ui.bridge import OpenWorker
    from paitui.ui.contact import Heard

FALLBACK_THEME = "dark"
ENDED_BY_SIGNAL = 130


@dataclass(frozen=True, slots=True)
class Ended:
    """How the full screen ended."""

    code: int
    """The exit code."""
    broken_session: str = ""
    """The session that a fault of the program ended; all of it that was told is saved."""


def run_app(
    open_worker: "OpenWorker",
    words: Words,
    settings: Settings,
    paths: Paths,
    problems: tuple[Phrase, ...] = (),
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run the full screen until the user leaves.

    Args:
        open_worker: Opens the session; awaited after the first paint. Raises `OpenFailed` if it cannot.
        words: The interface language.
        settings: All settings.
        paths: Home and project.
        problems: What was wrong with the settings file; shown as warnings.
        environment: The process environment.

    Returns:
        How it ended; the terminal is what it was before.
    """
    from paitui.ui.contact import Heard, contact
    from paitui.ui.ending import told_by_signals

    environment = os.environ if environment is None else environment
    made: list[PaituiApp] = []

    def end() -> None:
        if not made:
            raise KeyboardInterrupt
        made[0].end_soon()

    with told_by_signals(end) as signals, contact(environment) as asked:
        import paitui.ui.app  # noqa: F401 - the long part of the start, while the answer is on its way
        from paitui.ui.keys import extend_terminal_keys

        extend_terminal_keys()
        heard = asked.hear() if asked is not None else Heard()
        app = make_app(open_worker, words, settings, paths, problems, environment, SystemClock(), heard)
        made.append(app)
        result = app.run(mouse=settings.ui.mouse)
    if signals:
        return Ended(ENDED_BY_SIGNAL)
    if app.failed:
        return Ended(1, app.state.session)
    return Ended(result if result is not None else (app.return_code or 0))


def make_app(
    open_worker: "OpenWorker",
    words: Words,
    settings: Settings,
    paths: Paths,
    problems: tuple[Phrase, ...],
    environment: Mapping[str, str],
    clock: Clock,
    heard: "Heard | None" = None,
) -> "PaituiApp":
    """Put the application together; also what tests drive."""
    from paitui.ui.app import PaituiApp
    from paitui.ui.attention import way
    from paitui.ui.glyphs import choose
    from paitui.ui.keymap import Keymap
    from paitui.ui.look import Look
    from paitui.ui.palette import PaletteError, load
    from paitui.ui.prompting.desk import make_desk
    from paitui.ui.render.chrome import tilde
    from paitui.ui.theme import inks
    from paitui.ui.themes import Themes

    try:
        palette = load(settings.ui.theme, paths.themes)
    except PaletteError as error:
        problems = (*problems, error.phrase)
        palette = load(FALLBACK_THEME, paths.themes / "none")
    color = not environment.get("NO_COLOR")
    glyphs = choose(environment, settings.ui.glyphs, heard is not None and heard.wide)
    look = Look(words, glyphs, inks(palette, color), color)
    keymap = Keymap(settings.keys, heard is not None and heard.extended)
    project = tilde(str(paths.project), environment.get("HOME", ""))
    desk = make_desk(paths, settings, environment, clock)
    problems = (*problems, *keymap.problems)
    themes = Themes(look, palette, paths.themes, paths.settings)
    call_by = way(settings.ui.notify, environment)
    return PaituiApp(
        open_worker, look, themes, keymap, clock, project, desk, problems, paths.log, heard, call_by, paths.ledgers
    )

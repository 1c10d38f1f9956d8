"""Which palette is in use, and how another one takes its place while the screen runs."""

from pathlib import Path

from textual.app import App
from textual.theme import Theme

from paitui.engine.events import CommandOutput
from paitui.locale import Phrase, phrase
from paitui.ui.look import Look
from paitui.ui.palette import Palette, builtin_folder, load, names
from paitui.ui.theme import inks, textual_theme


class Themes:
    """The palettes there are, and the one in use."""

    def __init__(self, look: Look, palette: Palette, folder: Path, settings: Path) -> None:
        """Set up.

        Args:
            look: Its inks are exchanged with the palette.
            palette: The one in use.
            folder: The user's own palettes; may be missing.
            settings: The settings file, to be named.
        """
        self._look = look
        self._folder = folder
        self._settings = settings
        self.palette = palette
        """The one in use."""

    @property
    def sheet(self) -> Theme:
        """What the style sheets take from it."""
        return textual_theme(self.palette, self._look.color)

    def use(self, name: str, app: "App[int]") -> CommandOutput:
        """Put another palette in place of the one in use, or the same one as its file says now.

        Args:
            name: Of the palette.
            app: Whose screens take it on.

        Returns:
            What to tell the user.

        Raises:
            PaletteError: It cannot be used; nothing is changed.
        """
        self.palette = load(name, self._folder)
        self._look.inks.clear()
        for ink, style in inks(self.palette, self._look.color).items():
            self._look.inks[ink] = style
        sheet = self.sheet
        app.register_theme(sheet)
        app.theme = sheet.name
        app.refresh_css(animate=False)
        for screen in app.screen_stack:
            for widget in screen.walk_children(with_self=True):
                widget.refresh()
        told = phrase("themes.switched", name=name)
        return CommandOutput(told, (phrase("themes.keep", name=name, file=str(self._settings)), *self._colorless()))

    def listed(self) -> CommandOutput:
        """Name them all."""
        own = names(self._folder)[len(names(builtin_folder())) :]
        rows: list[Phrase] = []
        for name in names(self._folder):
            key = "row_now" if name == self.palette.name else "row_yours" if name in own else "row"
            rows.append(phrase(f"themes.{key}", name=name))
        how = phrase("themes.how", folder=str(self._folder))
        return CommandOutput(phrase("themes.title"), (*rows, how, *self._colorless()))

    def _colorless(self) -> tuple[Phrase, ...]:
        return () if self._look.color else (phrase("themes.no_color"),)

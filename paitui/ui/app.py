"""The application: it holds the state, hands ops to the worker and events to the screen. Nothing else."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import App
from textual.driver import Driver
from textual.events import Event as InputEvent
from textual.events import Key, Paste
from textual.screen import ModalScreen
from textual.worker import WorkerFailed

from paitui import diagnostics
from paitui.clock import Clock
from paitui.engine.commands import UnknownCommand, parse
from paitui.engine.events import Event, Notice, SessionClosed, SessionFound, UnitsChanged
from paitui.engine.ops import Memory, ShowUnit, Steer, Submit
from paitui.locale import Phrase, phrase
from paitui.ui.attention import Attention
from paitui.ui.bridge import Link, OpenFailed, OpenWorker
from paitui.ui.contact import Heard
from paitui.ui.intents import Ask, Dismiss, First, Open, Quit, Resume, Say, ShowRecord, Warn
from paitui.ui.keymap import Keymap
from paitui.ui.look import Look
from paitui.ui.palette import PaletteError
from paitui.ui.panes import BY_COMMAND, MAKERS, Panes
from paitui.ui.prompting.desk import Desk
from paitui.ui.questions import Questions
from paitui.ui.reducer import closing, dismiss, hold, look_at, reduce, want
from paitui.ui.render.answer import warm
from paitui.ui.screens.chat import ChatScreen
from paitui.ui.session_state import another_session
from paitui.ui.state import ViewState
from paitui.ui.themes import Themes
from paitui.ui.unit_state import timed, untold
from paitui.ui.widgets.composer import Composer
from paitui.ui.widgets.prompt import Prompt

if TYPE_CHECKING:  # not needed for the first frame
    from paitui.session.info import SessionInfo
    from paitui.ui.offers import Offer


LISTS = {"memory": ("list",)}
"""Arguments with which a command opens its pane, besides none."""


def _driver() -> type[Driver] | None:
    """The driver for this system; None for Textual's own."""
    if sys.platform == "win32":
        return None
    from paitui.ui.driver import SteadyDriver

    return SteadyDriver


class PaituiApp(App[int]):
    """Full screen. Returns the exit code of the program."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "paitui"

    def __init__(
        self,
        open_worker: OpenWorker,
        look: Look,
        themes: Themes,
        keymap: Keymap,
        clock: Clock,
        project: str,
        desk: Desk,
        problems: tuple[Phrase, ...] = (),
        log: Path = Path("paitui.log"),
        heard: Heard | None = None,
        call_by: str = "off",
        ledgers: Path = Path("ledgers"),
    ) -> None:
        """Set up; nothing runs yet.

        Args:
            open_worker: Opens the session, after the first paint.
            look: Words, signs and inks.
            themes: The colours, for the style sheets.
            keymap: Keys.
            clock: The one clock.
            project: The project folder as it is to be shown.
            desk: Files and names that the prompt works with.
            problems: What was wrong with the settings; shown as warnings.
            log: Where faults of the program are written down.
            heard: What the terminal said of itself.
            call_by: How the user is called back, see `attention.way`.
            ledgers: The folder of the raw ledgers.
        """
        self.heard = heard  # the driver asks for it
        self._colors: dict[str, str] = {}
        # Under NO_COLOR the filter that drops every colour is had only in the mode of the terminal's own.
        super().__init__(driver_class=_driver(), ansi_color=None if look.color else True)
        self._look = look
        self._themes = themes
        theme = themes.sheet
        self._colors = theme.variables
        self.register_theme(theme)
        self.theme = theme.name
        self._keys = keymap
        self._log_file = log
        self._own_loop: asyncio.AbstractEventLoop | None = None
        self._link = Link(open_worker, self._deliver, clock)
        self._clock = clock
        self.state = ViewState(notices=tuple(Notice("warning", problem) for problem in problems))
        """What there is to see."""
        self.chat = ChatScreen(look, keymap, clock, project, desk)
        self.panes = Panes(self, look, keymap, clock, ledgers)
        self.questions = Questions(self, look, keymap, clock)
        self.attention = Attention(self, look.words, clock, Path(project).name, call_by)

    def on_mount(self) -> None:
        """Show the screen first; the worker is opened once it is painted."""
        self._own_loop = asyncio.get_running_loop()
        self.push_screen(self.chat)
        self.chat.show(self.state)
        self.chat.call_after_refresh(self._start)

    async def on_event(self, event: InputEvent) -> None:
        """Settle whose key it is before it is handed on: a focus that moves later loses what is typed fast."""
        self.attention.heard(event)
        if isinstance(event, Key | Paste):
            self.questions.key()
        if isinstance(event, Key | Paste) and not event.is_forwarded and self._taken(event):
            return
        await super().on_event(event)

    def _taken(self, event: Key | Paste) -> bool:
        """Let the screen in view have a key first; one that steps back leaves it to the screen below."""
        screen = self.screen
        if not isinstance(screen, First):
            return False
        return screen.before_input(event) or (self.screen is not screen and self._taken(event))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """The palette's own names, known to every style sheet from the start."""
        return self._colors

    def ring(self, sequence: str) -> None:
        """Send the terminal what makes it call the user; nothing of it is drawn."""
        if self._driver is not None:
            self._driver.write(sequence)

    def _start(self) -> None:
        self.chat.composer.wake()
        self.run_worker(self._serve(), name="engine", exclusive=True)
        self.run_worker(warm, name="warm", group="warm", thread=True)

    async def _serve(self) -> None:
        try:
            await self._link.run()
        except OpenFailed as error:
            # Nothing can be done on this screen; the shell shows why.
            self.exit(1, message=Text(self._look.say(error.phrase)))
            return
        self.exit(0)

    def _handle_exception(self, error: Exception) -> None:
        """End with one line. Textual's own way shows the local variables of every call, and secrets with them."""
        self._return_code = 1
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
            cause = error.error if isinstance(error, WorkerFailed) else error
            diagnostics.fault("the screen", cause)
            self._exit_renderables.append(Text(self._look.say(diagnostics.told(cause, self._log_file))))
        self._close_messages_no_wait()

    @property
    def failed(self) -> bool:
        """Whether a fault of the program ended it."""
        return self._exception is not None

    def end_soon(self) -> None:
        """End as if the user left, from wherever this is called; before the screen is there, at once.

        Raises:
            KeyboardInterrupt: There is no screen yet.
        """
        if self._own_loop is None:
            raise KeyboardInterrupt
        self._own_loop.call_soon_threadsafe(self.action_leave)

    # -- events in

    def _deliver(self, batch: tuple[Event, ...]) -> None:
        """Apply a batch of events, in the app's own turn of the loop."""
        self.call_later(self._apply, batch)

    def _apply(self, batch: tuple[Event, ...]) -> None:
        state = self.state
        for event in batch:
            state = reduce(state, event)
        self._become(timed(state, self._clock.monotonic()))
        if any(isinstance(event, UnitsChanged) for event in batch):
            for unit in untold(state):
                self._link.send(ShowUnit(unit))
        for event in batch:
            if isinstance(event, SessionFound):
                self._go_to(event.info)
        if any(isinstance(event, SessionClosed) for event in batch):
            self.exit(0)

    def _become(self, state: ViewState) -> None:
        if state is not self.state:
            self.attention.show(self.state, state)
            self.state = state
            self.chat.show(state)
            self.panes.show(state)
            self.questions.show(state)

    # -- intents out

    def on_ask(self, event: Ask) -> None:
        """Send an op."""
        self._link.send(event.op)

    def on_say(self, event: Say) -> None:
        """Send a message, or carry out a slash command; an unknown one goes nowhere."""
        try:
            command = parse(event.text)
        except UnknownCommand as unknown:
            self._apply((Notice("error", unknown.phrase),))
            return
        if command is None:
            if not self._link.ready:
                self._become(hold(self.state, event.text))
            self._link.send((Steer if event.steer else Submit)(event.text, event.pasted))
        elif command[0].name in BY_COMMAND and command[1] in ("", *LISTS.get(command[0].name, ())):
            self.on_open(Open(command[0].name))
        elif command[0].make is not None:
            op = command[0].make(command[1])
            if isinstance(op, Memory) and op.verb in ("list", "search"):
                self._become(want(self.state, op.text))
            self._link.send(op)
        elif command[0].name == "help":
            self.action_help()
        elif command[0].name == "theme":
            self._choose_theme(command[1])
        else:
            self.action_leave()

    def on_open(self, event: Open) -> None:
        """Go to a pane, or to the chat."""
        if event.name == "question":
            self.questions.open_now()
        elif event.name in MAKERS:
            self.panes.open(event.name, self.state)
        elif self.panes.close():
            self.chat.returned()
        else:
            self.chat.to_prompt()
        current = self.panes.current
        self._become(look_at(self.state, current.OPENED_BY if current is not None else ""))

    def on_resume(self, event: Resume) -> None:
        """Go on with another session."""
        self._go_to(event.info)

    def _go_to(self, info: "SessionInfo") -> None:
        from paitui.engine.session_command import refusal

        if refused := refusal(info, self.state.session, self.state.project, self.state.busy):
            self._apply((Notice("warning", refused),))
        else:
            self.run_worker(self._switch(info.id), name="switch", group="switch", exclusive=True)

    async def _switch(self, session: str) -> None:
        try:
            switched = await self._link.switch(session)
        except OpenFailed as error:
            self._apply((Notice("error", error.phrase),))
            return
        if switched:
            self._become(another_session(self.state))
            self.on_open(Open("chat"))

    def on_show_record(self, event: ShowRecord) -> None:
        """Go to where something stands in the ledger."""
        from paitui.ui.screens.ledger import LedgerViewer  # not needed for the first frame

        self.on_open(Open("ledger"))
        if isinstance(pane := self.panes.current, LedgerViewer):
            pane.show_record(event.role, event.text)

    def on_warn(self, event: Warn) -> None:
        """Something could not be done."""
        self._apply((Notice("warning", event.what),))

    def on_dismiss(self, event: Dismiss) -> None:
        """Put the notices away."""
        self._become(dismiss(self.state))

    def on_quit(self, event: Quit) -> None:
        """The user wants to go."""
        self.action_leave()

    def on_prompt_too_long(self, event: Prompt.TooLong) -> None:
        """A paste was cut; say so."""
        self._apply((Notice("warning", phrase("prompt.paste_cut")),))

    def action_chat(self) -> None:
        """Back to the chat; in the chat, to the prompt and the newest line."""
        self.on_open(Open("chat"))

    def action_memory(self) -> None:
        """To the memory browser."""
        self.on_open(Open("memory"))

    def action_ledger(self) -> None:
        """To the ledger viewer."""
        self.on_open(Open("ledger"))

    def action_context(self) -> None:
        """To the context inspector."""
        self.on_open(Open("context"))

    def action_plan(self) -> None:
        """To the units of the plan or the team."""
        self.on_open(Open("plan"))

    def action_sessions(self) -> None:
        """To the sessions."""
        self.on_open(Open("sessions"))

    def action_help(self) -> None:
        """Keys and commands, above whatever is shown."""
        from paitui.ui.modals.help import HelpModal  # not needed for the first frame

        pane = self.panes.current
        self.push_screen(HelpModal(self._look, self._keys, pane.SCOPE if pane is not None else "screen"))

    def action_palette(self) -> None:
        """Find a command or an action by a few letters, and do it."""
        from paitui.ui.modals.palette import PaletteModal  # not needed for the first frame
        from paitui.ui.offers import offers

        if isinstance(self.screen, ModalScreen):
            return
        scope = pane.SCOPE if (pane := self.panes.current) is not None else "screen"
        given = offers(self._keys, self._look.words, scope, bool(self.state.notices))
        self.push_screen(PaletteModal(self._look, self._keys, given), self._do)

    async def _do(self, offer: "Offer | None") -> None:
        """Carry out what was chosen in the palette; a command that takes more goes into the prompt first."""
        if offer is None:
            return
        if offer.action:
            await (self if offer.everywhere else self.screen).run_action(offer.action)
        elif offer.argument:
            if self.panes.current is not None:
                self.action_chat()
            self.chat.compose_command(offer.command)
        else:
            self.on_say(Say(f"/{offer.command}"))

    def _choose_theme(self, name: str) -> None:
        try:
            self._apply((self._themes.use(name, self) if name else self._themes.listed(),))
        except PaletteError as error:
            self._apply((Notice("error", error.phrase),))

    def on_composer_trouble(self, event: Composer.Trouble) -> None:
        """Something around the prompt could not be done; say so."""
        self._apply((Notice("warning", event.what),))

    def action_leave(self) -> None:
        """End the session and, once it is saved, the program; asked again, do not wait."""
        if self.state.phase == "closing" or not self._link.close():
            self.exit(0)
            return
        self._become(closing(self.state))

"""The chat: conversation, gauge, prompt. It draws the state and turns keys into intents."""

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import DescendantBlur, DescendantFocus, Key, Paste, Resize
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import TextArea

from paitui.clock import Clock
from paitui.engine.ops import Interrupt, RunQueue
from paitui.ui.door import own
from paitui.ui.intents import Ask, Dismiss, Open, Quit, Say, ShowRecord
from paitui.ui.keymap import Keymap
from paitui.ui.lines import Line
from paitui.ui.look import Look
from paitui.ui.prompting.desk import Desk
from paitui.ui.prompting.marks import Draft
from paitui.ui.render.chrome import Keyboard
from paitui.ui.render.numbers import grouped
from paitui.ui.screens.block_desk import BlockDesk
from paitui.ui.source import in_ledger
from paitui.ui.state import ViewState
from paitui.ui.widgets.approval import GRACE_S, ApprovalPanel, FullText
from paitui.ui.widgets.chrome import (
    ActivityRule,
    BrokenOff,
    Footer,
    GaugeLine,
    GaugePane,
    Header,
    MemoryWaits,
    Notices,
)
from paitui.ui.widgets.composer import Composer
from paitui.ui.widgets.plain_bar import plain_bar
from paitui.ui.widgets.prompt import Prompt
from paitui.ui.widgets.queue_bar import QueueBar
from paitui.ui.widgets.transcript import Transcript

HINT_S = 3.0
"""Seconds in which a second Ctrl+C quits."""


class ChatScreen(Screen[None]):
    """The first screen."""

    CSS_PATH = "../styles/chat.tcss"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (10, "-tall")]  # noqa: RUF012
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (60, "-narrow"), (100, "-wide")]  # noqa: RUF012 - Textual declares it so

    def __init__(self, look: Look, keymap: Keymap, clock: Clock, project: str, desk: Desk) -> None:
        super().__init__()
        self._look = look
        self._keymap = keymap
        self._clock = clock
        self._state = ViewState()
        self._leaving: Timer | None = None
        self._grace: Timer | None = None
        self._last_typed = clock.monotonic() - GRACE_S
        self.header = Header(look, project)
        self.transcript = Transcript(look, keymap, id="transcript")
        self._blocks = BlockDesk(self, look, keymap, self._copy)
        self.transcript.border_title = look.word("pane_chat")
        self.rule = ActivityRule(look, keymap, clock)
        self.approval = ApprovalPanel(look, keymap, clock)
        self.composer = Composer(look, keymap, desk)
        self.prompt = self.composer.prompt
        self.queue = QueueBar(look, keymap)
        self.footer = Footer(look, keymap)
        self._slices = (
            self.header,
            self.rule,
            self.footer,
            GaugePane(look, clock),
            GaugeLine(look),
            Notices(look),
            BrokenOff(look, clock),
            MemoryWaits(look, keymap),
            self.queue,
        )
        for key in keymap.keys("answer"):  # what Textual does on Tab would come first
            self._bindings.key_to_bindings.pop(key, None)
        for binding in keymap.bindings():
            self._bindings.bind(binding.key, binding.action, show=False, priority=binding.priority)
        self.set_class(look.glyphs.plain, "-plain")

    def compose(self) -> ComposeResult:
        """Two columns where there is room, else one."""
        header, rule, footer, pane, line, notices, broken_off, waits, queue = self._slices
        yield header
        with Horizontal(id="body"):
            with Vertical(id="chat"):
                yield self.transcript
                yield rule
                with Vertical(id="dock"):
                    yield notices
                    yield broken_off
                    yield waits
                    yield self.approval
                    yield queue
                    yield line
                    yield self.composer
            yield pane
        yield footer

    def on_mount(self) -> None:
        """The keyboard belongs to the prompt."""
        if self._look.glyphs.plain:
            for widget in (self.transcript, self.prompt, self.query_one(FullText)):
                plain_bar(widget)
        self.prompt.focus()
        self.show(self._state)

    def show(self, state: ViewState) -> None:
        """Draw another state."""
        before, self._state = self._state, state
        if not self.is_mounted:
            return
        self.transcript.show(state)
        self._blocks.project = state.project
        if state.result is not None and state.result is not before.result:
            self._blocks.answered(state.result)
        for widget in self._slices:
            widget.show(state)
        self.composer.show(state)
        if self.approval.show(state.approvals, self._asker(state)):
            self._await_calm()

    def _asker(self, state: ViewState) -> Line:
        if not state.approvals or not state.approvals[0].unit:
            return ()
        from paitui.ui.render.plan import asker  # not needed for the first frame

        return asker(state.approvals[0], state, self._look)

    # -- messages of the parts

    @on(Prompt.Sent)
    def _sent(self, event: Prompt.Sent) -> None:
        if event.text.strip():
            self.transcript.follow()
            self.post_message(Say(event.text, event.steer, event.pasted))
        elif event.steer and self._state.queued and not self._state.busy:
            self.post_message(Ask(RunQueue()))

    @on(Prompt.Moved)
    def _moved(self, event: Prompt.Moved) -> None:
        if event.top:
            self.transcript.top()
        else:
            self.transcript.follow()

    @on(Composer.Edits)
    def _editing_queued(self, event: Composer.Edits) -> None:
        self.queue.editing(event.message_id)

    @on(Transcript.BelowChanged)
    def _below(self, event: Transcript.BelowChanged) -> None:
        self.rule.below(event.following, event.new_lines)

    @on(Transcript.CopySelected)
    def _copy_selected(self) -> None:
        self._copy(self.transcript.selected_text())
        self.transcript.select(None)

    @on(Transcript.Copy)
    def _copy_block(self, event: Transcript.Copy) -> None:
        self._blocks.copy(event.block)

    @on(Transcript.ShowRecord)
    def _to_ledger(self, event: Transcript.ShowRecord) -> None:
        if (place := in_ledger(event.block)) is not None:
            self.post_message(ShowRecord(*place))

    @on(Transcript.Open)
    def _open_block(self, event: Transcript.Open) -> None:
        self._blocks.open(event.block)

    def _copy(self, text: str, whole: bool = True) -> None:
        self.app.copy_to_clipboard(text)
        said = self._look.words("blocks.copied" if whole else "blocks.copied_part", n=grouped(len(text)))
        self.footer.say(own(said))
        self.set_timer(HINT_S, self._stay)

    @on(TextArea.Changed)
    def _typed(self) -> None:
        self._last_typed = self._clock.monotonic()
        if self.approval.request is not None and not self.composer.engaged:
            self._await_calm()

    @on(ApprovalPanel.Answered)
    def _answered(self, event: ApprovalPanel.Answered) -> None:
        self.post_message(Ask(event.decide))
        if self.approval.reasoning:
            self.set_focus(self.prompt)

    @on(ApprovalPanel.Left)
    def _panel_left(self, event: ApprovalPanel.Left) -> None:
        self.prompt.focus()
        if event.typed:
            self.prompt.take(event.typed)

    def before_input(self, event: Key | Paste) -> bool:
        """Let the panel answer or leave the keyboard to the prompt, at once, before the next key is looked at.

        Returns:
            Whether the event is dealt with; else whoever has the focus now takes it.
        """
        if self.focused is self.transcript:
            if isinstance(event, Key) and self.transcript.press(event):
                return True
            if isinstance(event, Paste) or event.is_printable:
                self.set_focus(self.prompt)
            return False
        if self.focused is not self.approval:
            return False
        fate = self.approval.press(event) if isinstance(event, Key) else "typing"
        if fate == "typing" or (fate == "answered" and self.focused is self.approval):
            self.set_focus(self.prompt)
        return fate in ("answered", "scrolled")

    # -- the keyboard goes to a waiting approval only when nobody types

    def _await_calm(self) -> None:
        if self._grace is not None:
            self._grace.stop()
        self._grace = self.set_timer(GRACE_S, self._offer_keyboard)

    @property
    def calm(self) -> bool:
        """Whether a question about memory may come up: nothing is typed, and nothing else is asked."""
        return self.prompt.has_focus and not self.composer.engaged and self.approval.request is None

    def returned(self) -> None:
        """Back from a pane: an answer is due only once the user had time to see what is asked."""
        self.prompt.focus()
        self._last_typed = self._clock.monotonic()

    def _offer_keyboard(self) -> None:
        if not self.is_current:  # below a pane nobody sees what is asked
            self._await_calm()
            return
        if self.approval.request is None or self.composer.engaged or not self.prompt.has_focus:
            return
        if self._clock.monotonic() - self._last_typed >= GRACE_S:
            self.approval.focus()
        else:
            self._await_calm()

    @on(DescendantFocus)
    @on(DescendantBlur)
    @on(Transcript.Selected)
    @on(Transcript.Pointed)
    @on(Composer.Turned)
    def _focus_moved(self) -> None:
        reasoning = self.approval.reasoning
        holder: Keyboard = "reason" if reasoning else "answers" if self.approval.has_focus else self.composer.use
        if self.transcript.has_focus:
            holder = self.transcript.holds
        elif holder == "prompt" and self.transcript.selection is not None:
            holder = "selected"
        self.footer.keyboard(holder)
        self.approval.keyboard(holder)

    @on(Resize)
    def _resized(self) -> None:
        for widget in self._slices:
            widget.redraw()

    # -- actions, named in the keymap

    def to_prompt(self) -> None:
        """Back to the prompt and the newest line."""
        self.prompt.focus()
        self.transcript.follow()

    def action_stop(self) -> None:
        """Leave where one is and what is selected, else interrupt, else put the notices away."""
        if self.approval.reasoning:
            self.approval.leave_reason()
        elif self.transcript.selection is not None:
            self.transcript.select(None)
        elif self.transcript.has_focus:
            self.prompt.focus()
        elif self.prompt.has_focus and self.composer.back():
            return
        elif self._state.busy:
            self.post_message(Ask(Interrupt()))
        else:
            self.post_message(Dismiss())

    def action_steer(self) -> None:
        """Say something to the turn that runs; with nothing running and nothing typed, start the queue."""
        self.prompt.send_in_turn(steer=True)

    def compose_command(self, name: str) -> None:
        """Put a slash command into the prompt, for what is to follow it; undo brings the draft back."""
        self.prompt.focus()
        self.prompt.put(Draft(f"/{name} "))

    def action_answer(self) -> None:
        """To the question that waits, and back; with none, to whatever comes next."""
        if self.approval.request is not None and self.prompt.has_focus:
            self.approval.focus()
        elif self.approval.has_focus:
            self.prompt.focus()
        elif self._state.memory_asked or self._state.proposal is not None:
            self.post_message(Open("question"))
        else:
            self.focus_next()

    def action_put_away(self) -> None:
        """Put the notices away."""
        self.post_message(Dismiss())

    def action_fold(self) -> None:
        """Unfold the paste beside the caret, else all cards, or fold them."""
        if self.prompt.has_focus and self.composer.open_chip():
            return
        self.transcript.toggle_fold()
        self.footer.unfolded(self.transcript.unfolded)

    def action_browse(self) -> None:
        """Walk the blocks of the conversation, or go back to the prompt."""
        if self.transcript.has_focus:
            self.prompt.focus()
        else:
            self.transcript.browse()

    def action_page_up(self) -> None:
        """Read back, in the text to approve if the panel holds the keyboard."""
        (self.approval if self.approval.has_focus else self.transcript).page(-1)

    def action_page_down(self) -> None:
        """Read on."""
        (self.approval if self.approval.has_focus else self.transcript).page(1)

    def action_top(self) -> None:
        """To the first line."""
        self.transcript.top()

    def action_bottom(self) -> None:
        """To the newest line, and stay there."""
        self.transcript.follow()

    def action_cancel(self) -> None:
        """Copy a selection, else interrupt, else clear the draft, else quit on the second press."""
        if self.transcript.selection is not None:
            self._copy_selected()
        elif text := self.prompt.selected_text:
            self._copy(text)
        elif self._state.busy:
            self.post_message(Ask(Interrupt()))
        elif self.prompt.draft:
            self.composer.clear()
        elif self.composer.back():
            return
        elif self._leaving is None:
            self.footer.hint("again_to_quit")
            self._leaving = self.set_timer(HINT_S, self._stay)
        else:
            self.post_message(Quit())

    def _stay(self) -> None:
        self._leaving = None
        self.footer.hint(None)

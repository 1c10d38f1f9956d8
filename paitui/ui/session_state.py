"""What is known of stored sessions, event by event. Pure, as the reducer that calls it."""

from dataclasses import replace

from paitui.engine.events import Notice
from paitui.engine.session_events import SessionBrokenOff, SessionChanged, SessionShown, SessionsShown
from paitui.ui.blocks import NoteBlock
from paitui.ui.state import ViewState

PANE = "sessions"
"""The pane that shows by itself what is said about sessions."""


def told_of_session(
    state: ViewState, event: SessionsShown | SessionShown | SessionChanged | SessionBrokenOff
) -> ViewState:
    """Apply one event about stored sessions."""
    match event:
        case SessionsShown():
            return replace(state, sessions=event)
        case SessionShown():
            return replace(state, session_shown=event)
        case SessionBrokenOff(info):  # whoever works already needs no offer
            return replace(state, broken_off=info) if not state.blocks else state
        case SessionChanged(result, _, what):
            state = replace(state, session_changed=event)
            if state.pane == PANE:
                return state
            if result == "failed":
                return replace(state, notices=(*state.notices, Notice("error", what)))
            return replace(state, said=what, blocks=state.blocks.add(NoteBlock("info", what)))


def another_session(state: ViewState) -> ViewState:
    """Nothing of the session that was left is shown any more, but for what the user was not told yet."""
    return ViewState(notices=state.notices, pane=state.pane, sessions=state.sessions)

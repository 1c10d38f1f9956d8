"""Facts that were added unasked: listed at once, told once."""

from msgspec import structs

from paitui.engine import events as e
from paitui.locale import phrase
from paitui.ui.blocks import NoteBlock
from paitui.ui.reducer import reduce
from paitui.ui.state import ViewState
from tests.ui.memory_scenes import ENTRIES, QUICK, shown

ADDED = e.Notice("info", phrase("extraction.added", n=2))


def test_the_chat_says_once_how_many_were_added():
    state = ViewState()
    for event in (e.MemoryChanged("extracted", QUICK), e.MemoryChanged("extracted", QUICK), ADDED):
        state = reduce(state, event)
    assert list(state.blocks) == [NoteBlock("info", ADDED.phrase)]
    assert not state.notices


def test_an_open_list_has_them_at_once():
    before = structs.replace(shown(), entries=tuple(view for view in ENTRIES if view.id != QUICK.id))
    state = reduce(ViewState(memories=before), e.MemoryChanged("extracted", QUICK))
    assert state.memories is not None
    assert [view.id for view in state.memories.entries][-1] == QUICK.id

"""What legacy terminals send and Textual does not know."""

from enum import StrEnum

from textual import _ansi_sequences


class ExtraKeys(StrEnum):
    """Keys by the names that bindings use."""

    ALT_ENTER = "alt+enter"


def extend_terminal_keys() -> None:
    """Teach Textual that ESC CR is Alt+Enter.

    Terminals without the newer keyboard protocol send it so; Textual reads an Enter and would send the draft.
    """
    table = _ansi_sequences.ANSI_SEQUENCES_KEYS
    assert isinstance(table, dict)
    table["\x1b\r"] = (ExtraKeys.ALT_ENTER,)

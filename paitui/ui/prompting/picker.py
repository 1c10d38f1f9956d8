"""A short list to choose from, as data. Pure."""

from dataclasses import dataclass, replace
from typing import Literal

from paitui.ui.prompting.completion import Choice

ROWS = 8
"""Rows shown at once."""


@dataclass(frozen=True, slots=True)
class Picker:
    """What can be chosen, and what is."""

    kind: Literal["command", "argument", "file", "history"]
    choices: tuple[Choice, ...]
    selected: int = 0
    chosen: bool = False
    """Whether the user moved in it: then a key that would send takes instead."""
    top: int = 0
    """First choice that is shown."""

    @property
    def choice(self) -> Choice | None:
        """What is chosen; None in an empty list."""
        return self.choices[self.selected] if self.choices else None

    @property
    def shown(self) -> tuple[Choice, ...]:
        """The choices in sight."""
        return self.choices[self.top : self.top + ROWS]

    def move(self, step: int) -> "Picker":
        """Choose another one; behind the last comes the first."""
        if not self.choices:
            return self
        at = (self.selected + step) % len(self.choices)
        top = min(max(self.top, at - ROWS + 1), at)
        return replace(self, selected=at, chosen=True, top=top)

"""What keys can do: one table of named actions, a tuple for each room.

Bindings, footer, help and palette are made from it, and the names are those of the `[keys]` table in the settings.
An action needs two words in `locale/*/<room>.toml`: `key_<name>` for the footer and `help_<name>` for the help.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Scope = Literal[
    "app",
    "screen",
    "prompt",
    "approval",
    "blocks",
    "pane",
    "inspector",
    "memory",
    "ledger",
    "sessions",
    "reader",
    "question",
    "trust",
    "plan_review",
    "units",
]
"""Where a key counts: on every screen, everywhere in the chat or while one part of it holds the keyboard, in every
pane or in one of them."""

WITHIN: Mapping[Scope, Scope | None] = {
    "app": None,
    "screen": "app",
    "prompt": "screen",
    "approval": "screen",
    "blocks": "screen",
    "pane": "app",
    "inspector": "pane",
    "memory": "pane",
    "ledger": "pane",
    "sessions": "pane",
    "reader": "pane",
    "question": "app",
    "trust": "app",
    "plan_review": "app",
    "units": "pane",
}
"""Which scope lies in which other: a key means one thing in a scope and in all that lies around it."""

When = Literal["", "always", "idle", "busy", "queued", "notices", "approval"]
"""When the footer shows it: `approval` while one waits and its panel does not hold the keyboard, `queued` while
messages wait and nothing runs."""


@dataclass(frozen=True, slots=True)
class Action:
    """Something a key does."""

    name: str
    """Name of the action; in settings, and as ``action_<name>``."""
    keys: tuple[str, ...]
    """Textual's names of the keys; the first one is shown."""
    scope: Scope = "screen"
    footer: When = ""
    """When the footer shows it; empty for only in the help."""
    weight: int = 50
    """What the footer keeps where there is no room for all: the heaviest."""
    label: str = ""
    """Another word for the footer than the action's own; Enter sends or queues."""
    first: bool = True
    """In the scopes `app` and `screen`: whether the key counts before whatever holds the keyboard is asked."""
    listed: bool = True
    """Whether the palette offers it; what only makes sense as a key it does not."""
    room: str = "ui"
    """File of its words."""
    ready: bool = True
    """Whether anything carries it out; until then it has no key and is named nowhere."""

    @property
    def word(self) -> str:
        """Key of its short name."""
        return f"{self.room}.key_{self.label or self.name}"

    @property
    def help(self) -> str:
        """Key of what it does, in a few words."""
        return f"{self.room}.help_{self.name}"


EVERYWHERE: tuple[Action, ...] = (
    Action("help", ("f1",), "app", "always", 95),
    Action("palette", ("ctrl+p",), "app", "always", 93, room="palette", listed=False),
    Action("chat", ("f2",), "app", "always", 10),
    Action("memory", ("f3",), "app", "always", 72, room="memories"),
    Action("ledger", ("f4",), "app", "always", 71, room="ledger_pane"),
    Action("context", ("f5",), "app", "always", 70),
    Action("plan", ("f6",), "app", "", 25, room="plan_screen"),
    Action("sessions", ("f7",), "app", "", 20, room="sessions"),
)
CHAT: tuple[Action, ...] = (
    Action("stop", ("escape",), footer="busy", weight=100, listed=False),
    Action("send", ("enter",), "prompt", "idle", 40, listed=False),
    Action("newline", ("ctrl+j", "alt+enter", "shift+enter"), "prompt", "idle", 45, listed=False),
    Action("search", ("ctrl+r",), "prompt", listed=False),
    Action("editor", ("ctrl+g",), "prompt", listed=False),
    Action("take_back", ("alt+up",), "prompt", listed=False),
    Action("put_forward", ("alt+down",), "prompt", listed=False),
    Action("drop", ("alt+x",), "prompt", listed=False),
    Action("steer", ("ctrl+s",), footer="busy", weight=94, listed=False),
    Action("answer", ("tab",), footer="approval", weight=99, first=False, listed=False),
    Action("put_away", ("ctrl+l",), footer="notices", weight=85),
    Action("fold", ("ctrl+o",), footer="idle", weight=30),
    Action("browse", ("ctrl+t",), footer="idle", weight=35, room="blocks"),
    Action("page_up", ("pageup",), listed=False),
    Action("page_down", ("pagedown",), listed=False),
    Action("top", ("ctrl+home",)),
    Action("bottom", ("ctrl+end",)),
    Action("cancel", ("ctrl+c",), listed=False),
    Action("leave", ("ctrl+q",), "app", "idle", 80),
)
APPROVAL: tuple[Action, ...] = (
    Action("once", ("y",), "approval", listed=False),
    Action("always", ("a",), "approval", listed=False),
    Action("no", ("n",), "approval", listed=False),
    Action("reason", ("r",), "approval", listed=False),
)
BLOCKS: tuple[Action, ...] = (
    Action("block_up", ("up", "k"), "blocks", "always", 46, listed=False, room="blocks"),
    Action("block_down", ("down", "j"), "blocks", "always", 45, listed=False, room="blocks"),
    Action("block_first", ("home", "g"), "blocks", listed=False, room="blocks"),
    Action("block_last", ("end", "G"), "blocks", listed=False, room="blocks"),
    Action("block_fold", ("enter", "space"), "blocks", "always", 80, listed=False, room="blocks"),
    Action("block_copy", ("c", "y"), "blocks", "always", 75, listed=False, room="blocks"),
    Action("block_open", ("o",), "blocks", "always", 70, listed=False, room="blocks"),
    Action("mark", ("v",), "blocks", "always", 60, listed=False, room="blocks"),
    Action("mark_up", ("shift+up",), "blocks", listed=False, room="blocks"),
    Action("mark_down", ("shift+down",), "blocks", listed=False, room="blocks"),
    Action("ledger_record", ("l",), "blocks", "always", 50, listed=False, room="blocks"),
)
READER: tuple[Action, ...] = (
    Action("find", ("slash",), "reader", "always", 70, listed=False, room="reader"),
    Action("find_next", ("n",), "reader", "always", 50, listed=False, room="reader"),
    Action("find_last", ("N",), "reader", listed=False, room="reader"),
    Action("copy_all", ("c", "y"), "reader", "always", 65, listed=False, room="reader"),
    Action("mark_rows", ("v",), "reader", "always", 60, listed=False, room="reader"),
    Action("mark_rows_up", ("shift+up",), "reader", listed=False, room="reader"),
    Action("mark_rows_down", ("shift+down",), "reader", listed=False, room="reader"),
)
PANES: tuple[Action, ...] = (
    Action("row_up", ("up", "k"), "pane", listed=False, room="pane"),
    Action("row_down", ("down", "j"), "pane", listed=False, room="pane"),
    Action("rows_up", ("pageup",), "pane", listed=False, room="pane"),
    Action("rows_down", ("pagedown",), "pane", listed=False, room="pane"),
    Action("row_first", ("home",), "pane", listed=False, room="pane"),
    Action("row_last", ("end",), "pane", listed=False, room="pane"),
    Action("read", ("enter",), "pane", "always", 60, listed=False, room="pane"),
    Action("go_back", ("escape", "q"), "pane", "always", 90, listed=False, room="pane"),
    Action("copy_or_stop", ("ctrl+c",), "pane", listed=False, room="pane"),
)
INSPECTOR: tuple[Action, ...] = (
    Action("pin", ("p",), "inspector", "always", 85, listed=False, room="inspector"),
    Action("clear_one", ("c",), "inspector", "always", 80, listed=False, room="inspector"),
    Action("offload_one", ("o",), "inspector", "always", 75, listed=False, room="inspector"),
    Action("undo", ("u",), "inspector", "always", 86, listed=False, room="inspector"),
    Action("compare", ("b",), "inspector", "always", 84, listed=False, room="inspector"),
    Action("side_before", ("left",), "inspector", listed=False, room="inspector"),
    Action("side_after", ("right",), "inspector", listed=False, room="inspector"),
    Action("gauge", ("g",), "inspector", "always", 55, listed=False, room="inspector"),
)
MEMORY: tuple[Action, ...] = (
    Action("memory_verify", ("v",), "memory", "always", 88, listed=False, room="memories"),
    Action("memory_edit", ("e",), "memory", "always", 85, listed=False, room="memories"),
    Action("memory_delete", ("d",), "memory", "always", 86, listed=False, room="memories"),
    Action("memory_skip", ("space",), "memory", "always", 84, listed=False, room="memories"),
    Action("memory_scope", ("g",), "memory", "always", 64, listed=False, room="memories"),
    Action("memory_undo", ("u",), "memory", "always", 83, listed=False, room="memories"),
    Action("memory_search", ("slash",), "memory", "always", 78, listed=False, room="memories"),
    Action("memory_filter", ("f",), "memory", "always", 76, listed=False, room="memories"),
    Action("memory_review", ("R",), "memory", "always", 87, listed=False, room="memories"),
    Action("memory_new", ("n",), "memory", "always", 66, listed=False, room="memories"),
    Action("memory_log", ("L",), "memory", "always", 50, listed=False, room="memories"),
    Action("memory_all", ("a",), "memory", "always", 52, listed=False, room="memories"),
    Action("memory_relink", ("m",), "memory", "always", 74, listed=False, room="memories"),
)
LEDGER: tuple[Action, ...] = (
    Action("ledger_next", ("n",), "ledger", "always", 88, listed=False, room="ledger_pane"),
    Action("ledger_previous", ("p",), "ledger", "always", 87, listed=False, room="ledger_pane"),
    Action("ledger_event", ("f",), "ledger", listed=False, room="ledger_pane"),
    Action("ledger_role", ("r",), "ledger", listed=False, room="ledger_pane"),
    Action("ledger_tool", ("t",), "ledger", listed=False, room="ledger_pane"),
    Action("ledger_unit", ("u",), "ledger", listed=False, room="ledger_pane"),
    Action("ledger_everything", ("a",), "ledger", "always", 55, listed=False, room="ledger_pane"),
    Action("ledger_search", ("slash",), "ledger", "always", 86, listed=False, room="ledger_pane"),
    Action("ledger_older", ("left_square_bracket",), "ledger", "always", 50, listed=False, room="ledger_pane"),
    Action("ledger_newer", ("right_square_bracket",), "ledger", "always", 49, listed=False, room="ledger_pane"),
    Action("ledger_source", ("s",), "ledger", "always", 82, listed=False, room="ledger_pane"),
    Action("ledger_copy", ("c", "y"), "ledger", "always", 75, listed=False, room="ledger_pane"),
    Action("ledger_export", ("e",), "ledger", "always", 74, listed=False, room="ledger_pane"),
    Action("ledger_open", ("o",), "ledger", "always", 78, listed=False, room="ledger_pane"),
)
SESSIONS: tuple[Action, ...] = (
    Action("session_resume", ("r",), "sessions", "always", 92, listed=False, room="sessions"),
    Action("session_look", ("space", "right"), "sessions", "always", 85, listed=False, room="sessions"),
    Action("session_fork", ("f",), "sessions", "always", 82, listed=False, room="sessions"),
    Action("session_delete", ("d",), "sessions", "always", 84, listed=False, room="sessions"),
    Action("session_export", ("e",), "sessions", "always", 83, listed=False, room="sessions"),
    Action("session_search", ("slash",), "sessions", "always", 78, listed=False, room="sessions"),
    Action("session_all", ("a",), "sessions", "always", 76, listed=False, room="sessions"),
)
QUESTION: tuple[Action, ...] = (
    Action("replace_old", ("r",), "question", listed=False, room="memories"),
    Action("keep_both", ("b",), "question", listed=False, room="memories"),
    Action("edit_new", ("e",), "question", listed=False, room="memories"),
    Action("save_anyway", ("s",), "question", listed=False, room="memories"),
    Action("clear_all", ("y",), "question", listed=False, room="memories"),
    Action("leave_it", ("escape",), "question", listed=False, room="memories"),
)
TRUST: tuple[Action, ...] = (
    Action("trust_project", ("y",), "trust", listed=False, room="project_trust"),
    Action("not_now", ("n", "escape"), "trust", listed=False, room="project_trust"),
)
UNITS: tuple[Action, ...] = (
    Action("unit_fold", ("f", "ctrl+o"), "units", "always", 70, listed=False, room="plan_screen"),
)
PLAN_REVIEW: tuple[Action, ...] = (
    Action("plan_run", ("r",), "plan_review", listed=False, room="plan_screen"),
    Action("plan_change", ("a",), "plan_review", listed=False, room="plan_screen"),
    Action("plan_fold", ("enter", "space"), "plan_review", listed=False, room="plan_screen"),
    Action("plan_fold_all", ("f",), "plan_review", listed=False, room="plan_screen"),
    Action("plan_cancel", ("escape",), "plan_review", listed=False, room="plan_screen"),
)
ACTIONS: tuple[Action, ...] = tuple(
    action
    for action in (
        *EVERYWHERE,
        *CHAT,
        *APPROVAL,
        *BLOCKS,
        *PANES,
        *INSPECTOR,
        *READER,
        *MEMORY,
        *LEDGER,
        *SESSIONS,
        *QUESTION,
        *TRUST,
        *PLAN_REVIEW,
        *UNITS,
    )
    if action.ready
)
"""All of them, in the order of footer and help."""


def around(scope: Scope) -> tuple[Scope, ...]:
    """The scope itself and all that it lies in, from the inside out."""
    found: list[Scope] = []
    at: Scope | None = scope
    while at is not None:
        found.append(at)
        at = WITHIN[at]
    return tuple(found)


def meet(one: Scope, other: Scope) -> bool:
    """Whether a key can stand for an action of either scope at the same moment."""
    return one in around(other) or other in around(one)

"""What the prompt works with outside the screen: files, names, the environment."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paitui.clock import Clock
from paitui.engine.memory_command import VERBS
from paitui.paths import Paths
from paitui.settings import Settings
from paitui.ui import palette
from paitui.ui.prompting.drafts import DraftFile
from paitui.ui.prompting.files import Listing, list_files
from paitui.ui.prompting.history_file import HistoryFile


@dataclass(frozen=True, slots=True)
class Desk:
    """All of it may be slow and is used in another thread, but for the plain values."""

    project: str
    """Resolved path of the project."""
    history: HistoryFile
    drafts: DraftFile
    list_files: Callable[[], Listing]
    names: Callable[[str, str], Sequence[str]]
    """Possible arguments of a command, given its name and what stands there of the argument."""
    environment: Mapping[str, str]
    """For the editor."""
    scratch: Path
    """Folder for the draft while it is in the editor."""
    clock: Clock


def make_desk(paths: Paths, settings: Settings, environment: Mapping[str, str], clock: Clock) -> Desk:
    """Put it together; nothing is read yet."""
    project = str(paths.project)

    known: dict[tuple[str, str], Sequence[str]] = {}

    def names(command: str, partial: str) -> Sequence[str]:
        if command == "theme":
            return palette.names(paths.themes)  # each time anew: the user may be making one
        if command == "resume":
            return session_names(paths)  # anew too
        asked = command, "".join(partial.partition("/")[:2]) if "/" in partial else ""
        if asked not in known:
            known[asked] = argument_names(*asked, settings, environment)
        return known[asked]

    return Desk(
        project,
        HistoryFile(paths.prompts, clock),
        DraftFile(paths.drafts, project),
        lambda: list_files(paths.project),
        names,
        environment,
        paths.drafts,
        clock,
    )


def session_names(paths: Paths) -> Sequence[str]:
    """Name the sessions of the project that can be resumed, last changed first."""
    from paitui.session.errors import SessionError
    from paitui.session.listing import list_sessions

    try:
        found = list_sessions(paths.sessions, str(paths.project))[0]
    except SessionError:
        return ()  # asked for, they say what is wrong
    return [info.id for info in found if info.first_words]


def argument_names(command: str, partial: str, settings: Settings, environment: Mapping[str, str]) -> Sequence[str]:
    """Name what may follow a command, as far as it is known without asking anybody.

    Args:
        command: Without the slash.
        partial: What stands there of the argument, up to a slash in it.
        settings: For models.
        environment: For the keys of providers.
    """
    match command:
        case "compact":
            return ("undo",)
        case "memory":
            return VERBS.split()
        case "save":
            return ("--global", "--force")
        case "export":
            return ("markdown", "html")
        case "approvals":
            return ("revoke",)
        case "model":
            from paitui.engine.models import Models
            from paitui.model import providers

            models = Models(settings, (), environment)
            if partial:
                return models.names(partial)
            rules = providers.load().rules.values()
            return [*dict.fromkeys([*models.names(""), *(f"{rule.name}/" for rule in rules)])]
    return ()

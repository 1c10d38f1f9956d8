"""Every path that paitui uses, in one place."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Paths:
    """Where things are, for one home and one project."""

    home: Path
    """Paitui's own folder, private to the user."""
    project: Path
    """The folder the agent works in, resolved."""

    @property
    def settings(self) -> Path:
        """The user's settings file."""
        return self.home / "settings.toml"

    @property
    def instructions(self) -> Path:
        """The user's own instructions for every project."""
        return self.home / "PAI.md"

    @property
    def themes(self) -> Path:
        """The user's own palettes."""
        return self.home / "themes"

    @property
    def sessions(self) -> Path:
        """One folder per session that can be resumed."""
        return self.home / "sessions"

    @property
    def ledgers(self) -> Path:
        """One raw ledger per session."""
        return self.home / "history" / "raw"

    @property
    def prompts(self) -> Path:
        """What the user sent, in all projects, to be had back."""
        return self.home / "history" / "prompts.jsonl"

    @property
    def drafts(self) -> Path:
        """What the user typed and did not send yet."""
        return self.home / "drafts"

    @property
    def log(self) -> Path:
        """Diagnostics of the program itself."""
        return self.home / "paitui.log"

    @property
    def tool_outputs(self) -> Path:
        """Offloaded tool results, one folder per session; inside the project, where `read_file` may read."""
        return self.project / ".paitui" / "tool-outputs"


def find(project: Path | None = None, environment: Mapping[str, str] | None = None) -> Paths:
    """Decide home and project.

    Args:
        project: The folder to work in; the current one if None.
        environment: The process environment; ``PAITUI_HOME`` moves the home.

    Returns:
        The paths; nothing is created.
    """
    environment = os.environ if environment is None else environment
    home = environment.get("PAITUI_HOME")
    return Paths(
        home=(Path(home) if home else Path.home() / ".paitui").expanduser().absolute(),
        project=(project or Path.cwd()).resolve(),
    )

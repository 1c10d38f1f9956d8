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
    memory_folder: Path | None = None
    """Where long-term memory lies, if not under `home`."""

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
    def memory(self) -> Path:
        """Long-term memory of all projects; its lock and its history lie beside it."""
        return (self.memory_folder or self.home / "memory") / "long_term_memory.json"

    @property
    def log(self) -> Path:
        """Diagnostics of the program itself."""
        return self.home / "paitui.log"

    @property
    def trusted(self) -> Path:
        """Which projects the user trusts, and which bytes their files had; its lock lies beside it."""
        return self.home / "trusted.json"

    @property
    def tool_outputs(self) -> Path:
        """Offloaded tool results, one folder per session; inside the project, where `read_file` may read."""
        return self.project / ".paitui" / "tool-outputs"


def find(project: Path | None = None, environment: Mapping[str, str] | None = None) -> Paths:
    """Decide home and project.

    Args:
        project: The folder to work in; the current one if None.
        environment: The process environment; ``PAITUI_HOME`` moves the home,
            ``PAITUI_MEMORY_DIR`` the folder of long-term memory.

    Returns:
        The paths; nothing is created.
    """
    environment = os.environ if environment is None else environment
    home, memory = environment.get("PAITUI_HOME"), environment.get("PAITUI_MEMORY_DIR")
    return Paths(
        home=(Path(home) if home else Path.home() / ".paitui").expanduser().absolute(),
        project=(project or Path.cwd()).resolve(),
        memory_folder=Path(memory).expanduser().absolute() if memory else None,
    )

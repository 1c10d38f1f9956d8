"""Whether home, project and model can be worked with at all: asked at every start, so it imports little."""

import os
from collections.abc import Callable
from pathlib import Path

from paitui.locale import Phrase, phrase
from paitui.settings import Settings

Access = Callable[[Path, int], bool]
"""As `os.access`: whether a path may be used in a way."""


def home_fault(home: Path, access: Access = os.access) -> Phrase | None:
    """Say why nothing can be saved in the home, if so; nothing is created."""
    if os.path.exists(home):  # unlike Path.exists, no error where a folder above cannot be entered
        usable = home.is_dir() and access(home, os.R_OK | os.W_OK | os.X_OK)
    else:
        parent = existing(home)
        usable = parent.is_dir() and access(parent, os.W_OK | os.X_OK)
    return None if usable else phrase("preflight.home_unusable", home=str(home))


def project_fault(project: Path, access: Access = os.access) -> Phrase | None:
    """Say why the agent cannot work in a folder, if so."""
    if not os.path.exists(project):
        return phrase("preflight.project_missing", project=str(project))
    if not project.is_dir():
        return phrase("preflight.project_no_folder", project=str(project))
    if not access(project, os.R_OK | os.X_OK):
        return phrase("preflight.project_unreadable", project=str(project))
    return None


def model_fault(settings: Settings, file: Path) -> Phrase | None:
    """Say why the model that is asked for cannot be one, if so: only how its name is written is looked at."""
    provider, _, name = settings.model.partition("/")
    if settings.model == "offline" or (provider.strip() and name.strip()):
        return None
    return phrase("preflight.model_unknown", name=settings.model, file=str(file))


def existing(path: Path) -> Path:
    """Give the nearest folder above that exists (a file in the way counts as existing)."""
    return next((parent for parent in (path, *path.parents) if os.path.exists(parent)), Path(path.anchor))

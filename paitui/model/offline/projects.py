"""The files of a small new project, from ``projects.toml``."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from paitui.model.offline.intents import ProjectKind

DEFAULT_VERSIONS: Mapping[ProjectKind, str] = MappingProxyType({"python": "3.11", "java": "17", "node": "20"})
"""Language version where neither the request nor anything said before names one."""


def project_files(kind: ProjectKind, name: str, version: str) -> dict[str, str]:
    """Give the files of a new project.

    Args:
        kind: Its language.
        name: Its name, which is also its folder.
        version: Version of the language.

    Returns:
        Path (relative to the project that paitui runs in) to content, in the order in which to write them.
    """
    templates = tomllib.loads((Path(__file__).parent / "projects.toml").read_text("utf-8"))[kind]
    package = re.sub(r"\W+", "_", name.lower(), flags=re.ASCII).strip("_")
    package = package if package and not package[0].isdigit() else f"app_{package}"
    values = {"name": name, "package": package, "npm": name.lower(), "version": version}
    return {
        f"{name}/{path.format(**values)}": text.format(**values).removeprefix("\n")
        for path, text in templates.items()
    }

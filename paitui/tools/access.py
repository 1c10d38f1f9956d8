"""How tools reach files: through the fence, with refusals turned into tool errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

from paitui.locale import Phrase, phrase
from paitui.paths import Paths
from paitui.tools.base import ToolContext, ToolError
from paitui.trust.fence import Fence, FenceError, project_fence

OUTPUTS = ".paitui/tool-outputs"
"""Where whole results of tools lie, relative to the project."""
_UNTRUSTED_FOLDERS = (".git", ".paitui")


def fence_of(context: ToolContext) -> Fence:
    """The fence around the project; paitui's own configuration is closed to writing."""
    return project_fence(Paths(context.home, context.project, context.memory_folder))


@contextmanager
def fenced() -> Iterator[None]:
    """Turn a refusal of the fence into an error of the tool."""
    try:
        yield
    except FenceError as error:
        raise ToolError(error.phrase) from error


def is_output(relative: str) -> bool:
    """Whether a path lies in the folder of whole results."""
    return relative == OUTPUTS or relative.startswith(OUTPUTS + "/")


def always_folder(resolved: str) -> str:
    """The folder that "always" would cover for a write.

    Args:
        resolved: Path of the file, links resolved, relative to the project.

    Returns:
        The folder with a slash; empty for places whose files make programs do something (a git hook).
    """
    path = PurePosixPath(resolved)
    if any(part.casefold() in _UNTRUSTED_FOLDERS for part in path.parts):
        return ""
    return f"{path.parent}/"


def counted(key: str, n: int) -> Phrase:
    """A phrase with a number; `<key>_one` for exactly one."""
    return phrase(f"{key}_one" if n == 1 else key, n=n)

"""What a user can ask the engine for. Frozen data, made by `parse`, carried out by the steps."""

from dataclasses import dataclass
from typing import Literal

ProjectKind = Literal["python", "java", "node"]


@dataclass(frozen=True, slots=True)
class Read:
    """Read files and say what is in them."""

    paths: tuple[str, ...]
    summarise: bool = False
    """Answer with a summary instead of the beginning."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """Fetch web pages and say what is in them."""

    urls: tuple[str, ...]
    summarise: bool = False
    """Answer with a summary instead of the beginning."""


@dataclass(frozen=True, slots=True)
class WebSearch:
    """Search the web."""

    query: str


@dataclass(frozen=True, slots=True)
class ListDir:
    """List a folder."""

    path: str = "."


@dataclass(frozen=True, slots=True)
class Glob:
    """Find files by name."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Find:
    """Find where a name is defined."""

    symbol: str


@dataclass(frozen=True, slots=True)
class Search:
    """Search the files for a text."""

    pattern: str
    path: str = ""
    """Folder or file to search in; empty for everything."""


@dataclass(frozen=True, slots=True)
class Run:
    """Run a command; an empty one stands for the project's tests."""

    command: str


@dataclass(frozen=True, slots=True)
class Write:
    """Write a file."""

    path: str
    content: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace a text in a file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Survey:
    """Look over the whole project and report."""


@dataclass(frozen=True, slots=True)
class CreateProject:
    """Create a small project in a new folder."""

    kind: ProjectKind
    name: str
    version: str = ""
    """Language version that the request names; empty if it names none."""


@dataclass(frozen=True, slots=True)
class Remember:
    """Save a fact in long-term memory."""

    fact: str
    scope: Literal["project", "global"] = "project"


@dataclass(frozen=True, slots=True)
class Recall:
    """Tell what long-term memory holds."""

    query: str = ""
    """What about; empty for everything."""


@dataclass(frozen=True, slots=True)
class Continue:
    """Go on with what is unfinished."""


@dataclass(frozen=True, slots=True)
class Greet:
    """A greeting or thanks."""


@dataclass(frozen=True, slots=True)
class Help:
    """What the engine can do."""


@dataclass(frozen=True, slots=True)
class Recap:
    """What was asked and done in this conversation."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that no rule understands."""

    text: str


Intent = (
    Read
    | Fetch
    | WebSearch
    | ListDir
    | Glob
    | Find
    | Search
    | Run
    | Write
    | Edit
    | Survey
    | CreateProject
    | Remember
    | Recall
    | Continue
    | Greet
    | Help
    | Recap
    | Unknown
)

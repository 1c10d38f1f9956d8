"""What a project's files say about a memory: versions, tools and paths that it names, held against them.

Files are only read, in part and as text; nothing in them is carried out, no entity of an XML file is followed.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from paitui.memory import versions
from paitui.memory.conflict import prepare
from paitui.memory.lexicon import lexicon
from paitui.memory.manifests import Fact, tool_facts, version_facts
from paitui.memory.slots import Claim

Reader = Callable[[str], str | None]
"""Gives the text of a file by its path relative to the project, at most its first part where it is large; None if
there is no such file."""

MISSING = "missing"
"""What is said of a path that is not there."""
_MOST_PATHS = 5
_PATH = re.compile(
    r"(?<![\w/.:~@-])(?P<path>(?:\.?[A-Za-z0-9_][\w.@-]*/)+[\w@-][\w.@-]*\.[A-Za-z0-9]{1,8}|"
    r"[A-Za-z0-9_][\w-]*\.(?:toml|json|ya?ml|xml|gradle|kts|lock|cfg|ini|md|properties))(?![\w/*-])"
)
_GONE = re.compile(
    r"不再|删除|移除|没有|不存在|已废弃|新建|创建|添加"
    r"|\b(?:no longer|removed|deleted|there is no|does not exist|create|add)\b"
)
"""Where a path that is not there is nothing to wonder at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a file says about a memory."""

    agrees: bool
    """Whether it says the same."""
    file: str
    """Path relative to the project."""
    line: int
    """Line number from 1; 0 where it is the file as such."""
    says: str
    """What stands there, in short: ``21``, ``pnpm``; `MISSING` for a path that is not there."""


def findings(content: str, read: Reader) -> tuple[Finding, ...]:
    """Compare a memory with the project's files.

    Args:
        content: The memory's text.
        read: Reads a file of the project; asked only for files that can say something about it.

    Returns:
        Disagreement before agreement; empty if the files say nothing about it.
    """
    found: dict[Finding, None] = {}
    peripheral = lexicon().peripheral
    claims = [claim for claim in prepare(content).statement.claims if not claim.parts & peripheral]
    for product in dict.fromkeys(claim.slot for claim in claims if claim.kind == "version"):
        said = [claim for claim in claims if claim.kind == "version" and claim.slot == product]
        found.update(dict.fromkeys(_versions(said, version_facts(product, read))))
    for slot in dict.fromkeys(claim.slot for claim in claims if claim.kind == "choice"):
        said = [claim for claim in claims if claim.kind == "choice" and claim.slot == slot]
        found.update(dict.fromkeys(_tools(said, list(tool_facts(slot, read)))))
    found.update(dict.fromkeys(_paths(content, read)))
    return tuple(sorted(found, key=lambda finding: finding.agrees))


def _versions(claims: Iterable[Claim], facts: Iterable[Fact]) -> Iterator[Finding]:
    said = list(claims)
    for fact in facts:
        yes = [claim for claim in said if claim.positive]
        no = [claim for claim in said if not claim.positive]
        agrees = any(versions.compatible(claim.value, fact.value) for claim in yes)
        denied = any(versions.compatible(claim.value, fact.value) for claim in no)
        if yes or denied:
            yield Finding(agrees and not (denied and not agrees), fact.file, fact.line, fact.says)


def _tools(claims: Iterable[Claim], facts: list[Fact]) -> Iterator[Finding]:
    said = list(claims)
    yes = {claim.value for claim in said if claim.positive}
    no = {claim.value for claim in said if not claim.positive} - yes
    for fact in facts:
        if fact.value in yes:
            yield Finding(True, fact.file, fact.line, fact.says)
        elif fact.value in no:
            yield Finding(False, fact.file, fact.line, fact.says)
    if yes and not any(fact.value in yes for fact in facts):
        # Two tools side by side happen; only where the one that is named left no trace does another speak against it.
        yield from (Finding(False, fact.file, fact.line, fact.says) for fact in facts if fact.value not in no)


def _paths(content: str, read: Reader) -> Iterator[Finding]:
    if _GONE.search(content):
        return
    for path in list(dict.fromkeys(match["path"] for match in _PATH.finditer(content)))[:_MOST_PATHS]:
        if ".." in path.split("/"):
            continue
        there = read(path) is not None
        if there or "/" in path:
            yield Finding(there, path, 0, path if there else MISSING)

"""Matching paths against globs with `**` and braces, in time that no pattern can blow up."""

import fnmatch
import re
from collections.abc import Callable, Sequence

_MOST_ALTERNATIVES = 64


def matcher(glob: str) -> Callable[[str], bool]:
    """Prepare a glob.

    A glob without a slash is matched against the name alone, at any depth; else against the whole path, where
    ``*`` and ``?`` stay inside a folder and ``**`` stands for any number of them.

    Args:
        glob: Pattern; ``{a,b}`` stands for either.

    Returns:
        A function that says whether a relative path with ``/`` matches.
    """
    choices = [_compile(one) for one in _alternatives(glob)]
    return lambda path: any(_matches(parts, anywhere, path) for parts, anywhere in choices)


_Part = re.Pattern[str] | None


def _compile(glob: str) -> tuple[list[_Part], bool]:
    parts = [part for part in glob.removeprefix("./").split("/") if part]
    # The standard library's translation of one component cannot backtrack badly.
    return [None if part == "**" else re.compile(fnmatch.translate(part)) for part in parts], len(parts) == 1


def _matches(parts: Sequence[_Part], anywhere: bool, path: str) -> bool:
    names = path.split("/")
    if anywhere and parts[0] is not None:
        names = names[-1:]
    # Which numbers of leading names the parts so far can stand for.
    reached = {0}
    for part in parts:
        if part is None:
            reached = set(range(min(reached), len(names) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(names) and part.match(names[at])}
        if not reached:
            return False
    return len(names) in reached


def _alternatives(glob: str) -> list[str]:
    """Write out braces."""
    done: list[str] = []
    todo = [glob]
    while todo and len(done) + len(todo) <= _MOST_ALTERNATIVES:
        one = todo.pop()
        braces = re.search(r"\{([^{}]*)\}", one)
        if braces is None or "," not in braces[1]:
            done.append(one)
        else:
            todo += [one[: braces.start()] + choice + one[braces.end() :] for choice in braces[1].split(",")]
    return done + todo

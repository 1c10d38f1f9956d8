"""Facts as the text behind a summary: written by `render`, read back exactly by `parse`."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from paitui.context.facts import Facts, Ran
from paitui.context.keylines import Seen
from paitui.trust.boundary import escape_markers, escape_tags


@dataclass(frozen=True, slots=True)
class FactWords:
    """The words around facts, in one language."""

    heading: str
    """Heading of the whole, as it must stand."""
    note: str
    """Says that lines of output are data."""
    changed: str
    """Line before the changed paths."""
    failed: str
    """Line before the failing commands."""
    first: str
    """Line before the first request; ``{n}`` is its length in characters."""
    said: str
    """Line before another message of the user; ``{n}``."""
    ran: str
    """Line before the other commands."""
    read: str
    """Begins the line with the paths that were read; it must hold the word for reading."""
    stored: str
    """Line before the files with whole texts."""
    seen: str
    """Line before the newest results with their lines that hold numbers."""


def render(facts: Facts, words: FactWords) -> str:
    """Write facts as the text that stands behind a summary; empty if there are none."""
    lines = list(_lines(facts, words))
    return "\n".join([words.heading, words.note, *lines]) if lines else ""


def _lines(facts: Facts, words: FactWords) -> Iterator[str]:
    if facts.changed:
        yield words.changed
        yield from map(path_line, facts.changed)
    if facts.failed:
        yield words.failed
        for ran in facts.failed:
            yield ran_line(ran)
    if facts.first:
        yield text_lines(facts.first, words.first)
    for text in facts.said:
        yield text_lines(text, words.said)
    if facts.ran:
        yield words.ran
        yield from map(ran_line, facts.ran)
    if facts.read:
        yield read_line(facts.read, words)
    if facts.stored:
        yield words.stored
        for path, what in facts.stored:
            yield stored_line(path, what)
    if facts.seen:
        yield words.seen
        for one in facts.seen:
            yield seen_line(one)


def path_line(path: str) -> str:
    """The line of a changed path; one with odd characters as a JSON text."""
    plain = path.isprintable() and path == path.strip() and not path.startswith('"')
    return f"- {path if plain else json.dumps(path)}"


def ran_line(ran: Ran) -> str:
    """The lines of a command; one of several lines states its length, so that it can be read back."""
    size = f", {len(ran.command)} characters" if _breaks(ran.command) or ran.command.startswith("[") else ""
    later = ", later passed" if ran.passed_later else ""
    status = "?" if ran.status is None else ran.status
    return "\n".join([f"- [exit {status}{later}{size}] {ran.command}", *(f"| {line}" for line in ran.lines)])


def text_lines(text: str, label: str) -> str:
    """A user's text under its label, byte for byte."""
    return f"{label.format(n=len(text))}\n{text}"


def read_line(paths: Sequence[str], words: FactWords) -> str:
    """The one line with all paths that were read; those that could not be read back from it are left out."""
    good = [path for path in paths if "`" not in path and path.isprintable()]
    return f"{words.read} {', '.join(f'`{path}`' for path in good)}"


def stored_line(path: str, what: str) -> str:
    """The line of a file with a whole text."""
    return f"- {path} ({_one_line(what)})"


def seen_line(one: Seen) -> str:
    """The lines of a result of which some are kept."""
    return "\n".join([f"- {_one_line(one.what)}", *(f"| {line}" for line in one.lines)])


def _one_line(text: str) -> str:
    return escape_markers(escape_tags(" ".join(text.split())))


def _breaks(text: str) -> bool:
    return len(text.splitlines()) > 1 or text != text.rstrip("\n")


_RAN = re.compile(r"- \[exit (\?|-?\d+)(, later passed)?(?:, (\d+) characters)?\] ")


def reader(languages: Sequence[FactWords]) -> Callable[[str], Facts]:
    """Make the function that reads facts back from the text of a summary message, in whichever language they are."""
    return lambda text: parse(text, languages)


def parse(text: str, languages: Sequence[FactWords]) -> Facts:
    """Read back what `render` wrote behind a summary.

    Args:
        text: A summary message. A summary never holds the heading itself (it would have been refused), so the
            first one is the program's; user texts state their length, so that nothing in them can pass for more.
        languages: The words of every language.

    Returns:
        The facts; none if there is no such heading.
    """
    found = [(f"\n{text}".find(f"\n{words.heading}\n"), words) for words in languages]
    at, words = min((f for f in found if f[0] >= 0), key=lambda f: f[0], default=(-1, None))
    return Facts() if words is None else _parse(text[at + len(words.heading) + 1 :], words)


def _parse(text: str, words: FactWords) -> Facts:
    first = ""
    said: list[str] = []
    changed: list[str] = []
    runs: dict[str, list[Ran]] = {words.failed: [], words.ran: []}
    read: list[str] = []
    stored: list[tuple[str, str]] = []
    seen: list[Seen] = []
    labels = {words.changed, words.failed, words.ran, words.stored, words.seen}
    first_at, said_at = _label(words.first), _label(words.said)
    at, kind = 0, ""
    while at < len(text):
        if (match := first_at.match(text, at)) or (match := said_at.match(text, at)):
            end = match.end() + int(match[1])
            if match.re is first_at:
                first = text[match.end() : end]
            else:
                said.append(text[match.end() : end])
            at, kind = end + 1, ""
            continue
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end]
        if line in labels:
            kind = line
        elif line.startswith(words.read):
            read += re.findall(r"`([^`]+)`", line)
        elif kind == words.changed and line.startswith("- "):
            changed.append(_path(line[2:]))
        elif kind in runs and (match := _RAN.match(text, at)):
            end = match.end() + int(match[3]) if match[3] else end
            status = None if match[1] == "?" else int(match[1])
            runs[kind].append(Ran(text[match.end() : end], status, (), bool(match[2])))
        elif kind == words.failed and line.startswith("| ") and runs[kind]:
            last = runs[kind][-1]
            runs[kind][-1] = replace(last, lines=(*last.lines, line[2:]))
        elif kind == words.stored and (match := re.match(r"- (\S+) \((.*)\)$", line)):
            stored.append((match[1], match[2]))
        elif kind == words.seen and line.startswith("- "):
            seen.append(Seen(line[2:], ()))
        elif kind == words.seen and line.startswith("| ") and seen:
            seen[-1] = replace(seen[-1], lines=(*seen[-1].lines, line[2:]))
        at = end + 1
    failed, ran = runs[words.failed], runs[words.ran]
    return Facts(
        tuple(changed), tuple(failed), first, tuple(said), tuple(ran), tuple(read), tuple(stored), tuple(seen)
    )


def _label(template: str) -> re.Pattern[str]:
    return re.compile(re.escape(template).replace(r"\{n\}", r"(\d+)") + "\n")


def _path(text: str) -> str:
    try:
        return str(json.loads(text)) if text.startswith('"') else text
    except ValueError:
        return text

"""A memory as the model reads it: one line with what it says, how old it is, and what speaks against it."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache

from paitui.locale import Language, Words
from paitui.memory.entry import Entry
from paitui.memory.evidence import MISSING, Finding
from paitui.memory.freshness import is_stale


def describe(entry: Entry, now: datetime, evidence: Iterable[Finding], language: Language) -> str:
    """Put a memory into a line.

    Args:
        entry: The memory.
        now: The present time.
        evidence: What the project's files say about it; only what disagrees is told.
        language: Of the remarks.

    Returns:
        One line: ``- [fact-1a2b3c4d] content (written 2026-01-02; ...)``, line breaks of the content shown as ``⏎``.
    """
    words = _words(language)
    remarks = [words("recall.written", day=_day(entry.written)) if entry.written else words("recall.undated")]
    if entry.verified:
        remarks.append(words("recall.verified", day=_day(entry.verified)))
    if not entry.confirmed:
        remarks.append(words("recall.unconfirmed"))
    if is_stale(entry.written, entry.verified, now):
        remarks.append(words("recall.stale"))
    for finding in evidence:
        if not finding.agrees:
            remarks.append(words("recall.against", what=says(finding, language)))
    content = " ⏎ ".join(part.strip() for part in entry.content.splitlines() if part.strip())
    return words("recall.line", id=entry.id, content=content, remarks=words("recall.between").join(remarks))


def says(finding: Finding, language: Language) -> str:
    """Put what a file says into words, such as ``pom.xml:18 says 21``.

    Args:
        finding: What was found.
        language: Of the words.
    """
    words = _words(language)
    if finding.says == MISSING:
        return words("recall.missing", file=finding.file)
    if not finding.line:
        return words("recall.there", file=finding.file)
    return words("recall.says", file=finding.file, line=finding.line, what=finding.says)


@cache
def _words(language: Language) -> Words:
    """The words of a language; they are read from their file once."""
    return Words(language)


def _day(time: datetime) -> str:
    return time.astimezone(UTC).date().isoformat()

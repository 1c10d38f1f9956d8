"""Where sentences and clauses end, and which sentences ask."""

import re

from paitui.memory.extraction.words import pattern

Span = tuple[int, int]
"""First character and the one after the last."""

_END = re.compile(
    r"""(?:[。！？；]
        | [!?](?=\s|$|[^\x00-\x7f]|["')\]!?]|[A-Z][a-z]*['\s])   # not the one of an address
        | ;(?=\s|$|[^\x00-\x7f])
        | (?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)(?<!^\d)(?<!\n\d)\.(?=\s|$|[^\x00-\x7f])
        )+ ["'”’」』）)]*
        | \n""",
    re.VERBOSE,
)
_CLAUSE_END = re.compile(r"[，,：、](?=\D|$)|:(?=\s|$|[^\x00-\x7f])|\s[-–—]+\s|——|[()（）]")
_CLOSERS = " \t\r\n\"'”’」』）)`*_"


def sentences(text: str) -> list[Span]:
    """Divide a text into sentences, each with the sign that ends it; together they cover it."""
    found: list[Span] = []
    at = 0
    for match in _END.finditer(text):
        found.append((at, match.end()))
        at = match.end()
    if at < len(text):
        found.append((at, len(text)))
    return found


def clauses(text: str, span: Span) -> list[Span]:
    """Divide a sentence at its commas, colons, dashes and brackets; the signs belong to no clause."""
    found: list[Span] = []
    at = span[0]
    for match in _CLAUSE_END.finditer(text, *span):
        found.append((at, match.start()))
        at = match.end()
    found.append((at, span[1]))
    return [(start, end) for start, end in found if text[start:end].strip()]


def is_question(sentence: str) -> bool:
    """Say whether a sentence asks: by its sign, or by its words where the sign was left out."""
    plain = sentence.strip(_CLOSERS)
    bare = plain.rstrip("。.!！~～ ")
    if bare.endswith(("?", "？")):
        return True
    free = pattern("question", "harmless").sub(" ", bare)
    return bool(pattern("question", "words").search(free))

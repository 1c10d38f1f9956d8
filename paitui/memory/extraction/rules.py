"""Finding lasting facts without a model: by how people put them. Careful, not complete."""

import re
from itertools import pairwise

from paitui.memory.extraction.answer import MOST
from paitui.memory.extraction.quotes import LONGEST, SHORTEST, foreign, of_the_moment
from paitui.memory.extraction.sentences import Span, clauses, is_question, sentences
from paitui.memory.extraction.words import pattern

_ENDS = " \t\r\n。.!！;；,，、:：~～"
_COLON = re.compile(r"[：:](?=\s|$|[^\x00-\x7f])|：")
_CUT = re.compile(r"[，,、]")
_REASON = re.compile(
    r"\s(?=(?:because|since) (?:we|our|i|this|the|my)\b)|(?=因为(?:我|本|项目|团队|公司))", re.IGNORECASE
)


def extract(text: str) -> list[str]:
    """Give the lasting facts of a text, in the user's own words.

    Args:
        text: What the user typed.

    Returns:
        At most three quotes, in order.
    """
    if _matches("about_text", text):
        return []
    outside = foreign(text)
    found: list[str] = []
    for start, end in sentences(text):
        sentence = text[start:end]
        if _introduces(text, start, end) or _matches("material", sentence):
            break  # what follows is material to work on
        if is_question(sentence) or not sentence.strip() or _matches("code", sentence):
            continue
        for first, last in _statements(text, (start, end)):
            fact = text[first:last].strip(_ENDS)
            first = text.index(fact, first)
            if any(first < b and a < first + len(fact) and not _name(text, (a, b)) for a, b in outside):
                continue
            if SHORTEST <= len(fact) <= LONGEST and not of_the_moment(fact):
                found.append(fact)
    return list(dict.fromkeys(found))[:MOST]


def _statements(text: str, sentence: Span) -> list[Span]:
    """The statements within a sentence: a clause that states something, and those that go on with it."""
    parts = [part for clause in clauses(text, sentence) for part in _at_reasons(text, clause)]
    parts = [(_behind_lead(text, start, end), end) for start, end in parts]
    if _unfit([text[start:end].strip(_ENDS) for start, end in parts]):
        return []
    found: list[Span] = []
    run: Span | None = None
    lead: Span | None = None
    standing = False
    for begin, end in parts:
        clause = text[begin:end].strip(_ENDS)
        if not clause:
            continue
        kind = _kind(clause)
        goes_on = standing or kind != "standing" or len(clause.split()) in (2, 3)  # ", never unittest"
        if run is not None and goes_on and not _ends_run(clause, standing, kind):
            run = (run[0], end)
            continue
        if run is not None:
            found.append(run)
            run = None
        if kind:
            run, standing = (lead[0] if lead else begin, end), kind == "standing"
        elif lead is not None and _is_order(clause):
            run, standing = (lead[0], end), True
        lead = (begin, end) if not kind and run is None and _full("open_lead", clause) else None
    if run is not None:
        found.append(run)
    return found


def _kind(clause: str) -> str:
    """What a clause is: a standing order, a statement of what holds, or neither (empty)."""
    if _starts("standing_zh", clause) or _starts("standing_en", clause):
        return "standing"
    if _starts("prefer_zh", clause) or _starts("prefer_en", clause):
        return "fact"
    if any(_matches(name, clause) for name in ("talk", "once", "doubtful")):
        return ""
    if _starts("self_zh", clause) or _starts("self_en", clause):
        return "fact"
    return "fact" if not _starts("task", clause) and _says_of_own(clause) else ""


def _says_of_own(clause: str) -> bool:
    clause = clause.strip(_ENDS)
    for own, verb, gap in (("own_zh", "verb_zh", r"\s*"), ("own_en", "verb_en", " ")):
        if re.match(f"{pattern('rules', own).pattern}{gap}{pattern('rules', verb).pattern}", clause, re.IGNORECASE):
            return True
    return False


def _unfit(parts: list[str]) -> bool:
    """Whether nothing in a sentence can be taken for a lasting fact; what it asks for besides does not matter."""
    said = [part for part in parts if part and (_kind(part) or not _starts("task", part))]
    if not said or _starts("condition", said[0]):
        return True
    if any(of_the_moment(part) or _matches("never", part) for part in said):
        return True
    return any(pattern("rules", "happened").search(pattern("rules", "happened_not").sub("", part)) for part in said)


def _introduces(text: str, start: int, end: int) -> bool:
    """Whether a sentence holds a colon behind anything but a remark or the user's own things, as in "Bob: ..."."""
    for match in _COLON.finditer(text, start, end):
        begin = max([start, *(cut.end() for cut in _CUT.finditer(text, start, match.start()))])
        head = text[begin : match.start()]
        if _behind_lead(text, begin, match.end()) < match.end() and not (
            _own_label(head) or _starts("standing_zh", head) or _starts("standing_en", head)
        ):
            return True
    return False


def _own_label(head: str) -> bool:
    return any(pattern("rules", own).fullmatch(head.strip()) for own in ("own_zh", "own_en"))


def _ends_run(clause: str, standing: bool, kind: str) -> bool:
    return _starts("request", clause) or (not standing and not kind and _starts("task", clause))


def _is_order(clause: str) -> bool:
    return not _starts("request", clause)


def _behind_lead(text: str, start: int, end: int) -> int:
    """Where a clause begins, behind bullets and words such as "by the way"."""
    match = pattern("rules", "lead").match(text, start, end)
    at = match.end() if match else start
    while at < end and (match := pattern("rules", "lead_in").match(text, at, end)) and match.end() > at:
        at = match.end()
    return at


def _at_reasons(text: str, clause: Span) -> list[Span]:
    cuts = [match.start() for match in _REASON.finditer(text, *clause) if match.start() > clause[0]]
    edges = [clause[0], *cuts, clause[1]]
    return list(pairwise(edges))


def _name(text: str, span: Span) -> bool:
    """Whether what stands in quotation marks is a name or a bit of code, not a statement."""
    inner = text[span[0] : span[1]].strip("`\"'“”‘’「」『』《》")
    return len(inner) <= 40 and "\n" not in inner and not pattern("cues", "lasting").search(inner)


def _starts(name: str, text: str) -> bool:
    return pattern("rules", name).match(text) is not None


def _matches(name: str, text: str) -> bool:
    return pattern("rules", name).search(text) is not None


def _full(name: str, text: str) -> bool:
    return pattern("rules", name).fullmatch(text.strip()) is not None

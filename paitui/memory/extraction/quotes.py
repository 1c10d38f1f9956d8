"""Whether a quote counts: checked by program, whatever model gave it."""

import re
from dataclasses import dataclass

from paitui.memory.extraction.sentences import Span, clauses, is_question, sentences
from paitui.memory.extraction.words import pattern

SHORTEST = 5
"""Characters that a quote has at least."""
LONGEST = 180
"""Characters that it has at most."""

_MOST_PLACES = 50
"""Places of a quote that are looked at."""
_FENCE = re.compile(r"^[ \t]*(?P<sign>`{3,}|~{3,})(?P<info>[^\n]*)$", re.MULTILINE)
_QUOTED_LINE = re.compile(r"^[ \t]*[>＞][^\n]*", re.MULTILINE)
_INDENTED = re.compile(r"(?:(?<=\n\n)|(?<=\A))(?:(?: {4}|\t)[^\n]*\n?)+")
_TICKS = re.compile(r"`+")
_PAIRS = dict(zip("「『《〈«“„‘﹁﹃｢", "」』》〉»”“’﹂﹄｣", strict=True))
_STRAIGHT = re.compile(r"(?<![A-Za-z0-9])(?:[\"＂]|['＇](?=\S))")
_OPENERS = re.compile("[" + "".join(_PAIRS) + "”]")
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class Judge:
    """What is known of a text, for judging quotes from it."""

    text: str
    """The user's own words, before anything private was taken out."""
    withheld: tuple[Span, ...] = ()
    """What was taken out, in order."""

    def accepts(self, quote: str) -> bool:
        """Say whether a quote, trimmed, is the user's own plain statement.

        Args:
            quote: What is to be remembered, as it was answered.

        Returns:
            True if it has a fitting length, stands on one line and in the text word for word, and does so somewhere
            where it is neither code nor a quotation nor part of a question, nor said of the moment.
        """
        if not SHORTEST <= len(quote) <= LONGEST or len(quote.splitlines()) != 1 or of_the_moment(quote):
            return False
        outside, divided = foreign(self.text), sentences(self.text)
        return any(self._stands(span, outside, divided) for span in _places(self.text, quote))

    def _stands(self, span: Span, outside: list[Span], divided: list[Span]) -> bool:
        text = self.text
        if any(_overlap(span, hidden) for hidden in self.withheld):
            return False
        if any(_overlap(span, other) and not _harmless(text, span, other) for other in outside):
            return False
        within = [sentence for sentence in divided if _overlap(span, sentence)]
        if any(is_question(text[start:end]) for start, end in within):
            return False
        return not any(_torn(text, span, sentence) for sentence in within)


def is_torn(text: str, span: Span) -> bool:
    """Say whether a part of a text says something else than the sentence that it was taken out of.

    Args:
        text: The user's words.
        span: The part; "run it" out of "never run it" is torn, and so is one that begins or ends inside a word.
    """
    within = [sentence for sentence in sentences(text) if _overlap(span, sentence)]
    behind = text[span[1] : max((end for _, end in within), default=span[1])]
    return any(_torn(text, span, sentence) for sentence in within) or _turns(behind)


def of_the_moment(text: str) -> bool:
    """Say whether a text holds words of the moment."""
    return bool(pattern("moment", "words").search(pattern("moment", "lasting").sub(" ", text)))


def foreign(text: str) -> list[Span]:
    """Find what is not the user speaking: code blocks, quoted lines, and quotations in any kind of quotation marks.

    A quotation that is not closed reaches to the end of its paragraph.
    """
    found = _fenced(text)
    found += [match.span() for match in _QUOTED_LINE.finditer(text)]
    found += [match.span() for match in _INDENTED.finditer(text)]
    found += _in_ticks(_without(text, found))
    # A quotation mark within code neither opens nor closes a quotation outside of it.
    return sorted(found + _in_marks(_without(text, found)))


def _without(text: str, spans: list[Span]) -> str:
    """The text with blanks in place of some parts; line ends stay."""
    for start, end in spans:
        blank = "".join(sign if sign == "\n" else " " for sign in text[start:end])
        text = text[:start] + blank + text[end:]
    return text


def _fenced(text: str) -> list[Span]:
    found: list[Span] = []
    opened: re.Match[str] | None = None
    for match in _FENCE.finditer(text):
        if opened is None:
            if "`" not in match["info"] or match["sign"][0] == "~":
                opened = match
        elif match["sign"].startswith(opened["sign"]) and not match["info"].strip():
            found.append((opened.start(), match.end()))
            opened = None
    if opened is not None:
        found.append((opened.start(), len(text)))
    return found


def _in_ticks(text: str) -> list[Span]:
    found: list[Span] = []
    runs = list(_TICKS.finditer(text))
    at = 0
    while at < len(runs):
        begin = runs[at]
        end = next((n for n in range(at + 1, len(runs)) if len(runs[n][0]) == len(begin[0])), None)
        if end is not None:
            found.append((begin.start(), runs[end].end()))
            at = end + 1
            continue
        stop = len(text) if len(begin[0]) >= 3 else _line_end(text, begin.end())
        found.append((begin.start(), stop))
        at += 1
    return found


def _in_marks(text: str) -> list[Span]:
    found: list[Span] = []
    at = 0
    while opening := _OPENERS.search(text, at):
        sign = opening[0]
        closer = _PAIRS.get(sign, "”")
        end = _closing(text, opening.end(), sign, closer, _paragraph_end(text, opening.end()))
        found.append((opening.start(), end))
        at = end
    at = 0
    while opening := _STRAIGHT.search(text, at):
        sign, begin = opening[0], opening.end()
        stop = _paragraph_end(text, begin) if sign in '"＂' else _line_end(text, begin)
        ends = re.compile(re.escape(sign) if sign in '"＂' else rf"(?<=\S){sign}(?![A-Za-z0-9])")
        closing = ends.search(text, begin, stop)
        if closing is not None:
            at = closing.end()
            found.append((opening.start(), at))
        elif sign in '"＂':
            at = _line_end(text, begin)
            found.append((opening.start(), at))
        else:
            at = begin  # an apostrophe, as in 'tis
    return found


def _closing(text: str, at: int, sign: str, closer: str, stop: int) -> int:
    depth = 1
    while at < stop:
        character = text[at]
        if character == closer and not _apostrophe(text, at):
            depth -= 1
            if not depth:
                return at + 1
        elif character == sign:
            depth += 1
        at += 1
    return stop


def _apostrophe(text: str, at: int) -> bool:
    around = text[at - 1 : at], text[at + 1 : at + 2]
    return text[at] == "’" and all(sign.isascii() and sign.isalnum() for sign in around)


def _paragraph_end(text: str, at: int) -> int:
    match = _PARAGRAPH.search(text, at)
    return match.start() if match else len(text)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _places(text: str, quote: str) -> list[Span]:
    found: list[Span] = []
    at = text.find(quote)
    while at >= 0 and len(found) < _MOST_PLACES:
        found.append((at, at + len(quote)))
        at = text.find(quote, at + 1)
    return found


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _harmless(text: str, span: Span, other: Span) -> bool:
    """Whether a quotation is a name within the user's own statement, as in: we use the "strict" mode."""
    if not (span[0] < other[0] and other[1] < span[1]) and not (span[0] <= other[0] and other[1] <= span[1]):
        return False
    inner = text[other[0] + 1 : other[1] - 1]
    short = (other[1] - other[0]) * 2 <= span[1] - span[0] + 8
    return short and not pattern("cues", "lasting").search(inner)


def _torn(text: str, span: Span, sentence: Span) -> bool:
    """Whether what stands around the quote in its clause changes what it says, or it ends inside a word."""
    start, end = span
    if _in_word(text, start) or _in_word(text, end):
        return True
    for first, last in clauses(text, sentence):
        if not _overlap(span, (first, last)):
            continue
        if of_the_moment(text[first:last]):
            return True
        before = pattern("torn", "harmless").sub(" ", text[first : max(first, start)])
        if pattern("torn", "before").search(before):
            return True
    return False


def _turns(behind: str) -> bool:
    return pattern("torn", "after").search(behind) is not None


def _in_word(text: str, at: int) -> bool:
    around = text[at - 1 : at + 1]
    return 0 < at < len(text) and len(around) == 2 and around.isascii() and around.isalnum()

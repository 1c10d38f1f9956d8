"""How sentences are put: where they divide, what they are about, what they say yes and no to."""

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Iterator
from importlib.resources import files

Span = tuple[int, int]

GIST_WORDS = 2
"""Words that two statements must share to be about the same thing."""

_DATA = tomllib.loads(files("paitui.memory").joinpath("phrasing.toml").read_text("utf-8"))


def _alternatives(name: str) -> str:
    """The alternatives of an entry of the file, in one group."""
    return f"(?:{'|'.join(_DATA[name].split(chr(10))[:-1])})"


_SENTENCE = re.compile(r"[。；;!！?？\n]+|(?<=[^\W\d_])\.\s+|(?<=[0-9`)])\.\s+(?=[a-z])|\.$")
_CLAUSE = re.compile(
    r"[,，、]+\s*|\s+(?:and|while|whereas)\s+(?=(?:the|our|for|in|on|a)\s)"
    r"|\s+(?:because|since)\s+.*|因为.*|由于.*|\s+so that\s.*"
)
_MARK = re.compile(
    f"(?P<no>{_alternatives('negative')})|(?P<yes>{_alternatives('positive')})|(?P<use>{_alternatives('use')})"
)
_GONE = re.compile(f"^[^,，]*?{_alternatives('gone')}")
_REPLACED = re.compile(_alternatives("replaced"))
_SWAPPED = re.compile(_alternatives("swapped"))
_VERB = re.compile(_alternatives("verb"))
_PREPOSITION = re.compile(
    r"\b(?:for|inside|within|in|of) (?:the |our |all |every |its )?(?P<object>(?:[a-z][a-z-]+ ?){1,3})"
)
_WORD = re.compile(r"[a-z][a-z0-9_-]+|[\u3400-\u9fff]+")
_GENERIC = frozenset(_DATA["generic_english"].split())
_GENERIC_HAN = re.compile(_alternatives("generic_chinese"))
_SINGLE = frozenset("读写主从内外新旧")
"""Single characters that tell two things apart, as in 读超时 and 写超时."""
_POLAR = re.compile(f"{_alternatives('negative')}|{_alternatives('polar')}")
_NO = re.compile(_alternatives("no"))
_TWICE_NO = re.compile(_alternatives("twice_no"))
_ENDING = re.compile("(?:ing|ed|es|s|ly)$")
_SUFFIXES = r"ya?ml|toml|json|md|ini|env|xml|txt|py|ts|js|log|cfg|conf"
_AT = rf"\s*(?:the )?(?P<value>`[^`]+`|[~.]?/?(?:[\w@.-]+/)+[\w@.-]*|[a-z]+://[^\s,，。]+|[\w-]+\.(?:{_SUFFIXES}))"
_PLACE = (
    re.compile(
        r"^(?P<about>[a-z][\w\s'-]{2,50}?)\s+(?:is|are|lives?|sits?|go(?:es)?|belongs?|(?:is|are|be) "
        r"(?:kept|stored|put|located|found|written|defined|saved|placed|read|loaded|served))"
        rf"\s*(?:in|into|under|at|to|from|inside|on|:)?{_AT}"
    ),
    re.compile(
        r"\b(?:put|keep|store|place|save|write|add|read|load|find)\s+(?P<about>[a-z][\w\s-]{2,40}?)"
        rf"\s+(?:in|into|under|at|to|from|inside){_AT}"
    ),
    re.compile(
        r"^(?P<about>[\w\u3400-\u9fff\s]{2,24}?)(?:统一|都|一律|默认|要|应该)*"
        r"(?:是|为|叫|在|放在|放到|位于|存放在|存放于|保存在|存在|写在|写到|写入|放|输出到|读取自|=|：|:)"
        f"{_AT}"
    ),
)
_PATH = re.compile(r"(?<![a-z0-9])[~.]?/?(?:[a-z0-9_@.-]+/)+[a-z0-9_@.-]*|[a-z]+://[^\s,，。]+")
_NAME = (
    r"(?!(?:the|a|an|our|only|for|in|on|to|it|its|this|that|them|these|any|all|more|up|of|and|or|with|as|by|is|my)\b)"
    r"[a-z][a-z0-9_.+#-]*[a-z0-9+#]"
)
_NAMED_USE = re.compile(
    r"(?:(?:\b(?:not|never|no longer|avoid|stop|without)|n't)\s+(?:ever\s+)?(?:use |using )?"
    r"|不再使用|不再用|不要使用|不要用|不使用|不用|别用|禁止使用|禁用|弃用|停用|请勿使用|避免使用)"
    rf"\s*(?:the |a |an |any )?(?P<not_used>{_NAME})"
    r"|(?:\b(?:use|uses|using|used|prefer|prefers|adopt|rely on|relies on)\s+(?:the |a |an )?"
    rf"|(?:使用|采用|选用|引入|用))\s*(?P<used>{_NAME})"
)


_SPOKEN = re.compile(
    r"\b(?:reply|replies|answer|answers|respond|responses?|speak|talk|communicate|language)\b|"
    r"回答|回复|回覆|交流|沟通|对话|说话|语言|答复"
)
_IN_IT = re.compile(
    r"(?:\b(?:in|into|use|uses|using|prefer|prefers|to|only)\s+(?:simple |plain )?|[用说以写讲成]\s*)$"
)


def is_spoken(clause: str, span: Span) -> bool:
    """Whether a human language is named as the one to be used, and not in passing."""
    return bool(_SPOKEN.search(clause) or _IN_IT.search(clause, 0, span[0]))


def path_spans(text: str) -> list[Span]:
    """Where paths and addresses stand."""
    return [match.span() for match in _PATH.finditer(text)]


def named_uses(clause: str) -> Iterator[tuple[str, bool]]:
    """Find what is said to be used or not, by any Latin name.

    Args:
        clause: Lower-case text.

    Yields:
        The name, and whether it is used.
    """
    for match in _NAMED_USE.finditer(clause):
        name = match["used"] or match["not_used"]
        if name not in _GENERIC:
            yield name, bool(match["used"])


def plain(text: str) -> str:
    """Fold width and case, and typographic apostrophes."""
    return unicodedata.normalize("NFKC", text).lower().replace("’", "'")


def sentences(text: str) -> list[str]:
    """Divide a text into sentences."""
    return [part.strip() for part in _SENTENCE.split(text) if part.strip()]


def clauses(sentence: str) -> list[str]:
    """Divide a sentence into clauses; reasons given are left out."""
    return [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]


def polarity(clause: str, values: Iterable[Span]) -> dict[Span, bool]:
    """Decide for each value of a clause whether it is said to be so.

    Args:
        clause: Lower-case text.
        values: Places of the values.

    Returns:
        True for yes, False for no or no longer, by place.
    """
    ordered = sorted(set(values))
    marks = list(_MARK.finditer(clause))
    result: dict[Span, bool] = {}
    positive, seen, at = True, False, 0
    for span in ordered:
        for mark in marks[at:]:
            if mark.start() >= span[0]:
                break
            at += 1
            if mark["no"]:
                positive, seen = False, False
            elif mark["yes"] or seen:
                positive, seen = True, False
        result[span], seen = positive, True
    if len(ordered) >= 2:
        first, last = ordered[0], ordered[-1]
        between = clause[first[1] : last[0]]
        if _REPLACED.search(between):
            result[first], result[last] = False, True
        elif _SWAPPED.search(between):
            result[first], result[last] = True, False
    if ordered and _GONE.match(clause[ordered[-1][1] :]):
        result[ordered[-1]] = False
    return result


def subject(clause: str, known: Iterable[Span]) -> frozenset[str]:
    """Find what a clause is about, beyond the words of the lexicon and those that name nothing.

    Args:
        clause: Lower-case text.
        known: Places of words of the lexicon.

    Returns:
        Words, and for Chinese pairs of characters.
    """
    spans = sorted(known)
    verb = _VERB.search(clause)
    end = min([verb.start() if verb else len(clause), *(span[0] for span in spans if _is_latin(clause, span))])
    blanked = _blank(clause, spans)
    regions = [blanked[:end]]
    regions += [found["object"] for found in _PREPOSITION.finditer(blanked, end)]
    return frozenset(word for region in regions for word in _subject_words(region))


def _is_latin(clause: str, span: Span) -> bool:
    return clause[span[0]].isascii() and span[0] > 0 and not clause[: span[0]].isascii()


def _blank(clause: str, spans: Iterable[Span]) -> str:
    chars = list(clause)
    for start, end in spans:
        chars[start:end] = [" "] * (end - start)
    return "".join(chars)


def _subject_words(region: str) -> Iterator[str]:
    for word in _WORD.findall(_GENERIC_HAN.sub(" ", region)):
        if not word[0].isascii():
            yield from (word[at : at + 2] for at in range(len(word) - 1)) if word not in _SINGLE else word
        elif not _GENERIC & {word, word.removesuffix("s")} and not _VERB.fullmatch(word):
            yield word.removesuffix("s")


def gist(text: str) -> tuple[frozenset[str], bool]:
    """Take yes and no off a statement.

    Args:
        text: Lower-case text.

    Returns:
        What is left of its words (Chinese as pairs of characters), and whether it says no.
    """
    negative = bool(_NO.search(text)) and not _TWICE_NO.search(text)
    found: set[str] = set()
    for word in _WORD.findall(_POLAR.sub(" ", text)):
        if word[0].isascii():
            found.add(_ENDING.sub("", word) if len(word) > 4 else word.removesuffix("s"))
        elif len(word) == 1:
            found.add(word)
        else:
            found.update(word[at : at + 2] for at in range(len(word) - 1))
    return frozenset(found), negative


def places(clause: str) -> Iterator[tuple[frozenset[str], str]]:
    """Find what is said to lie at a path or an address.

    Args:
        clause: Lower-case text.

    Yields:
        Words for what lies there, and the place.
    """
    for pattern in _PLACE:
        if match := pattern.search(clause):
            words = frozenset(_subject_words(match["about"]))
            if words:
                yield words, match["value"].strip("`").rstrip("/.")
            return

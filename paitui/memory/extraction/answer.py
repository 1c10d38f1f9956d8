"""Reading a model's answer: only exactly what was asked for counts."""

import json
import re
from typing import Any

from paitui.memory.extraction.quotes import Judge

MOST = 3
"""Facts that one answer may hold; one with more was not careful, and none of it counts."""
LONGEST = 20_000
"""Characters of an answer that is still read."""

_FENCED = re.compile(r"\A```(?:json)?[ \t]*\n(.*)\n```\Z", re.DOTALL)


def read(answer: str) -> list[str]:
    """Read ``{"facts":[{"quote":"..."}]}``.

    Args:
        answer: What the model wrote; a code fence around the whole is allowed.

    Returns:
        The quotes, trimmed; none if anything else stands there, or something of another type, or too much.
    """
    text = answer.strip()
    if fenced := _FENCED.match(text):
        text = fenced[1]
    if len(text) > LONGEST:
        return []
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return []
    if not isinstance(found, dict) or set(found) != {"facts"} or not isinstance(found["facts"], list):
        return []
    facts = found["facts"]
    if len(facts) > MOST or not all(isinstance(fact, dict) and set(fact) == {"quote"} for fact in facts):
        return []
    quotes = [fact["quote"] for fact in facts]
    return [quote.strip() for quote in quotes] if all(isinstance(quote, str) for quote in quotes) else []


def accepted(answer: str, judge: Judge) -> list[str]:
    """Give the quotes of an answer that count, each once."""
    return [quote for quote in dict.fromkeys(read(answer)) if judge.accepts(quote)]


def write(quotes: list[str]) -> str:
    """Write an answer, as a model is asked to."""
    return json.dumps({"facts": [{"quote": quote} for quote in quotes]}, ensure_ascii=False)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands there twice")
    return found

"""Whether the user's own words ask for something to be remembered."""

import re
from collections.abc import Iterable

_ASKS = re.compile(
    "|".join(
        (
            "记住|記住|[记記]一下|[记記]下[来來]|[记記]下(?!了[吗嗎])|[记記][着著]",
            "(?:以[后後]|下次)[记記]得|(?:保存|存|写入|寫入|[记記])[到入]?(?:[长長]期)?[记記][忆憶]",
            r"\bremember\b(?! (?:is|was|function|method|class)\b)|\bkeep in mind\b|\bmemori[sz]e\b",
            r"\bmake a note\b|\bnote (?:this|that|it) down\b",
            r"\b(?:save|add|store|put|write) (?:this|that|it)\b.{0,24}?\b(?:memory|memories|down)\b",
            r"\bsave (?:this|that)\b(?! (?:file|as|in|into|under|script|code|output|page))",
        )
    ),
    re.IGNORECASE,
)
_QUESTION = re.compile(
    "|".join(
        (
            r"\b(?:what|which|how much|do|did|does)\b[^.!?\n]*\bremember\b",
            r"\bremember(?:ed)?\b(?! that\b)[^.!?\n]*\?\s*$",
            r"\b(?:i|we|they|he|she)(?: do| did| can|'ll| will)?(?:n['’]t| not)? remember\b",
        )
    ),
    re.IGNORECASE,
)
_NOT = re.compile(
    "(?:不要|不用|不必|[别別]|勿|[无無]需|[没沒]有?)(?:再|去|[帮幫]我)?(?:[记記]|保存)"
    r"|\b(?:do not|don['’]t|no need to|never|not)\s+(?:\w+\s+)?(?:remember|save|memori[sz]e|keep in mind|note)\b",
    re.IGNORECASE,
)
_CHINESE_QUESTION = re.compile(
    "[记記][住得下](?:了|[过過])?(?:什[么麼]|哪些|多少|[吗嗎么没沒])|(?:[还還]|是否|有[没沒]有)都?[记記]"
)
_SENTENCES = re.compile(r"(?<=[。！？!?\n;；])|(?<=\.)\s")
_QUOTED = re.compile('```.*?(?:```|$)|`[^`\n]*`|“[^”]*”|「[^」]*」|『[^』]*』|《[^》]*》|"[^"\n]*"', re.DOTALL)


def asks_to_remember(text: str, pasted: Iterable[tuple[int, int]] = ()) -> bool:
    """Judge a message.

    Args:
        text: What the user sent.
        pasted: Parts of it, in characters, that the user did not type; words in them ask for nothing.

    Returns:
        True for "记一下" or "remember that ..."; False for a question such as "what do you remember", for a
        refusal ("don't remember this"), and for words that stand in code, quotations or quoted lines.
    """
    typed = typed_text(text, pasted)
    plain = "\n".join(line for line in typed.split("\n") if not line.lstrip().startswith(">"))
    plain = _QUOTED.sub(" ", plain)
    return any(_asks(sentence) for sentence in _SENTENCES.split(plain))


def typed_pieces(text: str, pasted: Iterable[tuple[int, int]] = ()) -> list[str]:
    """Give what the user typed: what stands before, between and behind the parts that were pasted."""
    kept: list[str] = []
    at = 0
    for start, end in pasted:
        kept.append(text[at:start])
        at = max(at, end)
    kept.append(text[at:])
    return kept


def typed_text(text: str, pasted: Iterable[tuple[int, int]] = ()) -> str:
    """Give what the user typed as one text, with a line break in place of each part that was pasted."""
    return "\n".join(typed_pieces(text, pasted))


def _asks(sentence: str) -> bool:
    if not _ASKS.search(sentence):
        return False
    return not (_NOT.search(sentence) or _QUESTION.search(sentence) or _CHINESE_QUESTION.search(sentence))

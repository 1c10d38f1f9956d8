"""Finding secrets and personal data in text, and masking them before anything is logged."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from paitui.trust.credential_words import is_placeholder, values_after_words
from paitui.trust.escapes import unescape

Kind = Literal[
    "api-key", "token", "private-key", "password", "credential", "phone", "id-number", "bank-card", "e-mail"
]
_DIGIT = re.compile("[0-9]")


@dataclass(frozen=True, slots=True)
class Span:
    """A secret in a text."""

    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character."""
    kind: Kind
    """What it is."""


def find(text: str) -> list[Span]:
    """Find secrets: keys, tokens, private keys, passwords, personal numbers, addresses.

    Only the value is covered, not the word before it. Text within JSON is read as what it stands for, too. Shapes are
    those that providers document; numbers are checked (Luhn for cards, GB 11643 for identity numbers). Time grows
    linearly with the text.

    Args:
        text: Any text.

    Returns:
        Spans in order, none overlapping.
    """
    spans = _merged(_candidates(text))
    if "\\" not in text or (plain := unescape(text)) is None:
        return spans
    resolved = [
        Span(plain.at(span.start), plain.at(span.end), span.kind) for span in _merged(_candidates(plain.text))
    ]
    # What is seen in the resolved text has the right ends: `\\n` belongs to no value.
    starts = [span.start for span in resolved]
    for span in spans:
        at = bisect_right(starts, span.start)
        if not any(other.start < span.end and span.start < other.end for other in resolved[max(0, at - 1) : at + 1]):
            resolved.append(span)
    return sorted(resolved, key=lambda span: span.start)


def _merged(found: Iterable[Span]) -> list[Span]:
    spans = sorted(found, key=lambda span: (span.start, -span.end))
    merged: list[Span] = []
    for span in spans:
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            merged[-1] = Span(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return merged


def mask(text: str) -> str:
    """Replace every secret by its kind, ``‹secret:api-key›``; nothing of the value is kept.

    One function for ledger and log: e-mail addresses and phone numbers are masked as well as keys.
    """
    spans = find(text)
    if not spans:
        return text
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += (text[at : span.start], f"‹secret:{span.kind}›")
        at = span.end
    parts.append(text[at:])
    return "".join(parts)


# Shapes. Each begins with a literal, so that the search skips quickly, and what must not stand before it is looked
# at afterwards; each runs over one class of characters, so that no position is scanned twice.


def _shape(kind: Kind, prefix: str, rest: str) -> tuple[Kind, re.Pattern[str]]:
    return kind, re.compile(f"{prefix}(?<![A-Za-z0-9]{prefix}){rest}")


_TOKEN = r"[A-Za-z0-9_\-]"
_SHAPES: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    _shape("api-key", "sk-", rf"{_TOKEN}{{16,}}+"),  # OpenAI, Anthropic, DeepSeek and others
    _shape("api-key", "[srp]k_(?:live|test)_", r"[A-Za-z0-9]{10,}+"),  # Stripe
    _shape("api-key", "AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),  # AWS
    _shape("api-key", "ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("api-key", "AIza", rf"{_TOKEN}{{30,}}+"),  # Google
    _shape("api-key", "LTAI", r"[A-Za-z0-9]{12,30}(?![A-Za-z0-9])"),  # Alibaba Cloud
    _shape("api-key", "AKID", r"[A-Za-z0-9]{28,40}(?![A-Za-z0-9])"),  # Tencent Cloud
    _shape("api-key", "gsk_", r"[A-Za-z0-9]{20,}+"),  # Groq
    _shape("api-key", "tvly-", rf"{_TOKEN}{{20,}}+"),  # Tavily
    _shape("api-key", "xai-", rf"{_TOKEN}{{20,}}+"),
    _shape("api-key", "nvapi-", rf"{_TOKEN}{{20,}}+"),
    _shape("token", "gh[pousr]_", r"[A-Za-z0-9]{20,}+"),  # GitHub
    _shape("token", "github_pat_", r"[A-Za-z0-9_]{20,}+"),
    _shape("token", "glpat-", rf"{_TOKEN}{{16,}}+"),  # GitLab
    _shape("token", "xox[abeoprs]-", r"[A-Za-z0-9\-]{10,}+"),  # Slack
    _shape("token", "hf_", r"[A-Za-z0-9]{20,}+"),  # Hugging Face
    _shape("token", "npm_", r"[A-Za-z0-9]{30,}+"),
    _shape("token", "pypi-", rf"{_TOKEN}{{40,}}+"),
    # Zhipu: an id and a secret. A hash with a file's ending behind it is no key.
    (
        "api-key",
        re.compile(r"(?<![A-Za-z0-9])[0-9a-f]{32}\.(?=[a-z]*[A-Z0-9])[A-Za-z0-9]{16}(?![A-Za-z0-9])"),
    ),
    # The look-behind keeps a long run of `eyJeyJ…` from being scanned from each of its parts.
    (
        "token",
        re.compile(r"eyJ(?<![A-Za-z0-9_\-]eyJ)[A-Za-z0-9_\-]{8,}+\.[A-Za-z0-9_\-]{8,}+(?:\.[A-Za-z0-9_\-]*+)?"),
    ),
)
_BEARER = re.compile(r"bearer[ \t]{1,4}([a-z0-9._~+/\-]{8,}+=*)")
_AUTHORIZATION = re.compile(
    r"authorization\\{0,3}[\"']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,3}[\"']?(?:basic|token|digest|bearer|apikey)[ \t]{1,4}"
    r"([^\s\"'\\]{4,})"
)
_URL = re.compile(r"://[^\s/@:\"'<>]{0,256}+:([^\s/@\"'<>]{1,256}+)@")
_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+\-])(?!git@)[A-Za-z0-9][A-Za-z0-9._%+\-]{0,127}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9\-]{0,62})\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9])"
)
_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_BODY = re.compile(r"[A-Za-z0-9+/=\s\\]*+")
_DIGITS = re.compile(r"[0-9](?:[ \-]?[0-9]){10,}+")
_BEFORE = r"(?:(?<![0-9A-Za-z_.\-+#/=])|(?<=[A-Za-z]=))"
_AFTER = r"(?![0-9A-Za-z_]|[.\-/][0-9A-Za-z])"
_PHONE = re.compile(rf"{_BEFORE}(?:(?:\+|00)?86[ \-]?)?1[3-9]\d(?:\d{{8}}|[ \-]\d{{4}}[ \-]\d{{4}}){_AFTER}")
_ID = re.compile(rf"{_BEFORE}[1-9]\d{{16}}[0-9Xx]{_AFTER}")
_CARD = re.compile(
    rf"{_BEFORE}(?:[2-6]\d{{12,18}}|[2-6]\d{{3}}(?:[ \-]\d{{4}}){{2}}[ \-]\d{{1,7}}(?:[ \-]\d{{1,3}})?"
    rf"|3[47]\d\d[ \-]\d{{6}}[ \-]\d{{5}}){_AFTER}"
)


def _candidates(text: str) -> Iterator[Span]:
    # One letter is longer in lower case; offsets must stay the same.
    lower = text.replace("\u0130", "i").lower()
    for kind, shape in _SHAPES:
        for match in shape.finditer(text):
            yield Span(match.start(), match.end(), kind)
    yield from _private_keys(text)
    for match in _BEARER.finditer(lower):
        # Prose says "bearer authentication"; a credential has a digit or is long.
        if (len(match[1]) >= 24 or _DIGIT.search(match[1])) and not is_placeholder(match[1]):
            yield Span(match.start(1), match.end(1), "token")
    for match in _AUTHORIZATION.finditer(lower):
        if not is_placeholder(match[1]):
            yield Span(match.start(1), match.end(1), "token")
    if "@" in text:
        yield from _addresses(text)
    yield from _numbers(text)
    for start, end, kind in values_after_words(text, lower):
        yield Span(start, end, kind)


def _addresses(text: str) -> Iterator[Span]:
    taken = 0
    places: list[tuple[int, int]] = []
    for match in _URL.finditer(text):
        places.append(match.span())
        if not match[1].startswith(("$", "{", "%(", "*")) and not is_placeholder(match[1]):
            yield Span(match.start(1), match.end(1), "password")
    for match in _EMAIL.finditer(text):
        # What stands before the @ of an URL is no address.
        while taken < len(places) and places[taken][1] <= match.start():
            taken += 1
        if taken == len(places) or places[taken][0] > match.start():
            yield Span(match.start(), match.end(), "e-mail")


def _private_keys(text: str) -> Iterator[Span]:
    at = 0
    while begin := _PEM_BEGIN.search(text, at):
        # An unfinished block is masked as far as it looks like one; the search for its end stops there too, so a
        # thousand beginnings without an end cost no more than one.
        at = _PEM_BODY.match(text, begin.end()).end()  # type: ignore[union-attr]
        if end := _PEM_END.match(text, at):
            at = end.end()
        else:
            following = _PEM_BEGIN.search(text, at, at + 20_000)
            end = _PEM_END.search(text, at, following.start() if following else at + 20_000)
            at = end.end() if end else at
        yield Span(begin.start(), at, "private-key")


def _numbers(text: str) -> Iterator[Span]:
    for run in _DIGITS.finditer(text):
        # Some room for what stands around: a plus sign before, a check letter and a look ahead behind.
        start, end = max(0, run.start() - 1), min(len(text), run.end() + 3)
        for match in _PHONE.finditer(text, start, end):
            yield Span(match.start(), match.end(), "phone")
        for match in _ID.finditer(text, start, end):
            if is_id_number(match[0]):
                yield Span(match.start(), match.end(), "id-number")
        for match in _CARD.finditer(text, start, end):
            if is_card_number(match[0].replace(" ", "").replace("-", "")):
                yield Span(match.start(), match.end(), "bank-card")


def is_id_number(number: str) -> bool:
    """Whether 18 characters are a Chinese identity number: a date, and the check digit of GB 11643."""
    try:
        date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(int(digit) * (2 ** (17 - at) % 11) for at, digit in enumerate(number[:17]))
    return number[6:8] in ("18", "19", "20") and "10X98765432"[total % 11] == number[17].upper()


_ISSUERS = {
    13: ("4",),
    14: ("30", "36", "38", "39"),
    15: ("34", "37"),
    16: ("2", "35", "4", "5", "6"),
    17: ("62", "60", "5", "6"),
    18: ("62", "60", "5", "6"),
    19: ("62", "60", "4", "6"),
}


def is_card_number(digits: str) -> bool:
    """Whether 13 to 19 digits are a bank card: an issuer that has numbers of this length, and Luhn's check."""
    if not digits.startswith(_ISSUERS.get(len(digits), ())) or len(set(digits)) == 1:
        return False
    total = 0
    for at, character in enumerate(reversed(digits)):
        digit = int(character) * (1 + at % 2)
        total += digit - 9 if digit > 9 else digit
    return total % 10 == 0

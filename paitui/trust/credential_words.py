"""Values that stand after a credential word, in prose, settings, code and JSON, in English and Chinese."""

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

CredentialKind = Literal["api-key", "token", "password", "credential"]

_JUDGED = 96
"""Characters of an unquoted value that are looked at; the verdict covers the whole value."""
_LONGEST = 8_192
"""A quoted text longer than this is no credential, in characters."""

_DIGIT = re.compile(r"[0-9]")
_QUOTED_END = {sign: re.compile(rf"(?:[^{sign}\\\n]|\\.)*+") for sign in "\"'`"}
_ESCAPED_END = re.compile(r"[^\"'`\n]*+")
_UNQUOTED_END = re.compile(r"[\"'`,;)\]}>|&\s]")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# Calls, indexing, substitutions and attributes are code that fetches a secret, not the secret.
_EXPRESSION = re.compile(r"[(\[{]|^[$<%*@]|^[A-Za-z_]\w*(?:(?:\.|->|::|\?\.)[A-Za-z_]\w*)+$")


# A name, then what it is set to: the name is a type ("password: Final = ...").
_ANNOTATED = re.compile(r"[A-Za-z_][A-Za-z_.]*+(?:\[[^\]\n]{0,80}\])?[ \t]{1,4}=[ \t]")
_AMOUNT = re.compile(r"[0-9]*\.[0-9]+(?:e[-+]?[0-9]+)?|[0-9]+e[-+]?[0-9]+", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_]+[0-9]{0,2}[A-Za-z_]+[0-9]{0,2}")
_PLACEHOLDERS = re.compile(r"%\(?\w*\)?[sdr]|\{\w*\}")
_FORMS = ("${", "{{", "<", "$(", "[redacted", "[hidden")
"""How a place begins that something is put into later."""


def is_placeholder(value: str) -> bool:
    """Whether a value only says where one belongs: ``$TOKEN``, ``<your key>``, ``{token}``, ``%s``, ``password``."""
    plain = value.strip().casefold()
    if plain in _words().harmless or plain in _words().strong or plain.startswith(("$", *_FORMS)):
        return True
    rest = _PLACEHOLDERS.sub("", value)
    return rest != value and not any(map(str.isalnum, rest))


@dataclass(frozen=True, slots=True)
class _Words:
    spellings: tuple[str, ...]
    """Every way a word is written, in lower case."""
    value: re.Pattern[str]
    """Matched where a word begins: the word, what joins it to its value, how the value begins."""
    any: re.Pattern[str]
    strong: frozenset[str]
    harmless: frozenset[str]


@functools.cache
def _words() -> _Words:
    data = tomllib.loads((Path(__file__).parent / "secret_words.toml").read_text("utf-8"))
    words = sorted(data["words"]["strong"] + data["words"]["weak"], key=len, reverse=True)
    word = "|".join(re.escape(w).replace(r"\ ", "[ _-]?") for w in words)
    return _Words(
        spellings=tuple(dict.fromkeys(w.replace(" ", gap) for w in words for gap in ("", " ", "_", "-"))),
        value=re.compile(
            rf"(?P<word>{word})(?:\\{{0,3}}[\"'`])?[ \t]{{0,4}}"
            r"(?P<sign>:=|=>|={1,3}|[:：＝]|(?<=[ \t])(?:is|was|are)(?=[ \t:])|是|为|為|叫|改成|改为|设为|(?<=[ \t]))"
            r":?[ \t]{0,4}(?:[bru]?(?P<quote>\\{0,3}[\"'`])|[“‘「『]?(?=[!-~]{3}))",
            re.IGNORECASE,
        ),
        any=re.compile(word, re.IGNORECASE),
        strong=frozenset(w.replace(" ", "") for w in data["words"]["strong"]),
        harmless=frozenset(data["values"]["harmless"]),
    )


def values_after_words(text: str, lower: str) -> Iterator[tuple[int, int, CredentialKind]]:
    """Find values after credential words.

    Args:
        text: Any text.
        lower: The same in lower case, with the same length.

    Yields:
        Start, end and kind of each value, in order.
    """
    words = _words()
    at = 0
    unquoted_end = -1
    for place in _places(lower, words.spellings):
        if place < at:
            continue
        match = words.value.match(text, place)
        if match is None:
            continue
        start, quote = match.end(), match["quote"]
        if quote:
            end = _quoted_end(text, start, quote)
        else:
            if start > unquoted_end:  # Values of neighbours share their end; searching anew would be quadratic.
                stop = _UNQUOTED_END.search(text, start)
                unquoted_end = stop.start() if stop else len(text)
            end = unquoted_end
            # Chinese text goes on without a blank.
            if other := _NOT_ASCII.search(text, start, min(end, start + _JUDGED)):
                end = other.start()
        if end - start < 3 or (quote and end - start > _LONGEST):
            continue
        value = text[start : end if quote else min(end, start + _JUDGED)]
        if not quote and _ANNOTATED.match(text, start):
            continue
        if _is_secret(match, value, text[max(0, place - 1) : place] == "-", words):
            yield start, end, _kind(match["word"], words)
            at = end


def _places(lower: str, spellings: tuple[str, ...]) -> list[int]:
    found: set[int] = set()
    for spelling in spellings:
        at = lower.find(spelling)
        while at >= 0:
            found.add(at)
            at = lower.find(spelling, at + len(spelling))
    return sorted(found)


def _quoted_end(text: str, start: int, quote: str) -> int:
    if len(quote) == 1:
        found = _QUOTED_END[quote].match(text, start)
        return found.end() if found else start
    # Inside JSON inside JSON the quotes are escaped; such a value ends at the next quote of any kind.
    found = _ESCAPED_END.match(text, start)
    end = found.end() if found else start
    while end > start and text[end - 1] == "\\":
        end -= 1
    return end


def _is_secret(match: re.Match[str], value: str, is_option: bool, words: _Words) -> bool:
    sign, quoted = match["sign"], bool(match["quote"])
    has_digit = _DIGIT.search(value) is not None
    is_strong = _normal(match["word"]) in words.strong
    if not has_digit and words.any.search(value) and not (quoted and is_strong):
        return False  # password=args.password, token=new_token, grant="client_credentials"
    if (
        not quoted
        and not is_strong
        and (_AMOUNT.fullmatch(value) or (_NAME.fullmatch(value) and words.any.search(value)))
    ):
        return False  # cost_per_token: 1.5e-06, key_id=s3_access_key_id
    value = value.strip().rstrip(".!?")
    plain = value.casefold()
    chinese = not match["word"].isascii()
    strong = _normal(match["word"]) in words.strong
    if len(value) < 3 or plain in words.harmless or set(plain) <= set("*x.-_#?") or value.startswith("‹"):
        return False
    if plain.startswith(_FORMS) or is_placeholder(value) or (not quoted and _EXPRESSION.search(value)):
        return False
    if quoted:
        return _is_quoted_secret(value, sign, strong, has_digit)
    if sign == "":  # Only a blank between word and value.
        if is_option:  # --password swordfish
            return (has_digit or strong) and len(value) >= 4 and not value.startswith("-")
        return chinese and has_digit and len(value) >= 4
    if value.isdigit() and not strong:
        # A number after "token" is a count; after the Chinese words, mostly a code that was sent.
        return (chinese and len(value) >= 4) or len(value) >= 16
    if has_digit:
        return len(value) >= (4 if strong or chinese else 6)
    if sign in ("is", "was", "are", "Is", "IS"):  # "the password is swordfish"
        return strong and len(value) >= 6
    environment_style = match["word"].isupper() and sign == "="
    return len(value) >= 4 and (strong or chinese or environment_style)


def _is_quoted_secret(value: str, sign: str, strong: bool, has_digit: bool) -> bool:
    # Quoted prose is a message or a label ("Password is required"), unless a strong word is set to it.
    if " " in value and not (strong and has_digit):
        return False
    if sign == "" or sign.isalpha():
        return has_digit or strong
    return has_digit or strong or len(value) >= 8


def _normal(word: str) -> str:
    return re.sub("[ _-]", "", word).casefold()


def _kind(word: str, words: _Words) -> CredentialKind:
    plain = _normal(word)
    if plain in words.strong:
        return "password"
    return "api-key" if "key" in plain else "token" if plain in ("token", "令牌") else "credential"

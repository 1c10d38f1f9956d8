"""Which part of code is what, by Pygments. Imported when the first code has to be coloured."""

from collections.abc import Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_by_name
from pygments.token import (
    Comment,
    Generic,
    Keyword,
    Name,
    Number,
    Operator,
    String,
    _TokenType,
)
from pygments.util import ClassNotFound

from paitui.ui.lines import Ink

_INKS: dict[_TokenType, Ink] = {
    Comment: "code_comment",
    Keyword: "code_keyword",
    Keyword.Constant: "code_number",
    Operator.Word: "code_keyword",
    Name.Tag: "code_keyword",
    Name.Function: "code_name",
    Name.Class: "code_name",
    Name.Decorator: "code_name",
    Name.Attribute: "code_name",
    String: "code_string",
    Number: "code_number",
    Generic.Inserted: "code_added",
    Generic.Deleted: "code_removed",
    Generic.Heading: "code_comment",
    Generic.Subheading: "code_comment",
    Generic.Prompt: "code_comment",
}


def tokens(text: str, language: str) -> Iterator[tuple[Ink, str]]:
    """Take code apart, lazily.

    Args:
        text: The code.
        language: Its name as it stands after the fence; unknown or empty gives text without colours.
    """
    lexer = _lexer(language.lower())
    if lexer is None:
        yield "code", text + "\n"
        return
    for _at, kind, value in lexer.get_tokens_unprocessed(text + "\n"):
        yield _ink(kind), value


@cache
def _ink(kind: _TokenType) -> Ink:
    at: _TokenType | None = kind
    while at is not None:
        if at in _INKS:
            return _INKS[at]
        at = at.parent
    return "code"


@cache
def _lexer(language: str) -> Lexer | None:
    if not language:
        return None
    try:
        return find_lexer_class_by_name(language)()
    except ClassNotFound:
        return None


def warm() -> None:
    """Load the lexers that are asked for most; one of them takes longer than a frame."""
    for language in ("python", "bash", "json", "javascript"):
        _lexer(language)

"""Where Markdown is parsed. Importing this takes a tenth of a second, so it is imported when first needed."""

from functools import cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token

from paitui.ui.wrap import width


class Source(NamedTuple):
    """One block of the outermost level."""

    tokens: list[Token]
    first: int
    """Its first line, from 0."""
    after: int
    """The line after its last; blank lines that follow are not part of it."""

    @property
    def kind(self) -> str:
        """The name of its first token, without ``_open``."""
        return self.tokens[0].type.removesuffix("_open")


class _Inline(StateInline):
    """Emphasis that works without spaces around it.

    The common rule asks for white space or punctuation on the outer side of a sign that has punctuation on its inner
    side, so that in ``这是**“重点”**的`` nothing would be strong. A wide character serves as well as a space does.
    """

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        sign = self.src[start]
        end = start
        while end < self.posMax and self.src[end] == sign:
            end += 1
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        blank_before, blank_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
        sign_before, sign_after = _is_sign(before), _is_sign(after)
        opens = not blank_after and (not sign_after or blank_before or sign_before or width(before) == 2)
        closes = not blank_before and (not sign_before or blank_after or sign_after or width(after) == 2)
        return Scanned(
            opens and (canSplitWord or not closes or sign_before),
            closes and (canSplitWord or not opens or sign_after),
            end - start,
        )


def _is_sign(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


class _Parser(MarkdownIt):
    """Addresses stay as they were written: they are shown, never opened."""

    def validateLink(self, url: str) -> bool:
        return True

    def normalizeLink(self, url: str) -> str:
        return url

    def normalizeLinkText(self, link: str) -> str:
        return link


def _paragraph(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """A paragraph that indented code may end without a blank line between them, as models often have it."""
    ends = state.md.block.ruler.getRules("paragraph")
    outer, state.parentType = state.parentType, "paragraph"
    after, end = first + 1, state.lineMax
    while after < end and not state.isEmpty(after):
        if state.is_code_block(after):
            if state.level == 0:
                break
        elif state.sCount[after] >= 0 and any(rule(state, after, end, True) for rule in ends):
            break
        after += 1
    state.line = after
    state.push("paragraph_open", "p", 1).map = [first, after]
    inline = state.push("inline", "", 0)
    inline.content = state.getLines(first, after, state.blkIndent, False).strip(" \t\n")
    inline.map = [first, after]
    state.push("paragraph_close", "p", -1)
    state.parentType = outer
    return True


@cache
def _parser() -> MarkdownIt:
    # HTML is shown as text. A definition further down would change what is drawn long ago, and a line of dashes
    # below a text is meant as a rule more often than as a heading.
    rules = ["html_block", "html_inline", "reference", "lheading"]
    parser = _Parser("commonmark").enable(["table", "strikethrough"]).disable(rules)
    parser.block.ruler.at("paragraph", _paragraph)
    return parser


def blocks(text: str) -> list[Source]:
    """Parse a text into its outermost blocks; what is inside lines is left as it is.

    Args:
        text: Markdown, its lines ended by line feeds, with or without carriage returns.
    """
    tokens: list[Token] = []
    parser = _parser()
    parser.block.parse(text.replace("\r\n", "\n"), parser, {}, tokens)
    found: list[Source] = []
    start = 0
    for at, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            first, after = tokens[start].map or (0, 0)
            found.append(Source(tokens[start : at + 1], first, after))
            start = at + 1
    return found


def inside(text: str) -> list[Token]:
    """Parse what is inside a paragraph, a heading or a cell."""
    parser = _parser()
    state = _Inline(text, parser, {}, [])
    parser.inline.tokenize(state)
    for rule in parser.inline.ruler2.getRules(""):
        rule(state)
    return state.tokens

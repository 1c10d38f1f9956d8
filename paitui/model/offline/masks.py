"""Literals of a request (quoted text, code, paths) stand as one sign each while its words are read.

So no comma inside a quotation ends a clause, no full stop inside a file name ends a sentence, and words inside a
literal are never taken for a request.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

_CODE, _QUOTE, _PATH = 0xE000, 0xE800, 0xF000
PATH = "[\uf000-\uf7ff]"
"""Pattern for one masked path."""
LITERAL = "[\ue000-\uefff]"
"""Pattern for one masked code span or quotation."""
ANY = "[\ue000-\uf7ff]"
"""Pattern for any masked text."""

_BLOCK = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)
_SPANS = (
    (re.compile(r"``(.+?)``|`([^`]+)`", re.DOTALL), _CODE),
    (re.compile(r'"([^"\n]*)"|“([^”]*)”|「([^」]*)」|『([^』]*)』|‘([^’]*)’', re.DOTALL), _QUOTE),
    (re.compile(r"(?<![\w])'([^'\n]*)'(?!\w)"), _QUOTE),
)
_URLS = re.compile(
    r"(?<![A-Za-z0-9])https?://[A-Za-z0-9._~:/?#\[\]@!$&()*+,;=%-]*[A-Za-z0-9_~/#=&%+-]", re.IGNORECASE
)
_WORD = r"[A-Za-z0-9_@~+*?-]"
_PATHS = re.compile(
    rf"(?<![\w./-])(?:"
    rf"(?:/|(?:\.{{1,2}}/)+)?(?:{_WORD}[A-Za-z0-9_.@~+*?-]*/|\.{_WORD}[A-Za-z0-9_.-]*/|\*\*/)+[A-Za-z0-9_.@~+*?-]*[A-Za-z0-9_*?~]?"
    r"|[A-Za-z0-9_*?.@-]*[A-Za-z0-9_*?@-]\.(?!\d+\b)[A-Za-z][A-Za-z0-9]{0,9}(?![\w(])"
    r"|(?:\.{1,2}/)+[A-Za-z0-9_.*?-]*[A-Za-z0-9_*?]"
    r"|\.(?:gitignore|env|editorconfig|dockerignore|python-version)\b"
    r"|(?:README|LICENSE|LICENCE|CHANGELOG|CONTRIBUTING|Makefile|Dockerfile|Procfile|Gemfile|AUTHORS|NOTICE|Pipfile)"
    r"(?![\w.])"
    r")",
    re.ASCII,
)
_MENTION = re.compile(
    r"(?<![A-Za-z0-9._%+-])[@＠](?=[\w./])([^\s@\"'“”‘’，。；：！？、（）《》<>|,;!?\ue000-\uf8ff]*[\w/])"
)
_QUOTED_MENTION = re.compile("[@＠]([\ue800-\uefff])")
"""A file as the screen's completion names it. The sign is not part of its name."""
_NO_PATHS = frozenset({"e.g", "i.e", "node.js", "vue.js", "next.js", "asp.net"})
_WIDE_PATHS = re.compile(r"(?:(?<=\s)|^)[\w./-]*[\u4e00-\u9fff][\w./-]*\.[A-Za-z][A-Za-z0-9]{0,5}(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with its literals taken out."""

    text: str
    """The text, one sign of a private area for each literal."""
    values: tuple[str, ...]
    """The literals, by number."""
    raw: tuple[str, ...]
    """The literals as they stood, quotation marks included."""

    def value(self, sign: str) -> str:
        """The literal that a sign stands for."""
        return self.values[ord(sign) & 0x7FF]

    def restore(self, text: str) -> str:
        """Put the literals back, as they stood."""
        return re.sub(ANY, lambda match: self.raw[ord(match[0]) & 0x7FF], text)


def mask(text: str) -> Masked:
    """Take out code blocks, code spans, quotations and paths.

    Args:
        text: What the user typed; at most 2,000 literals are masked, later ones stay words.
    """
    values: list[str] = []
    raw: list[str] = []

    def taking(kind: int, path: bool = False) -> Callable[[re.Match[str]], str]:
        def take(match: re.Match[str]) -> str:
            if len(values) >= 2_000 or match[0].lower() in _NO_PATHS:
                return match[0]
            inner = match[0] if path else next(group for group in match.groups() if group is not None)
            values.append(inner)
            raw.append(match[0])
            return chr(kind + len(values) - 1)

        return take

    text = re.sub("[\ue000-\uf8ff]", "\ufffd", text)
    text = _BLOCK.sub(taking(_CODE), text)
    for pattern, kind in _SPANS:
        text = pattern.sub(taking(kind), text)
    text = _URLS.sub(taking(_PATH, path=True), text)
    text = _QUOTED_MENTION.sub(lambda match: chr(_PATH + (ord(match[1]) & 0x7FF)), text)
    text = _MENTION.sub(taking(_PATH), text)
    text = _PATHS.sub(taking(_PATH, path=True), text)
    text = _WIDE_PATHS.sub(taking(_PATH, path=True), text)
    return Masked(text, tuple(values), tuple(raw))


def is_url(text: str) -> bool:
    """Whether a literal is a web address."""
    return re.fullmatch(r"https?://\S+", text, re.IGNORECASE) is not None


def looks_like_path(text: str) -> bool:
    """Whether a literal can be meant as a file or folder: no white space, and a dot or a slash in it."""
    return bool(text) and not re.search(r"\s", text) and ("." in text or "/" in text) and not is_url(text)

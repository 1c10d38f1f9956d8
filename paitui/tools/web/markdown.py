"""A page's tree to Markdown, in one walk whose cost grows with the page and nothing else.

Headings, paragraphs, lists, code, tables and links are kept; nothing is judged to be unimportant but what the page
itself marks as such (navigation, footers, scripts). Loaded in the page worker only.
"""

import re
from collections.abc import Callable
from typing import Any

from lxml import etree

_DROPPED = (
    "script",
    "style",
    "template",
    "noscript",
    "svg",
    "iframe",
    "object",
    "canvas",
    "head",
    "button",
    "select",
    "input",
)
_ASIDE = ("nav", "footer", "aside")
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "p div section article main header body ul ol li dl dt dd blockquote table thead tbody tfoot tr figure"
        " figcaption form fieldset details summary address center hr h1 h2 h3 h4 h5 h6 pre caption",
    )
)
_MARKS = {"b": "**", "strong": "**", "em": "*", "i": "*", "code": "`", "kbd": "`", "samp": "`", "tt": "`"}
_BREAK = "\x01"
_LANGUAGE = re.compile(r"\b(?:(?:language|lang|highlight)-|brush:\s?)([A-Za-z][\w+#]{0,19})")
_PERMALINK = frozenset("§¶#🔗")
_DEEPEST_LIST = 8
_CLOSE = re.compile(r" *(?:-|\d+\.) |\|")


def prepare(tree: Any, keep_asides: bool = False) -> None:
    """Take out what is no text of the page; changes the tree.

    Args:
        tree: The page.
        keep_asides: Keep navigation and footers, for a page that has nothing else.
    """
    etree.strip_tags(tree, etree.Comment, etree.ProcessingInstruction, etree.Entity)
    etree.strip_elements(tree, *_DROPPED, *(() if keep_asides else _ASIDE), with_tail=False)


class Renderer:
    """Writes Markdown while a tree is walked.

    Args:
        absolute: Makes a link's address absolute; empty for one that leads nowhere else.
    """

    def __init__(self, absolute: Callable[[str], str]) -> None:
        self._absolute = absolute
        self.blocks: list[str] = []
        self.loose_chars = 0
        """Characters of text outside links: what a page says itself."""
        self._line: list[str] = []
        self._prefix = ""
        self._lists: list[int | None] = []
        self._links: list[tuple[str, int, int]] = []
        self._pre: list[str] | None = None
        self._language = ""
        self._cells = 0
        self._layout: set[Any] = set()

    def render(self, root: Any) -> str:
        """Write a tree.

        Args:
            root: An element; what stands behind it is not its own.

        Returns:
            Markdown, blocks parted by blank lines.
        """
        # A table around headings, lists or code arranges the page; its cells are no cells.
        for inner in root.iter("table", "pre", "ul", "ol", "h1", "h2", "h3", "h4"):
            outer = next(inner.iterancestors("table"), None)
            if outer is not None:
                self._layout.add(outer)
        for event, element in etree.iterwalk(root, events=("start", "end")):
            if not isinstance(element.tag, str):
                continue
            if event == "start":
                self._start(element)
                self._text(element.text)
            else:
                self._end(element)
                if element is not root:
                    self._text(element.tail)
        self._flush()
        parts: list[str] = []
        for before, block in zip(["", *self.blocks], self.blocks, strict=False):
            # Items of a list and rows of a table stand close together.
            close = _CLOSE.match(before) and _CLOSE.match(block)
            parts += [("\n" if close else "\n\n") if before else "", block]
        return "".join(parts)

    def _text(self, text: str | None) -> None:
        if not text:
            return
        if self._pre is not None:
            self._pre.append(text)
        else:
            self._line.append(text.replace(_BREAK, " "))
        if not self._links:
            self.loose_chars += len(text.strip())

    def _start(self, element: Any) -> None:
        tag = element.tag
        if self._pre is not None:
            if tag == "br":
                self._pre.append("\n")
            elif tag == "code" and not self._language:
                self._language = _language(element)
            return
        if tag in ("td", "th") and not self._arranged(element):
            self._cells += 1
            self._line.append(" | ")
            return
        if tag in _BLOCKS:
            self._block(tag, element)
        elif tag == "br":
            self._line.append(_BREAK)
        elif tag in ("td", "th"):
            self._flush()
        elif tag == "a":
            self._links.append((element.get("href") or "", len(self.blocks), len(self._line)))
        elif tag in _MARKS and not self._links:
            self._line.append(_MARKS[tag])

    def _block(self, tag: str, element: Any) -> None:
        if self._cells:
            self._line.append(" ")
            return
        self._flush(keep_prefix=tag in ("p", "div"))
        if tag in _HEADINGS:
            self._prefix = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            indent = "  " * min(len(self._lists) - 1, _DEEPEST_LIST) if self._lists else ""
            number = self._lists[-1] if self._lists else None
            if number is not None:
                self._lists[-1] = number + 1
            self._prefix = f"{indent}- " if number is None else f"{indent}{number + 1}. "
        elif tag == "blockquote":
            self._prefix = "> "
        elif tag == "pre":
            self._pre, self._language = [], _language(element)
        elif tag == "hr":
            self.blocks.append("---")

    def _end(self, element: Any) -> None:
        tag = element.tag
        if self._pre is not None:
            if tag == "pre":
                self._code("".join(self._pre))
            return
        if tag in ("td", "th"):
            if self._arranged(element):
                self._flush()
            else:
                self._cells = max(0, self._cells - 1)
        elif tag == "tr" and not self._cells and not self._arranged(element):
            self._row(element)
        elif tag in _BLOCKS:
            if self._cells:
                self._line.append(" ")
                return
            self._flush()
            if tag in ("ul", "ol") and self._lists:
                self._lists.pop()
        elif tag == "a" and self._links:
            self._link(*self._links.pop())
        elif tag in _MARKS and not self._links:
            self._line.append(_MARKS[tag])

    def _arranged(self, element: Any) -> bool:
        """Whether a cell or row belongs to a table that only arranges the page."""
        table = next(element.iterancestors("table"), None)
        return table is None or table in self._layout

    def _link(self, href: str, block: int, at: int) -> None:
        url = "" if href.startswith("#") else self._absolute(href)
        if block != len(self.blocks):  # blocks stand inside the link
            if url:
                self._line.append(f" <{url}>")
            return
        text = " ".join("".join(self._line[at:]).replace(_BREAK, " ").split())
        del self._line[at:]
        if not text or text in _PERMALINK:
            return
        if url and text != url:
            self._line.append(f"[{text}]({url})")
        else:
            self._line.append(text)

    def _row(self, element: Any) -> None:
        inner = " ".join("".join(self._line).replace(_BREAK, " ").split())
        self._line.clear()
        if inner.strip("| "):
            self.blocks.append(f"{inner} |")
            cells = list(element.iterchildren("th"))
            if cells and len(cells) == len(element):
                self.blocks.append("|" + " --- |" * len(cells))

    def _code(self, text: str) -> None:
        self._pre = None
        if text.strip():
            longest = max(map(len, re.findall(r"`{3,}", text)), default=2)
            fence = "`" * (longest + 1)
            text = text.removeprefix("\n").rstrip()
            self.blocks.append(f"{fence}{self._language}\n{text}\n{fence}")

    def _flush(self, keep_prefix: bool = False) -> None:
        rows = [" ".join(row.split()) for row in "".join(self._line).split(_BREAK)]
        self._line.clear()
        text = "\n".join(_tidy(row) for row in rows if row)
        if text.strip("*` \n"):
            self.blocks.append(self._prefix + text)
            # What follows within an item is a paragraph of it.
            self._prefix = ""
        elif not keep_prefix:
            self._prefix = ""


def _tidy(row: str) -> str:
    """A row without marks around nothing, as an icon leaves them."""
    return row.replace("****", "").replace("``", "") if "****" in row or "``" in row else row


def _language(element: Any) -> str:
    found = _LANGUAGE.search(element.get("class") or "")
    return (
        found[1].lower() if found and found[1].lower() not in ("none", "plain", "text", "default", "source") else ""
    )

"""What counts as external content, and how a session's record names what brought it in."""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from paitui.trust.safe_text import safe_text

Kind = Literal["web", "mcp", "command"]
"""``web``: a page or a search; ``mcp``: a server's answer; ``command``: a program that fetched from the network."""
_KINDS: tuple[str, ...] = get_args(Kind)
_LONGEST = 200
_HOST = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^/?#@\s]*@)?([^/?#\s]+).*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class External:
    """Content from somebody who is not the user entered the session."""

    kind: Kind
    """The way that it came."""
    source: str
    """The address, the server and its tool, or the command line."""

    @property
    def short(self) -> str:
        """Name the source in a few words: of an address its host, else the source as it is, safe for one line."""
        source = safe_text(self.source, keep_newlines=False)
        if self.kind != "web":
            return source[:_LONGEST]
        return _HOST.sub(r"\1", source)[:_LONGEST]

    def export(self) -> str:
        """Give it in one line, for the session's state: ``web https://example.org/page``."""
        return f"{self.kind} {safe_text(self.source, keep_newlines=False)[:_LONGEST]}"

    @staticmethod
    def restore(line: str) -> "External":
        """Read what `export` gave; an unknown kind, as a newer program may write, still counts as external."""
        kind, _, source = line.partition(" ")
        if kind in _KINDS:
            return External(kind, source)  # type: ignore[arg-type]  # just compared with the kinds
        return External("command", line)

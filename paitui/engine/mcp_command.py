"""`/mcp`, read into an op."""

from paitui.engine.ops import Servers
from paitui.locale import Phrase, phrase

VERBS = "list restart disable enable logs prompts"
"""What `/mcp` can do, in the order in which it is told."""


class McpUsage(Exception):
    """The command cannot be read.

    Attributes:
        phrase: What is wrong and how it is written.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def read_mcp(text: str) -> Servers:
    """Read the argument of `/mcp`; without one it lists.

    Args:
        text: A verb and, for most, the name of a server.

    Raises:
        McpUsage: The verb is unknown, or lacks what it needs.
    """
    word, _, name = text.strip().partition(" ")
    name = name.strip()
    match word or "list":
        case "list" if not name:
            return Servers("list")
        case "prompts":
            return Servers("prompts", name)
        case ("restart" | "disable" | "enable" | "logs") as verb if name and " " not in name:
            return Servers(verb, name)
        case _:
            pass
    known = ", ".join(VERBS.split())
    raise McpUsage(phrase("mcp.usage", verb=word, known=known))

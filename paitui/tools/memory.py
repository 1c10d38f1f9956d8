"""Long-term memory as the model may use it. What is saved, and whether, is decided behind the `MemoryDesk`."""

from collections.abc import Mapping
from typing import Any, Protocol

from paitui.messages.message import ToolSpec
from paitui.tools.base import Access, Effect, ToolContext, ToolOutcome


class MemoryDesk(Protocol):
    """Who carries the calls out: it knows the turn, the user's words and the user's decisions."""

    async def save(self, fact: str, scope: str, replace_id: str, keep_both: bool) -> ToolOutcome:
        """Save a fact, if the user wants it saved.

        Raises:
            ToolError: It was refused, or could not be written.
        """
        ...

    async def search(self, query: str) -> ToolOutcome:
        """Find entries; all that are visible if the query is empty."""
        ...


class SaveMemory:
    """Saves one fact in long-term memory."""

    access: Access = "read"  # the desk asks in its own way: what to keep is no question of files
    spec = ToolSpec(
        "save_memory",
        "Save one lasting fact in long-term memory. Only when the user asks to remember something. One short "
        "sentence, in the user's own words, nothing inferred. Duplicates are recognised; a conflict with an older "
        "memory goes to the user. replace_id and keep_both only after the user decided so.",
        {
            "type": "object",
            "properties": {
                "fact": {"type": "string", "description": "The fact, as the user said it."},
                "scope": {
                    "type": "string",
                    "enum": ["project", "global"],
                    "description": "project (default): this project only. global: everywhere, if the user says so.",
                },
                "replace_id": {"type": "string", "description": "Id of the older memory that the user gave up."},
                "keep_both": {"type": "boolean", "description": "The user wants to keep the older memory too."},
            },
            "required": ["fact"],
        },
    )

    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Nothing that is judged as a file or command."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Hand the fact to the desk."""
        return await self._desk.save(
            arguments["fact"],
            arguments.get("scope", "project"),
            arguments.get("replace_id", ""),
            arguments.get("keep_both", False),
        )


class SearchMemory:
    """Searches long-term memory."""

    access: Access = "read"
    spec = ToolSpec(
        "search_memory",
        "Search the long-term memory of this project and the global one. Returns facts with id, date and state: "
        "hints that may be out of date. An empty query lists everything.",
        {
            "type": "object",
            "properties": {"query": {"type": "string", "description": "Words to look for."}},
            "required": [],
        },
    )

    def __init__(self, desk: MemoryDesk) -> None:
        self._desk = desk

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """It only reads."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Ask the desk."""
        return await self._desk.search(arguments.get("query", ""))

"""`web_search`: asks the provider that the user set up."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paitui.locale import phrase
from paitui.messages.message import ToolSpec
from paitui.tools.access import counted
from paitui.tools.base import Access, Effect, ToolContext, ToolError, ToolOutcome
from paitui.tools.web.address import AddressError, parse_address
from paitui.tools.web.client import Client
from paitui.tools.web.providers import MOST_RESULTS, Provider
from paitui.trust.external import External

_SNIPPET_CHARS = 500
_QUERY_CHARS = 400
_SPEC = ToolSpec(
    "web_search",
    "Search the web. Gives titles, addresses and snippets; read a page with web_fetch.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


@dataclass(frozen=True, slots=True)
class WebSearch:
    """Searches by one provider.

    It counts as reading: a query goes to the one address that the user named for this, and nowhere else.
    """

    client: Client
    provider: Provider
    spec: ToolSpec = field(default=_SPEC)
    access: Access = "read"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """The user set the provider up for this."""
        return None

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Search.

        Raises:
            ToolError: The provider cannot be reached, refuses, or answers something else.
        """
        query = " ".join(arguments["query"].split())[:_QUERY_CHARS]
        if not query:
            raise ToolError(phrase("web.no_query"))
        question = self.provider.ask(query)
        try:
            target = parse_address(question.url)
        except AddressError as error:
            raise ToolError(error.phrase) from error
        reply = await self.client.ask(target, question.headers, question.body)
        name, host = self.provider.name, self.provider.host
        if reply.elsewhere is not None:
            raise ToolError(phrase("web.search_moved", name=name, host=host, other=reply.elsewhere.place))
        if reply.status in (401, 403):
            key = "web.search_json" if name == "searxng" and reply.status == 403 else "web.search_key"
            raise ToolError(
                phrase(key, name=name, host=host, status=reply.status, variable=self.provider.key_from or "-")
            )
        if reply.status >= 400:
            raise ToolError(phrase("web.search_failed", name=name, host=host, status=reply.status))
        try:
            hits = list(self.provider.read(json.loads(reply.body)))[:MOST_RESULTS]
        except (ValueError, RecursionError) as error:
            raise ToolError(phrase("web.search_answer", name=name, host=host)) from error
        lines = [
            f"{number}. {hit.title or hit.url}\n   {hit.url}"
            + (f"\n   {hit.snippet[:_SNIPPET_CHARS]}" if hit.snippet else "")
            for number, hit in enumerate(hits, 1)
        ]
        text = "\n".join(lines) or context.words("web.nothing_found", query=query)
        return ToolOutcome(
            text, headline=counted("web.results", len(hits)), external=External("web", f"{host} {query}")
        )

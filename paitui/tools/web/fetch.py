"""`web_fetch`: one page as text."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from paitui.locale import Words, phrase
from paitui.messages.message import ToolSpec
from paitui.tools.base import Access, Effect, ToolContext, ToolError, ToolOutcome
from paitui.tools.web.address import AddressError, Target, allows, parse_address
from paitui.tools.web.body import charset_of, decode, looks_binary
from paitui.tools.web.client import Client, Reply
from paitui.tools.web.pages import PAGE_S, Page, PageError, read_page
from paitui.trust.external import External

_SPEC = ToolSpec(
    "web_fetch",
    "Read a public web page (http, https) as Markdown; text, JSON and XML as they are.",
    {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]},
)
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = re.compile(
    r"text/.+|(?:application|image|model)/(?:.+\+(?:json|xml|yaml)|json|x-ndjson|jsonlines|xml|xml-dtd|javascript|ecmascript"
    r"|x-javascript|yaml|x-yaml|toml|graphql|sql|x-sh|rtf|x-www-form-urlencoded)"
)
_UNSAID = ("", "application/octet-stream", "binary/octet-stream", "application/unknown")
"""What servers say of files they do not know, text among them; the bytes tell."""
_ERROR_CHARS = 2_000
"""What is shown of a text that came with an error status."""


@dataclass(frozen=True, slots=True)
class WebFetch:
    """Reads a page.

    Asking for an address tells its server something, so a host is asked about once: the user sees the address in
    full. Hosts that the settings name are not asked about. A redirect to another host is not followed but handed
    back, else one approved host could send anywhere what was put into its address.
    """

    client: Client
    page_s: float = PAGE_S
    """Seconds that bringing a page to Markdown may take."""
    spec: ToolSpec = field(default=_SPEC)
    access: Access = "network"

    def effect(self, arguments: Mapping[str, Any], context: ToolContext) -> Effect | None:
        """Which address is asked for; None for a host that the settings name.

        Raises:
            ToolError: It is no address that is ever fetched.
        """
        target = self._target(arguments)
        if allows(self.client.allow_hosts, target):
            return None
        return Effect("network", target.url, always=target.place)

    async def run(self, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
        """Fetch it.

        Raises:
            ToolError: It cannot be reached, may not be, or is no text.
        """
        asked = self._target(arguments)
        headers = {
            "Accept": "text/html,application/xhtml+xml,text/markdown,text/plain,application/json;q=0.9,*/*;q=0.5",
            "Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8" if context.words.language == "zh" else "en,*;q=0.5",
        }
        reply = await self.client.get(asked, headers, follows=self._follows, wants=_is_text)
        external = External("web", reply.target.url)
        if reply.elsewhere is not None:
            text = context.words("web.elsewhere", url=asked.url, other=reply.elsewhere.url)
            return ToolOutcome(text, headline=phrase("web.redirected", host=reply.elsewhere.place), external=external)
        if reply.status >= 400:
            return ToolOutcome(
                _failure(reply, context.words),
                ok=False,
                headline=phrase("web.status", status=reply.status),
                external=external,
            )
        text = await self._text(reply, context.words)
        return ToolOutcome(text, headline=phrase("web.chars", n=len(text)), external=external)

    def _target(self, arguments: Mapping[str, Any]) -> Target:
        try:
            target = parse_address(arguments["url"])
            self.client.judge(target)
        except AddressError as error:
            raise ToolError(error.phrase) from error
        return target

    def _follows(self, before: Target, after: Target) -> bool:
        return same_site(before, after) or allows(self.client.allow_hosts, after)

    async def _text(self, reply: Reply, words: Words) -> str:
        kind = _kind(reply)
        if not _is_text(reply.type) or (kind in _UNSAID and looks_binary(reply.body)):
            size = reply.length if reply.length >= 0 else len(reply.body)
            raise ToolError(phrase("web.no_text", url=reply.target.url, type=kind or "-", bytes=max(0, size)))
        is_html = kind in _HTML or (kind == "" and _begins_as_html(reply.body))
        text = decode(reply.body, charset_of(reply.type), is_html, not reply.cut)
        page, notes = Page(text=text), []
        if is_html:
            try:
                page = await read_page(text, reply.target.url, self.page_s)
            except PageError as error:
                raise ToolError(phrase("web.unreadable", url=reply.target.url, seconds=round(self.page_s))) from error
            if page.needs_scripts:
                notes.append(words("web.needs_scripts"))
        if reply.cut:
            notes.append(words("web.cut", mb=self.client.limits.bytes / 1_000_000))
        if not page.text.strip() and not page.needs_scripts:
            notes.append(words("web.empty"))
        head = [
            words("web.title", title=page.title) if page.title else "",
            words("web.address", url=reply.target.url),
            words("web.date", date=page.date) if page.date else "",
            *(f"[{note}]" for note in notes),
        ]
        # The program's own lines stand first, before anything that the page could make look like them.
        return "\n".join(filter(None, head)) + (f"\n\n{page.text}" if page.text.strip() else "")


def same_site(before: Target, after: Target) -> bool:
    """Whether a redirect stays with whom the user approved: the same host but for ``www.``, and no less safe."""
    if before.scheme == "https" and after.scheme == "http":
        return False
    usual = before.place == before.host and after.place == after.host
    same_port = before.port == after.port or usual
    return same_port and before.host.removeprefix("www.") == after.host.removeprefix("www.")


def _kind(reply: Reply) -> str:
    return reply.type.partition(";")[0].strip().lower()


def _is_text(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind in _HTML or kind in _UNSAID or _TEXT.fullmatch(kind) is not None


def _begins_as_html(body: bytes) -> bool:
    return (
        re.match(rb"\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head|body)\b", body[:1_000], re.I | re.S)
        is not None
    )


def _failure(reply: Reply, words: Words) -> str:
    """What an error status means and what to do; with it, what a program's answer says of it."""
    try:
        name = HTTPStatus(reply.status).phrase  # not the server's own words, which could say anything
    except ValueError:
        name = ""
    kinds = {401: "login", 402: "login", 403: "forbidden", 404: "missing", 410: "missing", 429: "too_many"}
    advice = words(f"web.{kinds.get(reply.status, 'server' if reply.status >= 500 else 'other')}")
    text = words("web.failed", status=f"{reply.status} {name}".strip(), url=reply.target.url, advice=advice)
    kind = _kind(reply)
    if reply.body and kind not in _HTML and kind not in _UNSAID:
        said = decode(reply.body, charset_of(reply.type), False, False).strip()
        text += f"\n\n{said[:_ERROR_CHARS]}" if said else ""
    return text

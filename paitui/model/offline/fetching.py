"""Reading web pages, and searching the web."""

from paitui.model.offline.ground import Answer, Ask, Ground, Step
from paitui.model.offline.intents import Fetch, WebSearch
from paitui.model.offline.outline import extract, headings
from paitui.model.offline.quoting import left_out, quoted
from paitui.model.offline.reading import failure
from paitui.model.offline.results import Result
from paitui.model.offline.tooling import Wanted

_HEAD_LINES = 25


def fetch(intent: Fetch, ground: Ground) -> Step:
    """Fetch pages, one after the other, since each may be asked about; then tell what is in them."""
    say = ground.speech
    parts: list[str] = []
    for url in intent.urls:
        deed = ground.deed("web_fetch", url)
        if deed is None:
            return Ask((Wanted("web_fetch", {"url": url}),), say("say_fetch", url=url))
        result = deed.result
        if deed.failed:
            parts.append(failure(f"web_fetch `{url}`", result, ground))
        elif result is None or result.state == "cleared":
            parts.append(say("gone", what=f"web_fetch `{url}`"))
        else:
            parts.append(_about(url, result, intent.summarise, ground))
    return Answer("\n\n".join(parts))


def web_search(intent: WebSearch, ground: Ground) -> Step:
    """Search the web and show what came."""
    deed = ground.deed("web_search", intent.query)
    if deed is None:
        if "web_search" not in ground.tools:
            return Answer(ground.speech("no_web_search"))
        return Ask(
            (Wanted("web_search", {"query": intent.query}),), ground.speech("say_web_search", query=intent.query)
        )
    what, result = f"web_search `{intent.query}`", deed.result
    if deed.failed:
        return Answer(failure(what, result, ground))
    if result is None or result.state == "cleared":
        return Answer(ground.speech("gone", what=what))
    return Answer(f"{ground.speech('web_found', query=intent.query)}\n\n{quoted(result.text.splitlines(), 60)}")


def _about(url: str, result: Result, summarise: bool, ground: Ground) -> str:
    say = ground.speech
    lines = result.text.splitlines()
    parts = [say("read_head", path=url, lines=result.lines or len(lines), chars=result.chars or len(result.text))]
    # What the program says of the page stands before the first blank line.
    told, _, text = result.text.partition("\n\n")
    if summarise:
        pairs = extract(text)
        bullets = [f"- {f'**{heading}**: ' if heading else ''}{sentence}".rstrip(": ") for heading, sentence in pairs]
        parts += [quoted(told.splitlines(), 8)]
        parts.append("\n".join([say("summary_extracted"), *bullets]) if bullets else say("summary_empty"))
    else:
        if found := headings(text):
            parts.append(say("headings", n=len(found)) + "\n" + quoted(found, 20))
        parts += [say("read_begins"), quoted(lines, _HEAD_LINES)]
        if len(lines) > _HEAD_LINES and result.state == "live":
            parts.append(say("more_lines", n=len(lines) - _HEAD_LINES))
    if result.state == "offloaded":
        parts.append(left_out(ground, result))
    return "\n\n".join(parts)

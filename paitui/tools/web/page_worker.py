"""A page's HTML to Markdown, in a process of its own.

Pages are written by strangers and read by a large library in C: here neither a page that takes forever nor one that
breaks the reader does harm. Reads one JSON object (`html`, `url`) from standard input; writes one line with what the
whole page says, then, for a page that does not mark its main part, one with what an extractor takes for it. Who asks
may end the process after the first line.
"""

import json
import re
import sys
from typing import Any
from urllib.parse import urljoin

MEMORY_BYTES = 1_500_000_000
"""Address space that a page may take."""
CPU_S = 30
"""Seconds of computing, in case nobody ends the process."""
_LEAST_MAIN = 200
_MOST_LINK = 500


def read(html: str, url: str) -> tuple[dict[str, Any], bool]:
    """Render a page.

    Args:
        html: The page.
        url: Its address, for its links.

    Returns:
        `title`, `date`, `text`, `loose` (characters outside links), `scripts` (whether it has any); and whether the
        page itself says what its main part is.
    """
    from lxml import html as lxml_html

    from paitui.tools.web.markdown import Renderer, prepare

    # Without `huge_tree` whatever lies deeper than 256 elements is lost without a word; with it, deeper than 2,048.
    # A declared encoding would contradict the text that has been read already.
    html = re.sub(r"^\s*<\?xml[^>]{0,200}\?>", "", html.replace("\0", ""), count=1)
    try:
        tree = lxml_html.document_fromstring(html, parser=lxml_html.HTMLParser(huge_tree=True))
    except Exception as error:  # the parser raises several kinds, none of them public
        return {"title": "", "date": "", "text": "", "loose": 0, "scripts": False, "fault": str(error)[:200]}, True
    title, date = _title(tree), _date(tree)
    scripts = next(tree.iter("script"), None) is not None
    base = next((b.get("href") for b in tree.iter("base") if b.get("href")), "")
    base = _join(url, base) or url

    def absolute(href: str) -> str:
        joined = _join(base, href.strip())
        return joined if joined.startswith(("http://", "https://", "mailto:")) and len(joined) <= _MOST_LINK else ""

    body = tree.find("body")
    body = tree if body is None else body
    main = _main(body)
    root = body if main is None else main
    prepare(root)
    renderer = Renderer(absolute)
    text = renderer.render(root)
    if not text.strip() and main is None:
        again = lxml_html.document_fromstring(html)
        prepare(again, keep_asides=True)
        renderer = Renderer(absolute)
        text = renderer.render(again)
    page = {"title": title, "date": date, "text": text, "loose": renderer.loose_chars, "scripts": scripts}
    return page, main is not None


def extract(html: str, url: str) -> dict[str, Any]:
    """Let the extractor find the main text.

    Returns:
        `text`, and `date` if it found one.
    """
    import trafilatura
    from lxml import html as lxml_html

    # The extractor joins links with the host alone; so they are made absolute before.
    tree = lxml_html.document_fromstring(html, base_url=url)
    tree.make_links_absolute(url, handle_failures="ignore")
    found = trafilatura.extract_with_metadata(
        tree,
        url=url,
        output_format="markdown",
        include_comments=False,
        include_formatting=True,
        include_links=True,
        include_tables=True,
        favor_recall=True,
    )
    return {"text": getattr(found, "text", "") or "", "date": getattr(found, "date", "") or ""}


def _main(body: Any) -> Any:
    """The element that the page calls its main part; None if there is none, or it holds too little."""
    for path in (".//main", ".//*[@role='main']", ".//article"):
        found = body.findall(path)
        # Several articles are a list of teasers, which only the page as a whole shows.
        if len(found) == 1 and len(" ".join(found[0].itertext())) >= _LEAST_MAIN:
            return found[0]
    return None


def _title(tree: Any) -> str:
    found = next((" ".join(t.itertext()) for t in tree.iter("title")), "")
    return " ".join(found.split())[:300]


_DATES = (
    "article:modified_time",
    "article:published_time",
    "og:updated_time",
    "last-modified",
    "dc.date",
    "date",
    "pubdate",
)
_DATE = re.compile(r"(?:19|20)\d\d-[01]\d-[0-3]\d")


def _date(tree: Any) -> str:
    named: dict[str, str] = {}
    for meta in tree.iter("meta"):
        name = (meta.get("property") or meta.get("name") or meta.get("itemprop") or "").lower()
        named.setdefault(name, meta.get("content") or "")
    values = [named.get(name, "") for name in _DATES]
    values += [time.get("datetime") or "" for time in tree.iter("time")][:1]
    return next((found[0] for value in values if (found := _DATE.match(value.strip()))), "")


def _join(base: str, href: str) -> str:
    try:
        return urljoin(base, href)
    except ValueError:
        return ""  # what is no address leads nowhere


def _bound() -> None:
    try:
        import resource
    except ImportError:  # Windows; there only the time is bounded
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def main() -> None:
    """Answer one request."""
    _bound()
    request = json.loads(sys.stdin.buffer.read())
    page, complete = read(request["html"], request["url"])
    _write({**page, "last": complete})
    if not complete:
        _write({**extract(request["html"], request["url"]), "last": True})


def _write(record: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(record).encode() + b"\n")
    sys.stdout.buffer.flush()

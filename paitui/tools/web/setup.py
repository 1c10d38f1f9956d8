"""The web tools of a session, as its settings want them."""

from collections.abc import Callable, Mapping

from paitui.locale import Phrase
from paitui.settings import SearchSettings, WebSettings
from paitui.tools.base import Tool
from paitui.tools.web.client import Client, Limits
from paitui.tools.web.fetch import WebFetch
from paitui.tools.web.providers import Provider, open_provider
from paitui.tools.web.rate import RateLimit
from paitui.tools.web.search import WebSearch


def web_tools(
    web: WebSettings, search: SearchSettings, environment: Mapping[str, str], now: Callable[[], float]
) -> tuple[tuple[Tool, ...], tuple[Phrase, ...]]:
    """Set the tools up.

    Args:
        web: How pages are fetched.
        search: Where searches go.
        environment: Holds the key of a search provider.
        now: Monotonic seconds.

    Returns:
        The tools, which share one count of requests; and what is wrong with the settings.
    """
    client = Client(
        RateLimit(web.requests_per_minute, now),
        web.allow_hosts,
        Limits(web.max_mb * 1_000_000, web.timeout_s),
    )
    provider = open_provider(search, environment)
    searching = (WebSearch(client, provider),) if isinstance(provider, Provider) else ()
    return (WebFetch(client), *searching), (provider,) if isinstance(provider, Phrase) else ()

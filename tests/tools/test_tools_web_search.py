"""`web_search` against servers that answer as each provider does."""

import json
from collections.abc import Awaitable, Callable
from urllib.parse import parse_qs, urlsplit

import pytest

from paitui.locale import Phrase, Words
from paitui.settings import SearchSettings, WebSettings
from paitui.tools.base import ToolContext, ToolError, ToolOutcome
from paitui.tools.web.client import Client
from paitui.tools.web.providers import Provider, open_provider
from paitui.tools.web.search import WebSearch
from paitui.tools.web.setup import web_tools
from tests.tools.web_server import Answer, answer, client, redirect, serving

KEY = "very-secret-key"
HITS = {
    "searxng": {
        "results": [
            {"title": "One", "url": "https://one.example/", "content": "first\n hit"},
            {"title": "no address"},
        ]
    },
    "zhipu": {"search_result": [{"title": "一", "link": "https://one.example/", "content": "第一条"}, "nonsense"]},
    "serpapi": {
        "organic_results": [{"title": "One", "link": "https://one.example/", "snippet": "first hit"}, {"link": ""}]
    },
}

Ask = Callable[..., Awaitable[ToolOutcome]]


@pytest.fixture
def ask(context: ToolContext) -> Ask:
    async def call(
        name: str, query: str, page: Answer, path: str = "/", with_client: Client | None = None
    ) -> ToolOutcome:
        async with serving({path: page}) as served:
            settings = SearchSettings(name, f"{served.url('/')}", "MY_KEY")
            provider = open_provider(settings, {"MY_KEY": KEY})
            assert isinstance(provider, Provider)
            try:
                return await WebSearch(with_client or client(), provider).run({"query": query}, context)
            finally:
                call.requests = served.requests  # type: ignore[attr-defined]

    return call


@pytest.mark.parametrize(("name", "path"), [("searxng", "/search"), ("zhipu", "/"), ("serpapi", "/")])
async def test_results_are_numbered_with_title_address_and_snippet(ask: Ask, name: str, path: str) -> None:
    outcome = await ask(name, "what  is\nthis & that", answer(json.dumps(HITS[name]), "application/json"), path)
    title, snippet = ("一", "第一条") if name == "zhipu" else ("One", "first hit")
    assert outcome.text == f"1. {title}\n   https://one.example/\n   {snippet}"
    assert outcome.external is not None and outcome.external.kind == "web" and KEY not in outcome.external.export()
    (request,) = ask.requests  # type: ignore[attr-defined]
    head, _, body = request.decode().partition("\r\n\r\n")
    asked = parse_qs(urlsplit(head.split(" ")[1]).query)
    match name:
        case "searxng":
            assert (
                asked == {"q": ["what is this & that"], "format": ["json"]} and f"Authorization: Bearer {KEY}" in head
            )
        case "serpapi":
            assert asked["q"] == ["what is this & that"] and asked["api_key"] == [KEY]
        case _:
            assert head.startswith("POST / ") and f"Authorization: Bearer {KEY}" in head
            assert json.loads(body)["search_query"] == "what is this & that"


@pytest.mark.parametrize(
    ("page", "part"),
    [
        (answer("<html>", "text/html", 403), "search.formats"),
        (answer("", "text/plain", 401), "environment variable MY_KEY"),
        (answer("", "text/plain", 500), "HTTP 500"),
        (answer("<html>a login page</html>"), "no search result"),
        (answer("[" * 50_000, "application/json"), "no search result"),
        (redirect("https://evil.example/?q=1"), "leads to evil.example"),
    ],
)
async def test_a_provider_that_does_not_answer_says_why(ask: Ask, page: bytes, part: str) -> None:
    with pytest.raises(ToolError) as caught:
        await ask("searxng", "query", page, "/search")
    said = Words("en").say(caught.value.phrase)
    assert part in said and KEY not in said and Words("zh").say(caught.value.phrase) != said


async def test_a_key_in_an_address_is_never_shown(ask: Ask) -> None:
    for page in (b"no http", answer("", "text/plain", 403), redirect("http://[::1")):
        with pytest.raises(ToolError) as caught:
            await ask("serpapi", "query", page)
        assert KEY not in Words("en").say(caught.value.phrase)


@pytest.mark.parametrize("text", ["{}", "[]", '{"results": 5}', '{"results": []}', '{"results": [{"url": 5}]}'])
async def test_an_answer_without_results(ask: Ask, text: str) -> None:
    outcome = await ask("searxng", "query", answer(text, "application/json"), "/search")
    assert outcome.text == "Nothing was found for: query"


async def test_an_empty_query_is_not_sent(ask: Ask) -> None:
    with pytest.raises(ToolError, match=r"web\.no_query"):
        await ask("searxng", " \n ", b"", "/search")
    assert ask.requests == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("settings", "environment", "part"),
    [
        (SearchSettings("bing"), {}, "Known are searxng, zhipu, serpapi"),
        (SearchSettings("searxng"), {}, "base_url"),
        (SearchSettings("searxng", "localhost:8888"), {}, "http and https"),
        (SearchSettings("zhipu"), {}, "ZHIPUAI_API_KEY"),
        (SearchSettings("serpapi"), {"SERPAPI_API_KEY": " "}, "SERPAPI_API_KEY"),
        (SearchSettings("serpapi", "", "OTHER"), {"SERPAPI_API_KEY": KEY}, "OTHER"),
        (SearchSettings("zhipu"), {"ZHIPUAI_API_KEY": "two\nlines"}, "characters that no key has"),
    ],
)
def test_settings_that_cannot_work_are_told_and_there_is_no_search(
    settings: SearchSettings, environment: dict[str, str], part: str
) -> None:
    tools, problems = web_tools(WebSettings(), settings, environment, lambda: 0.0)
    assert [tool.spec.name for tool in tools] == ["web_fetch"]
    (problem,) = problems
    assert isinstance(problem, Phrase) and part in Words("en").say(problem)


def test_search_is_there_where_a_provider_is_set_up() -> None:
    assert len(web_tools(WebSettings(), SearchSettings(), {}, lambda: 0.0)[0]) == 1
    tools, problems = web_tools(
        WebSettings(requests_per_minute=7, max_mb=2), SearchSettings("zhipu"), {"ZHIPUAI_API_KEY": KEY}, lambda: 0.0
    )
    fetch, search = tools
    assert search.spec.name == "web_search" and search.access == "read" and fetch.access == "network" and not problems
    assert fetch.client is search.client  # type: ignore[attr-defined]  # one count of requests for both
    assert fetch.client.rate.most == 7 and fetch.client.limits.bytes == 2_000_000  # type: ignore[attr-defined]

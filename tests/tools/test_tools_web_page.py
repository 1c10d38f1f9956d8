"""From a page's HTML to Markdown."""

import time

import pytest

from paitui.tools.web.page_worker import extract, read
from paitui.tools.web.pages import choose, read_page

URL = "https://example.org/docs/page.html"


def text_of(body: str) -> str:
    return read(f"<html><body>{body}</body></html>", URL)[0]["text"]


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        ("<h2>Head <a href='#x'>¶</a></h2><p>one<p>two", "## Head\n\none\n\ntwo"),
        ("<p>a <b>b</b> <em>c</em> <code>d()</code><br>e", "a **b** *c* `d()`\ne"),
        ("<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "- a\n- b\n  - c\n- d"),
        ("<ol><li><p>a</p><li><div>b</div></ol><p>c", "1. a\n2. b\n\nc"),
        (
            "<pre class='language-python'>def f():\n    return 1\n\nf()</pre>",
            "```python\ndef f():\n    return 1\n\nf()\n```",
        ),
        ("<pre><code class='highlight lang-sh'>a <span>b</span><br>c</code></pre>", "```sh\na b\nc\n```"),
        ("<pre>```\nx</pre>", "````\n```\nx\n````"),
        ("<pre>- a\n\n- b</pre>", "```\n- a\n\n- b\n```"),
        (
            "<a href='other.html'>o</a> <a href='/r?a=1'>r</a>",
            "[o](https://example.org/docs/other.html) [r](https://example.org/r?a=1)",
        ),
        ("<a href='javascript:x()'>j</a> <a href='data:text/html,x'>d</a> <a href='http://[::1'>b</a>", "j d b"),
        ("<a href='/x'><h3>Card</h3><p>text</p></a>", "### Card\n\ntext\n\n<https://example.org/x>"),
        ("<table><tr><th>a<th>b<tr><td>1<td><p>2</p></table>", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("<table><tr><td><h1>Old page</h1><p>said<td><ul><li>x</ul></table>", "# Old page\n\nsaid\n\n- x"),
        ("<blockquote>said</blockquote><hr>after", "> said\n\n---\n\nafter"),
        ("a<!-- b --> c<script>d</script> e<style>f</style>", "a c e"),
        ("<nav>menu</nav><p>text</p><footer>foot</footer>", "text"),
        ("<nav><a href='/a'>only a menu</a></nav>", "[only a menu](https://example.org/a)"),
        ("中文<b>粗体</b>，<a href='/链接'>链接</a>。", "中文**粗体**，[链接](https://example.org/链接)。"),
        ("&lt;script&gt; &amp; &#27;[31m", "<script> & [31m"),
    ],
)
def test_markdown(body: str, markdown: str) -> None:
    assert text_of(body).replace("\x1b", "") == markdown


def test_the_base_of_a_page_counts_for_its_links() -> None:
    page = "<head><base href='https://other.example/x/'></head><body><a href='y'>y</a>"
    assert read(page, URL)[0]["text"] == "[y](https://other.example/x/y)"


def test_what_a_page_calls_its_main_part_is_taken_whole() -> None:
    long = "<p>" + "Some text of the page. " * 20
    page, complete = read(f"<body><div>around</div><main>{long}<aside>beside</aside></main>", URL)
    assert complete and page["text"].startswith("Some text") and "around" not in page["text"]
    assert read(f"<body><div>around</div><div role=main>{long}</div>", URL)[1]
    for body in (f"<main>little</main>{long}", f"<article>{long}</article>" * 2, long):
        page, complete = read(f"<body><div>around</div>{body}", URL)
        assert not complete and "around" in page["text"]


def test_of_a_page_that_marks_nothing_the_extractor_finds_the_text() -> None:
    menu = (
        "<div class='menu'>"
        + "".join(f"<a href='/{n}'>Entry number {n} of the menu</a> " for n in range(60))
        + "</div>"
    )
    story = "".join(
        f"<p>Paragraph {n} tells a part of the story, in a sentence of some length. It goes on.</p>"
        for n in range(12)
    )
    html = f"<html><head><title>T</title></head><body>{menu}<div class='story'>{story}</div></body></html>"
    whole, complete = read(html, URL)
    main = extract(html, URL)
    assert not complete and "menu" in whole["text"] and "menu" not in main["text"] and "Paragraph 11" in main["text"]
    assert choose([whole, main]).text == main["text"].strip()
    # An extractor that loses much of what the page says is not believed.
    assert choose([whole, {**main, "text": main["text"][:300]}]).text == whole["text"]
    assert choose([whole]).text == whole["text"]


@pytest.mark.parametrize(
    "html",
    [
        "",
        "   ",
        "no tags at all",
        "<",
        "<html>",
        "<?xml version='1.0' encoding='gbk'?><html><body>x",
        "\0\0<p>x",
        "<p>" + "\ud800 lone",
        "<title><title>x",
        "<table><td><table><td>" * 50,
        "<a>" * 3_000 + "x",
        "<b>" * 200 + "deep" + "</b>" * 200,
        "</div></p></body></html>",
        "<math><mi>x</mi></math><svg><text>y</text></svg>",
        "<frameset><frame src=x></frameset>",
    ],
)
def test_odd_pages_do_no_harm(html: str) -> None:
    page, complete = read(html, URL)
    assert isinstance(choose([page]).text, str) and not (complete and page["text"])


def test_text_deep_inside_is_found() -> None:
    assert "here" in text_of("<div>" * 1_000 + "here")


@pytest.mark.parametrize("piece", ["<p>text <a href=x>y</a>", "<li>item <b>x</b>", "<tr><td>a<td>b"])
def test_twice_the_page_takes_about_twice_as_long(piece: str) -> None:
    def cost(times: int) -> float:
        html = f"<body><table>{piece * times}" if piece.startswith("<tr") else f"<body>{piece * times}"
        best = 60.0
        for _ in range(2):
            begin = time.perf_counter()
            read(html, URL)
            best = min(best, time.perf_counter() - begin)
        return best

    assert cost(8_000) < 10 * cost(2_000) + 0.05


async def test_the_library_stays_out_of_this_process() -> None:
    import sys

    before = set(sys.modules)
    page = await read_page("<title>T</title><body><p>text", URL)
    assert page.title == "T" and page.text == "text"
    assert not {name for name in set(sys.modules) - before if name.startswith(("lxml", "trafilatura"))}

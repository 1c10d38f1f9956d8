"""Exports: all of it is there, in order, and nothing in it is more than text."""

import re
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

from paitui.locale import Words
from paitui.messages.message import Message, ToolCall
from paitui.session.export_html import page
from paitui.session.export_markdown import fenced, markdown, prose
from paitui.session.told import Mark, Story, Teller
from paitui.trust.boundary import wrap
from paitui.trust.memory_block import wrap_memories

HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</pre></details><script>alert(1)</script>",
    "[x](javascript:alert(1))",
    "![x](https://evil.example/track.png)",
    "<svg/onload=alert(1)>",
    "```\n</details>\n<script>alert(1)</script>\n````\n<iframe src=//evil.example>",
    "--><script>alert(1)</script><!--",
    '" onmouseover="alert(1)',
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "&lt;script&gt;alert(1)&lt;/script&gt;<style>@import url(//evil.example)</style>",
    "\x1b]0;title\x07\x1b[31mred\u202etxt.exe",
)
ALLOWED = set(
    re.findall(
        r"\w+",
        "html head meta title style body main header h1 h2 h3 h4 h5 h6 dl dt dd section div p pre code details "
        "summary ul ol li em strong s a blockquote hr br table thead tbody tr th td",
    )
)


class Reader(HTMLParser):
    """Reads a page as a browser does: its tags, attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []
        self._in_style = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self._in_style = tag == "style"

    def handle_endtag(self, tag):
        self._in_style = False

    def handle_data(self, data):
        if not self._in_style:
            self.text.append(data)


def story(*messages, title="把订单导出改成流式的", mask=lambda text: text):
    teller = Teller("react", mask)
    for message in messages:
        if isinstance(message, Mark):
            teller.mark(message)
        else:
            teller.message(message, "react", "2026-12-01T04:15:02.000Z")
    return Story("s1", "/work/shop", "offline", "2026-12-01T04:15:02.000Z", "", title, steps=teller.steps)


def talk(text):
    """A session in which everything that can hold foreign text holds this one."""
    return story(
        Message("system", "told to the model alone"),
        Message("user", text, origin="typed", memories=wrap_memories([f"- {text}"])),
        Message("assistant", text, (ToolCall("c1", "read_file", '{"path": "a.py"}'),), reasoning=text),
        Message("tool", wrap("read_file", text), tool_call_id="c1", name="read_file", stored="out/001.txt"),
        Mark("summary", 98_400, 12_310, 24, text),
        Message("assistant", "done"),
        title=text,
    )


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_runs_nothing_and_fetches_nothing(text, language):
    made = page(talk(text), Words(language))
    read = Reader(made)
    assert set(read.tags) <= ALLOWED
    names = {name for name, _ in read.attributes}
    assert names <= {"lang", "charset", "http-equiv", "content", "name", "class", "href", "style", "open", "start"}
    for name, value in read.attributes:
        assert not name.startswith("on")
        if name == "href":
            assert value.startswith(("http://", "https://", "mailto:")), value
        if name == "style":
            assert re.fullmatch(r"text-align:(left|right|center)", value)
    assert "default-src 'none'" in made and "\x1b" not in made and "\u202e" not in made


@pytest.mark.parametrize("text", HOSTILE)
def test_markdown_holds_no_markup_but_its_own(text):
    made = markdown(talk(text), Words("en"))
    tokens = MarkdownIt("commonmark").parse(made)
    html = [token.content for token in tokens if token.type == "html_block"]
    html += [c.content for t in tokens for c in t.children or () if c.type == "html_inline"]
    left = re.sub(r"</?(details|summary)>", "", "".join(html))
    assert not re.search(r"<[A-Za-z/!?]", left), left
    opened, closed = (sum(part.count(tag) for part in html) for tag in ("<details>", "</details>"))
    assert opened == closed
    headings = [tokens[at + 1].content for at, token in enumerate(tokens) if token.type == "heading_open"]
    assert sum(heading.startswith("Assistant") for heading in headings) == 2  # nothing was swallowed
    assert "\x1b" not in made and "\u202e" not in made


def test_everything_is_there_in_order():
    made = markdown(talk("看看<T>的用法"), Words("zh"))
    order = (
        *(
            "# 看看",
            "- 项目: /work/shop",
            "## 你 ·",
            "记忆：1 条（不是你说的）",
            "## 助手 ·",
            "思考过程",
            "read_file",
        ),
        *('"path": "a.py"', "out/001.txt", "总结了 24 条消息：98,400 → 12,310", "done"),
    )
    places = [made.index(part) for part in order]
    assert places == sorted(places) and "told to the model alone" not in made
    read = "".join(Reader(page(talk("看看<T>的用法"), Words("zh"))).text)
    assert all(part in read for part in ("看看<T>的用法", "记忆：1 条", "out/001.txt", "98,400 → 12,310", "done"))


def test_a_result_stands_with_its_call_and_one_without_is_said_so():
    told = story(
        Message("assistant", "", (ToolCall("a", "grep", "{}"), ToolCall("b", "glob", "{}"))),
        Message("tool", wrap("glob", "second"), tool_call_id="b", name="glob"),
        Message("tool", "of no call", tool_call_id="zz", name="lost"),
    )
    first, lost = told.steps
    assert [(call.name, call.result) for call in first.calls] == [("grep", None), ("glob", "second")]
    assert lost.calls[0].result == "of no call"
    assert Words("en")("export.no_result") in markdown(told, Words("en"))


def test_known_secrets_are_masked_everywhere():
    told = story(*(Message("user", "key sk-123", origin="typed", memories=wrap_memories(["- sk-123"])),),
                 mask=lambda text: text.replace("sk-123", "[masked]"))  # fmt: skip
    for made in (markdown(told, Words("en")), page(told, Words("en"))):
        assert "sk-123" not in made and made.count("[masked]") == 2


@pytest.mark.parametrize("text", ["", "plain", "```", "a ````` b\n```", "~~~\n```"])
def test_nothing_ends_a_fence_from_inside(text):
    tokens = MarkdownIt("commonmark").parse(fenced(text) + "\n\nafter")
    assert tokens[0].type == "fence" and tokens[0].content.rstrip("\n") == text
    assert tokens[-2].content == "after"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("a <b> c", "a &lt;b> c"),
        ("`<b>` and <b>", "`<b>` and &lt;b>"),
        ("``a ` <b>`` <b>", "``a ` <b>`` &lt;b>"),
        ("1 < 2 and <https://example.org>", "1 < 2 and <https://example.org>"),
        ("```\n<b>\n```\n<b>", "```\n<b>\n```\n&lt;b>"),
        ("```py\nopen", "```py\nopen\n```"),
        ("`open <b>", "`open &lt;b>"),
    ],
)
def test_markup_outside_code_is_text(text, made):
    assert prose(text) == made


def test_markdown_of_an_answer_is_drawn_and_of_the_user_is_not():
    made = page(story(Message("user", "**not bold**", origin="typed"), Message("assistant", "**bold**")), Words("en"))
    assert "<strong>bold</strong>" in made and "**not bold**" in made

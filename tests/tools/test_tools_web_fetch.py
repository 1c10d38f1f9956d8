"""`web_fetch` against a real server on the loopback: what is reached, what is refused, and its bounds."""

import asyncio
import datetime
import gzip
import ssl
import time
import tracemalloc
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpcore
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from paitui.locale import Words
from paitui.tools.approval import Allow, Approvals, Ask, Refuse, judge
from paitui.tools.base import ToolContext, ToolError, ToolOutcome
from paitui.tools.web.body import Unpacker
from paitui.tools.web.client import Client, look_up
from paitui.tools.web.fetch import WebFetch
from tests.tools.web_server import OTHER, PUBLIC, Net, answer, client, redirect, serving

LOCAL = "127.0.0.1"
PROSE = "A sentence that says something, long enough to be taken for the text of the page. " * 5
PAGE = f"""<!doctype html><html><head><title>A &amp; B</title><meta property="article:published_time"
content="2026-03-04T05:06:07Z"></head><body><nav><a href="/other">menu</a></nav><main><h1>Head</h1><p>{PROSE}
<a href="deep/page.html">there</a></p><script>alert(1)</script></main></body></html>"""

Fetch = Callable[..., Awaitable[ToolOutcome]]
Fails = Callable[..., Awaitable[str]]


@pytest.fixture
def fetch(context: ToolContext) -> Fetch:
    async def call(with_client: Client, url: str, **settings: float) -> ToolOutcome:
        return await WebFetch(with_client, **settings).run({"url": url}, context)

    return call


@pytest.fixture
def fails(fetch: Fetch) -> Fails:
    async def call(with_client: Client, url: str, **settings: float) -> str:
        with pytest.raises(ToolError) as caught:
            await fetch(with_client, url, **settings)
        text = Words("en").say(caught.value.phrase)
        assert Words("zh").say(caught.value.phrase) not in (text, caught.value.phrase.key)
        return text

    return call


# -- what comes back


async def test_a_page_is_its_main_text_with_title_address_and_date_first(fetch: Fetch) -> None:
    async with serving({"/a/page": answer(PAGE)}) as served:
        outcome = await fetch(client(LOCAL), served.url("/a/page#part"))
    head, _, text = outcome.text.partition("\n\n")
    assert head == f"Title: A & B\nAddress: {served.url('/a/page')}\nDate: 2026-03-04"
    assert text.startswith("# Head\n\nA sentence that says something")
    assert f"[there]({served.url('/a/deep/page.html')})" in text
    assert "menu" not in text and "alert" not in text
    assert outcome.ok and outcome.external is not None
    assert outcome.external.export() == f"web {served.url('/a/page')}"


async def test_a_request_is_plain(fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    pages = {"/": answer("one", "text/plain", 200, "Set-Cookie: id=1"), "/b": answer("two", "text/plain")}
    async with serving(pages) as served:
        await fetch(client(LOCAL), served.url("/"))
        await fetch(client(LOCAL), served.url("/b"))
    for request in served.requests:
        head = request.decode().lower()
        assert f"host: 127.0.0.1:{served.port}\r\n" in head and "user-agent: paitui/" in head
        assert not any(name in head for name in ("cookie", "authorization", "referer", "br", "zstd"))


@pytest.mark.parametrize(
    ("kind", "body", "shown"),
    [
        ("application/json", '{"a": [1, 2]}', '{"a": [1, 2]}'),
        ("application/problem+json", '{"a": 1}', '{"a": 1}'),
        ("text/plain; charset=utf-8", "line <b>\n  two", "line <b>\n  two"),
        ("application/xml", "<a><b/></a>", "<a><b/></a>"),
        ("image/svg+xml", "<svg/>", "<svg/>"),
        ("application/octet-stream", "plain after all", "plain after all"),
    ],
)
async def test_text_is_given_as_it_is(fetch: Fetch, kind: str, body: str, shown: str) -> None:
    async with serving({"/": answer(body, kind)}) as served:
        outcome = await fetch(client(LOCAL), served.url("/"))
    assert outcome.text == f"Address: {served.url('/')}\n\n{shown}"


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/pdf", b"%PDF-1.7"),
        ("image/png", b"\x89PNG"),
        ("application/octet-stream", b"\x7fELF\0\0\1\2" * 20),
    ],
)
async def test_what_is_no_text_is_refused_with_type_and_size(fails: Fails, kind: str, body: bytes) -> None:
    async with serving({"/": answer(body, kind)}) as served:
        text = await fails(client(LOCAL), served.url("/"))
    assert kind in text and f"{len(body)} bytes" in text and "execute_command" in text


CHINESE = (
    "<html><head>{meta}<title>发布说明</title></head><body><main><p>" + "编译器修复了若干问题，升级前请先备份。" * 20
)


@pytest.mark.parametrize(
    ("kind", "meta", "encoding"),
    [
        ("text/html; charset=gb2312", "", "gb18030"),
        ("text/html; charset=GBK", "", "gbk"),
        ("text/html", '<meta charset="gbk">', "gbk"),
        ("text/html", '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', "gbk"),
        ("text/html", "", "gbk"),
        ("text/html; charset=ISO-8859-1", '<meta charset="gb18030">', "gb18030"),
        ("text/html; charset=utf-8", '<meta charset="gbk">', "gbk"),
        ("text/html; charset=no-such-thing", "", "utf-8"),
        ("text/html", "", "utf-8-sig"),
        ("text/html; charset=big5", "", "utf-16"),
    ],
)
async def test_chinese_pages_read_right(fetch: Fetch, kind: str, meta: str, encoding: str) -> None:
    body = CHINESE.format(meta=meta).encode(encoding)
    async with serving({"/": answer(body, kind)}) as served:
        outcome = await fetch(client(LOCAL), served.url("/"))
    assert outcome.text.startswith("Title: 发布说明\n") and "升级前请先备份。" in outcome.text
    assert "\ufffd" not in outcome.text


async def test_a_page_that_is_empty_without_scripts_says_so(fetch: Fetch) -> None:
    shell = '<title>App</title><div id="root"></div><noscript>Enable JavaScript</noscript><script src=a.js></script>'
    async with serving({"/": answer(shell), "/none": answer("<html><body></body></html>")}) as served:
        outcome = await fetch(client(LOCAL), served.url("/"))
        none = await fetch(client(LOCAL), served.url("/none"))
    assert "[The page says almost nothing without running its scripts" in outcome.text
    assert "[No text was found in the page.]" in none.text


async def test_an_error_status_says_what_to_do_and_what_a_program_answered(fetch: Fetch) -> None:
    pages = {
        "/api": answer('{"message": "no such repo"}', "application/json", 404),
        "/html": answer("<h1>Follow these instructions</h1>", "text/html", 503),
        "/login": answer("", "text/plain", 401),
    }
    async with serving(pages) as served:
        api, html, login = [await fetch(client(LOCAL), served.url(path)) for path in pages]
    assert api.text.startswith(f"HTTP 404 Not Found: {served.url('/api')}. There is no such page.")
    assert "no such repo" in api.text and api.external is not None
    assert html.text.startswith("HTTP 503 Service Unavailable") and "Follow" not in html.text
    assert "needs a login" in login.text and not (api.ok or html.ok or login.ok)


# -- where it may go


@pytest.mark.parametrize(
    "url",
    [
        *(
            "http://127.0.0.1/",
            "http://localhost:8080/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://10.0.0.1/",
        ),
        *("http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/", "http://printer.local/"),
        *(
            "http://192.168.0.1/",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
            "http://[fe80::1]/",
            "http://[2002:7f00:1::]/",
        ),
    ],
)
async def test_places_inside_are_refused_before_anyone_is_asked(fails: Fails, context: ToolContext, url: str) -> None:
    net = Net()
    with pytest.raises(ToolError):
        WebFetch(client(net=net)).effect({"url": url}, context)
    assert "allow_hosts" in await fails(client(net=net), url)
    assert net.looked_up == [] and net.dialled == []


@pytest.mark.parametrize(
    "found",
    [
        ["127.0.0.1"],
        [PUBLIC, "10.0.0.1"],
        ["::ffff:127.0.0.1"],
        ["fe80::1%eth0"],
        ["64:ff9b::7f00:1"],
        ["169.254.169.254"],
    ],
)
async def test_names_that_lead_inside_are_refused(fails: Fails, found: list[str]) -> None:
    net = Net({"example.org": [found]})
    assert "inside your machine or network" in await fails(client(net=net), "http://example.org/")
    assert net.dialled == []


async def test_a_host_that_the_user_names_may_lie_inside(fetch: Fetch, context: ToolContext) -> None:
    async with serving({"/": answer("inside", "text/plain")}) as served:
        url = served.url("/", "dev.internal")
        net = Net({"dev.internal": [[LOCAL]]})
        named = client("dev.internal", net=net)
        assert WebFetch(named).effect({"url": url}, context) is None
        assert (await fetch(named, url)).text.endswith("\n\ninside")
    assert net.dialled == [(LOCAL, served.port)]


async def test_a_name_is_looked_up_once_and_the_connection_goes_where_it_was_judged(fetch: Fetch) -> None:
    pages = {"/": redirect("/second"), "/second": redirect("https://www.example.org/x"), "/x": answer("x")}
    async with serving(pages) as served:
        # The second answer is the trap: public while it is judged, inside when the connection is made.
        net = Net({"example.org": [[PUBLIC], [LOCAL], [LOCAL]], "www.example.org": [[LOCAL]]}, port=served.port)
        with pytest.raises(ToolError, match=r"web\.leads_inside"):
            await fetch(client(net=net), "http://example.org/")
    assert net.looked_up == ["example.org", "www.example.org"]
    assert net.dialled == [(PUBLIC, 80), (PUBLIC, 80)]
    assert b"\r\nHost: example.org\r\n" in served.requests[0]


async def test_of_several_addresses_the_next_is_tried(fetch: Fetch) -> None:
    async with serving({"/": answer("there", "text/plain")}) as served:
        net = Net({"example.org": [[OTHER, PUBLIC]]}, port=served.port)
        right = net.dial

        async def dial(ip: str, port: int, timeout: float) -> object:
            if ip == OTHER:
                net.dialled.append((ip, port))
                raise httpcore.ConnectError("nobody there")
            return await right(ip, port, timeout)

        net.dial = dial  # type: ignore[method-assign, assignment]
        assert (await fetch(client(net=net), "http://example.org/")).text.endswith("there")
    assert [ip for ip, _ in net.dialled] == [OTHER, PUBLIC]


@pytest.mark.parametrize(
    ("location", "part"),
    [
        ("http://127.0.0.1:{port}/secret", "inside your machine or network"),
        ("http://[::ffff:127.0.0.1]:{port}/secret", "inside your machine or network"),
        ("http://169.254.169.254/latest", "inside your machine or network"),
        ("http://localhost/secret", "inside your machine or network"),
        ("http://2130706433/secret", "unusual form"),
        ("//0x7f.1/secret", "unusual form"),
        ("file:///etc/passwd", "not file"),
        ("gopher://example.org/", "not gopher"),
        ("http://user:pw@example.org/", "user name or password"),
        ("http://[::1", "not a valid web address"),
    ],
)
async def test_redirects_are_judged_as_any_address(fails: Fails, location: str, part: str) -> None:
    async with serving({"/": b"", "/secret": answer("secret")}) as served:
        net = Net({"example.org": [[PUBLIC]]}, port=served.port)
        pages = {"/": redirect(location.format(port=served.port)), "/secret": answer("secret")}
        async with serving(pages) as other:
            net.port = other.port
            assert part in await fails(client(net=net), "http://example.org/")
    assert other.paths == ["/"] and served.paths == []


async def test_a_redirect_to_another_host_is_handed_back(fetch: Fetch) -> None:
    async with serving({"/": redirect("https://evil.example/?what=stolen")}) as served:
        net = Net({"example.org": [[PUBLIC]], "evil.example": [[OTHER]]}, port=served.port)
        outcome = await fetch(client(net=net), "http://example.org/")
    assert "leads to another host: https://evil.example/?what=stolen" in outcome.text
    assert net.looked_up == ["example.org"] and outcome.external is not None


async def test_only_so_many_redirects(fails: Fails) -> None:
    async with serving({"/": redirect("/")}) as served:
        assert "More than 5 redirects" in await fails(client(LOCAL), served.url("/"))
    assert len(served.requests) == 6


# -- who is asked


async def test_a_host_is_asked_about_once_with_the_address_in_full(context: ToolContext) -> None:
    long = "https://例子.中国:8443/path?" + "data=" * 100
    effect = WebFetch(client()).effect({"url": long}, context)
    assert effect is not None and effect.access == "network"
    assert effect.subject == f"https://xn--fsqu00a.xn--fiqs8s:8443/path?{'data=' * 100}"
    assert effect.always == "xn--fsqu00a.xn--fiqs8s:8443"
    assert isinstance(judge(effect, Approvals(), "ask"), Ask)
    assert isinstance(judge(effect, Approvals(), "all"), Allow)
    refused = judge(effect, Approvals(), "reads")
    assert isinstance(refused, Refuse) and "allow_hosts" in Words("en").say(refused.why)
    always = Approvals().allow(effect)
    assert always.export() == ["network:xn--fsqu00a.xn--fiqs8s:8443"] == Approvals.restore(always.export()).export()
    for url, verdict in (
        ("https://例子.中国:8443/other", Allow),
        ("https://例子.中国/", Ask),
        ("https://e.org/", Ask),
    ):
        other = WebFetch(client()).effect({"url": url}, context)
        assert isinstance(judge(other, always, "ask"), verdict)


# -- bounds


async def test_a_body_is_cut_at_the_limit_and_it_is_said(fetch: Fetch) -> None:
    async with serving(
        {"/": answer("x" * 50_001, "text/plain"), "/fits": answer("x" * 50_000, "text/plain")}
    ) as served:
        cut = await fetch(client(LOCAL, bytes=50_000), served.url("/"))
        fits = await fetch(client(LOCAL, bytes=50_000), served.url("/fits"))
    assert cut.text.count("x") == fits.text.count("x") == 50_000
    assert "longer than 0.05 MB; the rest was not read" in cut.text and "longer" not in fits.text


async def test_a_bomb_of_gzip_is_unpacked_to_the_limit_and_no_further(fetch: Fetch) -> None:
    packed = gzip.compress(b"0" * 20_000_000)
    async with serving({"/": answer(packed, "text/plain", 200, "Content-Encoding: gzip")}) as served:
        outcome = await fetch(client(LOCAL), served.url("/"))
    assert outcome.text.count("0") >= 100_000 > len(outcome.text) - 500 and "rest was not read" in outcome.text


def test_unpacking_holds_no_more_than_is_wanted() -> None:
    packed = gzip.compress(bytes(50_000_000), 6)
    tracemalloc.start()
    try:
        assert len(Unpacker("gzip").feed(packed, 1_000_000)) == 1_000_000
        assert tracemalloc.get_traced_memory()[1] < 4_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("packing", "packed"),
    [
        ("gzip", gzip.compress(b"some text", mtime=0)),
        ("x-gzip", gzip.compress(b"some text", mtime=0)),
        ("deflate", zlib.compress(b"some text")),
        ("deflate", zlib.compress(b"some text")[2:-4]),
        ("identity", b"some text"),
        ("GZIP", gzip.compress(b"some text", mtime=0) + b"trailing"),
    ],
)
async def test_packed_bodies(fetch: Fetch, packing: str, packed: bytes) -> None:
    async with serving({"/": answer(packed, "text/plain", 200, f"Content-Encoding: {packing}")}) as served:
        assert (await fetch(client(LOCAL), served.url("/"))).text.endswith("\n\nsome text")


@pytest.mark.parametrize(
    ("packing", "packed"),
    [
        ("br", b"x"),
        ("zstd", b"x"),
        ("gzip, gzip", gzip.compress(gzip.compress(b"x", mtime=0), mtime=0)),
        ("gzip", b"no gzip at all"),
    ],
)
async def test_other_packings_are_refused(fails: Fails, packing: str, packed: bytes) -> None:
    async with serving({"/": answer(packed, "text/plain", 200, f"Content-Encoding: {packing}")}) as served:
        assert "packed in a way" in await fails(client(LOCAL), served.url("/"))


async def drip(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    while True:
        writer.write(b".")
        await writer.drain()
        await asyncio.sleep(0.05)


async def silent(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


async def endless_headers(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-Filler: " + b"y" * 1_000 + b"\r\n")
        await writer.drain()


async def endless_interim(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(0)


async def endless_chunks(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:
        writer.write(b"1000\r\n" + b"z" * 4_096 + b"\r\n")
        await writer.drain()


@pytest.mark.parametrize("page", [drip, silent, endless_interim])
async def test_one_limit_of_time_for_all_of_a_request(fails: Fails, page: Callable[..., Awaitable[None]]) -> None:
    async with serving({"/": page}) as served:
        begin = time.monotonic()
        assert "took longer than 1 s" in await fails(client(LOCAL, seconds=0.6), served.url("/"))
        assert time.monotonic() - begin < 3


async def test_endless_headers_are_no_answer(fails: Fails) -> None:
    async with serving({"/": endless_headers}) as served:
        assert "valid HTTP" in await fails(client(LOCAL), served.url("/"))


async def test_endless_chunks_are_cut(fetch: Fetch) -> None:
    async with serving({"/": endless_chunks}) as served:
        outcome = await fetch(client(LOCAL), served.url("/"))
        await asyncio.wait_for(served.gone.wait(), 5)
    assert "rest was not read" in outcome.text and len(outcome.text) < 101_000


async def test_a_page_that_takes_forever_to_read_is_ended(fails: Fails) -> None:
    hostile = "<div " + " ".join(f"a{n}=1" for n in range(300_000)) + ">x"
    async with serving({"/": answer(hostile)}) as served:
        begin = time.monotonic()
        text = await fails(client(LOCAL, bytes=5_000_000), served.url("/"), page_s=1)
    assert "could not be read as text within 1 s" in text and time.monotonic() - begin < 8


async def test_requests_in_a_minute(fetch: Fetch, fails: Fails) -> None:
    pages = {"/": redirect("/there"), "/there": answer("x", "text/plain")}
    async with serving(pages) as served:
        limited = client(LOCAL, most=3)
        ticks = limited.rate._now
        await fetch(limited, served.url("/"))
        ticks.now += 20  # type: ignore[attr-defined]
        await fetch(limited, served.url("/there"))
        assert "Only 3 web requests are made in a minute. The next one can be made in 40 s" in await fails(
            limited, served.url("/there")
        )
        ticks.now += 40  # type: ignore[attr-defined]
        await fetch(limited, served.url("/there"))
    assert len(served.requests) == 4


async def test_cancelling_closes_the_connection_at_once(fetch: Fetch) -> None:
    async with serving({"/": drip}) as served:
        task = asyncio.create_task(fetch(client(LOCAL), served.url("/")))
        while not served.requests:
            await asyncio.sleep(0.01)
        begin = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begin < 0.2
        await asyncio.wait_for(served.gone.wait(), 5)


# -- what goes wrong


async def test_what_cannot_be_reached_says_why(fails: Fails) -> None:
    async with serving(
        {"/junk": b"220 mail.example.org ESMTP\r\n", "/broken": b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"}
    ) as served:
        assert "valid HTTP" in await fails(client(LOCAL), served.url("/junk"))
        assert "valid HTTP" in await fails(client(LOCAL), served.url("/broken"))
    assert "refuses the connection" in await fails(client(LOCAL), served.url("/"))
    assert "No address is known for nowhere.example" in await fails(client(net=Net()), "http://nowhere.example/")


async def test_a_name_is_looked_up_by_the_system() -> None:
    assert "127.0.0.1" in await look_up("localhost")
    with pytest.raises(OSError):
        await look_up("no-such-host.invalid")


# -- secure connections


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for secure.example, with its key, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "secure.example")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("secure.example")]), False)
        .add_extension(x509.BasicConstraints(True, None), True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file = tmp_path / "certificate.pem"
    file.write_bytes(secret + made.public_bytes(pem))
    return file


async def test_the_certificate_must_be_that_of_the_name_not_of_the_address(
    fetch: Fetch, fails: Fails, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    asked: list[str | None] = []
    context.sni_callback = lambda _, name, __: asked.append(name)
    async with serving({"/": answer("safe", "text/plain")}, context) as served:
        net = Net({"secure.example": [[PUBLIC]], "other.example": [[PUBLIC]]}, port=served.port)
        unknown = await fails(client(net=net), "https://secure.example/")
        assert "The certificate of secure.example is not valid (self-signed certificate)" in unknown
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert (await fetch(client(net=net), "https://secure.example/")).text.endswith("safe")
        assert "certificate of other.example" in await fails(client(net=net), "https://other.example/")
    assert asked == ["secure.example", "secure.example", "other.example"]
    assert net.dialled == [(PUBLIC, 443)] * 3 and len(served.requests) == 1


async def test_what_speaks_no_tls(fails: Fails) -> None:
    async with serving({}, greeting=b"220 mail.example.org ESMTP\r\n") as served:
        secure = served.url("/").replace("http:", "https:")
        assert "No secure connection" in await fails(client(LOCAL), secure)

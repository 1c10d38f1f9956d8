"""Which addresses are taken, and which places they may lead to."""

import ipaddress

import pytest

from paitui.locale import Words
from paitui.tools.web.address import AddressError, allows, follow, outside, own_name, parse_address
from paitui.tools.web.fetch import same_site


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://EXAMPLE.org", "http://example.org/"),
        ("https://example.org:443/a?b=c#part", "https://example.org/a?b=c"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("https://example.org./x", "https://example.org/x"),
        ("https://例子.中国/路径?问=答", "https://xn--fsqu00a.xn--fiqs8s/%E8%B7%AF%E5%BE%84?%E9%97%AE=%E7%AD%94"),
        ("https://example.org/a%20b%2Fc", "https://example.org/a%20b%2Fc"),
        ("http://[2606:4700:0:0::1111]:80/", "http://[2606:4700::1111]/"),
        ("http://１２７.0.0.1/", "http://127.0.0.1/"),
        (" https://example.org/ ", "https://example.org/"),
    ],
)
def test_one_form_of_an_address(text: str, url: str) -> None:
    assert parse_address(text).url == url


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("file:///etc/passwd", "not file"),
        ("ftp://example.org/", "not ftp"),
        ("javascript:alert(1)", "not javascript"),
        ("data:text/plain,x", "not data"),
        ("example.org/page", "Only http and https"),
        ("//example.org/", "Only http and https"),
        ("http://user:secret@example.org/", "user name or password"),
        ("http://example.org@127.0.0.1/", "user name or password"),
        ("http://2130706433/", "unusual form"),
        ("http://0x7f000001/", "unusual form"),
        ("http://0177.0.0.1/", "unusual form"),
        ("http://127.1/", "unusual form"),
        ("http://127.0.0.0x1/", "unusual form"),
        ("http://example.org\\@127.0.0.1/", "not a valid web address"),
        ("http://example.org/a b", "not a valid web address"),
        ("http://exam\tple.org/", "not a valid web address"),
        ("http://example.org/\r\nX: y", "not a valid web address"),
        ("http://example.org:0/", "not a valid web address"),
        ("http://example.org:99999/", "not a valid web address"),
        ("http://[::1%25eth0]/", "not valid in an address"),
        ("http://[::1/", "not a valid web address"),
        ("http://exa%6dple.org/", "not valid in an address"),
        ("http://a..b/", "not valid in an address"),
        ("http:///path", "not valid in an address"),
        ("http://" + "a" * 300 + ".org/", "not valid in an address"),
        ("https://example.org/?" + "x" * 5_000, "longer than 4,000"),
    ],
)
def test_addresses_that_are_never_fetched(text: str, part: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_address(text)
    assert part in Words("en").say(caught.value.phrase)
    assert Words("zh").say(caught.value.phrase) != Words("en").say(caught.value.phrase)
    assert "secret" not in Words("en").say(caught.value.phrase)


@pytest.mark.parametrize(
    "ip",
    [
        *("127.0.0.1", "127.255.0.1", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.1", "192.168.1.1"),
        *("169.254.169.254", "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.1"),
        *("203.0.113.1", "192.88.99.1", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
        *("::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1", "100::1"),
        *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8", "::8.8.8.8", "2002:7f00:1::", "2002:808:808::1"),
        *("2001:0:53aa:64c::1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::8.8.8.8"),
    ],
)
def test_places_inside(ip: str) -> None:
    assert not outside(ipaddress.ip_address(ip))


@pytest.mark.parametrize("ip", ["8.8.8.8", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "64:ff9b::808:808"])
def test_places_outside(ip: str) -> None:
    assert outside(ipaddress.ip_address(ip))


def test_names_that_only_a_network_knows() -> None:
    inside = ["localhost", "a.localhost", "printer.local", "metadata.google.internal", "router.lan", "intranet", "db"]
    assert all(map(own_name, inside))
    assert not any(map(own_name, ["example.org", "local.example.org", "localhost.example.org", "8.8.8.8", "::1"]))


@pytest.mark.parametrize(
    ("named", "url", "fits"),
    [
        ("localhost", "http://localhost:8000/", True),
        ("LOCALHOST:8000", "http://localhost:8000/", True),
        ("localhost:8000", "http://localhost:8001/", False),
        ("example.org", "https://a.example.org/", False),
        ("*.example.org", "https://a.b.example.org/", True),
        ("*.example.org", "https://example.org/", False),
        ("*.example.org", "https://badexample.org/", False),
        ("*.example.org:8080", "https://a.example.org/", False),
        ("*.example.org:8080", "https://a.example.org:8080/", True),
        ("127.0.0.1", "http://127.0.0.1/", True),
        ("::1", "http://[::1]:80/", True),
        ("[::1]:8080", "http://[::1]:8080/", True),
        ("*", "http://example.org/", False),
        ("", "http://example.org/", False),
    ],
)
def test_hosts_that_the_user_names(named: str, url: str, fits: bool) -> None:
    assert allows([named], parse_address(url)) is fits


@pytest.mark.parametrize(
    ("before", "location", "same"),
    [
        ("https://example.org/a", "/b", True),
        ("https://example.org/a", "https://www.example.org/", True),
        ("http://www.example.org/a", "https://example.org/", True),
        ("https://example.org/a", "http://example.org/", False),
        ("https://example.org/a", "https://example.org:8443/", False),
        ("https://example.org/a", "https://sub.example.org/", False),
        ("https://example.org/a", "//evil.example/?stolen", False),
    ],
)
def test_redirects_that_stay_with_the_site(before: str, location: str, same: bool) -> None:
    target = parse_address(before)
    assert same_site(target, follow(target, location)) is same

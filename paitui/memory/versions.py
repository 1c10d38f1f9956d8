"""Versions and numbers in a sentence, and when two versions can both be right."""

import re
from collections.abc import Iterable, Iterator

Span = tuple[int, int]

_NUMBER = r"v?(?P<number>[0-9]+(?:\.[0-9]+)*)(?:\.x\b)?"
_LATER = r"\+|or (?:later|newer|higher|above)|and (?:later|newer|above|up)|及以上|或以上|以上|或更高"
_OPEN = rf"(?P<open>\s*(?:{_LATER}))?"
_BETWEEN = (
    r"(?:\s|version|versions|release|standard|版本号|版本|版|is|are|was|must be|should be|at|on|to|be|是|为|用|使用|"
    r"保持|固定在|固定为|锁定|锁定在|升级到|升到|要求|requires?|needs?|level|lts|=|:|：|-|@|pinned|stay|stays|keep|可以|应该|至少|"
    r"at least|target|targets|>|≥|~|\^)*"
)
_AFTER = re.compile(rf"(?P<between>{_BETWEEN}){_NUMBER}{_OPEN}(?![0-9a-z_])")
_BEFORE = re.compile(rf"{_NUMBER}\s*(?:of|版本的|版的|版)\s*$")
_MOVED = re.compile(
    r"\s*(?:to|->|→|upgraded to|升级到|升级为|升级成|升级至|升到|换到|换成|改为|改成|迁移到|到|至)"
    rf"\s*(?:\w+\s+)?{_NUMBER}"
)
_INSTEAD = re.compile(
    r"[\s,，(（]*(?:not|instead of|rather than|no longer|而不是|而非|不是|不用)"
    rf"\s*(?:[a-z]+\s*)?{_NUMBER}"
)
_NOT = re.compile(
    r"(?:\bnot\b|n't\b|\bno longer\b|\bnever\b|\bavoid\b|\bwithout\b|\bdrop(?:ped)?\b|\binstead of\b|\brather than\b|"
    r"不[再要能支]?|别|禁止|弃用|放弃|而非|淘汰)[^,，;；]{0,12}$"
)
_NAMED = re.compile(
    r"(?<![a-z0-9_./-])(?P<name>[a-z][a-z+#-]{2,}(?:\.js)?)[\s@:=]+v?(?P<number>[0-9]+(?:\.[0-9]+)+)(?![0-9a-z_])"
)
_NO_NAME = frozenset(
    {"version", "versions", "section", "chapter", "release", "figure", "table", "about", "from", "than"}
)
_FIGURE = re.compile(
    r"(?<![0-9a-z_.])(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>ms|milliseconds?|毫秒|s|secs?|seconds?|秒|"
    r"m|min|minutes?|分钟|h|hours?|小时|days?|天|weeks?|周|g|gb|m|mb|%)?(?![0-9a-z_.][0-9a-z])"
)
_UNITS = {
    "ms": ("t", 0.001), "millisecond": ("t", 0.001), "毫秒": ("t", 0.001), "s": ("t", 1), "sec": ("t", 1),
    "second": ("t", 1), "秒": ("t", 1), "min": ("t", 60), "minute": ("t", 60), "分钟": ("t", 60), "h": ("t", 3600),
    "hour": ("t", 3600), "小时": ("t", 3600), "day": ("t", 86400), "天": ("t", 86400), "week": ("t", 604800),
    "周": ("t", 604800), "gb": ("b", 1024), "g": ("b", 1024), "mb": ("b", 1),
}  # fmt: skip
_ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SPELT_VALUES = {
    **{word: str(value) for value, word in enumerate(_ENGLISH, 1)},
    **{char: str(value) for value, char in enumerate("一二三四五六七八九", 1)},
    "两": "2",
}
_SPELT = re.compile(
    rf"\b(?:{'|'.join(_ENGLISH)})\b|(?<![第一二两三四五六七八九十百千])[一二两三四五六七八九](?=个|次|位|人|天|周|秒|格|\s*空格)"
)
_FAR_AFTER = 30
_FAR_BEFORE = 14


def versions(clause: str, products: Iterable[tuple[Span, str]]) -> Iterator[tuple[int, str, str, bool]]:
    """Find versions of products.

    Args:
        clause: Lower-case text.
        products: Names of known products with their places.

    Yields:
        Place, product, version (with ``+`` for this or later), and whether it is said to be so.
    """
    covered: set[int] = set()
    for (start, end), product in products:
        covered.add(start)
        match = _AFTER.match(clause, end)
        if (
            match
            and clause[end : match.start("number")] == ""
            and product not in ("java", "python", "go", "vue", "es")
        ):
            match = None
        if match is None:
            match = _BEFORE.search(clause, 0, start)
            if match is None:
                continue
        later = match.end() if match.start() >= end else end
        positive = not _NOT.search(clause, 0, start) and not _NOT.search(match.groupdict().get("between") or "")
        moved = _MOVED.match(clause, later)
        open_ended = "+" if match.groupdict().get("open") or ">" in (match.groupdict().get("between") or "") else ""
        yield start, product, _tidy(product, match["number"]) + open_ended, positive and moved is None
        if moved:
            yield start, product, _tidy(product, moved["number"]), True
        if instead := _INSTEAD.match(clause, later):
            yield start, product, _tidy(product, instead["number"]), False
    for match in _NAMED.finditer(clause):
        if match.start() not in covered and match["name"] not in _NO_NAME:
            yield match.start(), match["name"], match["number"], not _NOT.search(clause, 0, match.start())


def _tidy(product: str, number: str) -> str:
    return number[2:] if product == "java" and number.startswith("1.") and len(number) > 2 else number


def compatible(one: str, other: str) -> bool:
    """Whether two versions can both be right: equal as far as both say, or within ``3.10+``."""
    a, b = _parts(one), _parts(other)
    if one.endswith("+") and other.endswith("+"):
        return a == b
    if one.endswith("+") or other.endswith("+"):
        low, exact = (a, b) if one.endswith("+") else (b, a)
        return exact >= low or exact == low[: len(exact)]
    length = min(len(a), len(b))
    return a[:length] == b[:length]


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.rstrip("+").split(".")]


def numbers(clause: str, names: Iterable[tuple[Span, str]]) -> Iterator[tuple[int, str, str]]:
    """Find numbers that stand near a word for what they measure.

    Args:
        clause: Lower-case text.
        names: Such words with their places.

    Yields:
        Place, slot, number (in seconds or megabytes where it has such a unit).
    """
    clause = _SPELT.sub(lambda match: _SPELT_VALUES[match[0]].ljust(len(match[0])), clause)
    figures = list(_FIGURE.finditer(clause))
    for (start, end), slot in names:
        after = next((figure for figure in figures if 0 <= figure.start() - end <= _FAR_AFTER), None)
        before = next((figure for figure in reversed(figures) if 0 <= start - figure.end() <= _FAR_BEFORE), None)
        if before and start - before.end() <= 1:
            after = None
        figure = after or before
        if figure is None or (slot == "port" and not 2 <= len(figure["number"]) <= 5):
            continue
        yield start, slot, _measured(figure)


def _measured(figure: re.Match[str]) -> str:
    unit = (figure["unit"] or "").rstrip("s") if figure["unit"] not in ("s", "ms") else figure["unit"]
    kind, factor = _UNITS.get(unit, ("", 1))
    return f"{float(figure['number']) * factor:g}{kind}"

"""Steps that search: a text in the files, or where a name is defined."""

import re

from paitui.model.offline.ground import Answer, Ask, Ground, Step
from paitui.model.offline.intents import Find, Search
from paitui.model.offline.quoting import left_out, quoted
from paitui.model.offline.reading import failure
from paitui.model.offline.tooling import Wanted

_SHOWN = 30
_HITS_READ = 3
_AROUND = 30
_HIT = re.compile(r"^\s*(?P<path>[^\s:][^:\n]*?):(?P<line>\d+)[:\s-]")
_HIT_LINE = re.compile(r"^\s*(?P<line>\d+)[:\s|-]")
_NO_HIT = re.compile(
    r"^\W*(?:no (?:hits?|match(?:es)?|results?|files?)|nothing|0 (?:hits|matches)|没有|无匹配|未找到|\(no output\))",
    re.IGNORECASE,
)


def definition_pattern(symbol: str) -> str:
    """A regular expression for lines that define a name, over the common languages."""
    name = re.escape(symbol)
    return (
        rf"\b(def|class|function|const|let|var|func|fn|struct|interface|enum|type|trait|module|record|object|val)\s+{name}\b"
        rf"|\bfunc\s+\([^)]*\)\s*{name}\b"
        rf"|^\s*(public|private|protected|static|final|async|\s)*[\w<>\[\],.]+\s+{name}\s*\([^;]*\{{"
        rf"|^{name}\s*(:[^=]+)?=[^=]"
        rf"|^#define\s+{name}\b"
    )


def hits(text: str) -> list[tuple[str, int]]:
    """The places that a search found: path and line."""
    found: list[tuple[str, int]] = []
    heading = ""
    for line in text.splitlines():
        if match := _HIT.match(line):
            found.append((match["path"], int(match["line"])))
        elif heading and (inner := _HIT_LINE.match(line)):
            found.append((heading, int(inner["line"])))
        elif line.strip() and not line.startswith((" ", "[", "(")):
            heading = line.strip().rstrip(":")
    return found


def search(intent: Search, ground: Ground) -> Step:
    """Search the files for a text."""
    say = ground.speech
    pattern = intent.pattern if _is_pattern(intent.pattern) else re.escape(intent.pattern).replace("\\ ", " ")
    deed = ground.deed("grep_code", pattern)
    if deed is None:
        arguments = {"pattern": pattern, **({"path": intent.path} if intent.path else {})}
        return Ask((Wanted("grep_code", arguments),), say("say_search", pattern=intent.pattern))
    result = deed.result
    if deed.failed and not (result and _NO_HIT.match(result.text)):
        return Answer(failure(f"grep_code `{pattern}`", result, ground))
    if result is None or result.state == "cleared":
        return Answer(say("gone", what=f"grep_code `{pattern}`"))
    places = hits(result.text)
    if not places:
        return Answer(say("search_none", pattern=intent.pattern))
    files = len({path for path, _ in places})
    lines = result.text.splitlines()
    found = say("search_found", pattern=intent.pattern, n=len(places), files=files)
    if result.state == "offloaded":  # what stands here are its ends; the notice says how many lines there are
        found = say("search_part", pattern=intent.pattern, n=max(len(places), result.lines))
    parts = [found, quoted(lines, _SHOWN)]
    if result.state == "offloaded":
        parts.append(left_out(ground, result))
    elif len(lines) > _SHOWN:
        parts.append(say("more_lines", n=len(lines) - _SHOWN))
    return Answer("\n\n".join(parts))


def _is_pattern(text: str) -> bool:
    """Whether a search text is meant as a regular expression: signs that hardly stand in code by chance."""
    if not re.search(r"\.\*|\\[bdsw]|\|", text):
        return False
    try:
        re.compile(text)
    except re.error:
        return False
    return True


def find(intent: Find, ground: Ground) -> Step:
    """Find where a name is defined: search for defining lines, then read around the first of them."""
    say, symbol = ground.speech, intent.symbol
    pattern = definition_pattern(symbol)
    deed = ground.deed("grep_code", pattern)
    if deed is None:
        return Ask((Wanted("grep_code", {"pattern": pattern}),), say("say_find", name=symbol))
    result = deed.result
    if deed.failed and not (result and _NO_HIT.match(result.text)):
        return Answer(failure(f"grep_code `{symbol}`", result, ground))
    if result is None or result.state == "cleared":
        return Answer(say("gone", what=f"grep_code `{symbol}`"))
    places = hits(result.text)
    if not places:
        return _mentions(symbol, ground)
    wanted = [(path, max(1, line - 3)) for path, line in places[:_HITS_READ]]
    open_ = [(path, start) for path, start in wanted if ground.deed("read_file", f"{path}#{start}") is None]
    if open_:
        calls = tuple(Wanted("read_file", {"path": p, "offset": s, "limit": _AROUND}) for p, s in open_)
        return Ask(calls, say("say_around", n=len(places), name=symbol))
    parts = [say("find_found", name=symbol, n=len(places))]
    for (path, line), (_, start) in zip(places, wanted, strict=False):
        around = ground.deed("read_file", f"{path}#{start}")
        seen = around.result if around is not None else None
        parts.append(say("find_place", path=path, line=line))
        if seen is not None and not (around and around.failed) and seen.state == "live":
            parts.append(quoted(seen.text.splitlines(), 16))
    if len(places) > _HITS_READ:
        rest = ", ".join(f"`{path}:{line}`" for path, line in places[_HITS_READ : _HITS_READ + 12])
        parts.append(say("find_more", places=rest))
    return Answer("\n\n".join(parts))


def _mentions(symbol: str, ground: Ground) -> Step:
    say, pattern = ground.speech, rf"\b{re.escape(symbol)}\b"
    deed = ground.deed("grep_code", pattern)
    if deed is None:
        return Ask((Wanted("grep_code", {"pattern": pattern}),), say("say_mentions", name=symbol))
    result = deed.result
    places = hits(result.text) if result is not None and not deed.failed else []
    if not places or result is None:
        return Answer(say("find_none", name=symbol))
    return Answer(f"{say('find_mentions', name=symbol, n=len(places))}\n\n{quoted(result.text.splitlines(), 15)}")

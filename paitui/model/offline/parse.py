"""From a user's words to intents, in the order in which they stand. Pure."""

import re
from collections.abc import Callable
from dataclasses import replace

from paitui.model.offline import cues
from paitui.model.offline.intents import (
    Continue,
    CreateProject,
    Edit,
    Fetch,
    Find,
    Glob,
    Greet,
    Help,
    Intent,
    ListDir,
    ProjectKind,
    Read,
    Recap,
    Run,
    Search,
    Survey,
    Unknown,
    WebSearch,
    Write,
)
from paitui.model.offline.masks import ANY, LITERAL, PATH, Masked, is_url, looks_like_path, mask
from paitui.model.offline.remembering import read_wishes, recalled

_MAX_CHARS = 100_000
_MAX_WORDS = 6_000
"""Characters of a request that are read as words; quoted text and code count as one."""
_INTENT = 0xF800
_HELD = re.compile("[\uf800-\uf8ff]")
_KINDS: dict[str, ProjectKind] = {"python": "python", "py": "python", "java": "java", "jdk": "java", "maven": "java"}
_SEARCH_STOP = re.compile(
    r"^(?:for|the|all|any|every|text|word|string|pattern|occurrences? of|usages? of|uses of|in the code"
    r"|所有|全部|一下|代码(?:里|中)的?|文本|关键字|关键词|字符串)\s*",
    re.IGNORECASE,
)
_NAMED_FILE = re.compile(
    r"\s*(?:find|locate|look for|search for|where is|查找|寻找|找到?|搜索|找一下)"
    r"\s*(?:(?:the|a|file|files|named|called|文件|名为|叫)\s*)*",
    re.IGNORECASE,
)
_SEARCH_PLACE = re.compile(
    rf"\s*(?:\b(?:in|under|inside|within)\s+(?:the\s+)?|在)\s*(?P<place>{ANY}|[A-Za-z_][\w.-]*)"
    r"\s*(?:folder|directory|目录|文件夹)?(?:里面?|中|下)?",
    re.IGNORECASE,
)
_SEARCH_TAIL = re.compile(
    r"\s*(?:(?:in|across|throughout)\s+(?:the|this|all|my)?\s*(?:code|project|repo(?:sitory)?|files?|codebase|sources?)\b.*|(?:出现)?在?(?:哪里|哪些地方|哪些文件).*|的?(?:用法|引用|地方|出现).*|comments?|注释)$",
    re.IGNORECASE,
)


def parse(text: str) -> tuple[Intent, ...]:
    """Read a request.

    Args:
        text: What the user typed; only the first 6,000 characters besides quotations and code are read.

    Returns:
        The intents in order; a single `Unknown` if no rule understands any of it.
    """
    facts, rest = read_wishes(text)
    if facts:
        others = parse(rest) if rest.strip() else ()
        return (*facts, *(intent for intent in others if not isinstance(intent, Unknown)))
    if (asked := recalled(text)) is not None:
        return (asked,)
    whole = text.strip().strip(" .。!！~?？")
    for pattern, intent in ((cues.CONTINUE, Continue()), (cues.GREET, Greet())):
        if pattern.fullmatch(whole):
            return (intent,)
    masked = mask(text.strip()[:_MAX_CHARS])
    if cues.HELP.fullmatch(whole):
        return (Help(),)
    held: list[Intent] = []
    words = _hold(masked, held)
    found: list[Intent] = []
    missed: list[str] = []
    for clause in _clauses(words):
        if sign := _HELD.search(clause):
            found.append(held[ord(sign[0]) - _INTENT])
            continue
        intents = _clause_intents(clause, masked)
        if not intents and _after_reading(clause, found):
            continue
        found += intents
        if not intents and clause.strip():
            missed.append(masked.restore(clause).strip())
    solid: list[Intent] = [intent for intent in found if not isinstance(intent, Greet)]
    if missed and not solid:
        return (Unknown(text.strip()),)
    return tuple(_joined([*(solid or found)])) or (Unknown(text.strip()),)


def _hold(masked: Masked, held: list[Intent]) -> str:
    """Take writes and edits out of the text, since their contents may hold anything; a sign keeps their place."""

    def keep(intent: Intent) -> str:
        held.append(intent)
        return f"\n{chr(_INTENT + len(held) - 1)}\n"

    def write(match: re.Match[str]) -> str:
        content, path = _whole(match["content"], masked), _whole(match["path"], masked)
        cut_short = len(masked.text) > _MAX_WORDS and match.end() >= len(match.string.rstrip())
        if not looks_like_path(path) or not content or cut_short or len(held) > 200:
            return match[0]
        return keep(Write(path, content if content.endswith("\n") else f"{content}\n"))

    def edit(match: re.Match[str]) -> str:
        path, old, new = (_whole(match[name], masked) for name in ("path", "old", "new"))
        if not looks_like_path(path) or not old or len(held) > 200:
            return match[0]
        return keep(Edit(path, old, new))

    text = masked.text[:_MAX_WORDS]
    for pattern in cues.EDIT:
        text = pattern.sub(edit, text)
    for pattern in cues.WRITE:
        text = pattern.sub(write, text)
    return text


def _whole(text: str, masked: Masked) -> str:
    """The value of an argument: of a literal what stands in it, of words the words."""
    text = text.strip()
    return masked.value(text) if re.fullmatch(ANY, text) else masked.restore(text)


def _clauses(text: str) -> list[str]:
    """Divide at full stops and "then"; at commas and "and" only where a new request begins."""
    clauses: list[str] = []
    for sentence in cues.HARD_BREAK.split(text):
        start, current = 0, ""
        for match in cues.SOFT_BREAK.finditer(sentence):
            rest = cues.FILLER_BEFORE.sub("", sentence[match.end() :].lstrip())
            if _begins_request(rest):
                clauses.append(current + sentence[start : match.start()])
                current, start = "", match.end()
        clauses.append(current + sentence[start:])
    trimmed = (cues.FILLER_AFTER.sub("", cues.FILLER_BEFORE.sub("", clause.strip())) for clause in clauses)
    return [clause for clause in trimmed if clause]


_BEGINNINGS = re.compile(
    r"(?:read|open|fetch|visit|browse|show|display|cat|view|look|check|summari[sz]e|explain|describe|list|ls|find|search|grep|locate|where|run|execute|"
    r"launch|write|create|make|replace|change|edit|survey|explore|analy[sz]e|continue|what|tell|give|scaffold|generate|see|report)\b"
    r"|读|阅|查看|看|打开|访问|抓取|显示|总结|概括|解释|说明|讲|列|找|搜|检索|查找|运行|执行|跑|写|创建|新建|生成|替换|把|将|改|概览|分析|浏览|继续|告诉|归纳|介绍|哪里|哪",
    re.IGNORECASE,
)


def _begins_request(text: str) -> bool:
    return bool(_BEGINNINGS.match(text)) or bool(_HELD.match(text))


def _after_reading(clause: str, found: list[Intent]) -> bool:
    """Take "and summarise it" as a wish about what was asked before."""
    if not found or not (
        cues.SUMMARISE.search(clause) or re.match(r"report|tell|show|see|告诉|看看|汇报|说", clause, re.I)
    ):
        return False
    last = found[-1]
    if isinstance(last, Read | Fetch) and cues.SUMMARISE.search(clause):
        found[-1] = replace(last, summarise=True)
    return True


def _clause_intents(clause: str, masked: Masked) -> list[Intent]:
    for rule in _RULES:
        intents = rule(clause, masked)
        if intents:
            return intents
    return []


def _talk(clause: str, masked: Masked) -> list[Intent]:
    bare = clause.strip()
    if cues.CONTINUE.fullmatch(bare):
        return [Continue()]
    if cues.GREET.fullmatch(bare):
        return [Greet()]
    if cues.RECAP.search(bare):
        return [Recap()]
    if cues.HELP.search(bare) and not re.search(ANY, bare):
        return [Help()]
    return []


def _create(clause: str, masked: Masked) -> list[Intent]:
    match = cues.CREATE.search(re.sub(r"node\.js", "nodejs", clause, flags=re.IGNORECASE))
    if match is None:
        return []
    kind: ProjectKind = _KINDS.get(match["kind"].lower(), "node")
    named, version = cues.CREATE_NAME.search(clause), cues.CREATE_VERSION.search(clause)
    name = _whole(named["name"], masked) if named else ""
    if not name and (literal := re.search(ANY, clause)):
        name = masked.value(literal[0])
    name = re.sub(r"[^\w-]+", "-", name.strip("./ "), flags=re.ASCII).strip("-")
    return [CreateProject(kind, name or "demo", version[1] if version else "")]


def _fetch(clause: str, masked: Masked) -> list[Intent]:
    if cues.RUN.search(clause) or cues.BARE_COMMAND.match(clause):
        return []
    if match := cues.WEB_SEARCH.search(clause):
        query = _whole(cues.FILLER_AFTER.sub("", match["query"] or match["query_zh"]), masked)
        return [WebSearch(query)] if query else []
    urls = tuple(dict.fromkeys(v for v in map(masked.value, re.findall(ANY, clause)) if is_url(v)))
    bare = re.sub(rf"{ANY}|\band\b|[\s,，、和以及]", "", clause)
    if not urls or (bare and not cues.FETCH.search(clause)):
        return []
    return [Fetch(urls, cues.SUMMARISE.search(clause) is not None), *_read(clause, masked)]


def _run(clause: str, masked: Masked) -> list[Intent]:
    if cues.BARE_COMMAND.match(clause):
        return [Run(masked.restore(clause))]
    match = cues.RUN.search(clause)
    if match is None:
        return []
    rest = clause[match.end() :]
    if literals := re.findall(LITERAL, rest):
        before = rest[: rest.index(literals[0])]
        if re.fullmatch(
            r"[\s,，、]*(?:the |this |following )*(?:shell )?"
            r"(?:commands?|命令|一下|脚本|:|：|下面的|这个|个)*[\s:：]*",
            before,
            re.I,
        ):
            return [Run(masked.value(literal)) for literal in literals]
    rest = re.sub(
        r"^\s*(?:the\s+)?(?:shell\s+)?(?:commands?|命令|一下|一遍|下|program|script|脚本|程序)?\s*[:：]?\s*",
        "",
        rest,
        flags=re.I,
    )
    tests = cues.TESTS.match(rest)
    if tests and not rest[tests.end() :].strip(" .!看结果报告下一吧了"):
        return [Run("")]
    command = re.match(rf"(?:{ANY}|[A-Za-z0-9_./~])(?:{ANY}|[\x20-\x7e])*", rest)
    if command is None:
        return [Run("")] if cues.TESTS.search(rest) else []
    line = re.sub(r"\s+(?:and|to)\s+(?:tell|show|see|report|let)\b.*$", "", command[0].strip(), flags=re.IGNORECASE)
    return [Run(masked.restore(line).strip(" ,."))] if line else []


def _find(clause: str, masked: Masked) -> list[Intent]:
    for pattern in cues.FIND:
        match = pattern.search(clause)
        if match is None:
            continue
        name = _whole(match["name"], masked)
        if name.lower() in ("the", "it", "this", "that", "is", "my", "all") or not name:
            continue
        if re.fullmatch(PATH, match["name"]) and not re.search(
            r"定义|defin|declar|implement|声明|实现", clause, re.IGNORECASE
        ):
            return [Glob(name if any(sign in name for sign in "*?/") else f"**/{name}")]
        symbol = re.split(r"\.|::|#", name.removesuffix("()"))[-1]
        return [Find(re.sub(r"[(].*$", "", symbol))] if re.fullmatch(r"[\w$-]+", symbol) else [Search(name)]
    return []


def _search(clause: str, masked: Masked) -> list[Intent]:
    match = cues.SEARCH.search(clause)
    if match is None:
        return []
    rest, before = clause[match.end() :].strip(), clause[: match.start()]
    folder = ""
    if place := _SEARCH_PLACE.search(rest) or _SEARCH_PLACE.search(before):
        name = _whole(place["place"], masked)
        if name.lower() not in cues.NO_PLACE:
            folder = name
        rest = (rest[: place.start()] + rest[place.end() :]) if place.string is rest else rest
    rest = _SEARCH_TAIL.sub("", rest)
    while (shorter := _SEARCH_STOP.sub("", rest)) != rest:
        rest = shorter
    literal = re.search(LITERAL, rest)
    pattern = masked.value(literal[0]) if literal else _whole(cues.FILLER_AFTER.sub("", rest), masked)
    return [Search(pattern, folder)] if pattern else []


def _glob(clause: str, masked: Masked) -> list[Intent]:
    signs = [masked.value(sign) for sign in re.findall(ANY, clause)]
    patterns = [sign for sign in signs if re.search(r"[*?]", sign) and not re.search(r"\s", sign)]
    if patterns and cues.LOOK.search(clause):
        return [Glob(sign if "/" in sign else f"**/{sign}") for sign in patterns]
    if len(signs) == 1 and _NAMED_FILE.fullmatch(re.sub(ANY, "", clause)) and looks_like_path(signs[0]):
        return [Glob(signs[0] if "/" in signs[0] else f"**/{signs[0]}")]
    kind = cues.FILES_OF.search(clause)
    if kind and cues.LOOK.search(clause) and not signs:
        return [Glob(cues.FILE_KINDS[(kind["kind"] or kind["kind_zh"]).lower()])]
    return []


def _list(clause: str, masked: Masked) -> list[Intent]:
    if not cues.LIST.search(clause):
        return []
    paths = [masked.value(sign) for sign in re.findall(ANY, clause)]
    if any(re.search(r"\.[A-Za-z]\w*$", path) for path in paths):
        return []
    for pattern in cues.LIST_PLACE:
        for match in pattern.finditer(clause):
            name = _whole(match["name"], masked)
            if name.lower() not in cues.NO_PLACE:
                return [ListDir(name.rstrip("/") or "/")]
    return [ListDir(paths[0].rstrip("/") or "/")] if paths else [ListDir()]


def _survey(clause: str, masked: Masked) -> list[Intent]:
    if re.search(ANY, clause) or not cues.SURVEY.search(clause):
        return []
    return [Survey()]


def _read(clause: str, masked: Masked) -> list[Intent]:
    paths = tuple(path for path in map(masked.value, re.findall(PATH, clause)) if not is_url(path))
    paths += tuple(v for v in map(masked.value, re.findall(LITERAL, clause)) if looks_like_path(v))
    readme = re.search(r"\breadme\b(?!\.)", clause, re.IGNORECASE)
    if not paths and readme and cues.READ.search(clause):
        paths = ("README.md",)
    bare = re.sub(rf"{ANY}|\band\b|[\s,，、和以及]", "", clause)
    if not paths or (bare and not cues.READ.search(clause)):
        return []
    folders = tuple(path for path in paths if path.endswith("/"))
    files = tuple(dict.fromkeys("README.md" if p == "README" else p for p in paths if p not in folders))
    reading: list[Intent] = [Read(files, cues.SUMMARISE.search(clause) is not None)] if files else []
    return [*(ListDir(path.rstrip("/") or "/") for path in folders), *reading]


_RULES: tuple[Callable[[str, Masked], list[Intent]], ...] = (
    _talk,
    _create,
    _fetch,
    _survey,
    _run,
    _glob,
    _find,
    _search,
    _list,
    _read,
)
"""Tried in this order; the first that understands a clause has it."""


def _joined(intents: list[Intent]) -> list[Intent]:
    """Put neighbouring readings together, so that their files are read side by side."""
    result: list[Intent] = []
    for intent in intents:
        last = result[-1] if result else None
        if isinstance(intent, Fetch) and isinstance(last, Fetch) and last.summarise == intent.summarise:
            result[-1] = replace(last, urls=tuple(dict.fromkeys((*last.urls, *intent.urls))))
        elif isinstance(intent, Read) and isinstance(last, Read) and last.summarise == intent.summarise:
            result[-1] = replace(last, paths=tuple(dict.fromkeys((*last.paths, *intent.paths))))
        else:
            result.append(intent)
    return result

"""What a summary holds, as data: gathered from conversation or from an earlier summary, merged, never nested."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from paitui.model.offline.quoting import digest, entries, parse_digests
from paitui.model.offline.results import Result
from paitui.model.offline.running import exit_status, trouble
from paitui.model.offline.searching import hits
from paitui.model.offline.speech import Note, Speech
from paitui.model.offline.transcript import Block
from paitui.model.offline.view import SUMMARY_MARK, Deed

_CUES = re.compile(
    r"\b(?:must(?:n't)?|never|always|don'?t|do not|only|should(?:n't)?|required?|requirement|need to"
    r"|at (?:most|least)|no more than|prefer|avoid|keep|without|make sure|ensure|use|first)\b"
    r"|不要|不能|不得|不许|必须|务必|一定|只|先|禁止|始终|总是|每次|优先|保持|请用|使用|别|至少|最多|要求|确保|记住|避免",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[。！？；])|(?<=[.!?;])\s+|\n+")
_BREAK = " ⏎ "
_NOTE_CHARS = 600


@dataclass(frozen=True, slots=True)
class Item:
    """A call and what came of it."""

    tool: str
    key: str
    note: str
    failed: bool = False


@dataclass(slots=True)
class Record:
    """Everything that a summary says."""

    open: list[str] = field(default_factory=list)
    """The request that is being worked on, with what was added to it; empty if all is answered."""
    asked: list[str] = field(default_factory=list)
    """Earlier requests, oldest first, all answered."""
    goes_on: bool = False
    """What is gathered here begins amid a request that an earlier part holds."""
    closed: bool = False
    """That request was answered here."""
    wishes: list[str] = field(default_factory=list)
    """Requirements and decisions, in the user's words."""
    before: list[Item] = field(default_factory=list)
    """Calls for earlier requests."""
    now: list[Item] = field(default_factory=list)
    """Calls for the open request."""
    notes: list[Note] = field(default_factory=list)
    """What the engine noted for the open request."""
    other: list[str] = field(default_factory=list)
    """Lines of an earlier summary about work done that follow no form of this engine's."""
    problems: list[str] = field(default_factory=list)
    """Open problems that an earlier summary names."""

    def finish(self) -> None:
        """Let the open request count as answered."""
        if self.goes_on and not self.open and not self.asked:
            self.closed = True
        self.asked += self.open
        self.before += [*self.now, *_as_items(self.notes)]
        self.open, self.now, self.notes = [], [], []


def _as_items(notes: Iterable[Note]) -> list[Item]:
    """Keep notes of an answered request: files read as reads, the plan not at all."""
    items: list[Item] = []
    for note in notes:
        if note.kind == "read":
            items += [Item("read_file", path, about) for path, about in parse_digests(note.text).items()]
        elif note.kind not in ("plan", "unread"):
            items.append(Item("note", note.kind, note.text))
    return items


def gather(blocks: Sequence[Block], speech: Speech) -> Record:
    """Gather a record from conversation.

    Args:
        blocks: Messages in order.
        speech: Recognises the engine's own notes.
    """
    record = Record(goes_on=not blocks or blocks[0].kind in ("assistant", "result"))
    answered = True
    working = False
    previous = ""
    for block in blocks:
        before, previous = previous, block.kind
        match block.kind:
            case "summary":
                record = merge([record, read_summary(block.text, speech)])
                answered = not record.open
            case "carried":
                record.open = record.open or [block.text]
                answered = False
            case "user":
                # Words that come between the rounds of a task belong to it; after an answer a new request begins.
                if answered or not working:
                    record.finish()
                record.open.append(block.text)
                record.wishes += requirements(block.text)
                answered = working = False
            case "assistant" if before == "summary" and not block.deeds:
                continue  # the acknowledgement of a summary answers no request
            case "assistant":
                record.notes += speech.notes(block.text)
                working = bool(block.deeds)
                known = {path for n in record.notes if n.kind == "read" for path in parse_digests(n.text)}
                for deed in block.deeds:
                    if deed.result is not None and deed.result.unfinished:
                        working = False
                        continue
                    record.now.append(item_of(deed, speech, known))
                if not block.deeds and block.text:
                    record.finish()
                    answered = True
    return record


def item_of(deed: Deed, speech: Speech, noted: Iterable[str] = ()) -> Item:
    """Tell what came of a call, exact where it matters: exit status, errors, counts."""
    result = deed.result
    if result is None:
        return Item(deed.tool, deed.key, speech("no_result"))
    if deed.failed and deed.tool != "execute_command":
        key = "was_refused" if result.denied else "was_failure"
        first = result.text.strip().splitlines()[0][:300] if result.text.strip() else ""
        return Item(deed.tool, deed.key, speech(key, why=first), failed=True)
    return Item(deed.tool, deed.key, _outcome(deed, result, speech, noted)[:_NOTE_CHARS], failed=deed.failed)


def _outcome(deed: Deed, result: Result, speech: Speech, noted: Iterable[str]) -> str:
    stored = f"; {speech('stored', path=result.stored)}" if result.stored and result.state == "offloaded" else ""
    if result.state == "cleared":
        return speech("was_cleared", chars=result.chars) if deed.key not in noted else ""
    match deed.tool:
        case "read_file":
            return parse_digests(digest(deed.key, result)).get(deed.key, "") + stored
        case "execute_command":
            if result.denied:
                return speech("was_refused", why=result.text.strip().splitlines()[0][:300])
            status = exit_status(result.text)
            ended = speech("exit", status=status if status is not None else (0 if result.ok else "?"))
            lines = [line.strip() for line in result.text.splitlines() if line.strip()]
            lines = [line for line in lines if not line.startswith(("[exit", "[...]"))]
            telling = trouble(result.text, 4) if deed.failed else []
            last = lines[-1:] if lines and lines[-1] not in telling else []
            return "; ".join([ended, *(line[:200] for line in [*telling, *last])]) + stored
        case "grep_code":
            places = hits(result.text)
            shown = ", ".join(f"{path}:{line}" for path, line in places[:4])
            return speech("hits", n=len(places)) + (f": {shown}" if shown else "") + stored
        case "glob_files" | "list_dir":
            return (
                speech("entries", n=result.lines if result.state == "offloaded" else len(entries(result.text)))
                + stored
            )
        case "write_file" | "edit_file":
            return speech("changed")
        case _:
            return speech("chars", n=result.chars) + stored


def requirements(text: str) -> list[str]:
    """The sentences of a user's text that state how something must be; code blocks are left out."""
    prose = re.sub(r"```.*?(?:```|$)", " ", text, flags=re.DOTALL)
    sentences = (" ".join(sentence.split()) for sentence in _SENTENCES.split(prose))
    return [sentence[:400] for sentence in sentences if len(sentence) > 3 and _CUES.search(sentence)]


def merge(records: Sequence[Record]) -> Record:
    """Put records together that follow each other in time; where they tell of the same, the later holds."""
    result = _copy(records[0])
    for later in records[1:]:
        if later.goes_on and not later.asked:
            if later.closed:
                result.now += [*later.now, *later.before]
                result.notes += later.notes
                result.finish()
            else:
                result.now += [*later.before, *later.now]
                result.notes += later.notes
        elif later.goes_on:
            result.before += [*result.now, *_as_items(result.notes), *later.before]
            result.asked += [*result.open, *later.asked]
            result.open, result.now, result.notes = list(later.open), list(later.now), list(later.notes)
        else:
            result.finish()
            result.asked += later.asked
            result.before += later.before
            result.open, result.now, result.notes = list(later.open), list(later.now), list(later.notes)
            if not records[0].asked and not result.before and records[0].goes_on:
                result.goes_on = False
        result.wishes += later.wishes
        result.other += later.other
        result.problems = [*later.problems] or result.problems
    return tidy(result)


def _copy(record: Record) -> Record:
    """A copy whose lists can be changed without changing the other's."""
    return Record(
        open=[*record.open],
        asked=[*record.asked],
        goes_on=record.goes_on,
        closed=record.closed,
        wishes=[*record.wishes],
        before=[*record.before],
        now=[*record.now],
        notes=[*record.notes],
        other=[*record.other],
        problems=[*record.problems],
    )


def tidy(record: Record) -> Record:
    """Leave out what stands twice: of calls about the same the last, of texts the first."""
    for name in ("asked", "wishes", "other", "problems"):
        setattr(record, name, list(dict.fromkeys(filter(None, getattr(record, name)))))
    record.before = _last_of_each(record.before)
    record.now = _joined(record.now)
    record.notes = list(dict.fromkeys(record.notes))
    return record


def _last_of_each(items: Sequence[Item]) -> list[Item]:
    newest: dict[tuple[str, str], Item] = {}
    for item in items:
        old = newest.pop((item.tool, item.key), None)
        newest[item.tool, item.key] = item if item.note or old is None else old
    return list(newest.values())


def _joined(items: Sequence[Item]) -> list[Item]:
    """Repeats of a reading call stand once; the order of writes and commands is kept as it was."""
    result: list[Item] = []
    for item in items:
        if item.tool in ("read_file", "list_dir", "glob_files", "grep_code"):
            result = [old for old in result if (old.tool, old.key) != (item.tool, item.key) or old.note]
            if any((old.tool, old.key) == (item.tool, item.key) for old in result):
                continue
        result.append(item)
    return result


def plan_left(record: Record) -> list[str] | None:
    """The planned files that were not read yet; None if no plan is known."""
    notes = [note for note in record.notes if note.kind == "plan"]
    if not notes:
        return None
    read = {path for note in record.notes if note.kind == "read" for path in parse_digests(note.text)}
    read |= {item.key for item in record.now if item.tool == "read_file"}
    return [path for path in re.findall(r"`([^`]+)`", notes[-1].text) if path not in read]


_ITEM = re.compile(r"^- (\w+)(!?) (?:`` (.+?) ``|`([^`]*)`)(?:: (.*))?$")
_READS = re.compile(r"^- read_file (`[^`]+`(?: \([^)]*\))?(?:, `[^`]+`(?: \([^)]*\))?)*)$")


def item_line(item: Item, chars: int) -> str:
    """Write an item as a line; `read_summary` reads it back."""
    key = item.key.replace("\n", _BREAK)
    code = f"`` {key} ``" if "`" in key else f"`{key}`"
    note = item.note.replace("\n", " ")
    note = note if len(note) <= chars else f"{note[: chars - 1].rstrip()}…"
    return f"- {item.tool}{'!' if item.failed else ''} {code}{': ' + note if note else ''}"


def read_summary(text: str, speech: Speech) -> Record:
    """Read a summary back: this engine's own exactly, another's line by line.

    Args:
        text: A summary with four sections; what stands behind them (user texts kept word for word, lists made by the
            program) adds the user's requirements only.
        speech: Recognises the engine's own lines, in any language.

    Returns:
        What it says.
    """
    if text.startswith(SUMMARY_MARK):
        text = text.partition("\n")[2]
    sections = sections_of(text)
    record = Record()
    goal, wishes, work, open_ = sections
    for line in goal:
        label, value = _labelled(line, speech, ("sum_open", "sum_asked"))
        if label == "sum_open":
            record.open.append(value.replace(_BREAK, "\n"))
        elif label == "sum_asked":
            record.asked.append(value)
        elif _is(line, speech, "sum_goes_on"):
            record.goes_on = True
        elif _is(line, speech, "sum_closed"):
            record.goes_on = record.closed = True
        elif not _is(line, speech, "sum_no_goal", "sum_done_when"):
            record.asked.append(_bare(line))
    record.wishes = [_bare(line) for line in wishes if not _is(line, speech, "sum_no_wishes")]
    record.wishes += [wish for said in behind_sections(text).said for wish in requirements(said)]
    _read_work(work, record, speech)
    for line in open_:
        notes = list(speech.notes(line))
        record.notes += notes
        known = _is(line, speech, "sum_no_problems", "sum_next", "sum_next_none")
        generated = _labelled(line, speech, ("sum_problem", "sum_next_request"))[0]
        if not notes and not known and not generated:
            record.problems.append(_bare(line))
    return record


def _read_work(lines: Sequence[str], record: Record, speech: Speech) -> None:
    target = record.before
    for line in lines:
        if _is(line, speech, "sum_now"):
            target = record.now
        elif _is(line, speech, "sum_no_work"):
            continue
        elif notes := list(speech.notes(line)):
            record.notes += notes
        elif match := _READS.match(line):
            target += [Item("read_file", path, about) for path, about in parse_digests(match[1]).items()]
        elif match := _ITEM.match(line):
            key = (match[3] or match[4] or "").replace(_BREAK, "\n")
            target.append(Item(match[1], key, match[5] or "", failed=bool(match[2])))
        else:
            record.other.append(_bare(line))


def sections_of(text: str) -> list[list[str]]:
    """The lines of the four sections of a summary."""
    sections: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("## "):
            sections.append([])
        elif sections and line.strip():
            sections[-1].append(line.strip())
    return [*sections[:4], *([] for _ in range(4 - len(sections[:4])))]


@dataclass(frozen=True, slots=True)
class Behind:
    """What the program keeps behind the four sections of a summary."""

    lines: tuple[str, ...]
    """Its own lines; output of commands, which is marked, is left out."""
    said: tuple[str, ...]
    """The user's texts, word for word."""


_TEXT_FOLLOWS = re.compile(r"^[^`|\n]*?\b(\d+) ?(?:characters:|个字符：)\n", re.MULTILINE)
"""A line that says how many characters of the user's follow."""


def behind_sections(text: str) -> Behind:
    """Take apart what stands behind the four sections; a text of the user's never passes for the program's line."""
    heads = [match.start() for match in re.finditer(r"^## ", text, re.MULTILINE)]
    at = heads[4] if len(heads) > 4 else len(text)
    lines: list[str] = []
    said: list[str] = []
    while match := _TEXT_FOLLOWS.search(text, at):
        lines += text[at : match.start()].splitlines()
        at = match.end() + int(match[1])
        said.append(text[match.end() : at])
    lines += text[at:].splitlines()
    plain = [line for line in lines[1:] if line.strip() and not line.startswith("| ")]
    # Another program states no lengths; its lines may hold the user's words then.
    return Behind(tuple(plain), tuple(said) or tuple(plain))


def _bare(line: str) -> str:
    return re.sub(r"^[-*•]\s+", "", line)


def _is(line: str, speech: Speech, *keys: str) -> bool:
    return any(_bare(line) == text for key in keys for text in speech.variants(key))


def _labelled(line: str, speech: Speech, keys: Sequence[str]) -> tuple[str, str]:
    bare = _bare(line)
    for key in keys:
        for label in speech.variants(key):
            if bare.startswith(label):
                return key, bare[len(label) :].strip()
    return "", ""

"""The four-section summary, by extraction: what a record holds, in as many characters as it may take."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paitui.messages.message import Message
from paitui.model.offline.count import text_tokens
from paitui.model.offline.quoting import parse_digests
from paitui.model.offline.record import Item, Record, gather, item_line, merge, plan_left, read_summary, tidy
from paitui.model.offline.speech import Speech
from paitui.model.offline.transcript import blocks, parts

_LEAST_CHARS, _MOST_CHARS, _SHARE = 900, 8_000, 0.15
_TELLING = 160
"""Least room for what a change or a command came to: exit status, the line that failed, the count."""
_MERGED_SHARE = 0.9
_HARD_SHARE = 0.4
"""What essentials (requests, paths, failures, the plan) may take where 15 % of the conversation do not hold them."""
_ASKED_LIMIT = re.compile(r"(?:at most|最多) ([\d,]+) (?:characters|个字符)")
_ASKED_TOKENS = re.compile(r"longer than ([\d,]+) tokens")


@dataclass(frozen=True, slots=True)
class _Measure:
    """How much of each kind a rendering keeps."""

    request: int
    asked: int
    wishes: int
    before: int
    note: int
    names: bool
    other: int


_MEASURES = (
    _Measure(2_000, 30, 60, 200, 600, True, 40),
    _Measure(1_000, 20, 40, 80, 300, True, 20),
    _Measure(600, 12, 30, 40, 200, True, 10),
    _Measure(400, 8, 20, 25, 160, False, 6),
    _Measure(300, 5, 14, 15, 120, False, 3),
    _Measure(200, 3, 10, 8, 90, False, 1),
    _Measure(160, 2, 6, 4, 70, False, 0),
)


def summarise(messages: Sequence[Message], languages_speech: Speech, window: int) -> str:
    """Answer a request for a summary.

    Args:
        messages: Instruction (system), whose four headings are used as they stand, and the conversation or the
            partial summaries to merge (user).
        languages_speech: Speaks the conversation's language, and reads summaries in any.
        window: Context size in tokens; the summary takes at most a tenth of it.

    Returns:
        Four sections, none empty.
    """
    instruction = "\n".join(message.content for message in messages if message.role == "system")
    text = "\n".join(message.content for message in messages if message.role == "user")
    headings = list(dict.fromkeys(re.findall(r"^## .+$", instruction, re.MULTILINE)))[:4]
    speech = languages_speech
    given = parts(text)
    record = merge([read_summary(part, speech) for part in given]) if given else tidy(gather(blocks(text), speech))
    # Partial summaries are condensed already: merged they only have to be shorter than together.
    share, hard_share = (_MERGED_SHARE, _MERGED_SHARE) if given else (_SHARE, _HARD_SHARE)
    chars = max(_LEAST_CHARS, min(_MOST_CHARS, round(len(text) * share)))
    limits = [int(found.replace(",", "")) for found in _ASKED_LIMIT.findall(instruction)]
    tokens = [window // 10, *(int(found.replace(",", "")) for found in _ASKED_TOKENS.findall(instruction))]
    hard = max(chars, min(_MOST_CHARS, round(len(text) * hard_share)))
    return render(record, headings, speech, (min([chars, *limits]), min([hard, *limits])), max(250, min(tokens)))


def render(record: Record, headings: Sequence[str], speech: Speech, chars: tuple[int, int], tokens: int) -> str:
    """Write a record, as fully as fits.

    Args:
        record: What the summary says.
        headings: The four headings, as they must stand.
        speech: The language.
        chars: The length to aim at, and the length that must not be passed.
        tokens: Most tokens.

    Returns:
        The fullest form that fits; requests, failures and the plan are cut last.
    """
    text = ""
    for measure in _MEASURES:
        text = _write(record, headings, speech, measure, None)
        if len(text) <= chars[0] and text_tokens(text) <= tokens:
            return text
    # Even the tersest is longer than it should be, which takes dozens of long paths or commands.
    for kept in (None, 40, 25, 15, 8, 4, 2, 1):
        text = _write(record, headings, speech, _MEASURES[-1], kept)
        if len(text) <= chars[1] and text_tokens(text) <= tokens:
            break
    return text


def _write(record: Record, headings: Sequence[str], speech: Speech, measure: _Measure, kept: int | None) -> str:
    sections = (
        _goal(record, speech, measure),
        _wishes(record, speech, measure),
        _work(record, speech, measure, kept),
        _open(record, speech, measure, kept),
    )
    return "\n".join("\n".join([heading, *lines]) for heading, lines in zip(headings, sections, strict=False))


def _goal(record: Record, speech: Speech, measure: _Measure) -> list[str]:
    lines = [f"- {speech('sum_open')}{_one_line(text, measure.request)}" for text in record.open]
    if record.goes_on and not record.open:
        lines.append(f"- {speech('sum_closed' if record.closed else 'sum_goes_on')}")
    if record.open:
        lines.append(f"- {speech('sum_done_when')}")
    elif not record.goes_on:
        lines.append(f"- {speech('sum_no_goal')}")
    asked = record.asked[-measure.asked :] if measure.asked else []
    return lines + [f"- {speech('sum_asked')}{_one_line(text, min(200, measure.request))}" for text in asked]


def _wishes(record: Record, speech: Speech, measure: _Measure) -> list[str]:
    shown = [
        *record.wishes[: measure.wishes // 2],
        *record.wishes[measure.wishes // 2 :][-(measure.wishes - measure.wishes // 2) :],
    ]
    lines = [f"- {_one_line(wish, max(120, measure.note))}" for wish in dict.fromkeys(shown)]
    return lines or [f"- {speech('sum_no_wishes')}"]


def _work(record: Record, speech: Speech, measure: _Measure, kept: int | None) -> list[str]:
    lines = [f"- {_one_line(text, measure.note)}" for text in record.other[-measure.other :]] if measure.other else []
    important = [item for item in record.before if _matters(item)]
    rest = [item for item in record.before if not _matters(item)]
    room = max(0, measure.before - len(important))
    chosen = {*map(id, important[-measure.before :]), *map(id, rest[len(rest) - room :] if room else [])}
    lines += _item_lines([item for item in record.before if id(item) in chosen], measure)
    noted = {path for note in record.notes if note.kind == "read" for path in parse_digests(note.text)}
    now = [item for item in record.now if item.tool != "read_file" or item.key not in noted]
    now = now[-kept:] if kept is not None else now
    notes = [note for note in record.notes if note.kind not in ("plan", "read")]
    files: dict[str, str] = {}
    for note in record.notes:
        if note.kind == "read":
            files.update(parse_digests(note.text))
    if record.open or record.goes_on or now or notes or files:
        lines.append(f"- {speech('sum_now')}")
    lines += _item_lines(now, measure)
    lines += [speech.note(note.kind, _shortened(note.text, max(160, measure.note))) for note in notes[-12:]]
    if files:
        paths = list(files.items())
        paths = paths[-kept * 4 :] if kept is not None else paths
        lines.append(speech.note("read", ", ".join(_file(path, about, measure.names) for path, about in paths)))
    return lines or [f"- {speech('sum_no_work')}"]


def _matters(item: Item) -> bool:
    return item.failed or item.tool in ("write_file", "edit_file", "execute_command")


def _item_lines(items: Iterable[Item], measure: _Measure) -> list[str]:
    """One line an item; neighbouring reads of files share one."""
    lines: list[str] = []
    reads: list[str] = []

    def flush() -> None:
        if reads:
            lines.append(f"- read_file {', '.join(reads)}")
            reads.clear()

    for item in items:
        plain = re.fullmatch(r"[\d,]*(?:: [^();]*)?", item.note) is not None
        if item.tool == "read_file" and not item.failed and plain and "`" not in item.key:
            reads.append(_file(item.key, item.note, measure.names))
            continue
        flush()
        lines.append(item_line(item, max(_TELLING, measure.note) if _matters(item) else measure.note))
    flush()
    return lines


def _file(path: str, about: str, names: bool) -> str:
    shown = about if names else about.partition(":")[0]
    return f"`{path}` ({shown})" if shown else f"`{path}`"


def _open(record: Record, speech: Speech, measure: _Measure, kept: int | None) -> list[str]:
    items = [*record.before, *record.now]
    last = {(item.tool, item.key): item for item in items}
    failing = [item for item in last.values() if item.failed]
    lines = [f"- {speech('sum_problem')}{item_line(item, measure.note)[2:]}" for item in failing[-8:]]
    lines += [f"- {_one_line(text, measure.note)}" for text in record.problems[-6:]]
    if not lines:
        lines.append(f"- {speech('sum_no_problems')}")
    if record.open:
        lines.append(f"- {speech('sum_next_request')}{_one_line(record.open[-1], 160)}")
    elif record.goes_on and not record.closed:
        lines.append(f"- {speech('sum_next')}")
    else:
        lines.append(f"- {speech('sum_next_none')}")
    left = plan_left(record)
    if left is not None:
        shown = left[: kept * 3] if kept is not None else left
        lines.append(
            speech.note("plan", speech("plan", n=len(shown), files=", ".join(f"`{path}`" for path in shown) or "-"))
        )
    return lines


def _shortened(text: str, limit: int) -> str:
    """Cut a list at a comma, so that no item of it is torn."""
    return text if len(text) <= limit else f"{text[:limit].rpartition(', ')[0] or text[:limit]} …"


def _one_line(text: str, limit: int) -> str:
    line = " ⏎ ".join(filter(None, (part.strip() for part in text.splitlines())))
    return line if len(line) <= limit else f"{line[: limit * 2 // 3]} … {line[-limit // 3 :]}"

"""Splitting a request into tasks by its own words: numbers, "then", "in parallel". The answer is a planner's JSON."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from paitui.messages.message import Message
from paitui.model.offline.intents import CreateProject, Edit, Find, Glob, ListDir, Read, Run, Search, Survey, Write
from paitui.model.offline.masks import ANY, Masked, mask
from paitui.model.offline.parse import parse
from paitui.trust.boundary import unwrap

MOST = 20
_NUMBERED = re.compile(
    r"(?:^|(?<=[\n;；。:：]))[ \t]*"
    r"(?:[-*•][ \t]+|[（(]?(\d{1,2})[.)）、．](?![\d])[ \t]*|[（(]?([一二三四五六七八九十]{1,2})[)）、][ \t]*)",
    re.MULTILINE,
)
_INLINE = re.compile(r"(?<!\S)[（(]?(\d{1,2})[.)）、．][ \t]+|[（(](\d{1,2})[)）][ \t]*")
_CHINESE = {sign: at for at, sign in enumerate("一二三四五六七八九十", 1)}
_THEN = re.compile(
    r"[,;，；。.]?\s*(?:\band\s+then\b|\bafter\s+that\b|\bafterwards\b|\bfinally\b|(?<=[,;.])\s*\bthen\b|(?<=\s)then\b"
    r"|然后|接着|随后|之后再|最后|(?<=[，；。,;])\s*再(?![次见度三])|(?<=[，；。,;])\s*并(?=[运执测检]))[,，]?\s*",
    re.IGNORECASE,
)
_LEADS_THEN = re.compile(
    r"^(?:and\s+)?(?:then|after\s+that|afterwards|finally|next|lastly)\b[,，]?\s*|^(?:然后|接着|随后|之后|最后|再(?![次见度三]))[，,]?\s*",
    re.IGNORECASE,
)
_LEADS_FIRST = re.compile(r"^(?:first(?:ly)?\b[,，]?|(?:首)?先(?=[^后])[，,]?)\s*", re.IGNORECASE)
_AFTER = re.compile(
    r"\s*[（(](?:after|needs|depends\s+on|在|依赖|需要)\s*(?:tasks?\s*)?([\d、,，和与and\s]+?)(?:\s*(?:之后|完成后|后))?[)）]",
    re.IGNORECASE,
)
_PARALLEL = re.compile(
    r"\s*\b(?:in\s+parallel|at\s+the\s+same\s+time|side\s+by\s+side|simultaneously)\b[:：,，]?\s*|(?:同时|分别|并行地?)[:：，,]?\s*",
    re.IGNORECASE,
)
_JOINTS = re.compile(r"\s*(?:[;；、]|[,，](?:\s*and\b)?|\band\b|以及|和|与)\s*", re.IGNORECASE)
_KINDS: tuple[tuple[tuple[type, ...], str], ...] = (
    ((Write, Edit, CreateProject), "write"),
    ((Run,), "run"),
    ((Read, ListDir, Glob, Find, Search, Survey), "explore"),
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a request that is a task by itself."""

    text: str
    needs: tuple[int, ...] = ()
    """Positions of the parts it comes after."""


def plan(messages: Sequence[Message]) -> str:
    """Answer a planner's request.

    Args:
        messages: The planner's history: the user's request, then what was added to it, or what failed of a plan.

    Returns:
        JSON; no tasks where nothing is to be done.
    """
    said = [message for message in messages if message.role == "user" and message.origin == "task"]
    said = said or [message for message in messages if message.role == "user"][-1:]
    if said and (state := _state(said[-1])) is not None:
        return _again(state)
    pieces: list[Piece] = []
    for message in said:
        if _state(message) is None:
            # What was added later comes after all that was wanted before.
            pieces += _shifted(split(message.content), len(pieces), bool(pieces))
    tasks = [
        {
            "id": f"t{at}",
            "description": piece.text,
            "type": kind_of(piece.text),
            "dependencies": [f"t{need + 1}" for need in piece.needs],
        }
        for at, piece in enumerate(pieces[:MOST], 1)
    ]
    return json.dumps({"tasks": tasks}, ensure_ascii=False)


def split(text: str) -> list[Piece]:
    """Split a request into parts.

    Numbered parts do not wait for each other unless they say so ("then ...", "(after 1)"); what is joined by "then"
    comes one after the other; what is to be done in parallel, or to several files each, becomes a part each.

    Args:
        text: The user's words.

    Returns:
        The parts in order, each with those it needs; the whole where nothing splits it.
    """
    masked = mask(text.strip())
    items = _numbered(masked.text)
    if items:
        return _from_items(items, masked)
    groups = [group for group in _THEN.split(_LEADS_FIRST.sub("", masked.text)) if _wordy(group)]
    return _in_a_row(groups, masked) or [Piece(text.strip())]


def _numbered(text: str) -> list[str]:
    """The items of a list, on lines or within one; none if there are fewer than two."""
    for pattern in (_NUMBERED, _INLINE):
        marks = list(pattern.finditer(text))
        numbers = [_number(match) for match in marks]
        if len(marks) >= 2 and (None in numbers or numbers == list(range(1, len(marks) + 1))):
            ends = [match.start() for match in marks[1:]] + [len(text)]
            items = [text[match.end() : end].strip(" \t\n;；") for match, end in zip(marks, ends, strict=True)]
            if all(map(_wordy, items)):
                return items
    return []


def _number(match: re.Match[str]) -> int | None:
    sign = next((group for group in match.groups() if group), "")
    return int(sign) if sign.isdigit() else _CHINESE.get(sign)


def _from_items(items: Sequence[str], masked: Masked) -> list[Piece]:
    found: list[Piece] = []
    last_of: list[tuple[int, ...]] = []
    for item in items:
        needs: tuple[int, ...] = ()
        if after := _AFTER.search(item):
            named = [int(number) - 1 for number in re.findall(r"\d+", after[1])]
            needs = tuple(at for number in named if 0 <= number < len(last_of) for at in last_of[number])
            item = item[: after.start()] + item[after.end() :]
        elif _LEADS_THEN.match(item):
            needs = tuple(range(len(found)))
        item = _LEADS_FIRST.sub("", _LEADS_THEN.sub("", item))
        groups = [group for group in _THEN.split(item) if _wordy(group)]
        begin = len(found)
        found += _shifted(_in_a_row(groups, masked), begin, False, needs)
        inner = {need for piece in found[begin:] for need in piece.needs}
        last_of.append(tuple(at for at in range(begin, len(found)) if at not in inner))
    return found


def _in_a_row(groups: Iterable[str], masked: Masked) -> list[Piece]:
    """Parts one after the other, each perhaps of several that do not wait for each other."""
    found: list[Piece] = []
    before: tuple[int, ...] = ()
    for group in groups:
        texts = _side_by_side(_LEADS_FIRST.sub("", group.strip(" \t\n,，.。;；")))
        begin = len(found)
        found += [Piece(masked.restore(text).strip(" \t\n,，.。;；"), before) for text in texts]
        before = tuple(range(begin, len(found)))
    return [piece for piece in found if piece.text]


def _side_by_side(text: str) -> list[str]:
    """What is to be done at the same time, apart; the text alone if it does not say so."""
    marked = _PARALLEL.search(text)
    if marked is None:
        return [text]
    text = (text[: marked.start()] + (" " if marked.start() else "") + text[marked.end() :]).strip()
    signs = list(re.finditer(ANY, text))
    parts = [part for part in _JOINTS.split(text) if part.strip()]
    bare = [part for part in parts if re.fullmatch(rf"\s*{ANY}\s*", part)]
    if len(signs) >= 2 and len(bare) >= len(parts) - 1 > 0:  # one verb for several files
        verb = text[: signs[0].start()]
        return [f"{verb}{sign[0]}" for sign in signs]
    return parts if len(parts) > 1 else [text]


def _shifted(pieces: Iterable[Piece], by: int, after_all: bool, needs: tuple[int, ...] = ()) -> list[Piece]:
    first = tuple(range(by)) if after_all else needs
    return [replace(piece, needs=tuple(need + by for need in piece.needs) or first) for piece in pieces]


def _wordy(text: str) -> bool:
    return bool(re.search(r"[\w\ue000-\uf8ff]", text))


def kind_of(text: str) -> str:
    """What kind of work a task is."""
    intents = parse(text)
    return next((kind for types, kind in _KINDS if any(isinstance(one, types) for one in intents)), "other")


def _state(message: Message) -> Mapping[str, Any] | None:
    """What came of a plan that failed, where a message brings it along."""
    try:
        value = json.loads(unwrap(message.attached) or "")
    except ValueError:
        return None
    return value if isinstance(value, dict) and isinstance(value.get("unfinished"), list) else None


def _again(state: Mapping[str, Any]) -> str:
    """Try once more what is not done: a rule knows no other way."""
    left = [one for one in state["unfinished"] if isinstance(one, dict)]
    finished = {str(one.get("id")) for one in state.get("finished", ()) if isinstance(one, dict)}
    new = {str(one.get("id")): _fresh(str(one.get("id")), finished) for one in left}
    tasks = [
        {
            "id": new[str(one.get("id"))],
            "description": one.get("description", ""),
            "type": one.get("type", ""),
            "dependencies": [
                new.get(need, need)
                for need in map(str, one.get("dependencies", ()))
                if need in new or need in finished
            ],
        }
        for one in left
    ]
    return json.dumps({"tasks": tasks}, ensure_ascii=False)


def _fresh(name: str, taken: set[str]) -> str:
    base, number = name.partition("-again")[0], 1
    while (fresh := f"{base}-again{number}") in taken or fresh == name:
        number += 1
    return fresh

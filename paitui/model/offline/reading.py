"""Steps that look at files: read, list, find by name."""

from pathlib import PurePosixPath

from paitui.model.offline.ground import Answer, Ask, Ground, Step
from paitui.model.offline.intents import Glob, ListDir, Read
from paitui.model.offline.outline import definitions, extract, first_sentence, headings, is_prose
from paitui.model.offline.quoting import digest, entries, left_out, listed, parse_digests, quoted, why
from paitui.model.offline.results import Result, next_offset, plain_lines
from paitui.model.offline.tooling import Wanted
from paitui.model.offline.view import Deed

_AT_ONCE = 4
_SLICES = 3
"""How often a file that was too long for one result is read on, for a summary."""
_SLICE_LINES = 200
_HEAD_LINES = 25
_LISTING_LINES = 60


def read(intent: Read, ground: Ground) -> Step:
    """Read files, side by side; look for one that is not where it was said to be; then tell what is in them."""
    say = ground.speech
    found: dict[str, Deed] = {}
    missing: list[str] = []
    for path in intent.paths:
        deed = ground.deed("read_file", path)
        if deed is None:
            missing.append(path)
        else:
            found[path] = deed
    if missing:
        batch = missing[:_AT_ONCE]
        notes = _seen(list(found.items())[-_AT_ONCE:], ground)
        text = "\n".join(filter(None, [notes, say("say_read", files=listed(batch))]))
        return Ask(tuple(Wanted("read_file", {"path": path}) for path in batch), text)
    parts: list[str] = []
    for path, deed in found.items():
        if deed.failed and (step := _look_elsewhere(path, deed, ground)) is not None:
            if isinstance(step, Ask):
                return step
            parts.append(step.text)
            continue
        if (more := _read_on(path, deed, intent, ground)) is not None:
            return more
        parts.append(_about(path, deed, intent, ground))
    return Answer("\n\n".join(parts))


def _seen(items: list[tuple[str, Deed]], ground: Ground) -> str:
    """A note on the files of the round before, for the time when their text is gone."""
    known = {path for note in ground.notes if note.kind == "read" for path in parse_digests(note.text)}
    new = [(p, d.result) for p, d in items if p not in known and not d.failed]
    digests = [digest(path, result) for path, result in new if result is not None and result.state != "cleared"]
    return ground.speech.note("read", ", ".join(digests)) if digests else ""


def _look_elsewhere(path: str, deed: Deed, ground: Ground) -> Step | None:
    """For a file that is not there: find its name anywhere; if exactly one file bears it, read that."""
    say, result = ground.speech, deed.result
    name = PurePosixPath(path).name
    outside = path.startswith(("/", "~", "../"))
    if result is not None and result.denied:
        return Answer(say("refused", what=f"read_file `{path}`", why=why(ground, result)))
    if not name or outside or "glob_files" not in ground.tools:
        return Answer(say("read_failed", path=path, why=why(ground, result)))
    searched = ground.deed("glob_files", f"**/{name}")
    if searched is None:
        return Ask((Wanted("glob_files", {"pattern": f"**/{name}"}),), say("say_elsewhere", path=path))
    other = searched.result
    names = [] if searched.failed or other is None else entries(other.text)
    candidates = [n for n in names if n != path and PurePosixPath(n).name == name]
    if len(candidates) != 1:
        hint = say("read_candidates", files=listed(candidates)) if candidates else say("read_nowhere", name=name)
        return Answer(f"{say('read_failed', path=path, why=why(ground, result))} {hint}")
    again = ground.deed("read_file", candidates[0])
    if again is None:
        return Ask((Wanted("read_file", {"path": candidates[0]}),), say("say_read", files=f"`{candidates[0]}`"))
    if again.failed:
        return Answer(say("read_failed", path=candidates[0], why=why(ground, again.result)))
    about = _about(candidates[0], again, Read((candidates[0],)), ground)
    return Answer(f"{say('read_instead', path=path, other=candidates[0])}\n\n{about}")


def _read_on(path: str, deed: Deed, intent: Read, ground: Ground) -> Ask | None:
    """For a summary of a file that was too long for one result: its next slice, a few times at most."""
    result = deed.result
    if not intent.summarise or result is None or result.state != "offloaded":
        return None
    offset = result.text.partition("\n[...]\n")[0].count("\n") + 2
    for _ in range(_SLICES):
        if result.lines and offset > result.lines:
            return None
        slice_ = ground.deed("read_file", f"{path}#{offset}")
        if slice_ is None:
            arguments = {"path": path, "offset": offset, "limit": _SLICE_LINES}
            return Ask((Wanted("read_file", arguments),), ground.speech("say_read_on", path=path, line=offset))
        seen = slice_.result
        if slice_.failed or seen is None or seen.state != "live":
            return None
        offset = max(offset + 1, next_offset(seen.text) or offset + len(plain_lines(seen.text)))
    return None


def _slices(path: str, ground: Ground) -> list[str]:
    prefix = f"{path}#"
    deeds = (d for d in ground.deeds[ground.start :] if d.tool == "read_file" and d.key.startswith(prefix))
    results = (deed.result for deed in deeds if not deed.failed)
    return [result.text for result in results if result is not None and result.state == "live"]


def _about(path: str, deed: Deed, intent: Read, ground: Ground) -> str:
    say, result = ground.speech, deed.result
    if result is None or result.state == "cleared":
        known = {p: about for n in ground.notes if n.kind == "read" for p, about in parse_digests(n.text).items()}
        about = known.get(path) or deed.note or say("nothing_noted")
        return say("read_gone", path=path, about=about)
    lines = plain_lines(result.text)
    parts = [say("read_head", path=path, lines=result.lines or len(lines), chars=result.chars or len(result.text))]
    slices = _slices(path, ground)
    whole = "\n".join([*lines, *(line for text in slices for line in plain_lines(text))])
    if intent.summarise:
        parts.append(_summary(path, whole, ground))
    else:
        if text := _outline(path, whole, ground):
            parts.append(text)
        parts.append(say("read_begins"))
        parts.append(quoted(lines, _HEAD_LINES))
        if len(lines) > _HEAD_LINES and result.state == "live":
            parts.append(say("more_lines", n=len(lines) - _HEAD_LINES))
    if result.state == "offloaded":
        key = "read_in_part" if slices else "read_offloaded"
        parts.append(say(key, stored=result.stored or path, n=len(slices)))
    return "\n\n".join(parts)


def _summary(path: str, text: str, ground: Ground) -> str:
    say = ground.speech
    if is_prose(path):
        pairs = extract(text)
        bullets = [f"- {f'**{heading}**: ' if heading else ''}{sentence}".rstrip(": ") for heading, sentence in pairs]
        return "\n".join([say("summary_extracted"), *bullets]) if bullets else say("summary_empty")
    parts = [say("summary_rules")]
    if sentence := _doc_sentence(text):
        parts.append(f"- {sentence}")
    if names := definitions(path, text):
        parts.append(f"- {say('defines', n=len(names), names=listed(names, 15))}")
    imports = sorted(
        {
            line.split()[1].split(".")[0]
            for line in text.splitlines()
            if line.startswith(("import ", "from ")) and len(line.split()) > 1
        }
    )
    if imports:
        parts.append(f"- {say('imports', names=listed(imports, 12))}")
    if len(parts) == 1:
        parts += [f"- {line.strip()[:160]}" for line in text.splitlines() if line.strip()][:6]
    return "\n".join(parts)


def _doc_sentence(text: str) -> str:
    """The first sentence of what a source file says of itself at its top."""
    top = text.lstrip()
    for opening, closing in (('"""', '"""'), ("'''", "'''"), ("/**", "*/"), ("/*", "*/")):
        start = top.find(opening)
        if 0 <= start < 200 and (end := top.find(closing, start + len(opening))) > 0:
            return first_sentence(top[start + len(opening) : end])
    return ""


def _outline(path: str, text: str, ground: Ground) -> str:
    say = ground.speech
    if is_prose(path):
        found = headings(text)
        return say("headings", n=len(found)) + "\n" + quoted(found, 20) if found else ""
    names = definitions(path, text)
    return say("defines", n=len(names), names=listed(names, 15)) if names else ""


def list_dir(intent: ListDir, ground: Ground) -> Step:
    """List a folder."""
    deed = ground.deed("list_dir", intent.path)
    if deed is None:
        return Ask((Wanted("list_dir", {"path": intent.path}),), ground.speech("say_list", path=intent.path))
    return _listing(deed, f"list_dir `{intent.path}`", "listed", intent.path, ground)


def glob(intent: Glob, ground: Ground) -> Step:
    """Find files by name."""
    deed = ground.deed("glob_files", intent.pattern)
    if deed is None:
        return Ask(
            (Wanted("glob_files", {"pattern": intent.pattern}),), ground.speech("say_glob", pattern=intent.pattern)
        )
    return _listing(deed, f"glob_files `{intent.pattern}`", "globbed", intent.pattern, ground)


def _listing(deed: Deed, what: str, key: str, about: str, ground: Ground) -> Step:
    say, result = ground.speech, deed.result
    if deed.failed:
        return Answer(failure(what, result, ground))
    if result is None or result.state == "cleared":
        return Answer(say("gone", what=what))
    names = entries(result.text)
    parts = [say(key, path=about, n=len(names)), quoted(result.text.splitlines(), _LISTING_LINES)]
    if result.state == "offloaded":
        parts.append(left_out(ground, result))
    elif len(result.text.splitlines()) > _LISTING_LINES:
        parts.append(say("more_lines", n=len(result.text.splitlines()) - _LISTING_LINES))
    return Answer("\n\n".join(filter(None, parts)))


def failure(what: str, result: Result | None, ground: Ground) -> str:
    """Say that a call was refused or failed, why, and what to do."""
    key = "refused" if result is not None and result.denied else "failed"
    return ground.speech(key, what=what, why=why(ground, result))

"""Looking over a whole project: list it, plan what to read, read it in small rounds, report what was seen.

The plan is said once, as a note; from then on the survey is a matter of which planned files have not been read. That
number falls with every round, whatever is cleared or summarised in between, so the survey ends.
"""

import re
from collections.abc import Sequence

from paitui.model.offline.ground import Answer, Ask, Ground, Step
from paitui.model.offline.outline import dependencies, entry_points, suffix_of
from paitui.model.offline.quoting import digest, entries, listed, parse_digests
from paitui.model.offline.ranking import is_test, kinds, plan, readable, tops
from paitui.model.offline.results import Result, next_offset, plain_lines
from paitui.model.offline.running import tests_command
from paitui.model.offline.searching import hits
from paitui.model.offline.tooling import Wanted
from paitui.model.offline.view import Deed

MAX_FILES = 60
"""Files that a survey reads."""
EVERYTHING = "**/*"
MARKS = "TODO|FIXME|XXX"
_FIRST_ROUND, _ROUND = 4, 3
_LISTINGS = 3
"""How often the listing is asked for, should it be taken away before it was used."""
_SLICE_LINES = 200
_ONE_LINE = ("layout", "tests", "todo")
"""Notes of which the newest holds."""


def survey(ground: Ground) -> Step:
    """Take the next step of a survey."""
    ground.all("list_dir")
    globs = ground.all("glob_files")
    greps = ground.all("grep_code")
    reads = ground.all("read_file")
    planned = _planned(ground)
    fresh: list[str] = []
    if planned is None:
        listing = next((deed for deed in reversed(globs) if deed.key == EVERYTHING), None)
        seen = listing.result if listing is not None else None
        if seen is None or seen.state == "cleared":
            if sum(deed.key == EVERYTHING for deed in globs) < _LISTINGS:
                calls = (Wanted("list_dir", {"path": "."}), Wanted("glob_files", {"pattern": EVERYTHING}))
                return Ask(calls, ground.speech("say_survey"), ground.speech("plan_survey"))
            return Answer(ground.speech("survey_blind"))
        if (more := _listing_on(seen, reads, ground)) is not None:
            return more
        paths = _paths(seen, reads, ground)
        planned = plan(paths, MAX_FILES)
        fresh = _first_notes(paths, seen, planned, ground)
    tried = _tried(reads, ground)
    open_ = [path for path in planned if path not in tried]
    fresh += _round_notes(reads, greps, ground)
    if not open_:
        return Answer(_report(fresh, ground))
    batch = open_[: _FIRST_ROUND if not tried else _ROUND]
    wanted = [Wanted("read_file", {"path": path}) for path in batch]
    known = {note.kind for note in ground.notes}
    due = (bool(tried) or len(batch) == len(open_)) and "grep_code" in ground.tools
    if due and "todo" not in known and not any(deed.key == MARKS for deed in greps):
        wanted.append(Wanted("grep_code", {"pattern": MARKS}))
    say = ground.speech("say_survey_read", files=listed(batch), left=len(open_) - len(batch))
    return Ask(tuple(wanted), "\n".join([*fresh, say]))


def _planned(ground: Ground) -> list[str] | None:
    """The plan as it was noted last; None if none is known."""
    notes = [note for note in ground.notes if note.kind == "plan"]
    return re.findall(r"`([^`]+)`", notes[-1].text) if notes else None


def _tried(reads: Sequence[Deed], ground: Ground) -> set[str]:
    noted = {path for note in ground.notes if note.kind == "read" for path in parse_digests(note.text)}
    return noted | {deed.key for deed in reads} | set(ground.facts)


def _listing_on(seen: Result, reads: Sequence[Deed], ground: Ground) -> Ask | None:
    """Read a listing that went to a file, as far as the window bears it."""
    if seen.state != "offloaded" or not seen.stored:
        return None
    by_key = {deed.key: deed for deed in reads}
    offset = 1
    for _ in range(max(1, min(8, ground.window // 6_000))):
        deed = by_key.get(f"{seen.stored}#{offset}")
        if deed is None:
            arguments = {"path": seen.stored, "offset": offset, "limit": _SLICE_LINES}
            return Ask((Wanted("read_file", arguments),), ground.speech("say_listing_on", stored=seen.stored))
        result = deed.result
        if deed.failed or result is None or result.state != "live":
            return None
        received = len(entries(result.text))
        offset = max(offset + 1, next_offset(result.text) or offset + received)
        if received < 2 or (seen.lines and offset > seen.lines):
            return None
    return None


def _paths(seen: Result, reads: Sequence[Deed], ground: Ground) -> list[str]:
    if seen.state != "offloaded":
        return entries("\n".join(plain_lines(seen.text)))
    prefix = f"{seen.stored}#"
    slices = [deed.result for deed in reads if deed.key.startswith(prefix) and not deed.failed]
    text = "\n".join(
        "\n".join(plain_lines(part.text)) for part in slices if part is not None and part.state == "live"
    )
    return list(dict.fromkeys(entries(text) or entries(seen.text.replace("[...]", ""))))


def _first_notes(paths: list[str], seen: Result, planned: Sequence[str], ground: Ground) -> list[str]:
    """What the listing alone tells."""
    say = ground.speech
    own = readable(paths)
    total = max(len(paths), seen.lines if seen.state == "offloaded" else 0)
    top = ", ".join(f"`{name}` {count:,}" for name, count in tops(paths))
    endings = ", ".join(f"{suffix} {count:,}" for suffix, count in kinds(own))
    notes = [say.note("layout", say("layout", n=total, top=top or say("no_folders"), kinds=endings))]
    if command := tests_command([path for path in paths if "/" not in path]):
        tests = sum(map(is_test, paths))
        notes.append(say.note("tests", say("tests_seen", n=tests, command=command)))
    notes.append(say.note("plan", say("plan", n=len(planned), files=", ".join(f"`{path}`" for path in planned))))
    return notes


def _round_notes(reads: Sequence[Deed], greps: Sequence[Deed], ground: Ground) -> list[str]:
    """What the results that no note tells of yet show."""
    say = ground.speech
    noted = {path for note in ground.notes if note.kind == "read" for path in parse_digests(note.text)}
    digests: list[str] = []
    notes: list[str] = []
    for deed in reads[-8:]:
        if deed.key in noted or "#" in deed.key or (result := deed.result) is None:
            continue
        if deed.failed:
            digests.append(f"`{deed.key}` (0: {say('unreadable')})")
            continue
        if result.state == "cleared":
            digests.append(f"`{deed.key}` ({result.lines:,})")
            continue
        digests.append(digest(deed.key, result))
        text = "\n".join(plain_lines(result.text))
        if names := dependencies(deed.key, text):
            notes.append(
                say.note(
                    "deps",
                    f"`{deed.key}`: {', '.join(names[:12])}{f' (+{len(names) - 12})' if len(names) > 12 else ''}",
                )
            )
        if starts := entry_points(deed.key, text):
            notes.append(say.note("entry", listed(starts, 6)))
    if digests:
        notes.insert(0, say.note("read", ", ".join(digests)))
    if not any(note.kind == "todo" for note in ground.notes):
        marks = next((deed for deed in reversed(greps) if deed.key == MARKS), None)
        found = marks.result if marks is not None else None
        if found is not None and found.state != "cleared":
            places = hits(found.text)
            where = [f"{path}:{line}" for path, line in places]
            notes.append(say.note("todo", say("todo", n=len(places), places=listed(where, 5) if where else "-")))
    return notes


def _report(fresh: Sequence[str], ground: Ground) -> str:
    """Tell what was seen: only what results showed, and what was not looked at."""
    say = ground.speech
    notes = [*ground.notes, *(note for line in fresh for note in say.notes(line))]
    by_kind: dict[str, list[str]] = {}
    for note in notes:
        noted = by_kind.setdefault(note.kind, [])
        if note.text not in noted:
            noted.append(note.text)
    files: dict[str, str] = {}
    for text in by_kind.get("read", []):
        for path, about in parse_digests(text).items():
            files[path] = about or files.get(path, "")
    lines = {path: _count(about) for path, about in files.items()}
    parts = [say("report_title")]
    endings = kinds([path for path in files if suffix_of(path)], 3)
    parts.append(f"- {say('report_kind', kinds=', '.join(f'{s} ({n})' for s, n in endings) or '-')}")
    for kind in ("layout", "entry", "deps", "tests", "todo"):
        texts = by_kind.get(kind, [])[-1:] if kind in _ONE_LINE else by_kind.get(kind, [])[:12]
        parts += [f"- {say(f'label_{kind}')}: {text}" for text in texts]
    largest = sorted(lines, key=lambda path: -lines[path])[:5]
    if largest:
        sizes = ", ".join(f"`{path}` {lines[path]:,}" for path in largest)
        parts.append(f"- {say('report_sizes', total=sum(lines.values()), files=len(files), largest=sizes)}")
    named = [(path, about.partition(": ")[2]) for path, about in files.items() if ": " in about]
    if named:
        parts.append(say("report_names"))
        parts += [f"  - `{path}`: {names}" for path, names in named[:40]]
    total = _count(by_kind["layout"][0]) if "layout" in by_kind else len(files)
    parts.append(say("report_read", n=len(files), files=listed(sorted(files), MAX_FILES)))
    parts.append(say("report_unread", n=max(0, total - len(files))))
    parts.append(say("report_open"))
    return "\n".join(parts)


def _count(text: str) -> int:
    found = re.search(r"[\d,]*\d", text)
    return int(found[0].replace(",", "")) if found else 0

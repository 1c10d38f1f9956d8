"""What is wrong here: each check says what it found and, where needed, what to do."""

import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from paitui import __version__, streams
from paitui.context.thresholds import OFFLINE_WINDOW, thresholds
from paitui.locale import Phrase, Words, phrase
from paitui.paths import Paths
from paitui.preflight import existing, home_fault, model_fault, project_fault
from paitui.settings import Loaded, Settings
from paitui.trust.safe_text import safe_text

Status = Literal["ok", "warn", "fail"]

FREE_WARN_MB, FREE_FAIL_MB = 500, 20
"""Free disk space, in megabytes, below which saving sessions is at risk, and below which it will fail."""


@dataclass(frozen=True, slots=True)
class Check:
    """One finding."""

    name: str
    """Stable name for scripts."""
    status: Status
    what: Phrase
    """What was found."""
    todo: Phrase | None = None
    """What the user can do about it."""


def run(places: Paths, loaded: Loaded, words: Words, *, as_json: bool = False) -> int:
    """Check everything and print the findings.

    Args:
        places: Home and project.
        loaded: The settings in effect, with what was wrong with their file.
        words: The user's language.
        as_json: Print one JSON object instead of lines.

    Returns:
        0 if nothing failed and the findings could be printed, else 1.
    """
    checks = list(examine(places, loaded, words, os.environ))
    unprinted = streams.put((json_report(checks, words) if as_json else text_report(checks, words)) + "\n")
    return int(bool(unprinted) or any(check.status == "fail" for check in checks))


def examine(places: Paths, loaded: Loaded, words: Words, environment: Mapping[str, str]) -> Iterator[Check]:
    """Make all checks, one after the other."""
    yield Check("python", "ok", phrase("doctor.python", version=platform.python_version(), path=sys.executable))
    yield Check("paitui", "ok", phrase("doctor.paitui", version=__version__, path=str(Path(__file__).parent)))
    yield packages()
    yield system(sys.platform)
    yield from terminal(environment)
    yield Check("locale", "ok", phrase("doctor.locale", language=words.language, locale=_locale(environment)))
    yield home(places.home)
    yield from settings_file(places.settings, loaded.problems)
    yield from project(places.project, places.tool_outputs)
    yield from model(loaded.settings, places.settings)
    yield sessions(places.sessions, places.ledgers)
    yield disk(places.home)


def text_report(checks: Sequence[Check], words: Words) -> str:
    """Give the findings as lines, with what to do below each and a closing line."""
    lines: list[str] = []
    for check in checks:
        lines.append(f"{words(f'doctor.{check.status}')}  {words.say(check.what)}")
        if check.todo:
            lines.append(f"      {words.say(check.todo)}")
    failed = sum(check.status == "fail" for check in checks)
    warned = sum(check.status == "warn" for check in checks)
    closing = words("doctor.closing", failed=failed, warned=warned) if failed or warned else words("doctor.fine")
    return "\n".join(safe_text(line, keep_newlines=False) for line in ("", *lines, "", closing)).strip()


def json_report(checks: Sequence[Check], words: Words) -> str:
    """Give the findings as one JSON object: `version`, `status` (the worst), `checks`."""
    worst = max((check.status for check in checks), key=("ok", "warn", "fail").index, default="ok")
    found = [
        {
            "name": check.name,
            "status": check.status,
            "what": words.say(check.what),
            "todo": words.say(check.todo) if check.todo else "",
        }
        for check in checks
    ]
    # Paths may hold bytes that UTF-8 cannot carry; ASCII escapes always print.
    return json.dumps({"version": __version__, "status": worst, "checks": found}, indent=2)


def packages() -> Check:
    """Look for the installed dependencies without importing them."""
    import re
    from importlib import metadata

    try:
        required = metadata.requires("paitui") or []
    except metadata.PackageNotFoundError:
        return Check("packages", "warn", phrase("doctor.not_installed"), phrase("doctor.install"))
    names = [re.split(r"[^\w.-]", line)[0] for line in required if "extra ==" not in line]
    there: dict[str, str] = {}
    for name in names:
        try:
            there[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue  # reported below as missing
    if missing := [name for name in names if name not in there]:
        what = phrase("doctor.packages_missing", names=", ".join(missing))
        return Check("packages", "fail", what, phrase("doctor.install"))
    listed = ", ".join(f"{name} {version}" for name, version in there.items())
    return Check("packages", "ok", phrase("doctor.packages", listed=listed))


def system(name: str) -> Check:
    """Say what the operating system lacks, by its name as in `sys.platform`."""
    if name == "win32":
        return Check("system", "warn", phrase("doctor.system", name=name), phrase("preflight.windows"))
    return Check("system", "ok", phrase("doctor.system", name=name))


def terminal(environment: Mapping[str, str]) -> Iterator[Check]:
    """Look at size, colours and encoding of the terminal."""
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if encoding == "utf8":
        yield Check("encoding", "ok", phrase("doctor.encoding", name=sys.stdout.encoding))
    else:
        what = phrase("doctor.encoding", name=sys.stdout.encoding or "?")
        yield Check("encoding", "warn", what, phrase("doctor.encoding_todo"))
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        yield Check("terminal", "warn", phrase("doctor.terminal_none"), phrase("doctor.terminal_none_todo"))
        return
    size = shutil.get_terminal_size()
    yield terminal_kind(environment, size.columns, size.lines)


def terminal_kind(environment: Mapping[str, str], columns: int, lines: int) -> Check:
    """Judge a terminal by its environment and its size in cells."""
    term = environment.get("TERM", "")
    what = phrase(
        "doctor.terminal", term=term or "?", columns=columns, lines=lines, colours=_colours(environment, term)
    )
    if term in ("", "dumb") and sys.platform != "win32":
        return Check("terminal", "warn", what, phrase("doctor.term_todo"))
    if columns < 60 or lines < 20:
        return Check("terminal", "warn", what, phrase("doctor.size_todo"))
    return Check("terminal", "ok", what)


def home(folder: Path) -> Check:
    """Look whether the home can be written and is private."""
    if fault := home_fault(folder):
        return Check("home", "fail", fault)
    if not os.path.exists(folder):
        return Check("home", "ok", phrase("doctor.home_new", home=str(folder)))
    mode = folder.stat().st_mode & 0o777
    if mode & 0o077 and sys.platform != "win32":
        what = phrase("doctor.home_open", home=str(folder), mode=f"{mode:04o}")
        return Check("home", "warn", what, phrase("doctor.home_open_todo", home=str(folder)))
    return Check("home", "ok", phrase("doctor.home", home=str(folder)))


def settings_file(file: Path, problems: Sequence[Phrase]) -> Iterator[Check]:
    """Repeat what was wrong with the settings file."""
    for problem in problems:
        yield Check("settings", "warn", problem, phrase("doctor.settings_todo"))
    if not problems:
        there = "doctor.settings" if os.path.exists(file) else "doctor.settings_none"
        yield Check("settings", "ok", phrase(there, file=str(file)))


def project(folder: Path, outputs: Path) -> Iterator[Check]:
    """Look whether the agent can work in the folder, and whether its changes can be undone."""
    if fault := project_fault(folder):
        yield Check("project", "fail", fault)
        return
    if not os.access(folder, os.W_OK):
        what = phrase("doctor.project_read_only", project=str(folder))
        yield Check("project", "warn", what, phrase("doctor.project_read_only_todo"))
    else:
        yield Check("project", "ok", phrase("doctor.project", project=str(folder)))
    # A lone look for .git: running git would obey the configuration of a folder that nobody trusted yet.
    if any(os.path.exists(parent / ".git") for parent in (folder, *folder.parents)):
        yield Check("git", "ok", phrase("doctor.git"))
    else:
        yield Check("git", "warn", phrase("doctor.git_none"), phrase("doctor.git_todo"))
    if os.path.exists(outputs) and not os.path.exists(outputs / ".gitignore"):
        what = phrase("doctor.outputs_tracked", folder=str(outputs))
        yield Check("outputs", "warn", what, phrase("doctor.outputs_todo"))
    else:
        yield Check("outputs", "ok", phrase("doctor.outputs", folder=str(outputs)))


def model(settings: Settings, file: Path) -> Iterator[Check]:
    """Say which model is used, and where its window puts the thresholds."""
    if fault := model_fault(settings, file):
        yield Check("model", "fail", fault)
        return
    if settings.model == "offline":
        yield Check("model", "ok", phrase("doctor.model_offline"))
        window = settings.context.window or OFFLINE_WINDOW
    else:
        try:
            from paitui.engine.probe import probe
        except ImportError as error:  # the packages' own check says what to do
            yield Check("model", "fail", phrase("doctor.model_packages", name=settings.model, why=str(error)))
            return
        found = probe(settings, os.environ)
        window = found.window
        yield Check("model", found.status, found.what, found.todo)
    marks = thresholds(window, settings.context.clear_at)
    what = phrase("doctor.window", window=marks.window, clear_at=marks.clear_at, summary_at=marks.summary_at)
    yield Check("window", "ok", what)


def sessions(folder: Path, ledgers: Path) -> Check:
    """Count what is stored."""
    try:
        count = sum(1 for entry in os.scandir(folder) if entry.is_dir()) if os.path.isdir(folder) else 0
        megabytes = (_bytes(folder) + _bytes(ledgers)) / 1e6
    except OSError as error:
        what = phrase("doctor.sessions_unreadable", folder=str(folder), why=error.strerror or str(error))
        return Check("sessions", "warn", what, phrase("doctor.sessions_todo", folder=str(folder)))
    return Check("sessions", "ok", phrase("doctor.sessions", count=count, megabytes=megabytes))


def disk(folder: Path) -> Check:
    """Look at the space left where sessions are saved."""
    free = shutil.disk_usage(existing(folder)).free // 1_000_000
    what = phrase("doctor.disk", megabytes=free, folder=str(folder))
    if free >= FREE_WARN_MB:
        return Check("disk", "ok", what)
    return Check("disk", "fail" if free < FREE_FAIL_MB else "warn", what, phrase("doctor.disk_todo"))


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if os.path.isdir(folder) else 0


def _locale(environment: Mapping[str, str]) -> str:
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    return next((f"{name}={environment[name]}" for name in names if environment.get(name)), "LANG=")


def _colours(environment: Mapping[str, str], term: str) -> str:
    if environment.get("NO_COLOR"):
        return "NO_COLOR"
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return "16,777,216"
    return "256" if "256" in term else "16"

"""Running a command, or the project's tests, and telling how it ended."""

import re
from collections.abc import Sequence

from paitui.model.offline.ground import Answer, Ask, Ground, Step
from paitui.model.offline.intents import Run
from paitui.model.offline.quoting import entries, left_out, quoted, why
from paitui.model.offline.tooling import Wanted

_EXIT = re.compile(
    r"(?:exit(?:ed)?(?: with)?(?: (?:status|code))?|退出(?:码|状态码?)|状态码)\W{0,6}(-?\d+)", re.IGNORECASE
)
_STATED = re.compile(r"^\[exit (-?\d+)\]", re.MULTILINE)
_TROUBLE = re.compile(
    r"\bFAILED\b|\bFAIL\b|^E  |(?:Error|Exception)\b|\berror(?:\[|:)|^not ok\b|✗|✕|Traceback|panicked at|fatal:"
    r"|command not found|No such file|\d+ failed",
    re.IGNORECASE | re.MULTILINE,
)
_ALL_WELL = re.compile(r"\b0 (?:failed|errors?|failures?)\b", re.IGNORECASE)
_TAIL = 12
_TEST_COMMANDS: Sequence[tuple[tuple[str, ...], str]] = (
    (
        ("pyproject.toml", "pytest.ini", "setup.py", "tox.ini", "setup.cfg", "conftest.py", "requirements.txt"),
        "python -m pytest -q",
    ),
    (("package.json",), "npm test"),
    (("pom.xml",), "mvn -q test"),
    (("build.gradle", "build.gradle.kts"), "gradle test"),
    (("go.mod",), "go test ./..."),
    (("Cargo.toml",), "cargo test"),
    (("Makefile",), "make test"),
)


def tests_command(names: Sequence[str]) -> str:
    """The command that runs a project's tests, by the files at its top; empty if none tells."""
    present = {name.rstrip("/") for name in names}
    return next((command for marks, command in _TEST_COMMANDS if present.intersection(marks)), "")


def exit_status(text: str) -> int | None:
    """The exit status that a command's result states, at its beginning or its end."""
    if stated := _STATED.findall(text[-400:]) or _STATED.findall(text[:400]):
        return int(stated[-1])
    for part in (text[:400], text[-400:]):
        if match := _EXIT.search(part):
            return int(match[1])
    return None


def trouble(text: str, limit: int = 10) -> list[str]:
    """The lines that name what failed."""
    lines = (line.strip() for line in text.splitlines())
    found = [line for line in lines if _TROUBLE.search(line) and not _ALL_WELL.search(line)]
    return list(dict.fromkeys(found))[:limit]


def run(intent: Run, ground: Ground) -> Step:
    """Run a command; for "the tests", first see what kind of project it is."""
    say, command = ground.speech, intent.command
    if not command:
        listing = ground.deed("list_dir", ".")
        if listing is None:
            return Ask((Wanted("list_dir", {"path": "."}),), say("say_which_tests"))
        seen = listing.result
        command = tests_command(entries(seen.text)) if seen is not None and not listing.failed else ""
        if not command and (earlier := ground.all("execute_command")):
            command = earlier[0].key
        if not command:
            return Answer(say("no_tests"))
    deed = ground.deed("execute_command", command)
    if deed is None:
        if "execute_command" not in ground.tools:
            return Answer(say("no_tool", tool="execute_command"))
        return Ask((Wanted("execute_command", {"command": command}),), say("say_run", command=command))
    result = deed.result
    if result is None:
        return Answer(say("ran_noted", command=command, note=deed.note or say("nothing_noted")))
    if result.denied:
        return Answer(say("refused", what=f"execute_command `{command}`", why=why(ground, result)))
    if result.state == "cleared":
        return Answer(say("gone", what=f"execute_command `{command}`"))
    status = exit_status(result.text)
    if status is None:
        status = 0 if result.ok else None
    ended = (
        say("ran_ok", command=command)
        if result.ok and not status
        else say("ran_failed", command=command, status=say("unknown_status") if status is None else str(status))
    )
    parts = [ended]
    failing = trouble(result.text) if not result.ok else []
    if failing:
        parts += [say("ran_trouble"), quoted(failing, 10)]
    lines = [line for line in result.text.splitlines() if line.strip()]
    if lines:
        parts += [say("ran_tail"), quoted(lines[-_TAIL:], _TAIL)]
    if result.state == "offloaded":
        parts.append(left_out(ground, result))
    return Answer("\n\n".join(parts))

"""What the user asked for on the command line, checked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from paitui.locale import Language, Phrase, phrase
from paitui.replay import PolicyName
from paitui.settings import Loaded

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from paitui.headless.ledger_call import LedgerCall
    from paitui.headless.memory_call import MemoryCall
    from paitui.headless.sessions_call import SessionsCall

Output = Literal["text", "json", "stream-json"]
Approve = Literal["ask", "reads", "all"]
TrustVerb = Literal["grant", "show", "revoke"]

OUTPUTS: tuple[Output, ...] = ("text", "json", "stream-json")
APPROVES: tuple[Approve, ...] = ("ask", "reads", "all")
POLICIES: tuple[PolicyName, ...] = ("paitui", "baseline")
LANGUAGES: tuple[Language, ...] = ("en", "zh")
SHELLS: tuple[str, ...] = ("bash", "zsh", "fish")
WINDOW_LOW, WINDOW_HIGH = 8_000, 10_000_000
"""Smallest and largest context window that can be asked for, in tokens."""


class UsageError(Exception):
    """The arguments make no sense.

    Attributes:
        phrase: What is wrong and what to do.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


@dataclass(frozen=True, slots=True)
class Arguments:
    """The command line, checked for all that can be known without looking at files."""

    prompt: str | None = None
    """Task for a run without a screen, ``-`` to read it from standard input; None opens the screen."""
    output: Output | None = None
    """Form of the answer of such a run; None if not asked for."""
    approve: Approve | None = None
    """Who approves writes and commands; None if not asked for."""
    model: str = ""
    """Wins over the setting."""
    window: int = 0
    """Context size in tokens; wins over the setting unless 0."""
    project: Path | None = None
    """Folder to work in; the current one if None."""
    continue_last: bool = False
    """Go on with the newest session of the project."""
    resume: str = ""
    """Go on with this session."""
    language: Language | Literal[""] = ""
    """Wins over setting and locale."""
    plain: bool = False
    """Lines in place of the full screen."""
    doctor: bool = False
    """Look for what is wrong instead of working."""
    replay: Path | None = None
    """Feed this recorded session through the context manager instead of working."""
    policy: PolicyName | None = None
    """For a replay: who decides; None if not asked for."""
    memory: "MemoryCall | None" = None
    """Do this with long-term memory instead of working."""
    sessions: "SessionsCall | None" = None
    """Do this with stored sessions instead of working."""
    ledger: "LedgerCall | None" = None
    """Do this with the raw record of a session instead of working."""
    completions: str = ""
    """Print the completion script for this shell."""
    trust: TrustVerb | None = None
    """Do this with the trust in the project's own files instead of working."""
    json: bool = False
    """For the doctor, a replay and the memory: print JSON."""
    help: bool = False
    """Print the help."""
    version: bool = False
    """Print the version."""

    def going_on_with(self, session: str) -> "Arguments":
        """Give the same, but for another session, which keeps its own model."""
        return replace(self, resume=session, continue_last=False, model="")

    def applied_to(self, loaded: Loaded) -> Loaded:
        """Give the settings with what the command line overrides."""
        settings = loaded.settings
        if self.model:
            settings = replace(settings, model=self.model)
        if self.window:
            settings = replace(settings, context=replace(settings.context, window=self.window))
        return replace(loaded, settings=settings)


def parser() -> "ArgumentParser":
    """Build the parser: names and shapes only, no help texts and no checks of values."""
    import argparse

    class Parser(argparse.ArgumentParser):
        """Turns a line it cannot read into a phrase, since argparse speaks English only."""

        def error(self, message: str) -> NoReturn:
            raise UsageError(phrase("cli.unclear", why=message))

    made = Parser(prog="paitui", add_help=False, allow_abbrev=False, exit_on_error=False)
    made.add_argument("-p", "--print", dest="prompt", nargs="?", const="-")
    for name in ("output", "approve", "model", "window", "project", "resume", "lang", "policy", "completions"):
        made.add_argument(f"--{name}")
    for name in ("continue", "plain", "json", "version", "show", "revoke"):
        made.add_argument(f"--{name}", action="store_true")
    made.add_argument("-h", "--help", action="store_true")
    return made


def parse(argv: Sequence[str]) -> Arguments:
    """Read the command line.

    Args:
        argv: The arguments without the program's name.

    Returns:
        What is asked for.

    Raises:
        UsageError: An option is unknown, lacks a value, has a bad one, or does not go with another.
    """
    if not argv:
        return Arguments()  # the plain start, spared the loading of argparse
    from argparse import ArgumentError

    made = parser()
    argv, memory = _memory(made, argv)
    argv, sessions = _sessions(made, argv)
    argv, ledger = _ledger(made, argv)
    try:
        found, rest = made.parse_known_args(list(argv))
    except ArgumentError as error:
        option = (error.argument_name or "").rpartition("/")[2]
        key = "cli.needs_value" if _takes_value(made, option) else "cli.takes_no_value"
        raise UsageError(phrase(key, option=option)) from error
    trusts = rest[:1] == ["trust"]
    doctor, replay = _subcommand(made, rest[1:] if trusts else rest)
    asked = Arguments(
        prompt=found.prompt,
        output=_choice("--output", found.output, OUTPUTS),
        approve=_choice("--approve", found.approve, APPROVES),
        model=_text("--model", found.model),
        window=_window(found.window),
        project=Path(_text("--project", found.project)).expanduser() if found.project is not None else None,
        continue_last=getattr(found, "continue"),
        resume=_text("--resume", found.resume),
        language=_choice("--lang", found.lang, LANGUAGES) or "",
        plain=found.plain,
        doctor=doctor,
        replay=replay,
        policy=_choice("--policy", found.policy, POLICIES),
        memory=memory,
        sessions=sessions,
        ledger=ledger,
        completions=_choice("--completions", found.completions, SHELLS) or "",
        trust=_trust(trusts, found.show, found.revoke),
        json=found.json or (memory is not None and memory.json),
        help=found.help,
        version=found.version,
    )
    if asked.sessions is not None:
        asked = replace(asked, json=asked.json or asked.sessions.json)
    if asked.ledger is not None:
        asked = replace(asked, json=asked.json or asked.ledger.json)
    if not (asked.help or asked.version):
        _check_together(asked)
    return asked


def resuming(argv: Sequence[str], session: str) -> list[str]:
    """Give a command line that goes on with a session, and is otherwise the same.

    Args:
        argv: Arguments that started a screen.
        session: The session's id.
    """
    kept: list[str] = []
    named = False
    for argument in argv:
        if not named and argument != "--continue" and argument.partition("=")[0] != "--resume":
            kept.append(argument)
        named = argument == "--resume"  # its value comes next
    return [*kept, "--resume", session]


def wanted_language(argv: Sequence[str]) -> str:
    """Find the language asked for in a line that could not be read as a whole; empty if there is none."""
    for at, argument in enumerate(argv):
        name, _, value = argument.partition("=")
        if name == "--lang":
            value = value or next(iter(argv[at + 1 : at + 2]), "")
            return value if value in LANGUAGES else ""
    return ""


def _check_together(asked: Arguments) -> None:
    if asked.continue_last and asked.resume:
        raise UsageError(phrase("cli.resume_or_continue"))
    if asked.sessions:
        if stray := _stray(asked):
            raise UsageError(phrase("sessions_cli.not_with", option=stray))
        return
    if asked.ledger:
        if stray := _stray(asked):
            raise UsageError(phrase("ledger_cli.not_with_ledger", option=stray))
        return
    if asked.policy and not asked.replay:
        raise UsageError(phrase("replay.policy_alone"))
    if asked.doctor or asked.replay or asked.memory or asked.trust:
        if stray := _stray(asked):
            key = "replay.not_with" if asked.replay else "memory_cli.not_with_memory"
            key = "cli.not_with_doctor" if asked.doctor else "project_trust.not_with" if asked.trust else key
            raise UsageError(phrase(key, option=stray))
    elif asked.json:
        raise UsageError(phrase("cli.json_of_doctor"))
    elif asked.output and asked.prompt is None:
        raise UsageError(phrase("cli.output_needs_print"))
    elif asked.plain and asked.prompt is not None:
        raise UsageError(phrase("cli.plain_or_print"))


def _stray(asked: Arguments) -> str:
    """Name an option that belongs to a session, if there is one."""
    given = {
        "-p": asked.prompt is not None,
        "--output": asked.output is not None,
        "--approve": asked.approve is not None,
        "--continue": asked.continue_last,
        "--resume": bool(asked.resume),
        "--plain": asked.plain,
    }
    return next((name for name, there in given.items() if there), "")


def _sessions(made: "ArgumentParser", argv: Sequence[str]) -> tuple[Sequence[str], "SessionsCall | None"]:
    """Take off what belongs to `sessions`, as `_memory` does."""
    at = _first_word(made, argv)
    if argv[at : at + 1] != ["sessions"]:
        return argv, None
    from paitui.headless.memory_call import CallError  # only needed for this command
    from paitui.headless.sessions_call import read_call

    try:
        call = read_call(argv[at + 1 :])
    except CallError as error:
        raise UsageError(error.phrase) from error
    options = [part for option in call.options.items() for part in option]
    return [*argv[:at], *options, *(["--help"] if call.help else [])], call


def _ledger(made: "ArgumentParser", argv: Sequence[str]) -> tuple[Sequence[str], "LedgerCall | None"]:
    """Take off what belongs to `ledger`, as `_memory` does."""
    at = _first_word(made, argv)
    if argv[at : at + 1] != ["ledger"]:
        return argv, None
    from paitui.headless.ledger_call import read_call  # only needed for this command
    from paitui.headless.memory_call import CallError

    try:
        call = read_call(argv[at + 1 :])
    except CallError as error:
        raise UsageError(error.phrase) from error
    options = [part for option in call.options.items() for part in option]
    return [*argv[:at], *options, *(["--help"] if call.help else [])], call


def _first_word(made: "ArgumentParser", argv: Sequence[str]) -> int:
    """Find the first word that is no option and no value of one."""
    at = 0
    while at < len(argv) and argv[at].startswith("-") and argv[at] != "--":
        at += 2 if _takes_value(made, argv[at]) else 1
    return at


def _memory(made: "ArgumentParser", argv: Sequence[str]) -> tuple[Sequence[str], "MemoryCall | None"]:
    """Take off what belongs to `memory`, if that is the first word that is no option: facts are no options.

    Returns:
        The other arguments, with those of its options that hold for every command, and what it asks for.
    """
    at = _first_word(made, argv)
    if argv[at : at + 1] != ["memory"]:
        return argv, None
    from paitui.headless.memory_call import CallError, read_call  # only needed for this command

    try:
        call = read_call(argv[at + 1 :])
    except CallError as error:
        raise UsageError(error.phrase) from error
    options = [part for option in call.options.items() for part in option]
    return [*argv[:at], *options, *(["--help"] if call.help else [])], call


def _trust(meant: bool, show: bool, revoke: bool) -> TrustVerb | None:
    """Read what is to be done with the trust in a project."""
    if not meant and (show or revoke):
        raise UsageError(phrase("project_trust.alone", option="--show" if show else "--revoke"))
    if show and revoke:
        raise UsageError(phrase("project_trust.one_of"))
    return None if not meant else "show" if show else "revoke" if revoke else "grant"


def _subcommand(made: "ArgumentParser", rest: Sequence[str]) -> tuple[bool, Path | None]:
    """Read what no option claimed: nothing, or one of the subcommands.

    Returns:
        Whether the doctor is meant, and the file of a replay.
    """
    rest = [argument for argument in rest if argument != "--"]
    for argument in rest:
        if argument.startswith("-") and argument != "-":
            raise UsageError(_unknown_option(made, argument.partition("=")[0]))
    if rest[:1] == ["replay"]:
        if len(rest) == 1 or not rest[1].strip():
            raise UsageError(phrase("replay.needs_file"))
        if len(rest) > 2:
            raise UsageError(phrase("cli.unexpected", argument=rest[2]))
        return False, Path(rest[1]).expanduser()
    if rest and rest != ["doctor"]:
        raise UsageError(phrase("cli.unexpected", argument=next((r for r in rest if r != "doctor"), rest[-1])))
    return bool(rest), None


def _unknown_option(made: "ArgumentParser", option: str) -> Phrase:
    from difflib import get_close_matches  # only needed for a mistyped option

    known = [name for action in made._actions for name in action.option_strings]
    if close := get_close_matches(option, known, n=1):
        return phrase("cli.unknown_option_close", option=option, close=close[0])
    return phrase("cli.unknown_option", option=option)


def _takes_value(made: "ArgumentParser", option: str) -> bool:
    return any(option in action.option_strings and action.nargs != 0 for action in made._actions)


def _text(option: str, value: str | None) -> str:
    if value is not None and not value.strip():
        raise UsageError(phrase("cli.needs_value", option=option))
    return value or ""


def _choice(option: str, value: str | None, choices: tuple[Any, ...]) -> Any:
    if value is None or value in choices:
        return value
    raise UsageError(phrase("cli.choice", option=option, choices=", ".join(choices), value=value))


def _window(value: str | None) -> int:
    if value is None:
        return 0
    digits = value.replace(",", "").replace("_", "")
    if not (digits.isascii() and digits.isdigit() and WINDOW_LOW <= int(digits[:12]) <= WINDOW_HIGH):
        raise UsageError(phrase("cli.window", value=value, low=WINDOW_LOW, high=WINDOW_HIGH))
    return int(digits)

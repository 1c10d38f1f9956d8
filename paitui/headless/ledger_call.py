"""The arguments of `paitui ledger`, read into what is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from paitui.headless.memory_call import CallError
from paitui.ledger.index import LedgerFilter
from paitui.locale import phrase

Verb = Literal["list", "tail", "check", "export", "show"]
Form = Literal["jsonl", "markdown"]

SHAPES: dict[Verb, str] = {
    "list": "[--all]",
    "tail": "[-n N] [-f] [--event E] [--role R] [--unit U] [--tool T] [<session>]",
    "check": "[--all | <session>]",
    "export": "[--format jsonl|markdown] [--event E] [--role R] [--unit U] [--tool T] [<session> [<file>]]",
    "show": "[--around] [<session>] <number>",
}
"""What belongs to each verb, as the help writes it."""
FORMS: tuple[Form, ...] = ("jsonl", "markdown")
TAIL_LINES = 20
"""Lines of a tail, unless `-n` says otherwise."""
MOST_LINES = 1_000_000
_FILTERS = ("--event", "--role", "--unit", "--tool")
_COMMON_FLAGS = ("--json", "--help", "-h")
_COMMON_VALUED = ("--project", "--lang")
_FLAGS: dict[Verb, tuple[str, ...]] = {
    "list": ("--all",),
    "tail": ("-f", "--follow"),
    "check": ("--all",),
    "export": (),
    "show": ("--around",),
}
_VALUED: dict[Verb, tuple[str, ...]] = {
    "list": (),
    "tail": ("-n", *_FILTERS),
    "check": (),
    "export": ("--format", *_FILTERS),
    "show": (),
}
OPTIONS = tuple(
    dict.fromkeys(
        option
        for options in (_COMMON_FLAGS, _COMMON_VALUED, *_FLAGS.values(), *_VALUED.values())
        for option in options
    )
)
"""All options that stand behind `paitui ledger`."""


@dataclass(frozen=True, slots=True)
class LedgerCall:
    """What `paitui ledger` was asked for."""

    verb: Verb = "list"
    session: str = ""
    """A session's id, the beginning of one, or a file; empty for the newest of the project."""
    seq: int = 0
    """The number of the record to show."""
    lines: int = TAIL_LINES
    follow: bool = False
    which: LedgerFilter = field(default_factory=LedgerFilter)
    form: Form = "jsonl"
    file: str = "-"
    """Where an export goes; ``-`` for standard output."""
    around: bool = False
    everywhere: bool = False
    json: bool = False
    help: bool = False
    options: dict[str, str] = field(default_factory=dict, hash=False)
    """``--project`` and ``--lang``, as they were given."""


def read_call(given: Sequence[str]) -> LedgerCall:
    """Read what stands behind `paitui ledger`; nothing lists.

    Args:
        given: The arguments; options may stand anywhere.

    Raises:
        CallError: A verb or an option is unknown, or something is missing or too much.
    """
    words, flags, values = _sorted(given)
    verb = _verb(words[0]) if words else "list"
    options = {name: value for name, value in values.items() if name in _COMMON_VALUED}
    if "--help" in flags or "-h" in flags:
        return LedgerCall(verb, help=True, options=options)
    allowed = (*_COMMON_FLAGS, *_COMMON_VALUED, *_FLAGS[verb], *_VALUED[verb])
    for option in (*flags, *values):
        if option not in allowed:
            raise CallError(phrase("ledger_cli.not_with", option=option, usage=usage(verb)))
    wrong = CallError(phrase("ledger_cli.usage", usage=usage(verb)))
    operands = words[1:]
    if any(not word.strip() for word in operands) or (operands and "--all" in flags):
        raise wrong
    session, file, seq = "", "-", 0
    match verb, operands:
        case ("show", [number]):
            seq = _number(number, "<number>", 1 << 62)
        case ("show", [session, number]):
            seq = _number(number, "<number>", 1 << 62)
        case ("tail" | "check" | "export", [session]):
            pass
        case ("export", [session, file]):
            pass
        case ("list" | "tail" | "check" | "export", []):
            pass
        case _:
            raise wrong
    return LedgerCall(
        verb=verb,
        session=session,
        seq=seq,
        lines=_number(values["-n"], "-n", MOST_LINES) if "-n" in values else TAIL_LINES,
        follow="-f" in flags or "--follow" in flags,
        which=LedgerFilter(*(values.get(name, "") for name in _FILTERS)),
        form=_form(values.get("--format", ""), file),
        file=file,
        around="--around" in flags,
        everywhere="--all" in flags,
        json="--json" in flags,
        options=options,
    )


def usage(verb: Verb) -> str:
    """Give how a verb is written."""
    return f"paitui ledger {verb} {SHAPES[verb]}".strip()


def _sorted(given: Sequence[str]) -> tuple[list[str], list[str], dict[str, str]]:
    words, flags, values = list[str](), list[str](), dict[str, str]()
    valued = {*_COMMON_VALUED, *(name for names in _VALUED.values() for name in names)}
    rest = list(given)
    while rest:
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if word == "--":
            words += rest
            break
        if option in valued:
            if not equals and not rest:
                raise CallError(phrase("cli.needs_value", option=option))
            values[option] = value if equals else rest.pop(0)
        elif word.startswith("-n") and word[2:].isdigit():
            values["-n"] = word[2:]
        elif word in OPTIONS:
            flags.append(word)
        elif word.startswith("-") and word != "-":
            raise CallError(phrase("ledger_cli.unknown_option", option=word))
        else:
            words.append(word)
    return words, flags, values


def _verb(word: str) -> Verb:
    for verb in SHAPES:
        if verb == word:
            return verb
    from difflib import get_close_matches  # only needed for a mistyped verb

    close = get_close_matches(word, SHAPES, n=1)
    known = close[0] if close else ", ".join(SHAPES)
    raise CallError(phrase("ledger_cli.unknown_close" if close else "ledger_cli.unknown", verb=word, known=known))


def _number(value: str, option: str, most: int) -> int:
    digits = value.replace(",", "").replace("_", "")
    if not (digits.isascii() and digits.isdigit() and 1 <= int(digits[:20]) <= most):
        raise CallError(phrase("ledger_cli.number", option=option, value=value, most=most))
    return int(digits)


def _form(asked: str, file: str) -> Form:
    if not asked:
        return "markdown" if file.endswith((".md", ".markdown")) else "jsonl"
    for form in FORMS:
        if form == asked:
            return form
    raise CallError(phrase("cli.choice", option="--format", choices=", ".join(FORMS), value=asked))

"""The arguments of `paitui sessions`, read into what is asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from paitui.headless.memory_call import CallError
from paitui.locale import phrase

Verb = Literal["list", "show", "export", "fork", "delete"]

SHAPES: dict[Verb, str] = {
    "list": "[--all]",
    "show": "<id>",
    "export": "<id> [markdown|html] [<file>]",
    "fork": "<id>",
    "delete": "[--ledger] [--force] <id>",
}
"""What belongs to each verb, as the help writes it."""
FORMS = ("markdown", "html")
_FLAGS = ("--all", "--json", "--ledger", "--force", "--help", "-h")
_VALUED = ("--project", "--lang")
OPTIONS = (*_FLAGS, *_VALUED)
"""All options that stand behind `paitui sessions`."""
_TAKES: dict[str, tuple[Verb, ...]] = {"--all": ("list",), "--ledger": ("delete",), "--force": ("delete",)}


@dataclass(frozen=True, slots=True)
class SessionsCall:
    """What `paitui sessions` was asked for."""

    verb: Verb = "list"
    id: str = ""
    """A session's id, or the beginning of one."""
    form: str = ""
    """Of an export; empty for what the file's ending says."""
    file: str = ""
    """Of an export; empty for a new one in the project."""
    everywhere: bool = False
    ledger: bool = False
    """Delete the raw record too."""
    force: bool = False
    json: bool = False
    help: bool = False
    options: dict[str, str] = field(default_factory=dict, hash=False)
    """``--project`` and ``--lang``, as they were given."""


def read_call(given: Sequence[str]) -> SessionsCall:
    """Read what stands behind `paitui sessions`; nothing lists.

    Raises:
        CallError: A verb or an option is unknown, or something is missing or too much.
    """
    words, flags, options = list[str](), list[str](), dict[str, str]()
    rest = list(given)
    while rest:
        word = rest.pop(0)
        option, equals, value = word.partition("=")
        if word == "--":
            words += rest
            break
        if option in _VALUED:
            if not equals and not rest:
                raise CallError(phrase("cli.needs_value", option=option))
            options[option] = value if equals else rest.pop(0)
        elif word in _FLAGS:
            flags.append(word)
        elif word.startswith("-"):
            raise CallError(phrase("sessions_cli.unknown_option", option=word))
        else:
            words.append(word)
    verb = _verb(words[0]) if words else "list"
    if "--help" in flags or "-h" in flags:
        return SessionsCall(verb, help=True, options=options)
    for flag in flags:
        if verb not in _TAKES.get(flag, SHAPES):
            raise CallError(phrase("sessions_cli.not_with_verb", option=flag, usage=usage(verb)))
    name, form, file = _operands(verb, words[1:])
    return SessionsCall(
        verb=verb,
        id=name,
        form=form,
        file=file,
        everywhere="--all" in flags,
        ledger="--ledger" in flags,
        force="--force" in flags,
        json="--json" in flags,
        options=options,
    )


def usage(verb: Verb) -> str:
    """Give how a verb is written."""
    return f"paitui sessions {verb} {SHAPES[verb]}".strip()


def _verb(word: str) -> Verb:
    for verb in SHAPES:
        if verb == word:
            return verb
    raise CallError(phrase("sessions_cli.unknown", verb=word, known=", ".join(SHAPES)))


def _operands(verb: Verb, words: list[str]) -> tuple[str, str, str]:
    """Read the words behind a verb as id, form and file."""
    match verb, words:
        case "list", []:
            return "", "", ""
        case (("show" | "fork" | "delete" | "export"), [name]) if name.strip():
            return name, "", ""
        case "export", [name, form] if form in FORMS:
            return name, form, ""
        case "export", [name, file] if file.strip():
            return name, "", file
        case "export", [name, form, file] if form in FORMS and file.strip():
            return name, form, file
        case _:
            raise CallError(phrase("sessions_cli.usage", usage=usage(verb)))

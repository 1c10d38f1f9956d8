"""Where `paitui memory` reads and writes: the fact on standard input, the answer, warnings on standard error."""

import sys

from paitui import streams
from paitui.headless.jsonlines import dump
from paitui.headless.memory_answer import EXIT_CODES, Answer
from paitui.locale import Phrase, Words, phrase
from paitui.trust.safe_text import safe_text

_STDIN_BYTES = 1_000_000


def standard_input() -> str | Phrase:
    """Read a fact from standard input, or say why there is none."""
    if sys.stdin is None or sys.stdin.isatty():
        return phrase("memory_cli.nothing_piped")
    data = sys.stdin.buffer.read(_STDIN_BYTES)
    if b"\0" in data:
        return phrase("memory_cli.not_text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return phrase("memory_cli.not_text")


def put_answer(answer: Answer, as_json: bool, words: Words) -> int:
    """Print what came of a command.

    Args:
        answer: What came of it.
        as_json: As one object, exact to the byte; else as lines that are safe for a terminal.
        words: The user's language.

    Returns:
        The exit code.
    """
    for problem in answer.problems:
        _complain(words.say(problem))
    if answer.error:
        _complain(words.say(answer.error))
    if as_json:
        told = {"error": words.say(answer.error)} if answer.error else {}
        problems = {"problems": [words.say(one) for one in answer.problems]} if answer.problems else {}
        text = dump({"status": answer.status, **answer.data, **told, **problems}) + "\n"
    else:
        text = "".join(safe_text(line, keep_newlines=False) + "\n" for line in answer.lines)
    broken = streams.put(text) if text else None
    if broken is not None and not isinstance(broken, BrokenPipeError):
        _complain(words("headless.cannot_print", why=broken.strerror or str(broken)))
    return 1 if broken is not None else EXIT_CODES[answer.status]


def _complain(text: str) -> None:
    streams.complain(f"paitui: {safe_text(text, keep_newlines=False)}")

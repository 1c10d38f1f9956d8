"""Words by which the answers of a unit are understood; models are told to use them, the program looks for them."""

FAILED = "TASK FAILED:"
"""How the answer to a task begins that could not be done."""


def failure_of(answer: str) -> str | None:
    """What an answer says went wrong; None if it does not begin by saying so."""
    text = answer.strip().lstrip("*# ")
    return text[len(FAILED) :].strip(" *\n") if text.upper().startswith(FAILED) else None

"""Whether a request was refused because it is longer than the model takes.

The library's own judgement looks for words anywhere in the text, and so finds a third of the real ones and takes a
quoted prompt for one. Here codes count, and how a message begins (see `faults.toml`); and a refusal without usable
words counts as an overflow while the request nearly fills the window.
"""

from paitui.model.statement import Statement

NEARLY_FULL = 0.8
"""Share of the window from which a refusal with status 400 or 413 is put down to the length."""


def is_overflow(
    status: int | None, said: Statement, codes: list[str], wordings: list[str], estimate: int = 0, window: int = 0
) -> bool:
    """Judge a request that failed for none of the other known reasons (key, rights, money, quota, rate, time).

    Args:
        status: HTTP status; None without one.
        said: What the provider said.
        codes: Codes that name an overflow, in lower case.
        wordings: How messages about an overflow begin.
        estimate: Tokens of the request, as estimated; 0 if unknown.
        window: Tokens the model takes; 0 if unknown.

    Returns:
        Whether the request is to be shortened.
    """
    if not said.codes.isdisjoint(codes) or said.begins(wordings) or status == 413:
        return True
    return status == 400 and window > 0 and estimate > NEARLY_FULL * window

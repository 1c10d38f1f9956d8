"""What is said of content from outside: its cause, what follows from it, how the session gets clean again."""

from paitui.locale import Phrase, phrase
from paitui.trust.external import External


def trust_lines(external: External | None) -> list[Phrase]:
    """Say in full how the session stands.

    Args:
        external: What brought content from outside in; None for a clean session.
    """
    if external is None:
        return [phrase("external.clean")]
    cause = phrase(f"external.cause_{external.kind}", source=external.source)
    return [cause, phrase("external.means"), phrase("external.reset")]


def cause(external: External, whole: bool = False) -> Phrase:
    """Name the cause in a few words: ``web example.org``.

    Args:
        external: The cause.
        whole: With the whole source, as far as the session keeps it.
    """
    return phrase(f"external.name_{external.kind}", source=external.source if whole else external.short)


def began(external: External, resumed: bool = False) -> Phrase:
    """Say that content from outside is in the session now, or came with it."""
    return phrase("external.resumed" if resumed else "external.began", cause=cause(external))


def written_with(line: str) -> Phrase:
    """Name the cause that a memory's entry noted.

    Args:
        line: As `External.export` wrote it.
    """
    return cause(External.restore(line), whole=True)

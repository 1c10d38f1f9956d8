"""The slash command that shows what is trusted, read from text."""

from paitui.engine import ops
from paitui.locale import Phrase, phrase


class TrustUsage(Exception):
    """The argument makes no sense.

    Attributes:
        phrase: What to tell the user.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def read_trust(text: str) -> ops.Op:
    """Read what stands after `/trust`.

    Raises:
        TrustUsage: It is neither empty nor `--revoke`.
    """
    match text.strip():
        case "":
            return ops.ShowTrust()
        case "--revoke" | "revoke":
            return ops.RevokeTrust()
    raise TrustUsage(phrase("project_trust.usage", argument=text))

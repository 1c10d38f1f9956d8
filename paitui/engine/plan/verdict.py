"""A reviewer's verdict: read strictly, so that nothing passes by a misunderstanding. Pure."""

from dataclasses import dataclass

from paitui.engine.plan.answer import BadAnswer, json_object
from paitui.locale import phrase


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a reviewer says of a step."""

    approved: bool
    reasons: tuple[str, ...] = ()
    """What is wrong, for the worker."""


def read_verdict(text: str) -> Verdict:
    """Read a reviewer's answer.

    Args:
        text: ``{"approved": true or false, "reasons": ["..."]}``.

    Raises:
        BadAnswer: It is anything else, or refuses without a reason.
    """
    found = json_object(text)
    approved, reasons = found.get("approved"), found.get("reasons", [])
    if not isinstance(approved, bool):
        raise BadAnswer(phrase("plan.no_verdict"))
    if not isinstance(reasons, list) or not all(isinstance(reason, str) for reason in reasons):
        raise BadAnswer(phrase("plan.bad_reasons"))
    said = tuple(reason.strip() for reason in reasons if reason.strip())
    if not approved and not said:
        raise BadAnswer(phrase("plan.no_reasons"))
    return Verdict(approved, said)

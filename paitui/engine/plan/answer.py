"""Answers that have to be JSON: read strictly, refused with a reason that the model can act on. Pure."""

import json
import re
from typing import Any

from paitui.locale import Phrase, phrase

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL | re.IGNORECASE)


class BadAnswer(Exception):
    """An answer that is not what was asked for.

    Attributes:
        phrase: What is wrong with it.
    """

    def __init__(self, what: Phrase) -> None:
        super().__init__(what.key)
        self.phrase = what


def json_object(text: str) -> dict[str, Any]:
    """Read an answer that is one JSON object, alone or alone in a code block.

    Raises:
        BadAnswer: It is prose, holds prose besides, or is no object.
    """
    text = text.strip()
    if fenced := _FENCED.fullmatch(text):
        text = fenced[1]
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadAnswer(phrase("plan.no_json", why=str(error))) from error
    if not isinstance(value, dict):
        raise BadAnswer(phrase("plan.no_object"))
    return value

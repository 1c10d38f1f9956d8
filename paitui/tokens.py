"""How many tokens a text takes, before any provider has counted them."""

import math
import re

_WIDE = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3000-\u30ff\u3105-\u318f\u31a0-\u31ff\u3200-\u4dbf\u4e00-\u9fff"
    "\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff]"
)
"""CJK ideographs with their extensions, kana, Hangul, full-width forms: about 1.5 characters a token."""


def text_tokens(text: str) -> int:
    """Estimate a text: 1.5 wide characters or 4 others a token, rounded up.

    Args:
        text: Any text.

    Returns:
        Tokens; 0 for an empty text.
    """
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    return math.ceil(wide / 1.5 + (len(text) - wide) / 4)

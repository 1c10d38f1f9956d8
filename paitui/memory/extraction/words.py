"""The words and shapes that decide, read from `words.toml` and compiled once."""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    return tomllib.loads(files("paitui.memory.extraction").joinpath("words.toml").read_text("utf-8"))


@lru_cache(maxsize=64)
def pattern(table: str, name: str) -> re.Pattern[str]:
    """Give a list of the file as one pattern, in any case; ``{other}`` in it stands for another list of its table.

    Args:
        table: Which table.
        name: Which of its lists. A list called ``english`` within ``words`` matches whole words only.
    """
    return re.compile(_group(table, name), re.IGNORECASE)


def _group(table: str, name: str) -> str:
    entry = _data()[table][name]
    parts: list[str] = []
    if isinstance(entry, dict):  # one list of whole English words, one of Chinese ones
        parts.append(rf"(?<![A-Za-z0-9_])(?:{'|'.join(entry['english'])})(?![A-Za-z0-9_])")
        parts += entry["chinese"]
    else:
        parts += entry
    joined = re.sub(r"\n\s*", "", "|".join(parts))  # where a long one goes on in the next line of the file
    return "(?:" + re.sub(r"\{([a-z][a-z_]+)\}", lambda match: _group(table, match[1]), joined) + ")"

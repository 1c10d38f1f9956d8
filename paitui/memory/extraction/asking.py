"""What a model is told when it looks for lasting facts."""

from functools import lru_cache
from importlib.resources import files

from paitui.locale import Language


@lru_cache(maxsize=2)
def instruction(language: Language) -> str:
    """Give the instruction in a language; the user's words follow as a message of their own."""
    return files("paitui.memory.extraction").joinpath(f"prompt.{language}.md").read_text("utf-8").strip()

"""The README's list of actions and their keys, made from the table. `python -m tests.keys_table` writes it anew."""

from pathlib import Path

from paitui.locale import Words
from paitui.ui.actions import ACTIONS
from paitui.ui.keymap import label

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- keys: made by python -m tests.keys_table -->\n", "<!-- end of keys -->"


def table() -> str:
    """Give one line per scope: each action with its keys."""
    words = Words("en")
    lines = []
    for scope in dict.fromkeys(action.scope for action in ACTIONS):
        named = [
            f"`{action.name}` {' '.join(label(key) for key in action.keys)}"
            for action in ACTIONS
            if action.scope == scope
        ]
        lines.append(f"- {words(f'help.scope_{scope}')}: {', '.join(named)}")
    return "\n".join(lines) + "\n"


def parts(readme: str) -> tuple[str, str, str]:
    """Split the README into what stands before the list, the list, and what stands after it."""
    before, _, rest = readme.partition(BEGIN)
    inside, _, after = rest.partition(END)
    return before, inside, after


if __name__ == "__main__":
    before, _, after = parts(README.read_text("utf-8"))
    README.write_text(f"{before}{BEGIN}{table()}{END}{after}", "utf-8")

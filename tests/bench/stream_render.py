"""What it costs to draw an answer that streams, and one that is complete.

`python tests/bench/stream_render.py` prints one JSON line a kind of text: the worst update and the worst of those
that follow the end until all code has its colours, in milliseconds of processor time; how the second half of the
updates compares with the first; how many times each character was drawn.
"""

import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT)]

from paitui.locale import Words  # noqa: E402
from paitui.ui.glyphs import UNICODE  # noqa: E402
from paitui.ui.look import Look  # noqa: E402
from paitui.ui.render.answer import Answer, warm  # noqa: E402

PIECE = 20
"""Characters that a model sends at once."""
A_SECOND = 100
"""Pieces a second of a fast model."""
UPDATES = 10
"""Updates of the screen a second."""
TOTAL = 100
"""Cells of a row."""

CODE = (ROOT / "paitui/ui/render/markdown/document.py").read_text("utf-8")
TEXTS = {
    "code fence of 50 KB": f"Here:\n\n```python\n{(CODE * 9)[:50_000]}\n```\n\nDone.",
    "table of 2,000 rows": "| name | what | 说明 | n |\n|---|:-:|---|--:|\n"
    + "".join(f"| row{at} `x` | some words here | 中文说明 **重要** | {at} |\n" for at in range(2_000)),
    "one Chinese paragraph of 100,000": "先找到导出的入口（订单），再看“金额”怎么写。改用iterator写出，完成！"
    * 2_700,
    "list of 2,000 items": "".join(f"- item {at} with `code` and 中文\n" for at in range(2_000)),
    "nested list of 1,000 items": "- one\n" + "".join(f"  - nested {at} with `code`\n" for at in range(1_000)),
}


def milliseconds(answer: Answer, text: str) -> float:
    """Draw once; give the time."""
    begin = time.process_time()
    answer.rows(text)
    return (time.process_time() - begin) * 1_000


def measure(name: str, text: str) -> dict[str, object]:
    """Stream a text, then draw it anew as a whole."""
    step = PIECE * A_SECOND // UPDATES
    growing = Answer(Look(Words("en"), UNICODE), TOTAL)
    updates = [milliseconds(growing, text[:end]) for end in range(step, len(text) + step, step)]
    half = len(updates) // 2
    whole = Answer(Look(Words("en"), UNICODE), TOTAL)
    settled = [milliseconds(whole, text)]
    while whole.pending:
        settled.append(milliseconds(whole, text))
    return {
        "text": name,
        "characters": len(text),
        "updates": len(updates),
        "worst_ms": round(max(updates), 1),
        "median_ms": round(sorted(updates)[half], 2),
        "second_half_to_first": round(sum(updates[half:]) / sum(updates[:half]), 2),
        "drawn_times": round(growing.rendered_chars / len(text), 1),
        "whole_ms": round(settled[0], 1),
        "worst_after_ms": round(max(settled[1:], default=0.0), 1),
    }


if __name__ == "__main__":
    warm()
    for name, text in TEXTS.items():
        print(json.dumps(measure(name, text), ensure_ascii=False))

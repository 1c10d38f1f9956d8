"""How well lasting facts are found: precision, recall, and what was written that nobody stated.

`python tests/bench/extraction.py --cases FILE [--model NAME]` prints one JSON object: `precision`, `recall`, `f1`,
`wrong_writes` (facts that would have been saved and match none of their case), and counts. Cases are lines `{"input",
"facts": [texts]}`, with `"pasted": [[start, end], ...]` in characters where part of the input was not typed. Every
case goes the whole way: filters, model, checks by program. Without `--model` the rules of the offline engine answer.

A fact that was found matches one of the case if both are equal once white space and punctuation at the ends are
trimmed, or if one contains the other and the shorter has at least 80 % of the characters of the longer. Each fact
of a case is matched once; a second match counts as wrong. `--show` lists what was missed and what was wrong.
"""

import argparse
import asyncio
import json
import os
import sys
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paitui.engine.models import OFFLINE, Models
from paitui.memory.extraction.answer import accepted
from paitui.memory.extraction.asking import instruction
from paitui.memory.extraction.filters import prepare
from paitui.messages.message import Message
from paitui.model.port import Model, Reply, Request
from paitui.paths import find as find_paths
from paitui.settings import Settings, load

OVERLAP = 0.8


@dataclass
class Score:
    """What came of the cases."""

    cases: int = 0
    facts: int = 0
    found: int = 0
    right: int = 0
    missed: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)

    def add(self, text: str, facts: list[str], found: list[str]) -> None:
        left = list(facts)
        for quote in found:
            match = next((fact for fact in left if same(fact, quote)), None)
            if match is None:
                self.wrong.append((text, quote))
            else:
                left.remove(match)
        self.cases += 1
        self.facts += len(facts)
        self.found += len(found)
        self.right += len(facts) - len(left)
        self.missed += [(text, fact) for fact in left]

    def as_object(self) -> dict[str, Any]:
        precision = self.right / self.found if self.found else 1.0
        recall = self.right / self.facts if self.facts else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        figures = {"precision": precision, "recall": recall, "f1": f1}
        return {
            **{name: round(value, 4) for name, value in figures.items()},
            "wrong_writes": len(self.wrong),
            "cases": self.cases,
            "facts": self.facts,
        }


def same(fact: str, quote: str) -> bool:
    """Whether a fact that was found is the one of the case; see above."""
    short, long = sorted((trimmed(fact), trimmed(quote)), key=len)
    return short == long or (bool(short) and short in long and len(short) >= OVERLAP * len(long))


def trimmed(text: str) -> str:
    start, end = 0, len(text)
    while start < end and _is_edge(text[start]):
        start += 1
    while end > start and _is_edge(text[end - 1]):
        end -= 1
    return text[start:end]


def _is_edge(character: str) -> bool:
    return character.isspace() or unicodedata.category(character).startswith("P")


async def find(model: Model, text: str, pasted: tuple[tuple[int, int], ...]) -> list[str]:
    """What would be saved of a message."""
    prepared = prepare([(text, pasted)])
    if prepared is None:
        return []
    language = "zh" if any("\u4e00" <= sign <= "\u9fff" for sign in prepared.text) else "en"
    messages = (Message("system", instruction(language)), Message("user", prepared.text, origin="program"))
    answer = ""
    async for event in model.stream(Request(messages, purpose="extraction", language=language)):
        if isinstance(event, Reply) and not event.message.tool_calls:
            answer = event.message.content
    return accepted(answer, prepared.judge)


async def measure(cases: list[dict[str, Any]], name: str) -> Score:
    """Put all cases to a model."""
    settings = load(find_paths().settings).settings if name != OFFLINE else Settings()
    models = Models(settings, (), os.environ)
    score = Score()
    try:
        model = models.open(name)
        models.start()
        for case in cases:
            pasted = tuple((start, end) for start, end in case.get("pasted", ()))
            score.add(case["input"], case["facts"], await find(model, case["input"], pasted))
    finally:
        await models.close()
    return score


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--model", default=OFFLINE)
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    score = asyncio.run(measure(read(options.cases), options.model))
    if options.show:
        for kind, pairs in (("missed", score.missed), ("wrong", score.wrong)):
            for text, fact in pairs:
                print(f"{kind}: {fact!r} in {text!r}", file=sys.stderr)
    print(json.dumps(score.as_object()))


if __name__ == "__main__":
    main()

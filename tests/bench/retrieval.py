"""How well a question finds its memory: the default ranking against the baseline, on labelled sets.

`python tests/bench/retrieval.py --entries E.jsonl --queries Q.jsonl` prints one JSON object with `baseline` and
`default`, each with recall at 1, 5 and 10 (`r1 r5 r10`, the share of a question's right entries among the first n),
mean reciprocal rank (`mrr`) and milliseconds a query (`ms`, median). Entries are lines `{"id", "content",
"timestamp"?, "group"?}`, queries `{"query", "relevant": [ids], "group"?}`; a query is answered within its group. Ties
of the baseline are put in a random order that the seed fixes.
"""

import argparse
import json
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from paitui.memory.retrieval import baseline
from paitui.memory.retrieval.ranker import Document, Ranker, Vocabulary

DEPTH = 50
"""Ranks that are looked at for the reciprocal rank."""
Search = Callable[[str, str], list[str]]


def lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def written(entry: dict[str, Any]) -> datetime | None:
    if not (text := entry.get("timestamp")):
        return None
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def measure(queries: list[dict[str, Any]], search: Search) -> dict[str, float]:
    recall: dict[int, float] = {1: 0.0, 5: 0.0, 10: 0.0}
    reciprocal = 0.0
    took: list[float] = []
    for query in queries:
        started = time.perf_counter()
        ids = search(str(query.get("group", "")), query["query"])
        took.append((time.perf_counter() - started) * 1_000)
        relevant = {str(id_) for id_ in query["relevant"]}
        for depth in recall:
            recall[depth] += len(relevant.intersection(ids[:depth])) / len(relevant)
        reciprocal += next((1 / rank for rank, id_ in enumerate(ids, 1) if id_ in relevant), 0.0)
    figures = {f"r{depth}": round(total / len(queries), 4) for depth, total in recall.items()}
    return {**figures, "mrr": round(reciprocal / len(queries), 4), "ms": round(statistics.median(took), 3)}


def by_baseline(groups: dict[str, list[dict[str, Any]]], vocabulary: Vocabulary, now: datetime, seed: int) -> Search:
    chance = random.Random(seed)
    stocks = {
        group: [(str(entry["id"]), entry["content"], written(entry)) for entry in entries]
        for group, entries in groups.items()
    }

    def search(group: str, query: str) -> list[str]:
        words = baseline.query_words(query, vocabulary.segmenter.plain_words)
        found = [
            (-score, chance.random(), id_)
            for id_, content, when in stocks.get(group, [])
            if (score := baseline.score(query, words, content, when, now))
        ]
        return [id_ for _, _, id_ in sorted(found)[:DEPTH]]

    return search


def by_default(groups: dict[str, list[dict[str, Any]]], vocabulary: Vocabulary) -> Search:
    rankers: dict[str, Ranker] = {}
    for group, entries in groups.items():
        rankers[group] = Ranker(vocabulary)
        rankers[group].update(Document(str(entry["id"]), entry["content"], written(entry)) for entry in entries)

    def search(group: str, query: str) -> list[str]:
        return [match.id for match in rankers[group].search(query, DEPTH)] if group in rankers else []

    return search


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for entry in lines(options.entries):
        groups[str(entry.get("group", ""))].append(entry)
    queries = [query for query in lines(options.queries) if query["relevant"]]
    if not queries:
        parser.error("no query names a relevant entry")
    vocabulary = Vocabulary()
    vocabulary.warm()
    print(
        json.dumps(
            {
                "baseline": measure(queries, by_baseline(groups, vocabulary, datetime.now(UTC), options.seed)),
                "default": measure(queries, by_default(groups, vocabulary)),
            }
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

import json
import random
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from paitui.memory.retrieval import baseline
from paitui.memory.retrieval.choose import budget, choose
from paitui.memory.retrieval.ranker import Document, Ranker, Vocabulary

NOW = datetime(2026, 3, 1, tzinfo=UTC)
ENTRIES = {
    "build": "本项目使用 Maven 构建，不要用 Gradle",
    "db": "数据库是 PostgreSQL 15，用户表叫 app_user",
    "port": "后端服务监听 8080 端口",
    "glued": "登录逻辑在UserService里面，由loadUserByName完成",
    "en": "Integration tests are running against a disposable database container",
    "flag": "Feature flags are read from config/feature-flags.yaml",
    "style": "代码风格：四个空格缩进",
    "cpp": "The engine is written in C++",
    "trad": "回覆時請使用繁體中文，並附上測試結果",
}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    return Vocabulary()


@pytest.fixture
def ranker(vocabulary: Vocabulary) -> Ranker:
    ranker = Ranker(vocabulary)
    ranker.update(Document(id_, content, NOW) for id_, content in ENTRIES.items())
    return ranker


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("端口", "port"),
        ("缩进", "style"),
        ("怎么构建这个项目？", "build"),
        ("UserService", "glued"),
        ("load user", "glued"),
        ("user table app user", "db"),
        ("run an integration test", "en"),
        ("featureFlags", "flag"),
        ("C++", "cpp"),
        ("测试结果", "trad"),
        ("ＭＡＶＥＮ", "build"),
        ("用maven打包", "build"),
    ],
)
def test_an_entry_is_found(ranker: Ranker, query: str, first: str) -> None:
    assert ranker.search(query)[0].id == first


@pytest.mark.parametrize("query", ["", "。。。", "xyzzyq", "的"])
def test_nothing_in_common_finds_nothing(ranker: Ranker, query: str) -> None:
    assert ranker.search(query) == []


def test_a_match_says_where(ranker: Ranker) -> None:
    for query in ("数据库 user", "ｃｏｎｆｉｇ flags", "loadUser", "測試"):
        for match in ranker.search(query, explained=True):
            assert match.words
            for found in match.words:
                assert ENTRIES[match.id][found.start : found.end] == found.text
    (first, *_) = ranker.search("flag reading", explained=True)
    assert [found.text for found in first.words] == ["flags", "read", "flags"]


def test_age_decides_only_between_equals_and_order_in_the_file_never(vocabulary: Vocabulary) -> None:
    same = [Document(f"d{age}", "port 8080 is taken", NOW - timedelta(days=age)) for age in range(6)]
    best = Document("old", "port 8080 is taken by the proxy", NOW - timedelta(days=900))
    for seed in range(3):
        documents = [*same, best]
        random.Random(seed).shuffle(documents)
        ranker = Ranker(vocabulary)
        ranker.update(documents)
        assert [match.id for match in ranker.search("proxy port 8080")] == ["old", *(f"d{age}" for age in range(6))]


def test_equal_entries_of_one_moment_come_in_one_order(vocabulary: Vocabulary) -> None:
    documents = [Document(f"id{n}", "the same text", NOW) for n in range(8)]
    orders = set()
    for seed in range(4):
        random.Random(seed).shuffle(documents)
        ranker = Ranker(vocabulary)
        ranker.update(documents)
        orders.add(tuple(match.id for match in ranker.search("same text", limit=3)))
    assert len(orders) == 1 and orders != {("id0", "id1", "id2")}


def test_changes_give_the_same_answers_as_building_anew(vocabulary: Vocabulary) -> None:
    chance = random.Random(7)
    words = [
        "maven",
        "gradle",
        "port",
        "database",
        "数据库",
        "端口",
        "缩进",
        "测试",
        "服务",
        "main",
        "branch",
        "回复",
    ]
    stock = {f"n{n}": " ".join(chance.choices(words, k=6)) for n in range(120)}
    ranker = Ranker(vocabulary)
    for _ in range(8):
        for id_ in chance.sample(sorted(stock), 30):
            if chance.random() < 0.4:
                del stock[id_]
            else:
                stock[id_] = " ".join(chance.choices(words, k=6))
        ranker.update(Document(id_, content) for id_, content in stock.items())
        found = {match.id for match in ranker.search("回复 gradle", limit=500)}
        assert found == {id_ for id_, content in stock.items() if "回复" in content or "gradle" in content}


def test_words_are_those_of_jieba_itself(vocabulary: Vocabulary, tmp_path: Path) -> None:
    import jieba

    whole = jieba.Tokenizer()
    whole.tmp_dir = str(tmp_path)
    for text in (
        "小明硕士毕业于中国科学院计算所后在日本京都大学深造",
        "杭研大厦的结婚和尚未结婚的",
        *ENTRIES.values(),
    ):
        expected = [(word, start) for word, start, _ in whole.tokenize(text, mode="search")]
        assert vocabulary.segmenter.words(text) == expected


def test_several_threads_may_start_it() -> None:
    vocabulary = Vocabulary()
    assert not vocabulary.ready
    answers: list[list[tuple[str, int]]] = []
    threads = [
        threading.Thread(target=lambda: answers.append(vocabulary.segmenter.words("数据库"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    vocabulary.warm()
    assert vocabulary.ready and len(answers) == 4 and all(answer == answers[0] for answer in answers)


def test_the_baseline_is_the_formula(vocabulary: Vocabulary) -> None:
    words = baseline.query_words("Maven 数据库 a 。", vocabulary.segmenter.plain_words)
    assert words == ["maven", "数据库"]

    def score(query: str, content: str, hours: float) -> float:
        terms = baseline.query_words(query, vocabulary.segmenter.plain_words)
        return baseline.score(query, terms, content, NOW - timedelta(hours=hours), NOW)

    assert score("maven 数据库", "数据库, MAVEN", 100) == 0.5
    assert score("Maven 数据库", "x maven 数据库 y", 100) == 1.0
    assert score("maven 数据库", "maven", 0) == 0.5
    assert score("maven 数据库", "maven", 6) == 0.375
    assert score("maven 数据库", "maven", 12) == score("maven 数据库", "maven", 1_000) == 0.25
    assert score("maven 数据库", "npm", 0) == 0.0
    assert score("", "npm", 0) == 0.0


@pytest.mark.parametrize(
    ("window", "tokens"), [(8_000, 500), (128_000, 640), (200_000, 1_000), (1_000_000, 5_000), (4_000_000, 5_000)]
)
def test_the_room_for_memories(window: int, tokens: int) -> None:
    assert budget(window) == tokens


def test_what_does_not_fit_is_skipped_and_not_the_end() -> None:
    assert choose([("a", 300), ("huge", 900), ("b", 200), ("c", 1)], 500) == ["a", "b"]
    assert choose([("huge", 900)], 500) == []
    assert choose([(n, 1) for n in range(30)], 500) == list(range(10))


@pytest.mark.parametrize(
    ("query", "content"),
    [
        ("帮我创建一个 Java 项目叫 myapp", "JDK 可以保持 17"),
        ("which database do we use", "数据库用 PostgreSQL"),
        ("k8s 的配置在哪", "the kubernetes config lives in deploy/"),
    ],
)
def test_names_that_mean_the_same_find_each_other(vocabulary: Vocabulary, query: str, content: str) -> None:
    ranker = Ranker(vocabulary)
    ranker.update([Document("a", content), Document("b", "回复用中文"), Document("c", "tabs, four wide")])
    assert [match.id for match in ranker.search(query)][:1] == ["a"]


def test_the_bench_prints_one_object(tmp_path: Path) -> None:
    entries, queries = tmp_path / "e.jsonl", tmp_path / "q.jsonl"
    lines = [
        {"id": 1, "content": "数据库是 PostgreSQL", "timestamp": "2026-01-01T00:00:00Z", "group": "a"},
        {"id": 2, "content": "the port is 8080", "group": "a"},
        {"id": 3, "content": "the port is 9090", "group": "b"},
    ]
    entries.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    asked = [
        {"query": "哪个数据库", "relevant": [1], "group": "a"},
        {"query": "ports", "relevant": ["2"], "group": "a"},
    ]
    queries.write_text("\n".join(map(json.dumps, asked)), "utf-8")
    bench = Path(__file__).parents[1] / "bench" / "retrieval.py"
    command = [sys.executable, str(bench), "--entries", str(entries), "--queries", str(queries)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    assert set(figures) == {"baseline", "default"}
    assert set(figures["default"]) == {"r1", "r5", "r10", "mrr", "ms"} == set(figures["baseline"])
    assert figures["default"]["r1"] == figures["default"]["mrr"] == 1.0
    assert done.stderr == ""

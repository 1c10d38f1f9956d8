import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paitui.memory.extraction.answer import accepted, read, write
from paitui.memory.extraction.filters import prepare, private
from paitui.memory.extraction.quotes import Judge
from paitui.memory.extraction.sentences import clauses, is_question, sentences
from paitui.trust.asking import typed_text

# -- what is looked at


@pytest.mark.parametrize(
    "text",
    [
        "we",  # too short
        "our " + "x" * 4_000,  # too long
        "fix the bug in utils.py",  # no sign of anything that lasts
        "修一下 utils.py 里的错误",
        "",
    ],
)
def test_what_holds_nothing_lasting_is_not_looked_at(text: str) -> None:
    assert prepare([(text, ())]) is None


def test_both_lengths_are_counted_to_the_character() -> None:
    assert prepare([("we ok", ())]) is not None
    longest = "our " + "x " * 1_998
    assert len(longest) == 4_000
    assert prepare([(longest[:-1] + "y", ())]) is not None
    assert prepare([(longest[:-1] + "yz", ())]) is None


def test_what_was_pasted_is_not_the_users_word() -> None:
    text = "look: we always use Bazel in our team\nthanks"
    assert prepare([(text, ((6, 37),))]) is None
    prepared = prepare([(f"our repo uses Meson. {text}", ((27, 58),))])
    assert prepared is not None
    assert "Bazel" not in prepared.text


@pytest.mark.parametrize(
    "sentence",
    [
        "我们的数据库密码是 hunter2",
        "我的手机号是 13812345678",
        "联系 13812345678 就行",
        "證件號 11010519491231002X",
        "our API key is in the vault",
        "the tokens are kept in .env",
        "my e-mail is on the site",
        "write to jane@example.org",
        "postgres://admin:Passw0rd@db/app",
        "call +1 415 555 2671",
        "key sk-abcdefghijklmnopqrstuvwx123456",
        "驗證碼是 4821",
    ],
)
def test_a_private_sentence_is_taken_out_and_the_others_stay(sentence: str) -> None:
    prepared = prepare([(f"{sentence}。我们默认用 pnpm。", ())])
    assert prepared is not None
    assert prepared.text == "我们默认用 pnpm。"
    assert prepare([(sentence, ())]) is None or not private(sentence)
    assert private(sentence)


def test_a_quotation_stays_one_when_a_private_part_of_it_is_taken_out() -> None:
    prepared = prepare([("他说：“密码是 123456。我们默认用 MySQL。”", ())])
    assert prepared is not None
    assert "密码" not in prepared.text
    assert accepted(write(["我们默认用 MySQL"]), prepared.judge) == []


# -- sentences


def test_sentences_cover_the_text() -> None:
    text = "See https://x.org/?a=b, e.g. v1.2.3! Right?We use it。好吗？我们用 Node.js; ok\nend"
    found = sentences(text)
    assert "".join(text[start:end] for start, end in found) == text
    assert [text[start:end].strip() for start, end in found] == [
        "See https://x.org/?a=b, e.g. v1.2.3!",
        "Right?",
        "We use it。",
        "好吗？",
        "我们用 Node.js;",
        "ok",
        "end",
    ]


@given(st.text(alphabet='我们用 we.?!。？；,，:：\n"“”`-()1', max_size=80))
def test_sentences_cover_any_text_and_clauses_lie_in_them(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert start == at < end
        at = end
        assert all(start <= first < last <= end for first, last in clauses(text, (start, end)))
    assert at == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "我们项目用什么数据库",
        "你知道我们默认用哪个分支吗",
        "Does our project use TypeScript",
        "why do we always rebuild",
        "We use Maven, right",
        "用 pnpm 可以吗？",
        "how to configure our repo",
    ],
)
def test_a_question_is_known_without_its_sign(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    "text", ["无论用什么编辑器，我们都用四个空格", "We use Maven.", "我们默认不问", "When we deploy, we tag"]
)
def test_a_statement_is_no_question(text: str) -> None:
    assert not is_question(text)


# -- checks of quotes


def test_a_plain_statement_counts() -> None:
    assert Judge("Thanks. Our repo uses Meson.").accepts("Our repo uses Meson")
    assert Judge("这个报错是什么意思？我们项目用 Spring Boot 3。").accepts("我们项目用 Spring Boot 3")
    assert Judge('We use the "strict" mode of mypy.').accepts('We use the "strict" mode of mypy')
    assert Judge("我们用 `pnpm` 管理所有依赖").accepts("我们用 `pnpm` 管理所有依赖")
    assert Judge("From now on, answer in English.").accepts("From now on, answer in English")
    assert Judge("从现在起我们都用 pnpm").accepts("从现在起我们都用 pnpm")
    assert Judge("> We use yarn here\n\nWe use yarn here, too").accepts("We use yarn here")
    assert Judge("don't forget we use pnpm here").accepts("we use pnpm here")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("we use x", "we u"),  # too short
        ("we use " + "x" * 200, "we use " + "x" * 174),  # too long
        ("we use x\nand y", "we use x\nand y"),  # two lines
        ("we use x\u2028and y", "we use x\u2028and y"),
        ("we use Maven", "We use Maven"),  # not verbatim
        ("we use Maven", "we use Gradle"),
        ("```\nour team uses x\n```", "our team uses x"),
        ("```\nour team uses x", "our team uses x"),
        ("~~~ py\nour team uses x\n~~~", "our team uses x"),
        ("see:\n\n    our team uses x", "our team uses x"),
        ("run `our team uses x`", "our team uses x"),
        ("run ``our team ` uses x``", "our team ` uses x"),
        ("> our team uses x", "our team uses x"),
        ("＞我们团队默认用 x", "我们团队默认用 x"),
        ("他说“我们团队默认用 x”", "我们团队默认用 x"),
        ("他说“我们团队默认用 x", "我们团队默认用 x"),  # never closed
        ("他说‘我们团队默认用 x’", "我们团队默认用 x"),
        ("他说「我们团队默认用 x」", "我们团队默认用 x"),
        ("他说『我们团队默认用 x』", "我们团队默认用 x"),
        ("《我们团队默认用 x》", "我们团队默认用 x"),
        ("«our team uses x»", "our team uses x"),
        ('it says "our team uses x"', "our team uses x"),
        ("it says 'our team doesn't use x'", "our team doesn't use x"),
        ("我们团队说“我们默认用 x”", "我们团队说“我们默认用 x”"),
        ('```\nprint(")\n```\nhe says "our team uses x" ok', "our team uses x"),
        ('a 5" screen, he says "our team uses x"', "our team uses x"),
        ("our team uses x?", "our team uses x"),
        ("我们团队用 x 吗", "我们团队用 x"),
        ("我们现在用 MySQL", "我们现在用 MySQL"),
        ("這次我們用 MySQL", "這次我們用 MySQL"),
        ("We use SQLite for now", "We use SQLite"),  # the moment stands beside it
        ("这次我们用 SQLite", "我们用 SQLite"),
        ("Today we use SQLite", "we use SQLite"),
        ("if we use Maven, it works", "we use Maven"),
        ("we never use Maven", "use Maven"),
        ("不是我们默认用 Oracle", "我们默认用 Oracle"),
        ("we use Mavenised builds", "we use Maven"),  # ends inside a word
    ],
)
def test_what_is_not_the_users_plain_statement_does_not_count(text: str, quote: str) -> None:
    assert not Judge(text).accepts(quote)


def test_nothing_is_taken_out_of_what_was_withheld() -> None:
    assert not Judge("我们默认用 pnpm。", ((0, 11),)).accepts("我们默认用 pnpm")


# -- answers

FACT = {"quote": "we use Maven"}


def test_an_answer_is_read() -> None:
    assert read(json.dumps({"facts": [FACT]})) == ["we use Maven"]
    assert read('```json\n{"facts":[{"quote":"  we use Maven "}]}\n```') == ["we use Maven"]
    assert read('{"facts":[]}') == []


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "none",
        "[]",
        "null",
        '{"facts":',
        'Here: {"facts":[{"quote":"we use Maven"}]}',
        '{"facts":[{"quote":"we use Maven"}]} done',
        json.dumps({"facts": FACT}),
        json.dumps({"facts": [FACT], "more": 1}),
        json.dumps({"fact": [FACT]}),
        json.dumps({"facts": [FACT, "we use Maven"]}),
        json.dumps({"facts": [FACT, {}]}),
        json.dumps({"facts": [FACT, {"quote": 5}]}),
        json.dumps({"facts": [FACT, {"quote": None}]}),
        json.dumps({"facts": [FACT, {"quote": ["we use Maven"]}]}),
        json.dumps({"facts": [{**FACT, "scope": "global"}]}),
        json.dumps({"facts": [FACT] * 4}),
        '{"facts":[],"facts":[{"quote":"we use Maven"}]}',
        '{"facts":[{"quote":"x","quote":"we use Maven"}]}',
        "[" * 100_000,
    ],
)
def test_anything_else_in_an_answer_voids_it(answer: str) -> None:
    assert read(answer) == []


def test_a_failing_quote_voids_itself_alone() -> None:
    judge = Judge("we use Maven. we like tabs")
    assert accepted(write(["we use Gradle", "we like tabs", "we like tabs"]), judge) == ["we like tabs"]


PIECES = [
    "we use x",
    "我们默认用 pnpm",
    "“",
    "”",
    '"',
    "'",
    "`",
    "```\n",
    "> ",
    "\n",
    "。",
    ". ",
    "? ",
    "today ",
    "不",
    " if ",
    "密码是 abc123",
    "x",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=2), st.data())
def test_whatever_a_model_answers_only_words_that_were_typed_are_written(
    text: str, cuts: list[tuple[int, int]], data: st.DataObject
) -> None:
    edges = sorted(min(cut, len(text)) for pair in cuts for cut in pair)
    pasted = tuple(zip(edges[::2], edges[1::2], strict=True))
    prepared = prepare([(text, pasted)])
    if prepared is None:
        return
    size = len(prepared.text)
    begin = data.draw(st.integers(0, size))
    quotes = [prepared.text[begin : begin + data.draw(st.integers(0, 40))], data.draw(TEXTS), text[:40]]
    for quote in accepted(write(quotes), prepared.judge):
        assert quote in typed_text(text, pasted)
        assert quote in prepared.text
        assert "\n" not in quote and 5 <= len(quote) <= 180 and "密码" not in quote and "today" not in quote
    answer = data.draw(
        st.recursive(
            st.none() | st.text() | st.integers(),
            lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["facts", "quote", "x"]), inner),
        )
    )
    assert all(quote in prepared.text for quote in accepted(json.dumps(answer), prepared.judge))


def test_the_prompts_name_the_limits() -> None:
    from paitui.memory.extraction.asking import instruction

    for language in ("en", "zh"):
        text = instruction(language)
        assert '{"facts":[{"quote":"..."}]}' in text and "180" in text and "3" in text


def test_no_words_are_doubled_in_the_data() -> None:
    import tomllib

    from paitui.memory.extraction import words

    data = tomllib.loads((Path(words.__file__).parent / "words.toml").read_text("utf-8"))
    for table in data.values():
        for entry in table.values():
            lists = entry.values() if isinstance(entry, dict) else [entry]
            for found in lists:
                assert len(found) == len(set(found))

"""What the rule-based engine takes out of "remember ..." and "what do you remember"."""

import pytest

from paitui.model.offline.intents import CreateProject, Recall, Remember
from paitui.model.offline.parse import parse

FACTS = [
    ("JDK 可以保持 17，你记一下", "JDK 可以保持 17"),
    ("记住：测试默认跑 -Pquick", "测试默认跑 -Pquick"),
    ("以后记得用 pnpm", "用 pnpm"),
    ("我们用 Maven 构建，帮我记下来", "我们用 Maven 构建"),
    ("请保存到长期记忆：金额一律用分", "金额一律用分"),
    ("把“发布在周四”记下来", "发布在周四"),
    ("升到 21 了，记一下", "升到 21 了"),
    ("Remember that we build with Gradle.", "we build with Gradle"),
    ("please remember: tests run with -Pquick", "tests run with -Pquick"),
    ("We use pnpm. Remember this.", "We use pnpm"),
    ("the port is 8080, please remember that", "the port is 8080"),
    ("Can you remember that the staging port is 9090?", "the staging port is 9090"),
    ("Save this: amounts are in cents", "amounts are in cents"),
    ("Java is 17.0.2 here, remember it", "Java is 17.0.2 here"),
]


@pytest.mark.parametrize(("text", "fact"), FACTS)
def test_a_fact_is_taken_in_the_users_own_words(text: str, fact: str) -> None:
    [intent] = parse(text)
    assert isinstance(intent, Remember)
    assert intent.fact == fact
    assert intent.fact in text


def test_everywhere_is_global() -> None:
    assert parse("记住：所有项目都用中文回复") == (Remember("所有项目都用中文回复", "global"),)
    assert parse("remember that I prefer tabs in all projects") == (
        Remember("I prefer tabs in all projects", "global"),
    )


def test_the_rest_of_the_message_is_carried_out_too() -> None:
    intents = parse("记住：JDK 用 21。帮我创建一个 Java 项目叫 myapp")
    assert intents[0] == Remember("JDK 用 21")
    assert intents[1] == CreateProject("java", "myapp", "")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("what do you remember?", ""),
        ("What do you remember about the database?", "the database"),
        ("what do you remember about this project", ""),
        ("你记得什么？", ""),
        ("你记住了哪些", ""),
        ("查看长期记忆", ""),
        ("关于端口你还记得什么", "端口"),
        ("show me your memories", ""),
    ],
)
def test_asking_what_is_remembered(text: str, query: str) -> None:
    assert parse(text) == (Recall(query),)


@pytest.mark.parametrize(
    "text", ["帮我创建一个 Java 项目叫 myapp", "read README.md", "find where remember is defined"]
)
def test_other_requests_are_none_of_these(text: str) -> None:
    assert not any(isinstance(intent, Remember | Recall) for intent in parse(text))

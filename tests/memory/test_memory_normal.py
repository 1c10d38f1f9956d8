import pytest

from paitui.memory import dedupe
from paitui.memory.conflict import literal
from paitui.memory.normal import normalise


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use pnpm.", "use  PNPM"),
        ("默认使用中文回复。", "默认使用中文回复"),
        ("默认使用中文回复", "　默认 使用“中文”回复！"),
        ("ｕｓｅ　ｇｒａｄｌｅ", "use gradle"),
        ("use\u200b gra\u202edle\U000e0041", "use gradle"),
        ("deploy 🚀\ufe0f", "deploy 🚀"),
        ("我们的项目默认是使用中文回复", "我们项目默认使用中文回复"),
        ("本项目地构建工具为 Maven", "本项目的构建工具为 Maven"),
    ],
)
def test_what_reads_the_same_is_the_same(one: str, other: str) -> None:
    assert dedupe.same(one, other) and dedupe.same(other, one)
    assert literal(normalise(one), normalise(other)) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("允许自动提交代码", "不允许自动提交代码"),
        ("JDK 17", "JDK 21"),
        ("默认使用中文回复", "默认使用繁体中文回复"),
        ("写 C", "写 C++"),
        ("写 C", "写 C#"),
        ("版本 1.2", "版本 12"),
        ("deploy 🚀", "deploy 🐢"),
        ("src/a", "srca"),
        ("user_id", "userid"),
        ("--no-verify", "no verify"),
        ("100%", "100"),
        ("@babel/core", "babel/core"),
        ("目的地", "目"),
        ("", "。"),
    ],
)
def test_what_carries_meaning_keeps_apart(one: str, other: str) -> None:
    assert not dedupe.same(one, other) and not dedupe.same(other, one)


def test_particles_count_in_a_short_text_and_where_lengths_differ_much() -> None:
    assert not dedupe.same("是的中文", "中文")
    assert dedupe.same("默认回复语言是中文", "默认回复语言中文")
    assert not dedupe.same("是的是的是的默认语言", "默认语言的是的是的是的是的")


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("使用 JDK 17", "使用 JDK 21", "numbers"),
        ("API version v1.2.3", "API version v2.0.0-rc1", "numbers"),
        ("17", "21", "numbers"),
        ("允许自动提交代码到主分支", "不允许自动提交代码到主分支", "similar"),
        ("always squash commits before merging", "never squash commits before merging", "similar"),
        ("use tabs", "the office is in Berlin", None),
        ("。", "！", None),
        ("", "use tabs", None),
        ("a", "b", None),
    ],
)
def test_conflicts_by_the_letters(one: str, other: str, reason: str | None) -> None:
    assert literal(normalise(one), normalise(other)) == reason == literal(normalise(other), normalise(one))


def test_bigrams_count_as_often_as_they_occur() -> None:
    # As sets these two share everything; as multisets 2 * 4 / 12.
    assert literal("ababa", "ababababa") is None

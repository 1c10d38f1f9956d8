"""Steps about long-term memory: take a fact out of the user's words and save it, tell what is remembered."""

import re

from paitui.model.offline.ground import Answer, Ask, Ground, Step
from paitui.model.offline.intents import Recall, Remember
from paitui.model.offline.reading import failure
from paitui.model.offline.tooling import Wanted
from paitui.trust.asking import asks_to_remember

_SENTENCE = re.compile(r"(?<=[。！？!?\n；;])|(?<=[^\d]\.)\s+(?=[A-Z])")
_MARKS = " \t\n,，.。:：;；!！、"
_MEMORY_ZH = "(?:保存|存|写入|[记記])[到入]?(?:[长長]期)?[记記][忆憶]"
_MEMORY_EN = r"(?: (?:to|in) (?:the |your )?(?:long-term )?memory)?"
_KEEP_EN = r"(?:save|store|add|note) (?:this|that|it)(?: down)?"
_BEFORE = re.compile(
    "|".join(
        (
            "^(?:另外|还有|对了|嗯|好的?|那)?[,，\\s]*(?:请|麻烦|帮我|帮忙|替我|你|您|要|能不能|可以)*"
            "(?:[记記]住|[记記]一下|[记記]下[来來]?|[记記][着著]|(?:以[后後]|下次)(?:要|都|请)?[记記]得|"
            f"{_MEMORY_ZH})(?:一下|吧)?[:：,，\\s]*",
            r"^(?:please |and |also |ok,? |so |(?:can|could|would) you )*(?:do )?"
            r"(?:remember|keep in mind|memori[sz]e|make a note|note down|"
            rf"{_KEEP_EN}{_MEMORY_EN})(?: please)?(?:\s*[:,]\s*|\s+that\s+(?!is\b)|\s+|$)(?:that\s+)?",
        )
    ),
    re.IGNORECASE,
)
_AFTER = re.compile(
    "|".join(
        (
            "[,，、;；\\s]*(?:所以|就|请|麻烦|帮我|帮忙|你|您|要|都)*(?:把?(?:这个|这点|这条|它))?也?"
            f"(?:[记記]住|[记記]一下|[记記]下[来來]?|[记記][着著]|{_MEMORY_ZH}(?:里|中)?)(?:吧|哦|啊|了|呀)*$",
            rf"[,;.\s]*\b(?:and |so |please |you should )*(?:(?:remember|memori[sz]e) (?:this|that|it)|{_KEEP_EN})"
            rf"{_MEMORY_EN}(?: please| for next time| for later)?$",
            r"[,;.\s]*\bplease remember$",
        )
    ),
    re.IGNORECASE,
)
_TAKE = re.compile("^把(.+?)(?:[记記]下?[来來]?|[记記]住|[记記]一下|保存到(?:长期)?[记記]忆)$")
_EVERYWHERE = re.compile(
    r"在?(?:所有|全部|每个|任何)(?:的)?项目|全局"
    r"|\b(?:in|for) (?:all|every|any) projects?\b|\beverywhere\b|\bglobally\b",
    re.IGNORECASE,
)
_RECALL = re.compile(
    "|".join(
        (
            "(?:[还還]?[记記]得|[记記][住下]了|[记記][忆憶](?:里|中)?(?:有|存了|记了))了?(?:些|哪些|点)?(?:什[么麼]|啥|哪些)",
            "(?:你|都)?(?:记住|记)(?:了|过)(?:些|哪些)?(?:什么|啥)",
            "(?:列出|看看|显示|查看)(?:一下)?(?:你的|所有|全部)?(?:长期)?记忆",
            "关于(?P<about_zh>.{1,30}?)你?[还還]?(?:[记記]得|[记記]住了?)(?:些|了)?(?:什么|啥)",
            r"\bwhat (?:do|did|have) you (?:still )?(?:remember(?:ed)?|memori[sz]ed?|save)"
            r"(?: (?:about|of) (?P<about>[^?.!]{1,60}))?\s*\??$",
            r"\b(?:list|show)(?: me)? (?:your |the |all )*memor(?:y|ies)\b|\bwhat(?:'s| is) in (?:your )?memory\b",
        )
    ),
    re.IGNORECASE,
)
_THIS = ("this", "that", "it", "这个", "这点", "这条", "它")
_OWN = (
    "me",
    "us",
    "this",
    "it",
    "this project",
    "the project",
    "my project",
    "our project",
    "这个项目",
    "我",
    "我们",
)


def read_wishes(text: str) -> tuple[list[Remember], str]:
    """Take what is to be remembered out of a message.

    Args:
        text: What the user sent.

    Returns:
        The facts, in the user's own words, and the rest of the message.
    """
    if not asks_to_remember(text):
        return [], text
    facts: list[Remember] = []
    rest: list[str] = []
    for sentence in filter(str.strip, _SENTENCE.split(text)):
        if not asks_to_remember(sentence):
            rest.append(sentence)
            continue
        fact = _fact(sentence)
        if fact is None:
            rest.append(sentence)
            continue
        if not fact and rest:
            fact = rest.pop().strip(_MARKS)  # "We use pnpm. Remember this."
        if fact:
            facts.append(Remember(fact, "global" if _EVERYWHERE.search(fact) else "project"))
    return facts, " ".join(rest) if facts else text


def recalled(text: str) -> Recall | None:
    """Read a question for what is remembered; None if it is none."""
    match = _RECALL.search(text.strip())
    if match is None:
        return None
    about = (match["about"] or match["about_zh"] or "").strip(_MARKS + "?？")
    return Recall("" if about.lower() in _OWN else about)


def remember(intent: Remember, ground: Ground) -> Step:
    """Save a fact; what the program answers is told as it is."""
    deed = ground.deed("save_memory", intent.fact)
    if deed is None:
        arguments = {"fact": intent.fact, "scope": intent.scope}
        return Ask((Wanted("save_memory", arguments),), ground.speech("say_remember"))
    if deed.failed:
        return Answer(failure("save_memory", deed.result, ground))
    return Answer(deed.result.text.strip() if deed.result else ground.speech("remembered", fact=intent.fact))


def recall(intent: Recall, ground: Ground) -> Step:
    """Tell what is remembered, as hints with their dates."""
    deed = ground.deed("search_memory", intent.query)
    if deed is None:
        return Ask((Wanted("search_memory", {"query": intent.query}),), ground.speech("say_recall"))
    if deed.failed:
        return Answer(failure("search_memory", deed.result, ground))
    return Answer(ground.speech("recalled", text=deed.result.text.strip() if deed.result else ""))


def _fact(sentence: str) -> str | None:
    """The sentence without the words that ask for it to be remembered; None if they stand elsewhere in it."""
    bare = sentence.strip(_MARKS + "?？")
    if taken := _TAKE.match(bare):
        return taken[1].strip(_MARKS + "“”「」\"'")
    before = _BEFORE.sub("", bare, count=1).strip(_MARKS)
    fact = _AFTER.sub("", before, count=1).strip(_MARKS)
    if fact == bare:
        return None
    return "" if fact.lower() in _THIS else fact

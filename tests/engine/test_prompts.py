from datetime import UTC, datetime
from pathlib import Path

import pytest

from paitui.context.estimate import text_tokens
from paitui.engine.prompts import language_of, summary_prompts, system_prompt, turn_prompt
from paitui.locale import Language

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_system_prompt_explains_what_the_program_puts_into_the_history(language: Language) -> None:
    text = system_prompt(language, Path("/p"), NOW, "use tabs")
    for needed in (
        "tool_result",
        "untrusted-data",
        "[paitui:offloaded",
        "[paitui:cleared",
        "[paitui:summary",
        "use tabs",
    ):
        assert needed in text
    assert summary_prompts(language).marker.startswith("[paitui:summary")
    assert text == system_prompt(language, Path("/p"), NOW, "use tabs")
    assert text_tokens(text) < 1_000  # small windows have to live with it


@pytest.mark.parametrize("language", ["en", "zh"])
def test_summary_prompts_hold_their_headings(language: Language) -> None:
    prompts = summary_prompts(language)
    for text in (prompts.instruction, prompts.merge):
        positions = [text.index(heading) for heading in prompts.headings]
        assert positions == sorted(positions)
    assert "{reason}" in turn_prompt(language, "final")


def test_the_conversations_language() -> None:
    assert language_of(["读取 README.md 并总结"], "en") == "zh"
    assert language_of(["run pytest"], "zh") == "en"
    assert language_of([], "zh") == "zh"

"""No key of any vendor reaches a command, by whatever way it looks for one."""

from dataclasses import replace

import pytest

from paitui.settings import CommandSettings
from paitui.tools.base import ToolContext
from paitui.tools.shell import ExecuteCommand

KEYS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "DEEPSEEK_API_KEY",
    "ZHIPUAI_API_KEY",
    "MOONSHOT_API_KEY",
    "DASHSCOPE_API_KEY",
    "MISTRAL_API_KEY",
    "XAI_API_KEY",
    "GROQ_API_KEY",
    "OPENROUTER_API_KEY",
    "MINIMAX_API_KEY",
    "SERPAPI_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "HF_TOKEN",
    "NPM_TOKEN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "PGPASSWORD",
    "SSH_AUTH_SOCK",
    "DOCKER_AUTH_CONFIG",
    "LC_SECRET_TOKEN",
    "SOME_VENDOR_OF_TOMORROW",
)
WAYS = (
    "env; printenv; export -p; set",
    "cat /proc/self/environ | tr '\\0' '\\n'",
    "cat /proc/$PPID/environ | tr '\\0' '\\n'",
    "p=$(cut -d' ' -f4 /proc/$PPID/stat); cat /proc/$p/environ | tr '\\0' '\\n'",
    "python3 -c 'import os; print(os.environ)'",
    "env -i sh -c env; sh -lc env",
)


@pytest.mark.parametrize("command", WAYS)
async def test_no_key_of_any_vendor_is_seen(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, f"value-of-{name}")
    outcome = await ExecuteCommand().run({"command": command}, context)
    assert "value-of-" not in outcome.text and "PATH" in outcome.text


async def test_what_the_user_allows_is_seen_and_nothing_else(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.setenv(name, f"value-of-{name}")
    allowed = replace(context, command=CommandSettings(env_allow=("GH_TOKEN",)))
    outcome = await ExecuteCommand().run({"command": "env"}, allowed)
    assert [line for line in outcome.text.splitlines() if "value-of-" in line] == ["GH_TOKEN=value-of-GH_TOKEN"]

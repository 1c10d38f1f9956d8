"""What every tool is given, in a project of its own."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from paitui.locale import Words
from paitui.settings import CommandSettings
from paitui.tools.base import Spool, ToolContext, ToolError, ToolOutcome
from paitui.tools.registry import builtin_tools
from paitui.trust.fence import Fence

Run = Callable[..., Awaitable[ToolOutcome]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def context(project: Path, tmp_path: Path) -> ToolContext:
    count = iter(range(1, 1_000))

    def open_spool(tool: str) -> Spool:
        path = f".paitui/tool-outputs/s1/{next(count):03d}-{tool}.txt"
        return Spool(Fence(project).create_exclusive(path), path)

    return ToolContext(
        project=project,
        home=tmp_path / "home",
        words=Words("en"),
        slice_chars=32_000,
        command=CommandSettings(timeout_s=20),
        open_spool=open_spool,
    )


@pytest.fixture
def run(context: ToolContext) -> Run:
    """Run a tool by name; `with_context` changes what it is given."""

    async def call(name: str, with_context: dict[str, Any] | None = None, **arguments: Any) -> ToolOutcome:
        return await builtin_tools().tools[name].run(arguments, replace(context, **(with_context or {})))

    return call


@pytest.fixture
def error_of(run: Run) -> Callable[..., Awaitable[str]]:
    """Run a tool that must fail; gives its message in English."""

    async def call(name: str, **arguments: Any) -> str:
        with pytest.raises(ToolError) as caught:
            await run(name, **arguments)
        text = Words("en").say(caught.value.phrase)
        assert text != caught.value.phrase.key and Words("zh").say(caught.value.phrase) != text
        return text

    return call

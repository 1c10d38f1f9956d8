"""The search's own process: it is waited for by one owner, so nobody finds it gone."""

import asyncio
import logging
import os
import resource
from contextlib import suppress
from pathlib import Path

import pytest

from paitui.tools.base import ToolContext, ToolError
from paitui.tools.registry import builtin_tools
from paitui.tools.search import GrepCode
from tests.tools.conftest import context as context
from tests.tools.conftest import project as project


async def test_a_search_leaves_nothing_to_complain_about(
    context: ToolContext, project: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (project / "a.py").write_text("needle\n")
    with caplog.at_level(logging.DEBUG):
        for _ in range(25):
            outcome = await GrepCode().run({"pattern": "needle"}, context)
            assert outcome.text == "a.py:1: needle"
        await asyncio.sleep(0.1)
    assert [record.getMessage() for record in caplog.records if "child process" in record.getMessage()] == []


@pytest.mark.parametrize("name", ["grep_code", "execute_command"])
async def test_too_many_open_files_is_an_answer_not_a_fault_of_the_program(
    name: str, context: ToolContext, project: Path
) -> None:
    (project / "a.py").write_text("needle\n")
    tool = builtin_tools().tools[name]
    before = len(os.listdir("/proc/self/fd"))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    await asyncio.to_thread(int)  # the pool's thread is there
    taken: list[int] = []
    refused = 0
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
        with suppress(OSError):
            while True:
                taken.append(os.open(os.devnull, os.O_RDONLY))
        for _ in range(9):  # each time one more can be had before the next one fails
            os.close(taken.pop())
            try:
                await tool.run({"pattern": "needle", "command": "true"}, context)
            except ToolError:
                refused += 1
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for fd in taken:
            os.close(fd)
    assert refused >= 3 and len(os.listdir("/proc/self/fd")) == before

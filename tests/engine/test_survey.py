"""The offline engine at work on a real repository: this one."""

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from engine_bench import Bench, options, with_worker

from paitui.context.estimate import messages_tokens, schema_tokens
from paitui.engine import events
from paitui.messages.validity import violations
from paitui.model.offline import OfflineModel
from paitui.model.port import ModelEvent, ModelInfo, Request

ROOT = Path(__file__).parents[2]


class Watched:
    """The offline engine, with every request kept."""

    def __init__(self, window: int) -> None:
        self._engine = OfflineModel(window=window)
        self.requests: list[Request] = []

    @property
    def info(self) -> ModelInfo:
        return self._engine.info

    async def stream(self, request: Request) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        async for event in self._engine.stream(request):
            yield event

    async def close(self) -> None:
        await self._engine.close()


@pytest.mark.parametrize(
    ("window", "text"),
    [(16_000, "survey this project"), (16_000, "概览一下这个项目"), (8_000, "survey this project")],
)
async def test_a_survey_passes_all_three_tiers_within_the_window(tmp_path: Path, window: int, text: str) -> None:
    project = tmp_path / "project"
    leave = shutil.ignore_patterns("__pycache__", "__snapshots__", "bench")
    shutil.copytree(ROOT / "paitui", project / "paitui", ignore=leave)
    shutil.copy(ROOT / "README.md", project)
    shutil.copy(ROOT / "pyproject.toml", project)
    model = Watched(window)

    async def use(bench: Bench) -> None:
        assert (await bench.turn(text)).status == "done"
        assert not violations(bench.history)

    bench = await with_worker(options(tmp_path, model, window=window), use)  # type: ignore[arg-type]
    kinds = [event.kind for event in bench.of(events.Boundary)]
    assert {"offload", "clear", "summary"} <= set(kinds)
    assert kinds.count("summary") <= 8
    schemas = schema_tokens(model.requests[0].tools)
    for request in model.requests:
        assert not violations(request.messages)
        assert messages_tokens(request.messages) + (schemas if request.tools else 0) < window
    asked = [call.arguments for m in bench.history for call in m.tool_calls if call.name == "read_file"]
    assert len(asked) == len(set(asked))
    answer = bench.of(events.AnswerFinished)[-1].text
    assert ".py" in answer and len(answer) > 500

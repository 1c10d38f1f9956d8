"""Asks the configured model for one word, for the doctor."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from paitui.context.thresholds import DEFAULT_WINDOW
from paitui.engine.models import Models, UnknownModel
from paitui.locale import Phrase, phrase
from paitui.messages.message import Message, Usage
from paitui.model.port import Model, ModelFault, Reply, Request
from paitui.settings import Settings

_QUESTION = "Answer with the word OK and nothing else."


@dataclass(frozen=True, slots=True)
class Probe:
    """What came of it."""

    status: Literal["ok", "fail"]
    what: Phrase
    todo: Phrase | None
    window: int
    """Context size of the model in tokens."""


def probe(settings: Settings, environment: Mapping[str, str]) -> Probe:
    """Ask once, with the retries and time limits that hold for every request.

    Args:
        settings: Names the model, its address and its key.
        environment: For keys.

    Returns:
        How long it took, or why it failed.
    """
    return asyncio.run(_probe(settings, environment))


async def _probe(settings: Settings, environment: Mapping[str, str]) -> Probe:
    name = settings.model
    models = Models(settings, (), environment)
    try:
        model = models.open(name)
    except UnknownModel as unknown:
        return Probe("fail", unknown.phrase, None, DEFAULT_WINDOW)
    window = settings.context.window or model.info.window
    begin = time.monotonic()
    try:
        usage = await _ask(model) or Usage()
    except ModelFault as fault:
        what = phrase("doctor.model_refused", name=name, why=fault.phrase)
        return Probe("fail", what, phrase("doctor.model_todo", file="settings.toml"), window)
    finally:
        await models.close()
    seconds = time.monotonic() - begin
    what = phrase(
        "doctor.model_answers", name=name, seconds=seconds, prompt=usage.prompt, completion=usage.completion
    )
    return Probe("ok", what, None, window)


async def _ask(model: Model) -> Usage | None:
    request = Request((Message("user", _QUESTION, origin="program"),), purpose="final")
    usage = None
    async with aclosing(model.stream(request)) as events:  # type: ignore[type-var]
        async for event in events:
            if isinstance(event, Reply):
                usage = event.usage
    return usage

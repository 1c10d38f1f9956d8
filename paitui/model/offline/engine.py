"""The built-in engine behind the model port: decides by rules, streams like a model, counts like a provider."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from types import MappingProxyType

from paitui.clock import Clock, SystemClock
from paitui.locale import Language, Words, phrase
from paitui.messages.message import Message, Usage
from paitui.model.offline.count import message_tokens, request_tokens, text_tokens
from paitui.model.offline.decide import Decision, decide
from paitui.model.offline.ground import Ask
from paitui.model.offline.planning import plan
from paitui.model.offline.reporting import report
from paitui.model.offline.reviewing import review
from paitui.model.offline.speech import Speech, language_of
from paitui.model.offline.summarise import summarise
from paitui.model.offline.tooling import make_calls
from paitui.model.port import ModelEvent, ModelFault, ModelInfo, ReasoningDelta, Reply, Request, TextDelta

DEFAULT_WINDOW = 32_000
_PIECES = re.compile(r"\s*[!-~]+|\s*[^\s!-~]{1,4}|\s+")


class OfflineModel:
    """Answers by rules, without a network; says so, and never pretends to understand more.

    Stateless: each answer follows from the request alone.

    Args:
        window: Context size in tokens. A request that the engine counts larger is refused, as by a provider.
        pace_s: Pause between pieces of a streamed answer, in seconds; 0 streams at once.
        clock: Paces the stream: pieces that are late come without a pause.
        extract: Answers a request for lasting facts in a text; without it there are none.
    """

    def __init__(
        self,
        window: int = DEFAULT_WINDOW,
        *,
        pace_s: float = 0.0,
        clock: Clock | None = None,
        extract: Callable[[str], str] = lambda text: '{"facts":[]}',
    ) -> None:
        self._info = ModelInfo("offline", window, sends_reasoning_back=True)
        self._pace_s = pace_s
        self._extract = extract
        self._clock: Clock = clock or SystemClock()
        words: dict[Language, Words] = {"en": Words("en"), "zh": Words("zh")}
        self._speech = MappingProxyType({language: Speech(words, language) for language in words})

    @property
    def info(self) -> ModelInfo:
        """Name ``offline``, and the window."""
        return self._info

    async def stream(self, request: Request) -> AsyncIterator[ModelEvent]:
        """Answer a request.

        Args:
            request: Complete; nothing else is known.

        Yields:
            Reasoning and text in small pieces, then the reply with its usage.

        Raises:
            ModelFault: The request is larger than the window.
        """
        prompt = request_tokens(request)
        if prompt > self._info.window:
            raise ModelFault("overflow", phrase("offline.overflow", tokens=prompt, window=self._info.window))
        if request.purpose == "extraction":
            text = request.messages[-1].content
            decision = Decision(await asyncio.to_thread(self._extract, text))  # a long text may take a while
        else:
            decision = self._decide(request)
        pace_s = self._pace_s if request.purpose != "extraction" else 0.0  # nobody watches
        due = self._clock.monotonic()
        for kind, whole in ((ReasoningDelta, decision.thought), (TextDelta, decision.text)):
            for piece in _pieces(whole):
                yield kind(piece)
                due += pace_s
                await asyncio.sleep(max(0.0, due - self._clock.monotonic()) if pace_s else 0)
        message = Message("assistant", decision.text, tool_calls=decision.calls, reasoning=decision.thought)
        reasoning = text_tokens(decision.thought)
        yield Reply(message, Usage(prompt=prompt, completion=message_tokens(message), reasoning=reasoning))

    async def close(self) -> None:
        """Nothing is held."""

    def _decide(self, request: Request) -> Decision:
        if request.purpose == "summary":
            instruction = next((m.content for m in request.messages if m.role == "system"), "")
            headings = " ".join(re.findall(r"^## .+$", instruction, re.MULTILINE))
            speech = self._speech[language_of(headings, request.language)]
            return Decision(summarise(request.messages, speech, self._info.window))
        said = [m.content for m in request.messages if m.is_users_words or m.origin == "carried"]
        speech = self._speech[language_of(said[-1] if said else "", request.language)]
        match request.purpose:
            case "plan":
                return Decision(plan(request.messages))
            case "review":
                step = review(request.messages, request.tools, speech)
                if isinstance(step, Ask):
                    return Decision(step.say, step.thought, make_calls(step.calls, request.tools, request.messages))
                return Decision(step)
            case "report":
                return Decision(report(request.messages, speech))
            case _:
                return decide(request, speech, self._info.window)


def _pieces(text: str) -> Iterator[str]:
    """Words of Latin text, a few signs of others at a time; together they are the text."""
    return (match[0] for match in _PIECES.finditer(text))

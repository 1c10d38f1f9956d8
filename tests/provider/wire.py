"""What a well-behaved provider sends: one answer in the chat-completions and in the messages format."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.provider.server import Play, Response, Seen


@dataclass(frozen=True)
class Answer:
    """What the model behind the provider says."""

    text: str = ""
    reasoning: str = ""
    signature: str = ""
    """Signs the reasoning, in the messages format."""
    calls: Sequence[tuple[str, str, str]] = ()
    """Tool calls: id, name, JSON arguments."""
    prompt: int = 100
    cached: int = 0
    """The part of `prompt` that was cached."""
    completion: int = 20
    thought: int = 0
    """The part of `completion` that was reasoning."""
    usage: bool = True
    """Whether usage is reported at all."""
    pieces: int = 3
    """Into how many deltas each text is cut."""

    @property
    def finish(self) -> str:
        return "tool_calls" if self.calls else "stop"


def sse(data: Any, event: str = "") -> bytes:
    """One server-sent event; `data` that is no text is written as JSON."""
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"{f'event: {event}' + chr(10) if event else ''}data: {text}\n\n".encode()


DONE = sse("[DONE]")


def cut_up(text: str, pieces: int) -> list[str]:
    """Cut a text into at most so many parts."""
    size = max(1, -(-len(text) // pieces))
    return [text[at : at + size] for at in range(0, len(text), size)]


def openai_chunk(delta: Any = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk in the chat-completions format; `more` replaces its fields."""
    choice = {"index": 0, "delta": {} if delta is None else delta, "finish_reason": finish}
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "served"}
    return {**base, "choices": [choice], **more}


def call_delta(index: int | None, id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    """The delta that carries a piece of one tool call; None leaves a field out."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    call: dict[str, Any] = {"type": "function", "function": function}
    if index is not None:
        call["index"] = index
    if id is not None:
        call["id"] = id
    return {"tool_calls": [call]}


def openai_usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.prompt,
        "completion_tokens": answer.completion,
        "total_tokens": answer.prompt + answer.completion,
        "prompt_tokens_details": {"cached_tokens": answer.cached},
        "completion_tokens_details": {"reasoning_tokens": answer.thought},
    }


def openai_chunks(answer: Answer) -> list[dict[str, Any]]:
    """The chunks of an answer; the pieces of parallel calls arrive interleaved."""
    chunks = [openai_chunk({"role": "assistant", "content": ""})]
    chunks += [openai_chunk({"reasoning_content": part}) for part in cut_up(answer.reasoning, answer.pieces)]
    chunks += [openai_chunk({"content": part}) for part in cut_up(answer.text, answer.pieces)]
    chunks += [openai_chunk(call_delta(n, id, name, "")) for n, (id, name, _) in enumerate(answer.calls)]
    parts = [cut_up(arguments, answer.pieces) for _, _, arguments in answer.calls]
    for at in range(max(map(len, parts), default=0)):
        for n, own in enumerate(parts):
            chunks += [openai_chunk(call_delta(n, None, None, own[at]))] if at < len(own) else []
    chunks.append(openai_chunk(finish=answer.finish))
    if answer.usage:
        chunks.append(openai_chunk(choices=[], usage=openai_usage(answer)))
    return chunks


def openai_steps(answer: Answer) -> list[bytes]:
    return [*map(sse, openai_chunks(answer)), DONE]


def openai_stream(answer: Answer) -> Response:
    """The whole answer in the chat-completions format."""
    return Response(openai_steps(answer))


def anthropic_events(answer: Answer) -> list[dict[str, Any]]:
    """The events of an answer in the messages format."""
    start_usage = {
        "input_tokens": answer.prompt - answer.cached,
        "cache_read_input_tokens": answer.cached,
        "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "served",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": start_usage,
    }
    events: list[dict[str, Any]] = [{"type": "message_start", "message": message}, {"type": "ping"}]
    at = 0
    if answer.reasoning:
        deltas: Iterable[dict[str, Any]] = [
            *({"type": "thinking_delta", "thinking": part} for part in cut_up(answer.reasoning, answer.pieces)),
            {"type": "signature_delta", "signature": answer.signature},
        ]
        events += _block(at, {"type": "thinking", "thinking": "", "signature": ""}, deltas)
        at += 1
    if answer.text:
        texts = ({"type": "text_delta", "text": part} for part in cut_up(answer.text, answer.pieces))
        events += _block(at, {"type": "text", "text": ""}, texts)
        at += 1
    for id, name, arguments in answer.calls:
        jsons = ({"type": "input_json_delta", "partial_json": part} for part in cut_up(arguments, answer.pieces))
        events += _block(at, {"type": "tool_use", "id": id, "name": name, "input": {}}, jsons)
        at += 1
    stop = {"stop_reason": "tool_use" if answer.calls else "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": answer.completion}})
    events.append({"type": "message_stop"})
    return events


def anthropic_steps(answer: Answer) -> list[bytes]:
    return [sse(event, event["type"]) for event in anthropic_events(answer)]


def anthropic_stream(answer: Answer) -> Response:
    """The whole answer in the messages format."""
    return Response(anthropic_steps(answer))


def agent(play: Callable[[list[Any], list[Any]], Answer]) -> Play:
    """A model that thinks: `play` is given the messages and tools of each request, as they were sent."""

    def respond(seen: Seen) -> Response:
        answer = play(seen.body.get("messages", []), seen.body.get("tools", []))
        return anthropic_stream(answer) if seen.path.endswith("/messages") else openai_stream(answer)

    return respond


def _block(at: int, start: dict[str, Any], deltas: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    inner = [{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas]
    first = {"type": "content_block_start", "index": at, "content_block": start}
    return [first, *inner, {"type": "content_block_stop", "index": at}]

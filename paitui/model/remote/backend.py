"""litellm, tamed. The only module that imports it, and only when told to; it runs in the child process.

What was found by reading and measuring litellm 1.110, and is dealt with here:

- Importing it fetches a price table, and reads a ``.env`` file from the folders above its own (a project's, if the
  program is installed in one): both are switched off.
- It ends a stream that broke off with a made-up ``stop``, and answers a request for usage with an estimate where
  the provider reported nothing, and adds a price of its own reckoning: all three are taken out again.
- It breaks a stream off after 100 equal chunks, which a table or a row of dashes can be.
- It retries by itself, see `REMAINING_RETRIES`.
"""

import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

ENVIRONMENT: Mapping[str, str] = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_OFFLINE_MODE": "true",
    "LITELLM_MODE": "PRODUCTION",
    "LITELLM_LOG": "ERROR",
    "REPEATED_STREAMING_CHUNK_LIMIT": "1000000000",
}
"""Set before litellm is imported."""

REMAINING_RETRIES = (
    "Providers that litellm speaks to by its own HTTP handler (Anthropic, DeepSeek and most others, not OpenAI and "
    "what is compatible with it): a connection that cannot be opened is tried once more. No request was sent then.",
)
"""What litellm retries though it was told not to; proved by counting requests and connections."""

NICENESS = 10
"""Priority of the import, so that it does not disturb typing in the program."""

_CUT = "Stream ended before a finish_reason"


class Backend:
    """The library, imported."""

    def __init__(self, litellm: Any, seconds: float) -> None:
        self._litellm = litellm
        self.seconds = seconds
        """How long the import took."""
        self.version = _version()
        """Version of the library."""

    async def stream(self, params: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """Ask a provider.

        Closing the iterator, or cancelling its task, closes the connection to the provider.

        Args:
            params: Arguments of the completion call. Retries are switched off whatever they say.

        Returns:
            Chunks in the chat-completions form. A stream that broke off ends without a finish reason; usage is
            there only if the provider reported it.

        Raises:
            Exception: Whatever the library raises, see `paitui.model.remote.raw`.
        """
        wanted = {**params, "stream": True, "num_retries": 0, "max_retries": 0}
        response = await self._litellm.acompletion(**wanted)
        if not hasattr(response, "__aiter__"):
            yield _as_chunk(response.model_dump(exclude_none=True))
            return
        try:
            async for chunk in response:
                yield _honest(chunk.model_dump(exclude_none=True), response)
        except Exception as error:
            if _CUT not in str(error):
                raise
        finally:
            await response.aclose()


def load() -> Backend:
    """Import the library, in the calling thread and at low priority.

    Returns:
        The library, ready for requests.

    Raises:
        ImportError: It is missing or broken.
    """
    os.environ.update(ENVIRONMENT)
    if sys.platform == "linux":  # where a thread has a priority of its own
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
    begin = time.monotonic()
    import litellm

    litellm.suppress_debug_info = True
    litellm.disable_streaming_logging = True
    litellm.turn_off_message_logging = True
    litellm.disable_token_counter = True
    return Backend(litellm, time.monotonic() - begin)


def _version() -> str:
    from importlib.metadata import version

    return version("litellm")


def _honest(chunk: dict[str, Any], response: Any) -> dict[str, Any]:
    """Take out of a chunk what the library made up."""
    if "usage" in chunk:
        reported = [usage for each in response.chunks if (usage := getattr(each, "usage", None))]
        if not reported:
            del chunk["usage"]
        elif not any(getattr(usage, "cost", None) for usage in reported):
            chunk["usage"].pop("cost", None)
    finished = response.received_finish_reason or response.intermittent_finish_reason
    if not finished and not response.received_any_finish_reason:
        for choice in chunk.get("choices", ()):
            choice.pop("finish_reason", None)
    return chunk


def _as_chunk(answer: dict[str, Any]) -> dict[str, Any]:
    """Give an answer that came in one piece as one chunk."""
    choices = [
        {
            "index": choice.get("index", 0),
            "delta": choice.get("message", {}),
            "finish_reason": choice.get("finish_reason"),
        }
        for choice in answer.get("choices", ())
    ]
    return {**answer, "choices": choices}

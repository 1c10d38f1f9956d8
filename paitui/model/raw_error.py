"""A failed request as it was found, before it is judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Where = Literal["connect", "first_event", "stream", "idle", "child"]
"""At what point a request failed: before an answer began; while the first event was waited for, in vain; in the
middle of the stream; while a further event was waited for, in vain; because the model process ended."""


@dataclass(frozen=True, slots=True)
class RawError:
    """What is known of a failed request."""

    kind: str = ""
    """Name of the exception class that the model library raised; empty if there was none."""
    status: int | None = None
    """HTTP status that a server sent; None without one."""
    code: str = ""
    """The provider's own word or number for the error."""
    message: str = ""
    """The message, the library's labels perhaps still before it."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Response headers, in any case."""
    body: str = ""
    """Response body as text."""
    where: Where = "connect"
    """When it failed."""

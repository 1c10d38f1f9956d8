"""Tier 2: old tool results and long arguments become one-line placeholders. Each names the file with its text."""

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from paitui.context.estimate import message_tokens
from paitui.context.offload import OutputFiles, body_of
from paitui.context.stubs import stub_savings, stubbed
from paitui.messages.message import Message, ToolCall
from paitui.settings import ContextSettings
from paitui.trust.boundary import MARK_CLEARED, wrap

NEWEST_SHOWN = 5
"""Of so many newest results the sizes are kept for the report."""
NO_PINS: frozenset[int] = frozenset()
NO_CALLS: Mapping[int, Collection[str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Clearing:
    """What one pass puts in place of what."""

    replaced: Mapping[int, Message]
    """By message `uid`: the message with its placeholder, or with notices in its calls' arguments."""
    problem: str = ""
    """Why something stays although it could have gone: its text could not be stored."""
    results: int = 0
    """Results among it."""
    arguments: int = 0
    """Calls whose arguments were shortened."""


def frontier(messages: Sequence[Message], keep: int) -> int:
    """Find where protection begins: the newest results and the newest round, seen or not, stay as they are.

    Args:
        messages: The history.
        keep: How many results count as newest.

    Returns:
        A position; results before it may go, and so may arguments of calls answered before it.
    """
    newest_round = next((at for at in range(len(messages) - 1, -1, -1) if messages[at].tool_calls), len(messages))
    newest: list[int] = []
    for at in range(len(messages) - 1, -1, -1):
        if len(newest) == keep:
            break
        if messages[at].role == "tool":
            newest.append(at)
    if keep == 0:
        return newest_round
    return min(newest_round, newest[-1]) if len(newest) == keep else 0


def clearable(messages: Sequence[Message], settings: ContextSettings, pinned: Collection[int] = NO_PINS) -> list[int]:
    """Find the results that may be cleared.

    Kept are the newest results, the newest round, results that the model has not seen yet, short ones, cleared
    ones, those of excluded tools, and those that the user pinned.

    Args:
        messages: The history.
        settings: How many are newest, what is short, which tools are excluded.
        pinned: Messages that stay, by `uid`.

    Returns:
        Positions, oldest first.
    """
    end = frontier(messages, settings.keep_results)
    return [at for at in range(end) if _may_clear(messages[at], settings, pinned)]


def _may_clear(message: Message, settings: ContextSettings, pinned: Collection[int]) -> bool:
    return (
        message.role == "tool"
        and message.state != "cleared"
        and len(message.content) >= settings.clear_min_chars
        and message.name not in settings.clear_exclude
        and message.uid not in pinned
    )


def stubbable(
    messages: Sequence[Message],
    settings: ContextSettings,
    pinned: Collection[int] = NO_PINS,
    newest_too: bool = False,
) -> dict[int, set[str]]:
    """Find the calls whose long arguments may be shortened: those whose results are not protected.

    Args:
        messages: The history.
        settings: As in `clearable`.
        pinned: Messages that stay, by `uid`.
        newest_too: Take every call that was answered. Results are bounded as they enter, arguments are not: those of
            the newest round alone may be larger than the window.

    Returns:
        Ids of calls by the position of the message that makes them.
    """
    found: dict[int, set[str]] = {}
    caller = -1
    for at in range(len(messages) if newest_too else frontier(messages, settings.keep_results)):
        message = messages[at]
        if message.role == "assistant":
            caller = at
        elif message.role == "tool" and caller >= 0 and _may_stub(messages[caller], message, settings, pinned):
            call = next((c for c in messages[caller].tool_calls if c.id == message.tool_call_id), None)
            if call is not None and stub_savings(call, settings.stub_min_chars) > 0:
                found.setdefault(caller, set()).add(call.id)
    return found


def _may_stub(caller: Message, result: Message, settings: ContextSettings, pinned: Collection[int]) -> bool:
    return result.name not in settings.clear_exclude and not {caller.uid, result.uid} & set(pinned)


class Candidates:
    """Keeps count of what a pass would free, so that a check costs what was added since the last one.

    Args:
        settings: As in `clearable`.
    """

    def __init__(self, settings: ContextSettings) -> None:
        self._settings = settings
        self._reset(0, NO_PINS)

    def _reset(self, rewrites: int, pinned: frozenset[int]) -> None:
        self._rewrites = rewrites
        self._pinned = pinned
        self._counted = 0
        self._round = 0
        self._caller = Message("assistant")
        self._calls: dict[str, ToolCall] = {}
        self._recent: deque[int] = deque(maxlen=self._settings.keep_results)
        self._pending: deque[tuple[int, int]] = deque()
        self.freed = 0
        """Estimated tokens that clearing everything eligible would free."""
        self.newest: deque[int] = deque(maxlen=NEWEST_SHOWN)
        """Characters of the newest results as they arrived, oldest first."""

    def update(self, messages: Sequence[Message], rewrites: int, pinned: frozenset[int]) -> None:
        """Take in what was added; everything once after a change of the middle or of the pins."""
        if rewrites != self._rewrites or len(messages) < self._counted or pinned != self._pinned:
            self._reset(rewrites, pinned)
        for at in range(self._counted, len(messages)):
            message = messages[at]
            if message.role == "assistant":
                self._caller = message
                self._calls = {call.id: call for call in message.tool_calls}
                self._round = at if message.tool_calls else self._round
            elif message.role == "tool":
                self._recent.append(at)
                self._pending.append((at, self._savings(message)))
                self.newest.append(message.body_chars)
        self._counted = len(messages)
        keep = self._settings.keep_results
        end = self._round if keep == 0 else min(self._round, self._recent[0]) if len(self._recent) == keep else 0
        while self._pending and self._pending[0][0] < end:
            self.freed += self._pending.popleft()[1]

    def _savings(self, message: Message) -> int:
        saved = 0
        if _may_clear(message, self._settings, self._pinned):
            saved += max(0, message_tokens(message) - _PLACEHOLDER_TOKENS)
        call = self._calls.get(message.tool_call_id)
        if call is not None and _may_stub(self._caller, message, self._settings, self._pinned):
            saved += stub_savings(call, self._settings.stub_min_chars)
        return saved


def worthwhile(freed: int, window: int, settings: ContextSettings) -> bool:
    """Whether a pass frees enough to pay for the broken prefix cache.

    Args:
        freed: Tokens that it would free.
        window: Context size in tokens.
        settings: The share and, for windows of 128,000 tokens and more, the least amount.
    """
    return freed > 0 and freed >= least_worth(window, settings)


def least_worth(window: int, settings: ContextSettings) -> int:
    """Tokens that a pass must free to be worthwhile."""
    least = settings.clear_worth_tokens if window >= 128_000 else 0
    return max(least, window * settings.clear_worth_percent // 100)


def clear(
    messages: Sequence[Message],
    positions: Sequence[int],
    files: OutputFiles,
    calls: Mapping[int, Collection[str]] = NO_CALLS,
    stub_min_chars: int = 400,
) -> Clearing:
    """Store what is in no file yet, and make the placeholders.

    Args:
        messages: The history; it is not changed.
        positions: Results to clear, as `clearable` found them.
        files: Where whole texts go.
        calls: Calls whose arguments are to be shortened, as `stubbable` found them.
        stub_min_chars: Longer texts in arguments go.

    Returns:
        The placeholders; what cannot be stored is left out and stays.
    """
    done: dict[int, Message] = {}
    problem = ""
    shortened = 0
    for message in (messages[at] for at in positions):
        try:
            done[message.uid] = cleared(message, files)
        except OSError as error:
            problem = error.strerror or str(error)
    results = len(done)
    for at, ids in calls.items():
        made = list(messages[at].tool_calls)
        for n, call in enumerate(made):
            if call.id not in ids:
                continue
            try:
                made[n] = stubbed(call, stub_min_chars, lambda text, name=call.name: files.save(name, text))  # type: ignore[misc]
            except OSError as error:
                problem = error.strerror or str(error)
            shortened += made[n] is not call
        if tuple(made) != messages[at].tool_calls:
            done[messages[at].uid] = replace(messages[at], tool_calls=tuple(made))
    return Clearing(done, problem, results, shortened)


def clear_one(message: Message, files: OutputFiles, stub_min_chars: int) -> Message:
    """Clear one message, whatever protects it: a result, or the long arguments of an answer's calls.

    Returns:
        The message in its new form; the same object if there is nothing to clear.

    Raises:
        OSError: Its text cannot be stored.
    """
    if message.role == "tool":
        return message if message.state == "cleared" else cleared(message, files)
    calls = tuple(
        stubbed(call, stub_min_chars, lambda text, name=call.name: files.save(name, text))  # type: ignore[misc]
        for call in message.tool_calls
    )
    return message if calls == message.tool_calls else replace(message, tool_calls=calls)


def cleared(message: Message, files: OutputFiles) -> Message:
    """Put the placeholder in place of one result.

    Raises:
        OSError: Its text is in no file and cannot be stored.
    """
    stored = message.stored
    if not stored and message.state == "live":
        stored = files.save(message.name, body_of(message))
    return _cleared(message, stored)


def _cleared(message: Message, stored: str) -> Message:
    # Short on purpose: there are many of them, and each is sent with every later request.
    where = f"whole text in {stored}; read it back" if stored else "its middle was lost on arrival"
    notice = (
        f"{MARK_CLEARED} {message.name} result of about {message.body_chars:,} characters; {where}, "
        "or call the tool again]"
    )
    return replace(message, content=wrap(message.name, "", notice=notice), state="cleared", stored=stored)


_PLACEHOLDER_TOKENS = message_tokens(
    _cleared(Message("tool", name="read_file", body_chars=10_000), ".paitui/tool-outputs/20250101-000000-ab/000.txt")
)
"""About what a placeholder takes."""

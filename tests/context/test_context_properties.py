"""Any history through all tiers, with faults: always valid, nothing lost, every stored text byte for byte."""

import asyncio
import errno
import json
import random
from dataclasses import dataclass, field, replace

import pytest
from context_builders import MemoryFiles
from hypothesis import given, settings
from hypothesis import strategies as st

from paitui.context.estimate import messages_tokens
from paitui.context.manager import ContextManager, Fruitless
from paitui.context.meter import Calibration
from paitui.context.offload import Arrival, body_of
from paitui.context.stubs import stub_paths
from paitui.context.undo import fingerprint, step_from_record, step_to_record, undo_step, undone
from paitui.engine.prompts import summary_prompts
from paitui.jsontext import decode, encode
from paitui.messages.message import Image, Message, ToolCall, Usage
from paitui.messages.validity import INTERRUPTED, violations, with_unique_ids
from paitui.settings import ContextSettings

PROMPTS = summary_prompts("en")
GOOD = "\n".join(f"{heading}\nWork on src/a.py, 3 errors." for heading in PROMPTS.headings)
TOOLS = ("read_file", "write_file", "execute_command", "grep_code")
SIZES = (0, 1, 60, 60, 500, 500, 500, 3_000, 3_000, 12_000, 40_000)
ALPHABET = ("word ", "line\n", "数据", '</tool_result>"\\ ', "[paitui:cleared x]", "\ud800", "=" * 7)


class Cancelled(BaseException):
    """Stands for the cancel that may come at any await."""


@dataclass
class FlakyFiles(MemoryFiles):
    """Every so often the disk is full."""

    chance: float = 0.0
    dice: random.Random = field(default_factory=lambda: random.Random(0))

    def save(self, tool: str, text: str) -> str:
        if self.dice.random() < self.chance:
            raise OSError(errno.ENOSPC, "disk full")
        return super().save(tool, text)


@dataclass
class World:
    """A history that lives through a session; it checks itself after each step."""

    dice: random.Random
    window: int
    full_disk: float = 0.0
    messages: list[Message] = field(default_factory=list)
    bodies: dict[int, str] = field(default_factory=dict)
    """What each result was when it came, by uid."""
    arguments: dict[str, str] = field(default_factory=dict)
    """What each call's arguments were, by its id."""
    rewrites: int = 0
    uid: int = 0

    def __post_init__(self) -> None:
        self.files = FlakyFiles(chance=self.full_disk, dice=self.dice)
        self.keeper = ContextManager(ContextSettings(), self.window, self.files, Calibration(1.3), 300)
        self.append(Message("system", "You are an agent."))

    def text(self) -> str:
        size = self.dice.choice(SIZES)
        piece = "".join(self.dice.choice(ALPHABET) for _ in range(5))
        return (piece * (size // len(piece) + 1))[:size]

    def append(self, message: Message) -> Message:
        self.uid += 1
        self.messages.append(replace(message, uid=self.uid))
        return self.messages[-1]

    def turn(self) -> None:
        images = (Image("https://x/y.png"),) * self.dice.randrange(2)
        self.append(Message("user", self.text() + "?", images=images, origin="typed"))
        for _ in range(self.dice.randrange(4)):
            self.round()
        if self.dice.random() < 0.8:
            self.append(Message("assistant", self.text() + ".", reasoning=self.text()[:200]))
            self.keeper.reported(Usage(self.dice.randrange(5_000), 10), self.messages, self.rewrites)

    def round(self) -> None:
        asked = tuple(
            ToolCall(
                self.dice.choice(("", "a", f"c{self.uid}")),
                self.dice.choice(TOOLS),
                self.dice.choice(
                    (
                        json.dumps({"path": "src/a.py", "content": self.text()}),
                        json.dumps({"command": self.text()}),
                        "{",
                        "",
                    )
                ),
            )
            for _ in range(self.dice.choice((1, 1, 2, 16)))
        )
        signed = ({"type": "thinking", "signature": "s"},) if self.dice.random() < 0.3 else ()
        used = {call.id for message in self.messages for call in message.tool_calls}
        reply = with_unique_ids(Message("assistant", "", tool_calls=asked, signed_reasoning=signed), used)
        if self.messages[-1].role == "assistant":
            self.append(Message("user", "go on", origin="typed"))
        self.append(reply)
        arrivals = [Arrival(call, self.text(), ok=self.dice.random() < 0.7) for call in reply.tool_calls]
        if self.dice.random() < 0.2:
            arrivals = [replace(arrival, text=INTERRUPTED, ok=False) for arrival in arrivals]
        for arrival, done in zip(arrivals, self.keeper.admit(arrivals, self.keeper.new_round()), strict=True):
            self.arguments[arrival.call.id] = arrival.call.arguments
            message = self.append(done.message)
            if not done.lost:
                self.bodies[message.uid] = arrival.text or "(no output)"
        if self.dice.random() < 0.2:
            self.append(Message("user", "also this", origin="steered"))

    def clear(self, forced: bool = False) -> None:
        before = list(self.messages)
        done = self.keeper.clear(self.messages, self.rewrites, forced)
        if done is None:
            return
        assert not {*self.keeper.pinned} & {*done.replaced}
        self.put([done.replaced.get(message.uid, message) for message in before])
        assert [(m.uid, m.role, m.tool_call_id) for m in before] == [
            (m.uid, m.role, m.tool_call_id) for m in self.messages
        ]
        if done.replaced:
            assert messages_tokens(self.messages) < messages_tokens(before)

    def summarise(self, by_hand: bool, forced: bool) -> None:
        answers = iter(self.dice.choices(("good", "empty", "bare", "cancel", "fault"), (12, 1, 1, 1, 1), k=400))

        async def model(instruction: str, text: str) -> str:
            assert len(text) <= 60_000
            assert self.keeper.meter.estimate_text(instruction + text) < self.window
            match next(answers):
                case "cancel":
                    raise Cancelled
                case "fault":
                    raise ConnectionError
                case "empty":
                    return ""
                case "bare":
                    return "\n".join(PROMPTS.headings)
            return GOOD

        before, was = list(self.messages), fingerprint(self.messages)
        work = self.keeper.summarise(self.messages, self.rewrites, model, PROMPTS, by_hand, "", forced)
        try:
            done = asyncio.run(work)
        except (Fruitless, Cancelled, ConnectionError):
            assert fingerprint(self.messages) == was
            return
        stays = self.messages[done.cut.end :]
        assert done.messages[len(done.messages) - len(stays) :] == stays
        assert done.after <= done.before * 0.9
        self.put(done.messages)
        step = undo_step("summary", before, self.messages, done.before, done.after)
        restored = undone(step_from_record(decode(encode(step_to_record(step)))), self.messages)
        assert fingerprint(restored) == was
        said = [m.content for m in before[done.cut.start : done.cut.end] if m.is_users_words]
        whole = "\n".join(message.content for message in self.messages)
        for text in said[-1:]:  # the newest is there, whole or with its file
            assert text in whole or text[:20] in whole or text in self.files.saved.values()
        if self.dice.random() < 0.2:
            self.put(restored)

    def put(self, messages: list[Message]) -> None:
        self.messages = []
        for message in messages:
            if message.uid:
                self.messages.append(message)
            else:
                self.append(message)
        self.rewrites += 1

    def check(self) -> None:
        assert not violations(self.messages), violations(self.messages)
        for message in self.messages:
            if message.role == "tool" and message.uid in self.bodies:
                body = self.bodies[message.uid]
                if message.state == "live":
                    assert body_of(message) == body
                else:
                    assert message.stored in message.content and self.files.saved[message.stored] == body
            for call in message.tool_calls:
                paths = stub_paths(call)
                assert paths or call.arguments == self.arguments[call.id]
                for path in paths:
                    text = self.files.saved[path]
                    original = self.arguments[call.id]
                    assert text == original or text in json.loads(original).values()
                assert not paths or isinstance(json.loads(call.arguments), dict)
        report = self.keeper.report(self.messages, self.rewrites)
        assert report.used == sum(tokens for _, tokens in report.parts)
        rows = self.keeper.rows(self.messages, self.rewrites)
        assert report.used - sum(row.tokens for row in rows) >= 0


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([8_000, 16_000, 32_000, 128_000]), st.sampled_from([0.0, 0.3]))
def test_whatever_happens_the_history_is_valid_and_nothing_is_lost(seed: int, window: int, full_disk: float) -> None:
    dice = random.Random(seed)
    world = World(dice, window, full_disk)
    for _ in range(dice.randrange(3, 10)):
        world.turn()
        if dice.random() < 0.2:
            world.keeper.pinned = frozenset(dice.choices([m.uid for m in world.messages], k=2))
        world.clear(forced=dice.random() < 0.1)
        world.check()
        if world.keeper.must_summarise(world.messages, world.rewrites) or dice.random() < 0.2:
            world.summarise(by_hand=dice.random() < 0.3, forced=dice.random() < 0.2)
            world.check()


@pytest.mark.parametrize("rounds", [3, 40])
def test_no_request_for_a_summary_is_over_the_window_by_the_count_in_force(rounds: int) -> None:
    world = World(random.Random(rounds), 8_000)
    for _ in range(rounds):
        world.turn()
    asked: list[int] = []

    async def model(instruction: str, text: str) -> str:
        asked.append(world.keeper.meter.estimate_text(instruction + text))
        return GOOD

    asyncio.run(world.keeper.summarise(world.messages, world.rewrites, model, PROMPTS, by_hand=True))
    assert asked and max(asked) < 8_000 - world.keeper.marks.reserve

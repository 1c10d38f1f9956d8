"""Small recorded sessions, made up."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paitui.context.estimate import message_tokens
from paitui.messages.message import Message, ToolCall
from paitui.replay.recording import Recording, read_recording


@dataclass
class Session:
    """Writes the lines of a recording; `usage` reports as a provider would that counts `rate` times the estimate."""

    rate: float = 1.3
    usage: bool = True
    fixed: int = 2_000
    lines: list[dict[str, Any]] = field(default_factory=list)
    tokens: float = 0.0
    made: int = 0

    def user(self, text: str) -> "Session":
        self._add({"role": "user", "content": text}, Message("user", text))
        return self

    def answer(self, text: str, *calls: tuple[str, dict[str, Any] | str]) -> list[str]:
        found = []
        for name, arguments in calls:
            self.made += 1
            text_of = arguments if isinstance(arguments, str) else json.dumps(arguments)
            found.append({"id": f"call-{self.made}", "name": name, "arguments": text_of})
        message = Message("assistant", text, tuple(ToolCall(c["id"], c["name"], c["arguments"]) for c in found))
        line: dict[str, Any] = {"role": "assistant", "content": text}
        if found:
            line["tool_calls"] = found
        cost = message_tokens(message) * self.rate
        if self.usage:
            line["usage"] = {"prompt": round(self.fixed + self.tokens), "completion": round(cost)}
        self.lines.append(line)
        self.tokens += cost
        return [c["id"] for c in found]

    def result(self, call_id: str, text: str, name: str = "") -> "Session":
        line = {"role": "tool", "tool_call_id": call_id, "content": text} | ({"name": name} if name else {})
        self._add(line, Message("tool", text, name=name))
        return self

    def round(self, name: str, arguments: dict[str, Any], result: str, text: str = "") -> "Session":
        """One call and its result."""
        return self.result(self.answer(text, (name, arguments))[0], result, name)

    def _add(self, line: dict[str, Any], message: Message) -> None:
        self.lines.append(line)
        self.tokens += message_tokens(message) * self.rate

    def write(self, folder: Path) -> Path:
        file = folder / "session.jsonl"
        file.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines), "utf-8")
        return file

    def recording(self, folder: Path) -> Recording:
        return read_recording(self.write(folder), folder)


def listing(number: int, lines: int) -> str:
    """Text like a source file, different for each number."""
    return "".join(
        f"    value_{number}_{line} = compute({line * 7919 % 1000}, 'part {line}')\n" for line in range(lines)
    )


def long_session(turns: int = 12, rounds: int = 10, usage: bool = True) -> Session:
    """A coding session: reads, edits with long arguments, commands of which some fail."""
    session = Session(usage=usage)
    number = 0
    for turn in range(turns):
        session.user(f"Request {turn}: rework module_{turn}.py and never touch the folder migrations_{turn}.")
        for step in range(rounds):
            number += 1
            path = f"src/module_{number}.py"
            match step % 4:
                case 0:
                    session.round("read", {"path": path}, listing(number, 90), "Let me look.")
                case 1:
                    arguments = {"path": path, "oldText": listing(number, 20), "newText": listing(number + 1, 20)}
                    session.round("edit", arguments, f"Successfully replaced text in {path}.")
                case 2:
                    bad = step % 8 == 2
                    output = f"test_{number} ... " + ("error: assertion 41 failed in line 1234\n" if bad else "ok\n")
                    end = "Command exited with code 1" if bad else ""
                    session.round(
                        "bash", {"command": f"pytest tests/test_{number}.py"}, output + "." * 900 + "\n" + end
                    )
                case _:
                    first, second = session.answer("Both.", ("read", {"path": path}), ("bash", {"command": "ls"}))
                    session.result(first, listing(number, 60), "read").result(second, "a.py\nb.py", "bash")
        session.answer(f"Module {turn} is reworked.")
    return session

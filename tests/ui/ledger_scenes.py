"""A ledger on the disk for scenes and tests of the viewer: a task in which all three tiers passed."""

from pathlib import Path

from paitui.ledger.records import Record, to_line

CLEARED = "[paitui:cleared read_file result of about 9,000 characters; whole text in .paitui/tool-outputs/s1/002.txt]"
SUMMARY = "## Goal\nStream the order export.\n\n## Decisions\n- 金额一律用分\n- chunks of 500 rows"


def records() -> list[Record]:
    """The records of one task, in order."""
    found: list[Record] = []

    def add(event: str, payload: dict[str, object], unit: str = "react") -> None:
        at = len(found)
        stamp = f"2026-12-01T08:{at // 60:02}:{at % 60:02}.000Z"
        found.append(Record(at + 1, stamp, "s1", unit, event, payload))

    add("session", {"state": "opened", "model": "offline"}, "")
    add("turn", {"turn": 1, "state": "started"})
    add("message", {"role": "user", "content": "把订单导出改成流式的，先看看现在怎么写", "uid": 2})
    for n in range(3):
        call = {"id": f"c{n}", "type": "function",
                "function": {"name": "read_file", "arguments": f'{{"path":"app/part_{n}.py"}}'}}  # fmt: skip
        add("message", {"role": "assistant", "content": "", "tool_calls": [call], "uid": 3 + 2 * n})
        body = f"def export_{n}(orders):\n    return list(orders)\n" * 40
        text = f'<tool_result tool="read_file" trust="untrusted-data">\n{body}</tool_result>'
        add(
            "message",
            {"role": "tool", "content": text, "tool_call_id": f"c{n}", "name": "read_file", "uid": 4 + 2 * n},
        )
    add("boundary", {"kind": "clear", "why": "over the clear threshold", "before": 58_910, "after": 41_200,
                     "ids": [4, 6], "texts": [CLEARED, CLEARED]})  # fmt: skip
    add(
        "approval",
        {"tool": "execute_command", "call": "c9", "subject": "pytest -q", "decision": "once", "allowed": True},
    )
    add("trust", {"kind": "web", "source": "https://docs.python.org/3/library/csv.html"})
    add("boundary", {"kind": "summary", "why": "over the summary threshold", "before": 98_400, "after": 12_310,
                     "ids": [2, 3, 4, 5, 6, 7, 8], "texts": [SUMMARY]})  # fmt: skip
    add("memory", {"did": "stored", "id": "fact-3f2a91c0"})
    add("message", {"role": "assistant", "content": "导出现在逐行写出，内存不再随订单数增长。", "uid": 11})
    add("turn", {"turn": 1, "state": "done", "reason": ""})
    return found


def write(home: Path, session: str = "s1") -> Path:
    """Put the ledger into a home folder."""
    file = home / "history/raw" / f"{session}.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(to_line(record) + b"\n" for record in records()))
    return file

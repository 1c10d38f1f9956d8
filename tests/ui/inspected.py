"""A history to look through, for the scenes and the tests of the context inspector."""

from dataclasses import replace

from paitui.context.report import HistoryRow
from paitui.engine.events import Event, HistoryShown, MessageShown
from paitui.messages.message import Message, ToolCall

SUMMARY = (
    "## 当前目标与成功标准\n把订单导出改成流式，大表不再用完内存。\n\n## 用户的要求与已确认的决定\n- 先别动数据库表\n"
    "- 每块 500 行\n\n## 已完成的工作\n- `app/orders/export.py` 已改为逐块读取\n\n"
    "## 未解决的问题与下一步\n- 补一个大表的测试"
)
OUTPUT = "\n".join(f"tests/orders/test_export.py::test_{n} PASSED [bold] {n * 7 % 100:3d}%" for n in range(300))


def _row(number: int, role: str, tokens: int, text: str, **more: object) -> HistoryRow:
    given = {"origin": "", "state": "live", "pinned": False, "stored": "", "chars": tokens * 3, "name": "", **more}
    return HistoryRow(number, 10 + number, role, tokens=tokens, text=text, **given)  # type: ignore[arg-type]


BEFORE = (
    _row(1, "system", 2_410, "You are paitui, a coding agent that works in a terminal on the files of one project."),
    _row(2, "user", 1_204, "把订单导出改成流式的，先看看现在怎么写", origin="typed"),
    _row(3, "assistant", 310, "我先找到导出的入口。", name="grep, read_file"),
    _row(4, "tool", 880, "app/orders/export.py:40: def export(orders, target):", name="grep"),
    _row(
        5,
        "tool",
        6_020,
        "[result cleared: read_file, about 18,000 characters, whole in 003-read_file.txt]",
        name="read_file",
        state="cleared",
        stored=".paitui/tool-outputs/20261201-0911-s1/003-read_file.txt",
    ),
    _row(6, "assistant", 1_870, "测试失败的原因是一次性读入了全部订单", name="execute_command"),
    _row(
        7,
        "tool",
        12_330,
        "[output offloaded] execute_command, 41,230 characters in 300 lines, whole in 007-execute_command.txt",
        name="execute_command",
        state="offloaded",
        stored=".paitui/tool-outputs/20261201-0911-s1/007-execute_command.txt",
        chars=41_230,
    ),
    _row(8, "assistant", 2_930, "The list goes, rows are written as they are read.", name="edit_file"),
    _row(9, "tool", 214, "app/orders/export.py changed, +2 -2", name="edit_file", pinned=True),
    _row(10, "user", 96, "先别动数据库表", origin="steered"),
    _row(11, "assistant", 9_104, "", name="write_file"),
    _row(12, "tool", 18_400, "def test_large(tmp_path): orders = make(1_000_000)", name="read_file"),
    _row(13, "assistant", 1_032, "All 300 tests pass; the export now streams.\n"),
)
_MADE = (
    replace(
        _row(0, "user", 3_020, "## 当前目标与成功标准 把订单导出改成流式，大表不再用完内存。", origin="summary"),
        uid=91,
    ),
    replace(_row(0, "assistant", 24, "Understood; I go on from there.", origin="acknowledgement"), uid=92),
    replace(_row(0, "user", 96, "先别动数据库表", origin="carried"), uid=93),
)
AFTER = tuple(replace(row, number=at + 1) for at, row in enumerate((BEFORE[0], *_MADE, *BEFORE[8:9], *BEFORE[10:])))

RESULT = Message(
    "tool", OUTPUT, name="execute_command", tool_call_id="c3", uid=17, state="offloaded", body_chars=41_230
)
CALL = Message(
    "assistant",
    "我先找到导出的入口。",
    (ToolCall("c1", "grep", '{"pattern": "def export", "path": "app/"}'), ToolCall("c2", "read_file", '{"path": 1}')),
    reasoning="First find where exports are written, then read it.",
    uid=13,
)

LISTED: list[Event] = [HistoryShown(BEFORE, cut=11)]
"""A history that nothing was taken from yet."""
READ: list[Event] = [*LISTED, MessageShown(RESULT)]
"""The same, with a message."""
SUMMED_UP: list[Event] = [
    HistoryShown(AFTER, "summary", BEFORE),
    MessageShown(Message("user", SUMMARY, uid=91, origin="summary")),
]
"""A history with a summary that can be taken back."""

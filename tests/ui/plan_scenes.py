"""A plan and its units for scenes of the screen: proposed, worked on, over."""

from msgspec.structs import replace

from paitui.context.report import ContextReport
from paitui.engine.events import (
    AnswerFinished,
    ApprovalRequested,
    ContextChanged,
    Event,
    ModelStarted,
    PlannedTask,
    PlanProposed,
    PlanResolved,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UnitEvent,
    UnitsChanged,
    UnitState,
    UserSaid,
)
from paitui.locale import phrase

GOAL = "把订单导出改成流式的，补上测试，并写进 README"
TASKS = (
    PlannedTask("read", "Find out how the export reads its orders now.\nSay which functions take part.", "survey"),
    PlannedTask("stream", "Change export() so that it writes each row as it is read.", "code", ("read",)),
    PlannedTask("tests", "Write a test with 100,000 orders that watches the memory.", "test", ("read",)),
    PlannedTask("docs", "说明新的导出方式：README 里加一节，中英文各一份", "docs", ("stream", "tests")),
)


def report(used: int, window: int = 32_000) -> ContextReport:
    return ContextReport(
        used=used, window=window, clear_at=13_000, summary_at=19_000, reserve=8_000, buffer=5_000, measured=False,
        parts=(("system", 900), ("schemas", 1_400), ("user", 300), ("results_live", max(0, used - 2_600))),
        offload_chars=32_000,
    )  # fmt: skip


def name(task: str) -> str:
    return f"plan1.{task}"


def units(**given: object) -> tuple[UnitState, ...]:
    """The planner and the four tasks; what is not said of one is that it waits."""
    found = [UnitState(name("planner"), "planner", "planner", GOAL, name("planner"), status="done", tries=1)]
    for task in TASKS:
        unit = UnitState(
            name(task.id), task.id, "task", task.description, name(task.id), task.type, tuple(map(name, task.needs))
        )
        found.append(replace(unit, **given.get(task.id, {})))
    return tuple(found)


def changed(**given: object) -> UnitsChanged:
    return UnitsChanged("plan", GOAL, units(**given))


def begun(goal: str = GOAL) -> list[Event]:
    planner = UnitState(name("planner"), "planner", "planner", goal, name("planner"), status="running", tries=1)
    return [
        TurnStarted(1, "plan"),
        UserSaid(goal),
        UnitsChanged("plan", goal, (planner,)),
        UnitEvent(name("planner"), UserSaid(goal)),
        UnitEvent(name("planner"), ModelStarted(2, "plan")),
        UnitEvent(name("planner"), AnswerFinished('{"tasks": []}', final=True)),
        UnitEvent(name("planner"), ContextChanged(report(3_400))),
        changed(),
    ]


def proposed(id: str = "p1") -> list[Event]:
    return [*begun(), PlanProposed(id, GOAL, TASKS)]


def of(task: str, *events: Event) -> list[Event]:
    return [UnitEvent(name(task), event) for event in events]


def read(task: str, call: str, subject: str, used: int) -> list[Event]:
    return of(
        task,
        ModelStarted(3),
        ToolStarted(call, "read_file", "{}", subject),
        ToolFinished(call, "read_file", True, "def export(): ...", phrase("180 lines"), chars=900),
        ContextChanged(report(used)),
    )


RUNS = {"status": "running", "tries": 1}
FOUND = "export() in app/orders/export.py reads all orders at once; iter_orders() is there already."


def running() -> list[Event]:
    """The first task is done; two run side by side, and one of them asks."""
    first = {"status": "done", "tries": 1, "answer": FOUND}
    return [
        *proposed(),
        PlanResolved("p1", "run"),
        changed(read=RUNS),
        *of("read", UserSaid(TASKS[0].description)),
        *read("read", "c1", "app/orders/export.py", 6_210),
        *of("read", AnswerFinished(FOUND, final=True)),
        changed(read=first),
        changed(read=first, stream=RUNS, tests=RUNS),
        *of("stream", UserSaid(TASKS[1].description)),
        *of("tests", UserSaid(TASKS[2].description)),
        *read("stream", "c2", "app/orders/export.py", 14_120),
        *read("tests", "c3", "tests/orders/test_export.py", 4_930),
        *of("tests", ModelStarted(5), ToolStarted("c4", "execute_command", "{}", "pytest -q tests/orders")),
        ApprovalRequested(
            "a1", "c4", "execute_command", "command", "pytest -q tests/orders", always="pytest", unit=name("tests")
        ),
    ]


def over() -> list[Event]:
    """One task failed, and what needed it was skipped."""
    done = {"status": "done", "tries": 1, "answer": FOUND}
    failed = {"status": "failed", "tries": 1, "reason": phrase("pytest is not installed; nothing could be tested.")}
    skipped = {"status": "skipped", "reason": phrase("plan.skipped", name="tests")}
    return [
        *running()[:-2],
        changed(read=done, stream={**done, "answer": "Each row is written as it is read."}, tests=failed),
        changed(
            read=done, stream={**done, "answer": "Each row is written as it is read."}, tests=failed, docs=skipped
        ),
        ModelStarted(4, "report"),
        AnswerFinished("The export streams now. It could not be tested, so the README was left alone.", final=True),
        TurnEnded(1, "partial", phrase("plan.partly", done=2, n=4, failed=1, skipped=1), 61.0),
    ]


def interrupted() -> list[Event]:
    stopped = {"status": "cancelled", "tries": 1}
    done = {"status": "done", "tries": 1, "answer": FOUND}
    return [
        *running()[:-2],
        changed(read=done, stream=stopped, tests=stopped),
        TurnEnded(1, "cancelled", phrase("engine.cancelled")),
    ]

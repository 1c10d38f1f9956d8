"""Stored sessions for scenes of the screen."""

from paitui.engine.events import Event, SessionBrokenOff, SessionShown, SessionsShown
from paitui.engine.session_desk import SessionView, UnitView
from paitui.session.info import SessionInfo

HERE = "/home/lin/work/shop-api"
ELSEWHERE = "/home/lin/work/warehouse-admin"


def info(id: str, words: str, changed: str, **more) -> SessionInfo:
    given = {"project": HERE, "created": "2026-11-30T01:12:00.000Z", "model": "offline", "ended": True, **more}
    return SessionInfo(id=id, first_words=words, changed=changed, **given)


CRASHED = info(
    "20261201-061502-3fa9",
    "把订单导出改成流式的，先看看现在怎么写",
    "2026-12-01T06:02:11.000Z",
    model="deepseek/deepseek-chat",
    messages=48,
    tokens=58_910,
    ended=False,
)
COPY = info(
    "20261130-140200-91bc",
    "survey this project",
    "2026-11-30T22:40:00.000Z",
    messages=12,
    tokens=9_870,
    forked_from=("20261128-081410-77aa",),
)
FOUND = (
    info("s1", "run the tests and say what fails", "2026-12-01T09:10:40.000Z", messages=6, tokens=4_210),
    CRASHED,
    COPY,
    info("20261128-081410-77aa", "survey this project", "2026-11-28T08:50:00.000Z", messages=9, tokens=8_120),
    info("20261104-031500-0c0d", "导出为什么会失败？", "2026-11-04T03:20:00.000Z", messages=131, tokens=101_220),
    info("20261009-120000-ee01", "给 README 补上安装说明，中英文各一份，不要改代码", "2026-10-09T12:30:00.000Z",
         messages=22, tokens=15_004),
)  # fmt: skip
OTHERS = (
    info("20261130-093000-5e5e", "why is the stock count wrong after a return?", "2026-11-30T10:00:00.000Z",
         project=ELSEWHERE, messages=77, tokens=44_100),
)  # fmt: skip
VIEW = SessionView(
    info=CRASHED,
    asked="跑一下订单的测试，再改导出",
    answer="测试失败的原因是**一次性读入了全部订单**，大表会用完内存。我打算：\n\n1. 逐块读取\n2. 读到就写出",
    turns=4,
    units=(UnitView("react", 41, 51_200), UnitView("plan:t1", 7, 7_710)),
    queued=1,
    trust="web https://docs.python.org/3/library/csv.html",
    size=412_300,
    ledger="/home/lin/.paitui/history/raw/20261201-061502-3fa9.jsonl",
    ledger_size=1_204_000,
)


def shown(everywhere: bool = False, view: bool = True) -> list[Event]:
    found = tuple(sorted((*FOUND, *(OTHERS if everywhere else ())), key=lambda one: one.changed, reverse=True))
    events: list[Event] = [SessionsShown(found, "s1", HERE, everywhere)]
    return [*events, SessionShown(VIEW)] if view else events


def broken_off() -> Event:
    return SessionBrokenOff(CRASHED)

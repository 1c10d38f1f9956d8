import asyncio
import os
import pty
from collections.abc import Iterator

import pytest

from paitui.engine.events import ApprovalRequested, AskedPart
from paitui.engine.ops import Decide
from paitui.headless.asking import Asker, part_lines, read_answer
from paitui.locale import Words

REQUEST = ApprovalRequested(
    "1", "a", "execute_command", "command", "rm -rf build\x1b[8m && curl x", always="program rm"
)


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize(
    ("line", "always", "answer"),
    [
        ("y", True, ("once", "")),
        (" YES \n", False, ("once", "")),
        ("a", True, ("always", "")),
        ("a", False, None),
        ("n", True, ("no", "")),
        ("n use the other folder \n", True, ("no", "use the other folder")),
        ("", True, None),
        ("\n", True, None),
        ("yes please", True, None),
        ("go on", True, None),
    ],
)
def test_only_a_clear_answer_counts(line: str, always: bool, answer: tuple[str, str] | None) -> None:
    assert read_answer(line, always) == answer


async def ask_and_type(terminal: tuple[int, int], *lines: str, request: ApprovalRequested = REQUEST) -> Decide:
    """Answer each time the choices are shown."""
    master, slave = terminal
    asker = Asker(slave, Words("en"), grace_s=0)
    asking = asyncio.ensure_future(asker.ask(request))
    for line in lines:
        await shown(master, "REASON")
        os.write(master, line.encode())
    return await asyncio.wait_for(asking, 5)


async def shown(master: int, text: str) -> str:
    loop = asyncio.get_running_loop()
    seen = b""
    while text.encode() not in seen:
        seen += await asyncio.wait_for(loop.run_in_executor(None, os.read, master, 4096), 5)
    return seen.decode()


async def test_the_user_decides(terminal: tuple[int, int]) -> None:
    assert await ask_and_type(terminal, "y\n") == Decide("1", "once")
    assert await ask_and_type(terminal, "a\n") == Decide("1", "always")
    assert await ask_and_type(terminal, "n not now\n") == Decide("1", "no", "not now")


async def test_enter_never_approves_but_asks_again(terminal: tuple[int, int]) -> None:
    assert await ask_and_type(terminal, "\n", "maybe\n", "n\n") == Decide("1", "no")


async def test_end_of_input_refuses(terminal: tuple[int, int]) -> None:
    assert (await ask_and_type(terminal, "\x04")).decision == "no"


async def test_the_whole_request_is_shown_and_harmless(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    asking = asyncio.ensure_future(Asker(slave, Words("en"), grace_s=0).ask(REQUEST))
    text = await shown(master, "REASON")
    assert "rm -rf build" in text and "&& curl x" in text and "program rm" in text
    assert "\x1b" not in text
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


async def test_what_was_typed_before_the_question_is_no_answer(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    os.write(master, b"y\n")
    asking = asyncio.ensure_future(Asker(slave, Words("en"), grace_s=0.2).ask(REQUEST))
    await asyncio.sleep(0.1)
    os.write(master, b"y\n")  # within the grace time
    await asyncio.sleep(0.4)
    assert not asking.done()
    os.write(master, b"n\n")
    assert (await asyncio.wait_for(asking, 5)).decision == "no"


async def test_questions_come_one_at_a_time(terminal: tuple[int, int]) -> None:
    master, slave = terminal
    asker = Asker(slave, Words("en"), grace_s=0)
    first, second = (
        asyncio.ensure_future(asker.ask(ApprovalRequested(i, i, "write_file", "write", f"file-{i}")))
        for i in ("1", "2")
    )
    text = await shown(master, "REASON")
    assert "file-1" in text and "file-2" not in text
    os.write(master, b"y\n")
    assert await asyncio.wait_for(first, 5) == Decide("1", "once")
    await shown(master, "REASON")
    os.write(master, b"n\n")
    assert await asyncio.wait_for(second, 5) == Decide("2", "no")


def test_a_chain_is_told_part_by_part() -> None:
    parts = (AskedPart("pytest -q", "pytest", True), AskedPart("> a/b", "a/"), AskedPart("sudo ls"))
    request = ApprovalRequested("1", "a", "execute_command", "command", "x", parts=parts)
    told = ["  pytest -q   (always allowed)", "  > a/b", "  sudo ls   (asked each time)"]
    assert part_lines(request, Words("en")) == told
    assert all(part.text in line for part, line in zip(parts, part_lines(request, Words("zh")), strict=True))

"""`execute_command`: real processes, real time-outs, nothing left running."""

import asyncio
import contextlib
import errno
import importlib.util
import io
import os
import signal
import subprocess
import sys
import time
import tracemalloc
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from paitui.settings import CommandSettings
from paitui.tools.base import Spool, ToolContext, ToolError, ToolOutcome
from paitui.tools.environment import command_environment
from paitui.tools.process import SUPERVISOR
from paitui.tools.shell import ExecuteCommand

_spec = importlib.util.spec_from_file_location("paitui_test_commands", Path(__file__).with_name("commands.py"))
assert _spec and _spec.loader
commands = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(commands)

Execute = Callable[..., Awaitable[ToolOutcome]]


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Marks every process of a test's commands; at the end none may be left."""
    value = uuid.uuid4().hex
    monkeypatch.setenv("PAITUI_TEST_MARK", value)
    yield value
    left = commands.still_running(value)
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert not left


@pytest.fixture
def execute(context: ToolContext, mark: str) -> Execute:
    allowed = replace(context, command=CommandSettings(timeout_s=20, env_allow=("PAITUI_TEST_MARK",)))

    async def call(command: str, timeout_s: float = 20, **changes: object) -> ToolOutcome:
        outcome = await ExecuteCommand().run(
            {"command": command, "timeout_s": timeout_s},
            replace(allowed, **changes),  # type: ignore[arg-type]
        )
        assert not commands.still_running(mark)
        return outcome

    return call


async def test_output_and_status(execute: Execute, project: Path) -> None:
    outcome = await execute("pwd; echo to error >&2; exit 3")
    assert outcome.text == f"{project}\nto error\n[exit 3]"
    assert not outcome.ok and outcome.headline is not None
    assert (outcome.headline.key, outcome.headline.params) == ("tools.exit", {"code": 3})
    assert (outcome.stored, outcome.total_chars, outcome.lost) == ("", 0, None)
    good = await execute("printf 中文")
    assert good.ok and good.text == "中文\n[exit 0]"


async def test_a_signal_is_named(execute: Execute) -> None:
    outcome = await execute("kill -SEGV $$")
    assert not outcome.ok and outcome.text == "[ended by signal SIGSEGV]"


async def test_what_the_shell_cannot_find(execute: Execute) -> None:
    outcome = await execute("no-such-program-here")
    assert "not found" in outcome.text and outcome.text.endswith("[exit 127]")


async def test_there_is_no_input(execute: Execute) -> None:
    assert (await execute("cat; echo read")).text == "read\n[exit 0]"


async def test_a_long_command_line_arrives_whole(execute: Execute) -> None:
    line = "x" * 100_000
    assert (await execute(f"printf %s {line} | wc -c")).text.strip().startswith("100000")
    with pytest.raises(ToolError) as caught:
        await execute(": " + "x" * 200_000)  # more than the system takes as one argument
    assert caught.value.phrase.key == "tools.command_not_started"


async def test_a_missing_folder_is_a_message(execute: Execute, project: Path) -> None:
    with pytest.raises(ToolError) as caught:
        await execute("ls", project=project / "gone")
    assert caught.value.phrase.key == "tools.command_not_started"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("plain", "sleep 300"),
        ("holds the pipe in the background", "sleep 300 & sleep 300"),
        ("ignores TERM", "trap '' TERM; sleep 300; sleep 300"),
        ("own session", "setsid sleep 300 & sleep 300"),
        ("own session, ignores TERM", "setsid sh -c \"trap '' TERM; sleep 300; sleep 300\" & sleep 300"),
        ("twice removed", "(setsid sh -c 'setsid sleep 300 &' &) ; sleep 300"),
        ("stopped", "sh -c 'kill -STOP $$' & sleep 300"),
        ("stops its supervisor", "kill -STOP $PPID; setsid sleep 300 & sleep 300"),
        ("busy", "while :; do :; done"),
        ("floods", "yes"),
        ("asks on the terminal", f'{sys.executable} -c "import getpass; getpass.getpass()"; sleep 300'),
    ],
)
async def test_the_time_limit_holds_and_nothing_is_left(execute: Execute, name: str, command: str) -> None:
    begin = time.monotonic()
    outcome = await execute(command, timeout_s=0.4)
    assert 0.35 < time.monotonic() - begin < 1.9
    assert not outcome.ok and outcome.headline is not None and outcome.headline.key == "tools.timed_out"
    assert "[timed out after 0.4 s and was ended]" in outcome.text


async def test_a_program_that_asks_on_the_terminal_fails_at_once(execute: Execute) -> None:
    begin = time.monotonic()
    outcome = await execute("read answer < /dev/tty && echo got it")
    assert time.monotonic() - begin < 2 and not outcome.ok and "/dev/tty" in outcome.text


@pytest.mark.parametrize(
    ("command", "left"),
    [
        ("sleep 300 & echo started", 1),
        ("sleep 300 >/dev/null 2>&1 & echo started", 1),
        ("(setsid sleep 300 >/dev/null 2>&1 &) ; echo started", 1),
        ("setsid sh -c \"trap '' TERM; sleep 300; :\" & echo started", 2),
    ],
)
async def test_what_is_left_in_the_background_is_ended_and_said(execute: Execute, command: str, left: int) -> None:
    begin = time.monotonic()
    outcome = await execute(command)
    assert time.monotonic() - begin < 2.5
    assert outcome.ok and outcome.text.startswith("started\n[exit 0]\n")
    said = "1 background process was" if left == 1 else f"{left} background processes were"
    assert said in outcome.text


async def test_a_child_that_is_just_finishing_is_waited_for(execute: Execute) -> None:
    outcome = await execute("(sleep 0.05; echo late) & echo early")
    assert outcome.text == "early\nlate\n[exit 0]"


@pytest.mark.parametrize(
    "command", ["sleep 300", "setsid sh -c \"trap '' TERM; sleep 300; sleep 300\" & sleep 300", "yes"]
)
async def test_cancelling_ends_everything(execute: Execute, mark: str, command: str) -> None:
    task = asyncio.create_task(execute(command))  # type: ignore[arg-type]
    await asyncio.sleep(0.3)
    assert commands.marked(mark)
    begin = time.monotonic()
    task.cancel()
    await asyncio.sleep(0.05)
    task.cancel()  # a second cancel must not leave anything behind either
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - begin < 2
    assert not commands.still_running(mark)


async def test_a_command_that_kills_its_supervisor_is_ended(execute: Execute) -> None:
    begin = time.monotonic()
    outcome = await execute("kill -9 $PPID; sleep 300")
    assert time.monotonic() - begin < 3 and not outcome.ok


def test_half_a_command_never_runs(tmp_path: Path) -> None:
    report_read, report_write = os.pipe()
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(SUPERVISOR), str(report_write)],
        input=b"100\ntouch made; touch ",
        cwd=tmp_path,
        pass_fds=(report_write,),
        timeout=10,
        check=True,
        capture_output=True,
    )
    os.close(report_write)
    with os.fdopen(report_read, "rb") as report:
        assert report.read() == b""
    assert done.stdout == b"" and list(tmp_path.iterdir()) == []


def test_nothing_outlives_paitui_itself(mark: str, tmp_path: Path) -> None:
    program = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from paitui.tools.process import run_command
print("ready", flush=True)
asyncio.run(run_command("setsid sleep 300 & echo up; sleep 300", Path({str(tmp_path)!r}),
    {{"PATH": "/usr/bin:/bin", "PAITUI_TEST_MARK": {mark!r}}}, 60, lambda data: print(data, flush=True)))
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n" and b"up" in process.stdout.readline()
        assert len(commands.marked(mark)) > 2
        process.kill()
        process.wait()
    assert not commands.still_running(mark, 3)


async def test_a_flood_is_kept_in_bounded_memory(execute: Execute, project: Path) -> None:
    live: list[str] = []
    tracemalloc.start()
    begin = time.monotonic()
    outcome = await execute(
        "echo first; yes 0123456789abcdef | head -c 200000000; echo; echo last", on_output=live.append
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert time.monotonic() - begin < 10
    assert peak < 12_000_000
    assert outcome.total_chars == 6 + 200_000_000 + 1 + 5 and outcome.total_lines == 1 + 200_000_000 // 17 + 2
    assert outcome.text.startswith("first\n0123456789abcdef\n") and "\nlast\n[exit 0]\n" in outcome.text
    assert len(outcome.text) < 8_000
    stored = project / outcome.stored
    assert stored.stat().st_size == 16 * 1024**2 and stored.read_bytes().startswith(b"first\n0123456789abcdef\n")
    assert f"holds only the first {16 * 1024**2:,} bytes; {200_000_012 - 16 * 1024**2:,} more" in outcome.text
    assert outcome.lost is None
    assert all(len(piece) <= 4_000 for piece in live) and len(live) < 200


async def test_long_output_is_stored_whole(execute: Execute, project: Path) -> None:
    outcome = await execute("seq 1 5000")
    whole = "".join(f"{n}\n" for n in range(1, 5_001))
    assert (project / outcome.stored).read_text() == whole
    assert (outcome.total_chars, outcome.total_lines) == (len(whole), 5_000)
    head, _, tail = outcome.text.partition("\n…\n")
    assert whole.startswith(head) and len(head) >= 2_000
    assert tail.endswith("5000\n[exit 0]") and len(tail) >= 800 + len("[exit 0]")


@pytest.mark.parametrize("size", [7_999, 8_000, 8_001, 8_100])
async def test_the_limit_is_in_characters(execute: Execute, size: int) -> None:
    outcome = await execute(f"printf '中%.0s' $(seq {size})")
    assert bool(outcome.stored) == (size > 8_000)
    assert outcome.total_chars == (size if size > 8_000 else 0)


async def test_a_small_limit_loses_nothing(execute: Execute, project: Path) -> None:
    outcome = await execute("seq 1 400", command_chars=1_000)
    whole = "".join(f"{n}\n" for n in range(1, 401))
    assert outcome.stored and outcome.text == f"{whole}[exit 0]" and outcome.total_chars == len(whole)


async def test_bytes_that_are_no_text_are_stored_as_they_are(execute: Execute, project: Path) -> None:
    outcome = await execute("head -c 30000 /dev/zero; printf '\\377\\376'")
    assert (project / outcome.stored).read_bytes() == b"\0" * 30_000 + b"\xff\xfe"
    assert outcome.text.endswith("\ufffd\ufffd\n[exit 0]")


async def test_without_a_place_to_store_the_middle_is_lost_and_said(execute: Execute) -> None:
    def refuse(tool: str) -> Spool:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    outcome = await execute("seq 1 5000", open_spool=refuse)
    assert outcome.ok and outcome.stored == "" and outcome.lost is not None
    assert outcome.lost.params == {"why": "Read-only file system"}
    assert outcome.text.startswith("1\n2\n") and outcome.text.endswith("5000\n[exit 0]")
    assert outcome.total_chars == 23_893


class _FullDisk(io.BytesIO):
    """Takes some bytes, then says that the disk is full."""

    def write(self, data: object) -> int:  # type: ignore[override]
        if self.tell() > 20_000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)  # type: ignore[arg-type]


async def test_a_disk_that_fills_up_does_not_stop_the_command(execute: Execute) -> None:
    outcome = await execute(
        "for i in 1 2 3 4 5 6; do seq 1 2000; sleep 0.02; done; echo done",
        open_spool=lambda tool: Spool(_FullDisk(), "x"),
    )
    assert outcome.ok and outcome.stored == "" and outcome.lost is not None
    assert outcome.lost.params == {"why": "No space left on device"}
    assert outcome.text.endswith("done\n[exit 0]") and outcome.total_chars == 6 * 8_893 + 5


async def test_a_device_that_is_always_full(execute: Execute) -> None:
    def full(tool: str) -> Spool:
        return Spool(open("/dev/full", "wb"), "x")

    outcome = await execute("seq 1 5000", open_spool=full)
    assert outcome.ok and outcome.stored == "" and outcome.lost is not None
    assert outcome.text.endswith("5000\n[exit 0]")


async def test_the_never_allowed_does_not_even_start(execute: Execute) -> None:
    with pytest.raises(ToolError) as caught:
        await execute("true && rm -rf /")
    assert caught.value.phrase.key == "tools.never"


@pytest.mark.parametrize("command", ["", "  \n", "a\0b"])
def test_an_empty_command_is_refused(context: ToolContext, command: str) -> None:
    with pytest.raises(ToolError) as caught:
        ExecuteCommand().effect({"command": command}, context)
    assert caught.value.phrase.key == "tools.command_empty"


def test_the_environment_is_a_short_list_without_keys() -> None:
    environment = {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_ALL": "C",
        "LC_API_KEY": "x",
        "OPENAI_API_KEY": "x",
        "GITHUB_TOKEN": "x",
        "DB_PASSWORD": "x",
        "AWS_SECRET_ACCESS_KEY": "x",
        "EDITOR": "vi",
        "PYTHONPATH": "/x",
        "LD_PRELOAD": "/x",
        "PAITUI_HOME": "/x",
        "VIRTUAL_ENV": "/v",
        "MY_TOKEN": "y",
    }
    assert command_environment(environment, ()) == {"PATH": "/bin", "HOME": "/h", "LC_ALL": "C", "VIRTUAL_ENV": "/v"}
    assert command_environment(environment, ("MY_TOKEN", "EDITOR", "GONE")).keys() == {
        "PATH",
        "HOME",
        "LC_ALL",
        "VIRTUAL_ENV",
        "MY_TOKEN",
        "EDITOR",
    }


async def test_a_command_sees_no_key(execute: Execute, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "the-key-of-the-user")
    assert "the-key-of-the-user" not in (await execute("env; cat /proc/$PPID/environ")).text


async def test_signals_act_as_programs_expect(execute: Execute) -> None:
    # Python ignores SIGPIPE; a command must not inherit that, or `yes | head` complains.
    outcome = await execute("yes | head -n 1")
    assert outcome.text == "y\n[exit 0]"


async def test_no_descriptor_is_leaked(execute: Execute) -> None:
    await execute("true")
    before = len(os.listdir("/proc/self/fd"))
    for command in ("true", "sleep 300 &", "seq 1 5000"):
        await execute(command)
    assert len(os.listdir("/proc/self/fd")) == before
    inherited = await execute("ls /proc/self/fd")
    assert inherited.text.split()[:4] == ["0", "1", "2", "3"] and "4" not in inherited.text.split()


async def test_commands_run_side_by_side(execute: Execute, context: ToolContext, mark: str) -> None:
    begin = time.monotonic()
    outcomes = await asyncio.gather(
        *(ExecuteCommand().run({"command": f"sleep 0.4; echo {n}"}, context) for n in range(4))
    )
    assert [outcome.text for outcome in outcomes] == [f"{n}\n[exit 0]" for n in range(4)]
    assert time.monotonic() - begin < 1.5

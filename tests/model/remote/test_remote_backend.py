"""What importing and using litellm does besides: measured from inside a process of its own."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from paitui.model.remote.backend import REMAINING_RETRIES
from tests.model.remote.remote_tools import ROOT

PROBE = """
import asyncio, json, os, socket, sys
log = []
def hook(event, args):
    if event == "socket.connect":
        log.append(["connect", str(args[1])])
    elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        log.append([event, str(args[:2])])
sys.addaudithook(hook)
import dotenv
files = []
dotenv.load_dotenv = lambda *args, **more: files.append(args)
from paitui.model.remote.backend import load
backend = load()
imported, log[:] = list(log), []
closed = socket.socket(); closed.bind(("127.0.0.1", 0)); port = closed.getsockname()[1]

async def ask(model, base):
    try:
        async for _ in backend.stream({"model": model, "api_base": base, "api_key": "k",
                                       "num_retries": 5, "max_retries": 5,
                                       "messages": [{"role": "user", "content": "hi"}]}):
            pass
    except Exception as error:
        return type(error).__name__
    return "no error"

async def main():
    tries = {}
    for model in ("openai/gpt-x", "anthropic/claude-x", "deepseek/deepseek-chat"):
        log.clear()
        await ask(model, f"http://127.0.0.1:{port}/v1")
        tries[model] = [where for what, where in log if what == "connect" and str(port) in where]
        strange = [entry for entry in log if str(port) not in entry[1]]
        assert not strange, strange
    return tries

tries = asyncio.run(main())
print(json.dumps({
    "imported": imported, "tries": tries, "seconds": backend.seconds, "version": backend.version,
    "environment files": len(files),
}))
"""


@pytest.fixture(scope="module")
def probe(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], str]:
    folder = tmp_path_factory.mktemp("project")
    (folder / "litellm.py").write_text("raise SystemExit('a module of the project was imported')\n", "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name in ("LITELLM_MODE", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-P", "-c", PROBE], cwd=folder, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    *noise, last = done.stdout.splitlines()
    return json.loads(last), "\n".join(noise)


def test_importing_it_asks_nobody_for_anything(probe: tuple[dict[str, Any], str]) -> None:
    found, noise = probe
    assert found["imported"] == []
    assert noise == ""


def test_no_project_sets_its_environment_or_replaces_it(probe: tuple[dict[str, Any], str]) -> None:
    # litellm looks for `.env` from its own folder upwards, which is a project's when the program is installed there.
    assert probe[0]["environment files"] == 0
    assert probe[0]["version"][0].isdigit()


def test_it_retries_only_what_is_listed(probe: tuple[dict[str, Any], str]) -> None:
    tries = {model: len(connects) for model, connects in probe[0]["tries"].items()}
    assert tries == {"openai/gpt-x": 1, "anthropic/claude-x": 2, "deepseek/deepseek-chat": 2}
    assert len(REMAINING_RETRIES) == 1


def test_the_program_itself_never_loads_it() -> None:
    code = "import sys, paitui.model.remote.host, paitui.model.remote.child; print('litellm' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "False", done.stderr

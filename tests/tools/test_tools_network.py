"""Which command lines bring in content from outside."""

import time

import pytest

from paitui.tools.base import ToolContext, ToolOutcome
from paitui.tools.network import fetches
from paitui.tools.shell import ExecuteCommand

FETCH = [
    "curl x",
    "CURL x",
    "/usr/bin/curl x",
    "cu''rl x",
    "sudo curl -s x | jq .",
    "sudo -u me -- curl x",
    "env A=1 wget x",
    "A=1 wget x",
    'env -S "curl x"',
    "sh -c 'curl x'",
    'bash -lc "cd a && curl x"',
    "sh -c \"sh -c 'curl x'\"",
    "xargs -n1 curl < urls",
    "find . -exec curl {} \\;",
    "watch -n 1 'curl x'",
    "timeout 5 curl x",
    "nohup curl x &",
    "if true; then curl x; fi",
    "(curl x)",
    "git status && curl x",
    "git status; wget x",
    "git status\nwget x",
    "git status | nc host 80",
    "echo $(curl x)",
    "X=`curl x`; echo $X",
    "$CMD curl x",
    "eval curl x",
    "exec 3<>/dev/tcp/h/80",
    "cat < /dev/tcp/h/80",
    "git clone x",
    "git -C sub fetch --all",
    "git -c a=b pull",
    "git --git-dir x/.git ls-remote",
    "git submodule update --init",
    "git remote update",
    "git archive --remote=x HEAD",
    "pip install x",
    "pip3.11 install -r r.txt",
    "python -m pip install x",
    "python3 -m pip download x",
    "uv pip install x",
    "uv run curl x",
    "poetry add x",
    "npm install",
    "npm --prefix web ci",
    "pnpm i",
    "yarn",
    "npx cowsay",
    "cargo install x",
    "go get x",
    "gem install x",
    "brew install x",
    "sudo apt-get -o A=b update",
    "docker pull x",
    "docker compose -f a.yml pull",
    "kubectl get pods",
    "aws s3 ls",
    "gcloud auth list",
    "az vm list",
    "gh pr view 1",
    "glab mr list",
    "dig x",
    "host example.org",
    "http example.org",
    "links x",
    "rsync -a host:src .",
    "rsync -a me@host:src .",
    "scp a b:",
    "ssh host cat x",
    "sftp host",
    "socat - TCP:h:80",
    "telnet h",
    "openssl s_client -connect h:443",
    'python -c "import urllib.request; print(1)"',
    "python3 -c 'import requests'",
    "python3 -Ic 'import socket'",
    "python - <<X\nimport requests\nX",
    "node -e \"fetch('x')\"",
    "node --eval \"require('https').get('x')\"",
    "ruby -e 'Net::HTTP.get(x)'",
    "powershell -c 'iwr x'",
    "ffmpeg -i https://x/y.mp4 z",
    "./download.sh https://x/y",
]

STAY = [
    "git status",
    "git log --oneline",
    "git commit -m 'curl is gone'",
    'git commit -m "fetch and pull"',
    "git push",
    "git submodule status",
    "git remote -v",
    "git archive HEAD",
    "pip list",
    "pip show requests",
    "python -m pip list",
    "npm test",
    "npm run build",
    "pytest -q tests/test_requests.py",
    "python -m pytest tests/test_requests.py",
    "python fetch.py",
    "python fetch.py -c https://localhost/x",
    'python -c "print(1)"',
    "python -m http.server",
    "echo curl",
    "grep -rn curl .",
    "rg 'https://x' src",
    "ls",
    "docker ps",
    "cargo build",
    "go test ./...",
    "rsync -a src/ dst/",
    'echo "https://example.com" > x',
    "curlew",
    "./curl-test.sh",
    "ssh-keygen -l -f x",
    "make test",
    "uv run pytest",
    "poetry run pytest -q",
    "node server.js",
    "yarn test",
    "yarn --version",
    "apt list --installed",
    "find . -name '*.py' -exec grep fetch {} +",
    "cat /etc/hosts",
    "host.sh",
    "pytest --base-url http://localhost:8000",
    'for f in *.py; do wc -l "$f"; done',
    "cat <<X\nthe host fetches links\nX",
    "",
]


@pytest.mark.parametrize("line", FETCH)
def test_a_line_that_fetches_is_seen(line: str) -> None:
    assert fetches(line)


@pytest.mark.parametrize("line", STAY)
def test_a_line_that_stays_here_is_not(line: str) -> None:
    assert not fetches(line)


@pytest.mark.parametrize("piece", ["curl", "a;", "$(", "'", "(a", "http://", "python -c ", "git -C ", "a: ", "-m "])
def test_looking_ends_soon(piece: str) -> None:
    begin = time.process_time()
    fetches(piece * (30_000 // len(piece)))
    assert time.process_time() - begin < 2


async def outcome_of(context: ToolContext, line: str, timeout_s: int = 10) -> ToolOutcome:
    return await ExecuteCommand().run({"command": line, "timeout_s": timeout_s}, context)


async def test_what_a_fetching_command_printed_is_marked_however_it_ended(context: ToolContext) -> None:
    # A function takes the program's place, so that nothing is asked of any network.
    for line, seconds in (
        ("curl() { echo page; }; curl x", 10),
        ("curl() { echo page; exit 22; }; curl x", 10),
        ("curl() { echo page; sleep 60; }; curl x", 1),
    ):
        outcome = await outcome_of(context, line, seconds)
        assert outcome.text.startswith("page\n")
        assert outcome.external is not None
        assert (outcome.external.kind, outcome.external.source) == ("command", line)


async def test_other_commands_are_not_marked(context: ToolContext) -> None:
    assert (await outcome_of(context, "echo curl")).external is None

"""Each part of a chain and each redirect is judged by itself; what shells really run is the measure."""

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from paitui.tools.approval import Allow, Approvals, Ask, judge
from paitui.tools.base import Effect, ToolContext
from paitui.tools.command_line import plain_parts
from paitui.tools.command_rules import MOST_PIECES
from paitui.tools.shell import ExecuteCommand


def effect_of(context: ToolContext, line: str) -> Effect:
    effect = ExecuteCommand().effect({"command": line}, context)
    assert effect is not None
    return effect


def rules(*names: str) -> Approvals:
    return Approvals.restore(names)


def test_a_chain_is_a_list_of_parts(context: ToolContext) -> None:
    effect = effect_of(context, "pytest -q && git status > out.txt | tee x 2>&1; ls 'a b' 2>/dev/null")
    assert [(piece.text, piece.rule) for piece in effect.pieces] == [
        ("pytest -q", "command:pytest"),
        ("git status", "command:git"),
        ("> out.txt", "write:./"),
        ("tee x 2>&1", "command:tee"),
        ("> x", "write:./"),
        ("ls 'a b'", "command:ls"),
    ]
    assert effect.always == "pytest, git, ./, tee, ls"


def test_a_chain_runs_only_if_each_part_may(context: ToolContext) -> None:
    effect = effect_of(context, "pytest -q && git status > out.txt")
    whole = ["command:pytest", "command:git", "write:./"]
    assert judge(effect, rules(*whole), "ask") == Allow()
    for missing in whole:
        assert judge(effect, rules(*(rule for rule in whole if rule != missing)), "ask") == Ask()
    assert Approvals().allow(effect).export() == sorted(whole)


def test_one_part_that_is_asked_each_time_makes_the_whole_so(context: ToolContext) -> None:
    effect = effect_of(context, "git status && sudo ls")
    assert [piece.rule for piece in effect.pieces] == ["command:git", ""]
    assert effect.always == ""
    assert judge(effect, rules("command:git", "command:sudo", "command:ls"), "ask") == Ask()


@pytest.mark.parametrize(
    ("target", "rule"),
    [
        ("out.txt", "write:./"),
        ("new/out.txt", "write:new/"),
        ("./a/../out.txt", "write:./"),
        ("'a b.txt'", "write:./"),
        ("inside/out.txt", "write:real/"),
        ("../out.txt", ""),
        ("/etc/passwd", ""),
        ("/dev/sd", ""),
        ("outside/x", ""),
        (".git/hooks/pre-commit", ""),
        (".GIT/hooks/pre-commit", ""),
        (".paitui/PAI.md", ""),
        (".paitui/settings.toml", ""),
        (".Paitui/settings.toml", ""),
        ("../home/settings.toml", ""),
        ("sub/.git/config", ""),
        ("real", ""),
    ],
)
def test_a_redirect_is_judged_as_a_write(context: ToolContext, project: Path, target: str, rule: str) -> None:
    (project / "real").mkdir()
    (project / "inside").symlink_to("real")
    (project / "outside").symlink_to("..")
    for sign in (">", ">>", ">|", "2>", "2>>"):
        for line in (f"git log {sign}{target}", f"git log {sign} {target}", f"{sign}{target} git log"):
            effect = effect_of(context, line)
            assert [piece.rule for piece in effect.pieces] == ["command:git", rule], line
    assert not (project / "new").exists()


def test_reading_from_a_file_inside_needs_nothing_more(context: ToolContext, project: Path) -> None:
    (project / "in.txt").write_text("x")
    assert effect_of(context, "sort < in.txt").always == "sort"
    for line in ("sort < /etc/passwd", "sort < ../x", "sort < .paitui/settings.toml"):
        assert [piece.rule for piece in effect_of(context, line).pieces] == ["command:sort", ""]


OWN = [
    "cat .paitui/settings.toml",
    "cp x .paitui/mcp.json",
    "cp x ./.paitui//mcp.json",
    "cp x .PAITUI/settings.toml",
    "cp x '.paitui'/settings.toml",
    "mv .paitui y",
    "cp x .pait*/settings.toml",
    "cp x .p*/settings.toml",
    "cp x .*/settings.toml",
    "cp x .[p]aitui/settings.toml",
    "cp x .paitui/tool-outputs/../settings.toml",
    "sort -o .paitui/settings.toml x",
    "sort --output=.paitui/settings.toml x",
    "cp x {home}/trusted.json",
    "cp x ../home/memory.json",
    "cp x ../ho*/memory.json",
    "cp x --target-directory=../home",
    "cp trusted.json x",
    "cp x link/settings.toml",
    "{home}/tool",
    "git status && cp x .paitui/settings.toml",
]


@pytest.mark.parametrize("line", OWN)
def test_paitui_s_own_files_are_asked_each_time(context: ToolContext, project: Path, line: str) -> None:
    (project / ".paitui").mkdir()
    (project / "link").symlink_to(".paitui")
    effect = effect_of(context, line.replace("{home}", str(context.home)))
    assert effect.pieces and effect.always == ""
    every = rules(
        "command:cp", "command:cat", "command:mv", "command:sort", "command:git", f"command:{context.home}/tool"
    )
    assert judge(effect, every, "ask") == Ask()


@pytest.mark.parametrize(
    "line", ["cat .paitui/tool-outputs/s1/001-x.txt", "ls *", "ls *.py .gitignore", "ls ../other"]
)
def test_what_only_looks_like_it_is_not(context: ToolContext, line: str) -> None:
    assert effect_of(context, line).always


@pytest.mark.parametrize(
    "line",
    [
        "git -c core.pager=x log",
        "git -c alias.x=y x",
        "git --exec-pa=x log",
        "git config core.hooksPath x",
        "git grep -Oless x",
        "git submodule foreach x",
        "tar xf a --to-command=x",
        "tar --use-c x -xf a",
        "rg --pre x y",
        "printf -v PATH /x && git status",
        "read PATH < x && git status",
        "hash -p /x git && git status",
        "set -- x; git status",
        "LD_PRELOAD=x git status",
        "PATH=x git status",
        "PATH=x; git status",
        "export PATH=x; git status",
        "pushd /x; git status",
        "npm exec x",
        "go run x",
        "make SHELL=x",
        "flock f git status",
    ],
)
def test_what_changes_which_program_runs_is_asked_each_time(context: ToolContext, line: str) -> None:
    assert effect_of(context, line).always == ""


def test_an_endless_chain_is_asked_each_time(context: ToolContext) -> None:
    assert effect_of(context, ";".join(["git status"] * MOST_PIECES)).always == "git"
    assert effect_of(context, ";".join(["git status"] * (MOST_PIECES + 1))).always == ""


def test_quotes_keep_signs_from_acting() -> None:
    (part,) = plain_parts("git log --format='%h; %s' \"a && b\" c''d '>x'")
    assert [word.text for word in part.words] == ["git", "log", "--format=%h; %s", "a && b", "cd", ">x"]
    assert part.redirects == ()


# What shells make of it. Programs are stubs that write down their name; only lines that would run unasked are run.

SHELLS = [path for path in map(shutil.which, ("sh", "bash", "zsh", "busybox")) if path]
ALLOWED = ("git", "ls", "tee")
EVIL = "evil"
_TOKENS = [
    *("git", "ls", "tee", "git status", "ls -l", EVIL, "x", "a.txt", "out/b.txt", "'q q'", '"d d"', "*", "-q"),
    *(
        "&&",
        "||",
        ";",
        "|",
        "&",
        "\n",
        "|&",
        ";;",
        "&>",
        ">&",
        "<",
        ">",
        ">>",
        ">|",
        "<>",
        "<<",
        "<<<",
        "2>&1",
        ">&2",
    ),
    *("(", ")", "{", "}", "$", "$(", "`", "'", '"', "\\", "#", "!", "=", "PATH=.", "~", "[", "]", "if", "then", "fi"),
    *("2>", "1", "do", "while", "time", "eval", "exec", "command", ".", "\t", "\r", "\u00a0", "\uff1b", " " * 500),
    *("evil;", "$'evil'", "{evil,x}", "\\evil", "ev''il", "$evil", "in", "^", "%", "@", "+", "-", "--", "0", "é"),
]
_LINES = st.lists(st.tuples(st.sampled_from(_TOKENS), st.sampled_from(["", " "])), min_size=1, max_size=9)
_CHAINS = st.lists(
    st.tuples(
        st.sampled_from(["git status", "ls", "tee a.txt", "git", "ls 'evil;evil'", "evil x", 'git "a|evil"']),
        st.sampled_from(
            ["&&", " && ", ";", " ; ", "|", "||", "&", " & ", "\n", " 2>&1 | ", " > a.txt; ", " #", " \\\n"]
        ),
    ),
    min_size=1,
    max_size=5,
)


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stubs")
    for name in (*ALLOWED, EVIL):
        path = folder / name
        path.write_text(f'#!/bin/sh\necho {name} >> "$RAN"\n')
        path.chmod(0o755)
    return folder


def ran(shell: str, line: str, stubs: Path, folder: Path) -> set[str]:
    log = folder.parent / "ran"
    log.write_text("")
    arguments = [shell, "sh", "-c", line] if shell.endswith("busybox") else [shell, "-c", line]
    subprocess.run(
        arguments,
        cwd=folder,
        env={"PATH": str(stubs), "RAN": str(log)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        timeout=10,
        check=False,
    )
    return set(log.read_text().split())


_settings = settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def check(line: str, context: ToolContext, stubs: Path, tmp_path: Path) -> None:
    if not line.strip() or "\0" in line:
        return
    context = replace(context, home=Path("/nowhere"))
    approved = rules(*(f"command:{name}" for name in ALLOWED), "write:./")
    if judge(effect_of(context, line), approved, "ask") != Allow():
        return
    before = set(os.listdir(tmp_path))
    for shell in SHELLS:
        assert ran(shell, line, stubs, context.project) <= set(ALLOWED), (shell, line)
        # Nothing is written but in the approved folder.
        assert set(os.listdir(tmp_path)) - before <= {"ran"}
        assert not [entry for entry in context.project.iterdir() if entry.is_dir()]


@_settings
@given(_LINES)
@example([("git", " "), ("log", " "), ("&&", " "), ("ls", "")])
def test_no_line_runs_unasked_what_is_not_allowed(
    context: ToolContext, stubs: Path, tmp_path: Path, tokens: list[tuple[str, str]]
) -> None:
    check("".join(token + gap for token, gap in tokens), context, stubs, tmp_path)


@_settings
@given(_CHAINS)
@example([("git status", "&&"), ("ls", " 2>&1 | "), ("tee a.txt", ";")])
def test_no_chain_runs_unasked_what_is_not_allowed(
    context: ToolContext, stubs: Path, tmp_path: Path, chain: list[tuple[str, str]]
) -> None:
    check("".join(part + separator for part, separator in chain), context, stubs, tmp_path)


@pytest.mark.parametrize(
    "separator", ["&&", "||", ";", "|", "&", "\n", " > a.txt;", " 2>&1 |", "|&", " #\n", " \\\n;"]
)
@given(
    parts=st.lists(st.sampled_from(["git status", "ls -l", "git log 'a b'", "evil", "rm x", "sudo ls"]), min_size=2)
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_composition_is_allowed_only_if_all_parts_are(
    context: ToolContext, separator: str, parts: list[str]
) -> None:
    approved = rules("command:git", "command:ls", "write:./")
    alone = [judge(effect_of(context, part), approved, "ask") == Allow() for part in parts]
    whole = judge(effect_of(context, separator.join(parts)), approved, "ask") == Allow()
    assert not whole or all(alone)
    if separator in ("&&", "||", ";", "|", "&") and len(parts) <= MOST_PIECES:
        assert whole == all(alone)

import json
from pathlib import Path

import pytest
from replay_builders import Session, long_session

from paitui.arguments import UsageError, parse
from paitui.cli import main
from paitui.replay.figures import Figures

KEYS = {
    "requests": int, "invalid": int, "over_window": int, "clears": int, "summaries": int, "prefix_breaks": int,
    "prefix_reuse": float, "clear_breaks": int, "tokens_cleared": int, "tokens_sent": int, "cost": int,
    "estimator": dict, "lost": int, "retention": dict, "check_ms": dict,
}  # fmt: skip


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAITUI_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(long_session(turns=10).write(tmp_path_factory.mktemp("recorded")))


@pytest.mark.parametrize("policy", ["paitui", "baseline"])
def test_json(policy: str, recorded: str, capsys: pytest.CaptureFixture[str], home: Path) -> None:
    assert main(["replay", recorded, "--window", "32000", "--policy", policy, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {name: type(value) for name, value in found.items()} == KEYS
    assert list(found["estimator"]) == ["p50", "p95", "worst"]
    assert list(found["retention"]) == ["requests", "paths", "commands", "numbers"]
    assert list(found["check_ms"]) == ["p50", "p99"]
    assert found["requests"] == 110 and found["clears"] > 0
    assert all(0 <= share <= 1 for share in [found["prefix_reuse"], *found["retention"].values()])
    assert not home.exists()


def test_without_usage_nothing_is_scored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(Session(usage=False).user("x").round("bash", {}, "y").write(tmp_path))
    assert main(["replay", file, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["estimator"] == {"p50": None, "p95": None, "worst": None}
    assert main(["replay", file, "--lang", "en"]) == 0
    assert "no usage" in capsys.readouterr().out


@pytest.mark.parametrize(("language", "words"), [("en", "After a summary"), ("zh", "总结之后")])
def test_text_in_the_users_language(
    language: str, words: str, recorded: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", recorded, "--window", "16000", "--lang", language]) == 0
    text = capsys.readouterr().out
    assert words in text and "16,000" in text and "replay." not in text


def test_what_went_wrong_with_the_file_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(tmp_path / "missing"), "--lang", "en"]) == 2
    assert "cannot be read" in capsys.readouterr().err
    file = Session().user("x").write(tmp_path)
    assert main(["replay", str(file), "--lang", "en"]) == 2
    assert "holds no recorded session" in capsys.readouterr().err
    file.write_text(file.read_text() + 'garbage\n{"role":"assistant","content":"ok"}\n')
    assert main(["replay", str(file), "--lang", "en"]) == 0
    assert "1 lines are no messages" in capsys.readouterr().out


def test_the_window_of_the_settings_counts_unless_one_is_asked_for(
    recorded: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("[context]\nwindow = 64000\n")
    assert main(["replay", recorded, "--lang", "en"]) == 0
    assert "window 64,000" in capsys.readouterr().out
    assert main(["replay", recorded, "--lang", "en", "--window", "9000"]) == 0
    assert "window 9,000" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (["replay"], "replay.needs_file"),
        (["replay", " "], "replay.needs_file"),
        (["replay", "a", "b"], "cli.unexpected"),
        (["replay", "a", "-p", "x"], "replay.not_with"),
        (["replay", "a", "--continue"], "replay.not_with"),
        (["replay", "a", "--policy", "best"], "cli.choice"),
        (["--policy", "paitui"], "replay.policy_alone"),
        (["doctor", "--policy", "paitui"], "replay.policy_alone"),
    ],
)
def test_lines_that_make_no_sense(line: list[str], key: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(line)
    assert caught.value.phrase.key == key


def test_a_line_is_read() -> None:
    asked = parse(["replay", "~/x.jsonl", "--policy", "baseline", "--window", "64000", "--json"])
    assert asked.replay == Path("~/x.jsonl").expanduser()
    assert (asked.policy, asked.window, asked.json) == ("baseline", 64_000, True)


def test_figures_hold_no_text_of_the_session(recorded: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", recorded, "--lang", "en"]) == 0
    assert "module_" not in capsys.readouterr().out
    assert "file" in Figures.__dataclass_fields__

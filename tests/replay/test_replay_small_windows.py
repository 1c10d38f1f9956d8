"""Small windows and Chinese sessions: every request fits, those for summaries too, and nothing is lost."""

import json
import random
from pathlib import Path

import pytest
from replay_builders import Session

from paitui.locale import Words
from paitui.replay import command
from paitui.settings import ContextSettings

SENTENCE = "这个函数先检查第 {} 行的设置，再把结果写回缓存，出错时返回原因。"


def chinese_session(rate: float, seed: int) -> Session:
    """A coding session in Chinese: long requests, long comments in files, whole files written in one call."""
    dice = random.Random(seed)
    session = Session(rate=rate, fixed=900)
    for turn in range(7):
        session.user(
            f"请求 {turn}：重写模块，绝对不要改动 migrations_{turn} 目录。" + "背景说明，" * dice.randrange(80)
        )
        for step in range(9):
            path = f"src/模块_{dice.randrange(30)}.py"
            text = "\n".join(SENTENCE.format(dice.randrange(10, 9_999)) for _ in range(dice.randrange(5, 260)))
            match dice.randrange(4):
                case 0:
                    session.round("write", {"path": path, "content": text}, f"写入 {len(text)} 个字符", "写文件。")
                case 1:
                    failed = step % 2 == 0
                    end = "错误：第 41 行断言失败\nCommand exited with code 1" if failed else "全部通过"
                    session.round("bash", {"command": f"pytest tests/{step}"}, f"{text}\n{end}", "运行测试。")
                case _:
                    session.round("read", {"path": path}, text, "先读文件。" * dice.randrange(1, 40))
        session.answer("这一步完成了。" * dice.randrange(1, 120))
    return session


@pytest.mark.parametrize("window", [8_000, 16_000])
@pytest.mark.parametrize("rate", [1.0, 1.35])
def test_a_chinese_session_never_exceeds_a_small_window(window: int, rate: float, tmp_path: Path) -> None:
    recording = chinese_session(rate, window).recording(tmp_path)
    figures = command.replay(recording, "x", window, ContextSettings(), Words("zh"), "paitui")
    assert (figures.tally.over_window, figures.tally.invalid, figures.lost) == (0, 0, 0)
    assert figures.tally.summaries >= 3
    kept = json.loads(figures.as_json())["retention"]
    assert kept["requests"] >= 0.9 and kept["paths"] == 1.0

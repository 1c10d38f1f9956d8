"""The gauge shows the manager's number, and everything on it adds up."""

import re
from dataclasses import replace

import pytest

from paitui.context.trend import Forecast, TrendPoint
from paitui.locale import Words
from paitui.messages.message import Usage
from paitui.ui.glyphs import ASCII, UNICODE
from paitui.ui.lines import cells
from paitui.ui.look import Look, words_of
from paitui.ui.render.bar import bar, fill, position, scale
from paitui.ui.render.gauge import narrow, one_line, sheet, wide
from paitui.ui.render.numbers import percent, seconds, short
from paitui.ui.render.steps import Step, upcoming
from paitui.ui.render.trend import trend
from tests.ui.scenes import EMPTY, FULL, REPORT

LOOKS = [Look(Words(language), glyphs) for language in ("en", "zh") for glyphs in (UNICODE, ASCII)]
EN = LOOKS[0]
REPORTS = [
    REPORT,
    EMPTY,
    FULL,
    replace(REPORT, used=0, parts=()),
    replace(REPORT, paused="undone", next_step="none"),
    replace(REPORT, paused="breaker", next_step="none", freeable=100),
    replace(EMPTY, forecast=(Forecast("clear", 1_234), Forecast("summary", 2_345))),
    replace(FULL, used=140_000),
    replace(REPORT, window=1_000_000, clear_at=700_000, summary_at=900_000),
    replace(REPORT, window=16_000, used=9_000, clear_at=8_800, summary_at=9_000, reserve=4_000, buffer=3_000),
]


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("report", REPORTS)
def test_every_line_fits(look, report):
    for total in (36, 38, 40):
        spent = Usage(12_345_678, 123_456, cached=11_000_000, cost=12.345)
        assert all(cells(line) <= total for line in wide(report, look, total, spent))
    for total in range(20, 100, 7):
        assert cells(one_line(report, look, total)) <= total
    for total in range(14, 30):
        assert cells(narrow(report, look, total)) <= total


def test_the_number_is_the_managers():
    assert "58,910 / 128,000" in words_of(wide(REPORT, EN, 38)[0])
    assert "58.9k/128k" in words_of(one_line(REPORT, EN, 80))
    assert words_of(narrow(REPORT, EN, 30)).strip() == words_of(narrow(REPORT, EN, 20)) == "46% ◌57k ⋯95k"


@pytest.mark.parametrize("report", REPORTS[:5])
def test_parts_and_room_add_up_to_the_window(report):
    rows = [words_of(line) for line in wide(report, EN, 38)]
    start = next(n for n, row in enumerate(rows) if row.startswith("parts"))
    room = next(n for n, row in enumerate(rows) if row.startswith("room"))

    def numbers(some):
        return [int(m.replace(",", "")) for row in some for m in re.findall(r" ([\d,]+)  ", row + "  ")]

    assert sum(numbers(rows[start + 1 : room])) == sum(tokens for _, tokens in report.parts)
    if report.used <= report.window:
        assert sum(numbers(rows[room + 1 : room + 4])) + report.used == report.window


def test_the_signs_stand_exactly_under_their_places():
    line = words_of(scale(REPORT, 38, UNICODE))
    assert line.index("◌") == position(57_000, 128_000, 38) and line.index("⋯") == position(95_000, 128_000, 38)
    near = replace(REPORT, clear_at=93_000)
    crowded = words_of(scale(near, 38, UNICODE))
    assert "93.0k◌" in crowded and "⋯95.0k" in crowded
    late = replace(REPORT, summary_at=127_000)
    assert words_of(scale(late, 38, UNICODE)).rstrip().endswith("127k⋯")


def test_the_part_of_the_bar_beyond_a_threshold_takes_its_colour():
    inks = [span.ink for span in bar(FULL, 38, UNICODE, True)]
    assert inks == ["bar", "bar_clear", "bar_summary", "track"]
    assert [span.ink for span in bar(EMPTY, 38, UNICODE, True)] == ["bar", "track"]


def test_one_line_names_the_next_step_and_keeps_the_marks_it_passed():
    line = words_of(one_line(REPORT, EN, 78))
    assert line.rstrip().endswith("next ◌ clear now") and line.count("◌") == 2 and "⋯" in line
    assert "on_clear" in [span.ink for span in one_line(REPORT, EN, 78)]
    assert "~" not in line and " ~3.3k/128k" in words_of(one_line(EMPTY, EN, 78))
    short = words_of(one_line(REPORT, EN, 46))
    assert "clear" not in short and short.rstrip().endswith("next ◌ now"), "the sign stands for the word"


def test_the_sheet_is_the_pane_in_two_columns():
    for look in LOOKS:
        for report in REPORTS:
            for total in (40, 71, 72, 76, 98, 120):
                assert all(cells(line) <= total for line in sheet(report, look, total))
    pane = [words_of(line).rstrip() for line in wide(FULL, EN, 36)[3:]]
    rows = [words_of(line) for line in sheet(FULL, EN, 76)]
    assert len(rows) <= 18, "it fits on a screen of 24 lines"
    assert all(any(row in whole for whole in rows) for row in pane)
    assert sheet(FULL, EN, 71) == wide(FULL, EN, 71)


def test_what_comes_next():
    assert upcoming(EMPTY) == [Step("clear", 53_690), Step("summary", 91_690)]
    assert upcoming(REPORT) == [Step("clear", 0, 0), Step("summary", 36_090, 12)]
    assert upcoming(FULL) == [Step("summary", 0, 0)]
    assert upcoming(replace(REPORT, next_step="none")) == [Step("summary", 36_090, 12)]
    assert upcoming(replace(REPORT, paused="breaker")) == [Step("clear", 0, 0)]
    assert upcoming(replace(REPORT, paused="undone")) == []


def said(report, total=38):
    lines = [words_of(line).rstrip() for line in wide(report, EN, total)]
    return lines[3 : next(n for n, line in enumerate(lines) if not line)]


def test_the_pane_says_in_how_many_calls_or_why_not():
    growing = replace(EMPTY, forecast=(Forecast("clear", 4), Forecast("summary", 9)))
    assert said(growing) == ["next ◌ clear    in about 4 calls", "then ⋯ summary  in about 9 calls"]
    assert said(EMPTY) == ["next ◌ clear    in 53,690 tokens", "then ⋯ summary  in 91,690 tokens"]
    assert said(REPORT) == ["next ◌ clear    at the next check", "then ⋯ summary  in about 12 calls"]
    waits = replace(REPORT, next_step="none", freeable=1_910)
    assert said(waits) == ["     ◌ clear    only 1,910 to free", "next ⋯ summary  in about 12 calls"]
    assert "undo" in said(replace(REPORT, paused="undone"))[0]
    given_up = said(replace(REPORT, paused="breaker"), 48)
    assert given_up[0].startswith("next ◌ clear") and "/compact" in given_up[1]


def test_one_line_says_when_the_next_step_comes():
    growing = replace(EMPTY, forecast=(Forecast("clear", 4), Forecast("summary", 9)))
    assert words_of(one_line(growing, EN, 78)).rstrip().endswith("next ◌ clear in ~4 calls")
    assert words_of(one_line(growing, EN, 52)).rstrip().endswith("next ◌ in ~4 calls")
    assert "held after undo" in words_of(one_line(replace(REPORT, paused="undone"), EN, 78))


def test_the_trend_is_as_high_as_the_summary_threshold_and_bears_the_signs_in_their_colours():
    marked = [TrendPoint(10), TrendPoint(40, "offload"), TrendPoint(80), TrendPoint(20, "clear"), TrendPoint(100)]
    report = replace(EMPTY, clear_at=60, summary_at=100, trend=(*marked, TrendPoint(12, "summary")))
    top, bottom = trend(report, EN, 38)
    assert words_of(bottom) == "▂▆█▃█▂" and words_of(top) == " ▪▅◌█⋯"
    assert [(s.text, s.ink) for s in top] == [
        (" ", "meter"),
        ("▪", "offload"),
        ("▅", "meter_clear"),
        ("◌", "clear"),
        ("█", "meter_summary"),
        ("⋯", "summary"),
    ]
    assert [words_of(line) for line in trend(report, EN, 3)] == ["◌█⋯", "▃█▂"], "the newest stay"
    assert trend(replace(report, trend=(TrendPoint(10),)), EN, 38) == []
    full = replace(report, trend=(TrendPoint(100), TrendPoint(100, "offload")))
    assert [words_of(line) for line in trend(full, EN, 38)] == ["█▪", "██"], "where there is no room above, it covers"
    for look in LOOKS:
        assert all(len(words_of(line)) == 6 for line in trend(report, look, 38))


def test_what_the_provider_reported_is_shown_where_it_did():
    spent = Usage(1_204_331, 12_004, cached=1_100_000, cost=0.1234)
    pane = [words_of(line) for line in wide(REPORT, EN, 38, spent)]
    assert "91% cached" in pane[-3] and pane[-3].endswith("1,204,331") and pane[-2].endswith("12,004")
    assert pane[-1].endswith("$0.12")
    assert len(wide(REPORT, EN, 38, Usage())) == len(pane) - 5
    assert len(wide(REPORT, EN, 38, spent, height=len(pane) - 1)) == len(pane) - 5, "sections stand close"


def test_empty_parts_are_hidden_but_live_results_are_not():
    rows = [words_of(line) for line in wide(EMPTY, EN, 38)]
    assert not any("memories" in row or "cleared" in row for row in rows)
    assert any(row.startswith("results live") for row in rows)


def test_a_bar_without_colour_shows_its_empty_part():
    assert words_of(bar(EMPTY, 10, UNICODE, False)).endswith("·" * 9)
    assert words_of(bar(EMPTY, 10, ASCII, True)) == "=" + "." * 9


def test_eighths():
    assert fill(0.5, 1, UNICODE) == "▌" and fill(1.5, 3, UNICODE) == "███" and fill(0, 3, UNICODE) == ""
    assert fill(0.0001, 3, UNICODE) == "▏"


def test_before_the_first_report():
    for look in LOOKS:
        assert wide(None, look, 38) and one_line(None, look, 60) and narrow(None, look, 20)


def test_numbers():
    assert [short(n) for n in (950, 58_910, 99_949, 99_950, 128_000, 1_000_000)] == [
        "950",
        "58.9k",
        "99.9k",
        "100k",
        "128k",
        "1.0M",
    ]
    assert [percent(*pair) for pair in ((1, 1000), (999, 1000), (1000, 1000), (0, 10), (1, 0))] == [
        "1%",
        "99%",
        "100%",
        "0%",
        "0%",
    ]
    assert [seconds(n) for n in (0.04, 12.34, 245, 7_400)] == ["0.0 s", "12.3 s", "4 min 05 s", "2 h 03 min"]

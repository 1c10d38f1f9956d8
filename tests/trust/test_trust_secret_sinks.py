"""No planted secret gets into what is kept, and ordinary source code is left alone."""

import json
import sysconfig
from pathlib import Path

import pytest
import secrets_masked as bench
from hypothesis import given
from hypothesis import strategies as st

from paitui.trust.escapes import unescape
from paitui.trust.secrets import find, mask


def test_ledger_memory_and_log_hold_none_of_them(tmp_path: Path) -> None:
    found = bench.plant(tmp_path.resolve())
    assert found["leaks"] == {}
    assert found["planted"] >= 30 and found["logged"] > 5_000
    # It was all there to be masked: results, arguments, approvals, errors of tools and model, a summary.
    assert {"message", "approval", "fault", "boundary", "turn"} <= set(found["ledger_events"])
    [ledger] = (tmp_path / "home/history/raw").glob("*.jsonl")
    records = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]
    for kind in ("message", "approval", "fault", "boundary"):
        assert any("‹secret:" in json.dumps(r, ensure_ascii=False) for r in records if r["event"] == kind), kind
    assert not (tmp_path / "home/memory/long_term_memory.json").exists()


def test_what_leaks_is_found(tmp_path: Path) -> None:
    (tmp_path / "history").mkdir()
    (tmp_path / "history/x.jsonl").write_text(bench.text(), "utf-8")
    assert set(bench.leaks(tmp_path)) == set(bench.values())


def test_ordinary_code_is_left_alone() -> None:
    library = Path(sysconfig.get_paths()["stdlib"])
    found = bench.count(
        [library / name for name in ("asyncio", "email", "http", "json", "logging", "multiprocessing")]
    )
    assert found["files"] > 80 and found["share_of_files"] < 0.01 and found["per_1000_lines"] < 0.1


@pytest.mark.parametrize("name", [*bench.PLANTED, *bench.PLACED])
def test_a_secret_within_json_is_found_however_it_is_written_there(name: str) -> None:
    around, value = bench.PLACED.get(name, ("{}", bench.PLANTED.get(name, "")))
    text = f"first line\n\t{around.format(value)}\nlast line"
    bare = bench.values()[name]
    for ascii_only in (True, False):
        once = json.dumps({"content": text}, ensure_ascii=ascii_only)
        twice = json.dumps({"arguments": once}, ensure_ascii=ascii_only)
        for written in (once, twice):
            masked = mask(written)
            assert bare not in masked and mask(masked) == masked
        assert json.loads(mask(once))["content"].endswith("last line")


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <your_api_key>",
        "redis://:password@host:6379/1",
        "password: Final = parsed.password",
        'credentials = "{0}:{1}".format(user, name)',
        'grant = {"client_credentials": "client_credentials"}',
        'api_key="your_api_key"',
        '"input_cost_per_token": 1.5e-06',
        "key_id=s3_aws_access_key_id,",
        "hash d41d8cd98f00b204e9800998ecf8427e.stylesheetbundle",
    ],
)
def test_what_only_says_where_a_secret_belongs_stays(text: str) -> None:
    assert mask(text) == text


@given(
    st.lists(st.sampled_from(["\\", "n", "u5bc6", "\\n", '\\"', "a", "码", "\\\\u7801", " "]), max_size=20).map(
        "".join
    )
)
def test_places_in_a_resolved_text_lead_back(text: str) -> None:
    plain = unescape(text)
    if plain is None:
        assert not any(sign in text for sign in ("\\n", '\\"', "\\u5bc6"))
        return
    places = [plain.at(place) for place in range(len(plain.text) + 1)]
    assert places == sorted(places) and places[-1] == len(text)
    for place, sign in enumerate(plain.text):
        there = text[plain.at(place) : plain.at(place + 1)]
        assert there == sign or there.startswith("\\")


def test_a_span_covers_the_whole_escape() -> None:
    text = '{"x": "a\\nsk-' + "abcdefghijklmnopqrstuvwx" + '\\n"}'
    [span] = find(text)
    assert text[span.start : span.end] == "sk-" + "abcdefghijklmnopqrstuvwx"

"""Completion in the running app: commands, their arguments, files."""

import threading

import pytest

from paitui.engine import ops
from paitui.engine.commands import COMMANDS
from paitui.ui.prompting.completion import wish
from paitui.ui.prompting.files import Listing
from tests.ui.scenes import errands_done, opened
from tests.ui.test_ui_app import RUNNING, Driven

FILES = ("README.md", "app/orders/export.py", "app/orders/models.py", "docs/说明 文档.md", "app/", "app/orders/")


async def typed(driven: Driven, *keys: str) -> None:
    await driven.press(*keys)
    await errands_done(driven.pilot)


def rows(driven: Driven) -> list[str]:
    picker = driven.app.chat.composer._picker
    return [choice.shown for choice in picker.choices] if picker else []


async def test_a_slash_offers_all_commands_with_what_they_do() -> None:
    async with Driven(opened(), size=(80, 24)) as d:
        await typed(d, "/")
        assert rows(d) == [f"/{command.name}" for command in COMMANDS]
        assert "Tab complete  Esc close the list" in d.screen_text()
        await typed(d, *"comp")
        text = d.screen_text()
        assert "[instructions | undo]" in text and "summarise the older part now" in text
        await typed(d, *["backspace"] * 4, *"mod", "tab")
        assert d.prompt.draft == "/model " and d.worker.ops == []


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_in_a_narrow_window_what_a_command_does_is_whole_and_the_footer_follows_the_list(language) -> None:
    async with Driven(opened(), size=(60, 48), language=language) as d:
        await typed(d, "/")
        text = d.screen_text()
        for choice in d.app.chat.composer._picker.shown:
            assert choice.shown in text and choice.note in text
        await typed(d, "escape")
        assert rows(d) == [] and d.app.chat.composer.use == "prompt"


async def test_enter_sends_a_whole_command_and_takes_a_part_of_one() -> None:
    async with Driven(opened()) as d:
        await typed(d, *"/cle", "enter")
        assert d.prompt.draft == "/clear" and d.worker.ops == [] and rows(d) == []
        await typed(d, "enter")
        assert d.worker.ops == [ops.Clear()] and d.prompt.draft == ""
        await typed(d, *"/compact", "enter")
        assert d.worker.ops[-1] == ops.Compact("") and d.prompt.draft == ""


async def test_what_was_moved_to_is_taken_even_if_a_whole_command_stands_there() -> None:
    async with Driven(opened()) as d:
        await typed(d, *"/context")
        assert rows(d) == ["/context"]
        await typed(d, "down", "enter")
        assert d.prompt.draft == "/context" and d.worker.ops == []
        d.app.chat.composer.clear()
        await typed(d, "/", "up", "tab")
        assert d.prompt.draft.strip() == f"/{COMMANDS[-1].name}"


async def test_arguments_are_offered_and_none_is_needed() -> None:
    async with Driven(opened()) as d:
        await typed(d, *"/compact", "space")
        assert rows(d) == ["undo"]
        await typed(d, "enter")
        assert d.worker.ops == [ops.Compact("")]
        await typed(d, *"/compact", "space", "u", "enter")
        assert d.prompt.draft == "/compact undo" and len(d.worker.ops) == 1
        await typed(d, "enter")
        assert d.worker.ops[-1] == ops.Undo()
        await typed(d, *"/model", "space", *"off", "tab")
        assert d.prompt.draft == "/model offline"


async def test_wishes_for_a_summary_are_no_arguments() -> None:
    async with Driven(opened()) as d:
        await typed(d, *"/compact", "space", *"undo", "space", *"nothing", "enter")
        assert d.worker.ops == [ops.Compact("undo nothing")]


@pytest.mark.parametrize("before", ["", "总结", "read ", "（", "看看：", "一\n二"])
async def test_files_are_offered_right_behind_any_text(before: str) -> None:
    async with Driven(opened(), files=FILES) as d:
        d.prompt.insert(before)
        await typed(d, "@", *"export")
        assert rows(d) == ["app/orders/export.py"]
        await typed(d, "enter")
        assert d.prompt.draft == f"{before}@app/orders/export.py " and d.worker.ops == []
        await typed(d, "enter")
        assert [op.text for op in d.worker.ops] == [f"{before}@app/orders/export.py "]


async def test_a_folder_goes_on_and_a_name_with_spaces_is_quoted() -> None:
    async with Driven(opened(), files=FILES) as d:
        await typed(d, "@", *"orders/")
        assert rows(d)[0] == "app/orders/"
        await typed(d, "tab")
        assert d.prompt.draft == "@app/orders/" and "app/orders/models.py" in rows(d)
        d.app.chat.composer.clear()
        await typed(d, "@", *"文档", "tab")
        assert d.prompt.draft == '@"docs/说明 文档.md" '


async def test_a_file_that_is_named_in_full_needs_no_second_enter() -> None:
    async with Driven(opened(), files=FILES) as d:
        await typed(d, *"read @README.md", "enter")
        assert d.worker.ops == [ops.Submit("read @README.md")]


async def test_an_address_is_no_file_and_a_path_no_command() -> None:
    async with Driven(opened(), files=FILES) as d:
        for text in ("me@exp", "/etc/ho", "a /cont", "中文/con"):
            d.prompt.insert(text)
            await typed(d)
            assert rows(d) == [], text
            d.app.chat.composer.clear()


async def test_escape_closes_the_list_and_only_that() -> None:
    async with Driven(RUNNING) as d:
        await typed(d, "/", "c")
        await typed(d, "escape")
        assert rows(d) == [] and d.prompt.draft == "/c" and d.worker.ops == []
        await typed(d, "o")
        assert rows(d) == []  # it stays away while the same word is written
        await typed(d, "escape")
        assert d.worker.ops == [ops.Interrupt()]


async def test_the_full_width_signs_of_chinese_input_mean_the_same() -> None:
    async with Driven(opened(), files=FILES) as d:
        d.prompt.insert("／")
        await typed(d, *"hel", "tab")
        assert d.prompt.draft == "/help"
        d.app.chat.composer.clear()
        d.prompt.insert("、")
        await typed(d, *"quit", "tab")
        assert d.prompt.draft == "/quit"
        d.app.chat.composer.clear()
        d.prompt.insert("＠")
        await typed(d, *"READ", "tab")
        assert d.prompt.draft == "@README.md "


async def test_a_slow_listing_blocks_no_key_and_a_key_pressed_meanwhile_takes_what_it_then_offers() -> None:
    gate = threading.Event()
    async with Driven(opened(), files=FILES) as d:
        completer = d.app.chat.composer._completer

        def slow() -> Listing:
            assert gate.wait(10)
            return Listing(FILES, True)

        completer._list_files = slow
        await d.press("@", *"models")
        assert d.prompt.draft == "@models" and rows(d) == []
        gate.set()
        await errands_done(d.pilot)
        assert rows(d) == ["app/orders/models.py"]
        hold = threading.Event()
        d.app.chat.composer.errands.find(lambda: hold.wait(10), lambda done: None, lambda error: None)
        await d.press("backspace", "tab")  # the list for this text is not there yet
        assert d.prompt.draft == "@model"
        hold.set()
        await errands_done(d.pilot)
        assert d.prompt.draft == "@app/orders/models.py "


def test_what_is_to_be_completed() -> None:
    assert wish("/", 1) is not None and wish("  /cl", 5) is not None
    assert wish("/clear\nx", 6) is None and wish("say /clear", 10) is None
    found = wish("看@a 和@b/c。", 7)
    assert found is not None and (found.kind, found.start, found.partial) == ("file", 5, "b")
    assert wish("看@a，", 4) is None and wish("a@b", 3) is None
    long = "@" * 100_000
    assert wish(long + "x", 100_001) is not None


async def test_an_argument_typed_faster_than_its_names_are_known_is_sent_by_one_enter() -> None:
    async with Driven(opened()) as d:
        completer = d.app.chat.composer._completer
        await typed(d, *"/compact ")
        completer._host.errand = lambda work, arrived: None  # the names never come
        d.prompt.insert("undo")
        await d.pilot.pause()
        await typed(d, "enter")
        assert d.worker.ops == [ops.Undo()] and d.prompt.draft == ""

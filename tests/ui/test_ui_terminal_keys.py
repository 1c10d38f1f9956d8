"""Keys as every kind of terminal sends them, cut anywhere, and bytes that are no keys."""

import itertools

import pytest
from textual.events import Key, Paste

from paitui.ui.contact import PROBE, understand
from paitui.ui.keys import InputParser, extend_terminal_keys

extend_terminal_keys()


class Watch:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def read(*pieces: str, awaited: int = 0, wait: float = 0.0) -> list[str]:
    """The keys read from pieces of input; after each piece that much time passes."""
    clock = Watch()
    parser = InputParser(awaited=awaited, clock=clock)
    found: list[str] = []
    for piece in (*pieces, ""):
        events = list(parser.feed(piece)) if piece else []
        clock.now += wait if piece else 1
        for event in (*events, *parser.tick()):
            if isinstance(event, Key):
                found.append(event.character if event.is_printable and event.character else event.key)
            elif isinstance(event, Paste):
                found.append(f"paste:{event.text}")
            else:
                found.append(type(event).__name__)
    return found


SENT = {
    # the old way
    "\r": ["enter"],
    "\n": ["ctrl+j"],
    "\x1b\r": ["alt+enter"],
    "\x1bOM": ["enter"],
    "\x03": ["ctrl+c"],
    "\t": ["tab"],
    "\x1b[Z": ["shift+tab"],
    "\x1bOP": ["f1"],
    "\x1b[15~": ["f5"],
    "\x1b[1;2R": ["CursorPosition"],
    # modifyOtherKeys
    "\x1b[27;2;13~": ["shift+enter"],
    "\x1b[27;3;13~": ["alt+enter"],
    "\x1b[27;5;13~": ["ctrl+enter"],
    "\x1b[27;5;106~": ["ctrl+j"],
    "\x1b[27;5;99~": ["ctrl+c"],
    "\x1b[27;1;27~": ["escape"],
    "\x1b[27;5;91~": ["escape"],
    "\x1b[27;5;49~": ["ctrl+1"],
    "\x1b[27;2;65~": ["A"],
    "\x1b[27;2;32~": [" "],
    "\x1b[27;2;200~": ["È"],
    # kitty's protocol
    "\x1b[13u": ["enter"],
    "\x1b[13;2u": ["shift+enter"],
    "\x1b[13;3u": ["alt+enter"],
    "\x1b[13;129u": ["enter"],
    "\x1b[106;5u": ["ctrl+j"],
    "\x1b[106;133u": ["ctrl+j"],
    "\x1b[99;5u": ["ctrl+c"],
    "\x1b[99:67;5:1u": ["ctrl+c"],
    "\x1b[27u": ["escape"],
    "\x1b[91;5u": ["escape"],
    "\x1b[105;5u": ["tab"],
    "\x1b[109;5u": ["enter"],
    "\x1b[104;5u": ["backspace"],
    "\x1b[32;5u": ["ctrl+@"],
    "\x1b[97;;97u": ["a"],
    "\x1b[97;2;65u": ["A"],
    "\x1b[97u": ["a"],
    "\x1b[97;2u": ["A"],
    "\x1b[13;2:1u": ["shift+enter"],
    "\x1b[13;2:3u": [],
    "\x1b[1;1:3A": [],
    "\x1b[1;5:2A": ["ctrl+up"],
    "\x1b[57414u": ["enter"],
    "\x1b[57441;2u": ["left_shift"],
    # an input method, plain and in kitty's protocol
    "你好世界": ["你", "好", "世", "界"],
    "\x1b[0;;20320:22909u": ["你", "好"],
    "\x1b[0;;20320:22909:19990:30028:25105:20204u": ["你", "好", "世", "界", "我", "们"],
    # what is no key
    "\x1b[?0u": [],
    "\x1b[?31u": [],
    "\x1b[99999999999;5u": [],
    "\x1b[55296;5u": [],
    "\x1b[97;;1114112u": ["a"],
    "\x1b[<0;3;4M": ["MouseDown"],
    "\x1b[I": ["AppFocus"],
    "\x1b[200~a\x1b[27;2;13~\x1b[0;;97u\rb\x1b[201~": ["paste:a\x1b[27;2;13~\x1b[0;;97u\rb"],
}


@pytest.mark.parametrize("sent", SENT, ids=repr)
def test_a_key_is_read_as_what_it_is(sent: str) -> None:
    assert read(sent) == SENT[sent]


@pytest.mark.parametrize("sent", SENT, ids=repr)
def test_it_is_the_same_key_wherever_the_line_cuts_it(sent: str) -> None:
    whole = ["x", *SENT[sent], "y"]
    for at in range(1, len(sent)):
        assert read("x" + sent[:at], sent[at:] + "y", wait=0.02) == whole, at
    assert read("x", *sent, "y", wait=0.001) == whole


def test_many_keys_in_one_piece_come_one_by_one() -> None:
    assert read("".join(SENT)) == list(itertools.chain.from_iterable(SENT.values()))


def test_escape_alone_is_a_key_after_a_moment() -> None:
    assert read("\x1b", wait=0.2) == ["escape"]
    assert read("\x1b", "x", wait=0.2) == ["escape", "x"]
    assert read("\x1b\x1b", wait=0.2) == ["escape", "escape"]
    assert read("a\x1b", "\x1b", "b", wait=0.2) == ["a", "escape", "escape", "b"]


def test_a_report_that_was_asked_for_is_no_key_and_others_are() -> None:
    assert read("a\x1b[1;1R\x1b[1;8Rb", awaited=2) == ["a", "b"]
    assert read("a\x1b[1;1Rb\x1b[1;8R", awaited=1) == ["a", "b", "CursorPosition"]


@pytest.mark.parametrize(
    ("data", "wide", "extended", "typed", "awaited"),
    [
        (b"", False, False, b"", 2),
        (b"\x1b[5;1R\x1b[5;8R", False, False, b"", 0),
        (b"\x1b[5;1R\x1b[5;9R", True, False, b"", 0),
        (b"\x1b[?0u\x1b[5;1R\x1b[5;15R", True, True, b"", 0),
        (b"\x1b[24;78R\x1b[24;1R", False, False, b"", 0),
        (b"he\x1b[?31ul\x1b[5;1Rlo\r\x1b[5;8R\x1b[A", False, True, b"hello\r\x1b[A", 0),
        (b"a\x1b[5;1R\x1b[5", False, False, b"a\x1b[5", 1),
        ("\x1b[5;1R中\x1b[5;8R".encode(), False, False, "中".encode(), 0),
        (b"\x1b[5;1R\x1b[5;8R\x1b[1;2R", False, False, b"\x1b[1;2R", 0),
    ],
)
def test_answers_are_told_from_what_is_typed(
    data: bytes, wide: bool, extended: bool, typed: bytes, awaited: int
) -> None:
    heard = understand(data)
    assert (heard.wide, heard.extended, heard.typed, heard.awaited) == (wide, extended, typed, awaited)
    assert len(PROBE) == 7


def test_a_paste_whose_end_was_lost_does_not_deafen_the_keyboard() -> None:
    assert read("\x1b[200~text", "\x03", wait=2.0) == ["paste:text", "ctrl+c"]
    assert read("\x1b[200~text", "a", "\x1b", wait=2.0) == ["paste:texta", "escape"]


def test_a_paste_that_comes_slowly_stays_one_paste() -> None:
    assert read("\x1b[200~one\n", "two\n", "\x03 three\x1b[201~", wait=2.0) == ["paste:one\ntwo\n\x03 three"]
    assert read("\x1b[200~one", "\x03", "two\x1b[201~", wait=0.1) == ["paste:one\x03two"]

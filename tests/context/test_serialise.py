from context_builders import answer, numbered, tool_round, user
from hypothesis import given
from hypothesis import strategies as st

from paitui.context.estimate import text_tokens
from paitui.context.serialise import longest_prefix, pieces, serialise, split_text
from paitui.messages.message import Message


def test_blocks_say_what_they_are() -> None:
    blocks = serialise(numbered(user("find x"), tool_round("x = 1"), answer("line 1")))
    assert blocks[0] == "[[1 user]]\nfind x"
    assert '[[call read_file]] {"path":"src/file.py"}' in blocks[1]
    assert blocks[2] == "[[3 result of read_file, 5 characters]]\nx = 1"
    assert blocks[3] == "[[4 assistant]]\nline 1"


@given(st.lists(st.text(max_size=300), max_size=8), st.integers(20, 200), st.integers(10, 60))
def test_nothing_is_dropped_and_every_piece_fits(blocks: list[str], chars: int, tokens: int) -> None:
    found = pieces(blocks, chars, tokens)
    assert "".join(found).replace("\n", "") == "".join(blocks).replace("\n", "")
    assert all(len(piece) <= chars and text_tokens(piece) <= tokens + 1 for piece in found)


def test_a_long_text_is_cut_at_line_ends() -> None:
    text = "".join(f"line {n}\n" for n in range(100))
    parts = split_text(text, 200, 10_000)
    assert "".join(parts) == text
    assert all(part.endswith("\n") for part in parts)


@given(st.text(max_size=200), st.integers(0, 40))
def test_the_longest_prefix_fits_and_one_more_would_not(text: str, tokens: int) -> None:
    length = longest_prefix(text, tokens)
    assert text_tokens(text[:length]) <= tokens
    assert length == len(text) or text_tokens(text[: length + 1]) > tokens


def test_what_the_program_asked_is_not_taken_for_the_users_words() -> None:
    asked = [Message("user", "do it", origin="typed"), Message("user", "answer now", origin="program")]
    assert serialise(asked) == ["[[1 user]]\ndo it", "[[2 program]]\nanswer now"]

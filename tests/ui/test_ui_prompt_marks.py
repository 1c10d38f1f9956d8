"""Marks over a draft: they follow every change, and what is said is what was put in."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from paitui.locale import Words
from paitui.ui.prompting.chips import label, shown
from paitui.ui.prompting.history_file import masked
from paitui.ui.prompting.marks import Draft, Mark, difference, folded, folds, rediscovered, snapped, spliced, widened

LONG = "\n".join(f"line {n}" for n in range(40))


def named(text: str, pasted: bool) -> str:
    return label(Words("en"), text, pasted)


def test_what_is_folded_is_said_in_full_and_known_as_pasted() -> None:
    text = f"see {LONG} and that"
    draft = folded(text, ((4, 4 + len(LONG)), (4 + len(LONG) + 5, len(text))), named)
    assert draft.text == "see [pasted 40 lines, 309 B] and that"
    assert draft.said() == (text, ((4, 4 + len(LONG)), (4 + len(LONG) + 5, len(text))))


def test_a_long_text_of_ones_own_is_folded_but_stays_ones_own() -> None:
    text = "word " * 5_000
    draft = folded(text, (), named)
    assert draft.text == "[text 25,000 characters]" and draft.said() == (text, ())


def test_what_folds() -> None:
    assert not folds("\n".join("x" * 8)) and folds("\n".join("x" * 9)) and folds("x" * 801) and not folds("x" * 800)


def test_sizes_are_named_in_both_languages() -> None:
    text = "\n".join("行" * 20 for _ in range(10_000))
    assert label(Words("zh"), text) == "[粘贴 10,000 行，610 KB]"
    assert label(Words("en"), "y" * 2_000) == "[pasted 2,000 characters]"
    assert shown(Words("en"), f"a {LONG}", ((2, 2 + len(LONG)),)) == "a [pasted 40 lines, 309 B]"


def test_typing_inside_a_paste_divides_it_and_typing_beside_it_does_not_join_it() -> None:
    marks = (Mark(5, 11),)
    assert spliced(marks, 8, 8, 10) == (Mark(5, 8), Mark(10, 13))
    assert spliced(marks, 5, 5, 6) == (Mark(6, 12),)
    assert spliced(marks, 11, 11, 12) == (Mark(5, 11),)
    assert spliced(marks, 0, 7, 0) == (Mark(0, 4),)
    assert spliced(marks, 0, 20, 3) == ()


def test_a_chip_is_one_piece() -> None:
    marks = (Mark(4, 10, "body"),)
    assert widened(marks, 9, 10) == (4, 10) and widened(marks, 4, 5) == (4, 10)
    assert widened(marks, 10, 11) == (10, 11) and widened(marks, 0, 4) == (0, 4)
    assert widened(marks, 6, 6) == (10, 10)
    assert snapped(marks, 9, 10) == 4 and snapped(marks, 5, 4) == 10 and snapped(marks, 4, 3) == 4


texts = st.text("ab\n", max_size=12)


@given(texts, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12), texts, st.booleans()), max_size=8))
def test_marks_say_of_each_character_whether_it_was_pasted(
    start: str, edits: list[tuple[int, int, str, bool]]
) -> None:
    """Against a model that keeps a flag with every character."""
    flags = [(character, False) for character in start]
    text, marks = start, ()
    for first, last, new, pasted in edits:
        first, last = sorted((min(first, len(text)), min(last, len(text))))
        end = first + len(new)
        marks = spliced(marks, first, last, end, Mark(first, end) if pasted else None)
        text = text[:first] + new + text[last:]
        flags[first:last] = [(character, pasted) for character in new]
    said, spans = Draft(text, marks).said()
    assert said == text == "".join(character for character, _ in flags)
    assert [any(a <= at < b for a, b in spans) for at in range(len(text))] == [pasted for _, pasted in flags]
    assert all(a < b for a, b in spans) and all(x[1] < y[0] for x, y in pairwise(spans))


@given(texts, texts)
def test_the_difference_of_two_texts_turns_one_into_the_other(old: str, new: str) -> None:
    start, old_end, new_end = difference(old, new)
    assert old[:start] + new[start:new_end] + old[old_end:] == new
    assert start <= old_end and start <= new_end


def test_pastes_are_found_again_where_they_were_not_changed() -> None:
    assert rediscovered("intro\none\ntwo!\nthree", ["one", "two", "thre_"]) == ((6, 9), (10, 13))


def test_secrets_are_masked_and_the_pasted_parts_move_with_the_text() -> None:
    key = "sk-abcdefghijklmnopqrstuvwxyz0123"
    text = f"use {key} for pasted words, mail me@example.com"
    start = text.index("pasted")
    kept, spans = masked(text, ((start, start + 6),))
    assert key not in kept and "‹secret:api-key›" in kept and "me@example.com" in kept
    assert kept[slice(*spans[0])] == "pasted"
    whole, around = masked(text, ((0, len(text)),))
    assert around == ((0, len(whole)),)

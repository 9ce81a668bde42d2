"""The search for retired words finds them and nothing else; the script of figures runs, and what it counts is there."""

import pytest

from tests.style.retired_words import RETIRED, uses_in
from tests.style.size import rows


@pytest.mark.parametrize(
    "text", ["What was told of it.", "told_at(time)", "class ToldEvent:", "Nothing, where it holds.", "_STANDING = 1"]
)
def test_a_retired_word_is_found_with_its_replacement(text: str) -> None:
    (use,) = uses_in("a.py", text)
    assert (use.line, use.instead in RETIRED.values()) == (1, True)


@pytest.mark.parametrize("text", ["a standard", "outstanding", "slippery", "tellurium", "nothing where", "untold"])
def test_other_words_are_left_alone(text: str) -> None:
    assert not list(uses_in("a.py", text))


def test_every_row_of_the_size_table_has_a_figure() -> None:
    figures = {what: int(figure.replace(",", "")) for what, figure, _ in rows()}
    assert len(figures) == 13
    assert {what for what, figure in figures.items() if not figure} <= {"class names defined more than once"}

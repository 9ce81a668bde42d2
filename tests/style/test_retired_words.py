"""The search for retired words finds them as words, in identifiers and in class names, and nothing else."""

import pytest

from tests.style.retired_words import RETIRED, uses_in


@pytest.mark.parametrize(
    "text", ["What was told of it.", "told_at(time)", "class ToldEvent:", "Nothing, where it holds.", "_STANDING = 1"]
)
def test_a_retired_word_is_found_with_its_replacement(text: str) -> None:
    (use,) = uses_in("a.py", text)
    assert (use.line, use.instead in RETIRED.values()) == (1, True)


@pytest.mark.parametrize("text", ["a standard", "outstanding", "slippery", "tellurium", "nothing where", "untold"])
def test_other_words_are_left_alone(text: str) -> None:
    assert not list(uses_in("a.py", text))

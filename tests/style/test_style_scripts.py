"""Style: retired words and phrases are found, features share no file, and the size counts each file once."""

import re
import subprocess
import sys
from typing import Final

import pytest

from tests.style.size import FEATURES, PREFIXES, ROOT, features_of, is_by_hand, paths

PHRASES: Final = re.compile(
    r"(?i)\b(comes? to|came to|refuses? to know|the law of this|is to be said|nothing, (?:where|unless|while|once))\b"
)
"""Phrases that the project's English has retired; codespell finds words alone."""


def spelled(text: str) -> str:
    """Return what codespell says of a text, by the project's configuration."""
    command = [sys.executable, "-m", "codespell_lib", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False, cwd=ROOT).stdout


@pytest.mark.parametrize(
    "text", ["What was told of it.", "told_at(time)", "class ToldEvent:", "_STANDING = 1", "recieve"]
)
def test_retired_or_misspelt_word_is_found_with_its_replacement(text: str) -> None:
    assert "==>" in spelled(text)


@pytest.mark.parametrize("text", ["a standard", "outstanding", "slippery", "tellurium", "nothing where", "untold"])
def test_other_words_are_left_alone(text: str) -> None:
    assert "==>" not in spelled(text)


def test_no_text_has_a_retired_phrase() -> None:
    assert PHRASES.search("Nothing, where it holds.")
    names = [name for name in filter(is_by_hand, paths()) if name.endswith((".py", ".md", ".proto", ".ts", ".svelte"))]
    assert names
    found = [name for name in names if PHRASES.search((ROOT / name).read_text(encoding="utf-8"))]
    assert [name for name in found if not name.startswith("tests/style/")] == []


def test_every_tracked_file_by_hand_falls_in_exactly_one_feature() -> None:
    files = list(filter(is_by_hand, paths()))
    assert len(files) > 1000
    features = {path: features_of(path) for path in files}
    assert {path: names for path, names in features.items() if len(names) != 1} == {}


def test_every_feature_and_every_prefix_of_its_files_is_there_once() -> None:
    names = [feature for features in FEATURES.values() for feature in features]
    prefixes = [prefix for prefix, _ in PREFIXES]
    assert sorted(set(names)) == sorted(names)
    assert sorted(set(prefixes)) == sorted(prefixes)
    tracked = paths()
    assert [prefix for prefix in prefixes if not any(path.startswith(prefix) for path in tracked)] == []

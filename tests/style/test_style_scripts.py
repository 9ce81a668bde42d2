"""The scripts of style: retired words are found, features share no file, and each figure of the size is there."""

import pytest

from tests.style.features import FEATURES, FOLDERS, PREFIXES, features_of, is_by_hand, paths, table
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
    assert len(figures) == 10
    assert {what for what, figure in figures.items() if not figure} <= {"class names defined more than once"}


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


def test_lines_by_feature_add_up_to_their_groups_and_totals() -> None:
    header, *printed = table()
    counts = {
        row[:44].rstrip(): [int(n.replace(",", "").replace("-", "0")) for n in row[44:].split()] for row in printed
    }
    assert header.split()[-4:] == [*FOLDERS, "all"]
    total = counts.pop("total")
    counts.pop("total of Python")
    rows_of_groups = {group: counts.pop(group) for group in FEATURES}
    for group, features in FEATURES.items():
        if len(features) > 1:
            of_features = [counts.pop(f"  {feature}") for feature in features]
            assert rows_of_groups[group] == [sum(column) for column in zip(*of_features, strict=True)]
    assert counts == {}
    assert total == [sum(column) for column in zip(*rows_of_groups.values(), strict=True)]

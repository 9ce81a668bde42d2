"""Explanations of surviving mutants, held against the code and the committed score."""

from tests.mutation.rooms import ROOMS, ROOT
from tests.mutation.score import SCORE, explanations


def test_explained_lines_are_lines_of_the_code() -> None:
    assert explanations()
    for one in explanations():
        lines = {line.strip() for line in (ROOT / one.path).read_text().splitlines()}
        assert one.before in lines, f"{one.path} has no line {one.before!r}"
        assert one.before != one.after


def test_committed_score_counts_every_room() -> None:
    shown = SCORE.read_text()
    assert [name for name in ROOMS if f"| {name} | " not in shown] == []


def test_every_room_has_code_and_tests() -> None:
    for room in ROOMS.values():
        assert room.files, room.name
        assert all((ROOT / test).exists() for test in room.tests), room.name

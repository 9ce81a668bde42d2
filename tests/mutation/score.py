"""Results of trials, the survivors that are explained, and SCORE.md."""

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import msgspec

from tests.mutation.rooms import ROOT, Room

FOLDER: Final = ROOT / ".mutants"
EXPLAINED: Final = Path(__file__).with_name("explained.toml")


class Result(msgspec.Struct, frozen=True):
    """The outcome of one mutant, and the line that it changes."""

    key: str
    outcome: str
    path: str
    line: int
    before: str
    after: str


class Explanation(msgspec.Struct, frozen=True):
    """A survivor that no test can or should kill, and why."""

    path: str
    before: str
    after: str
    why: str


def state_of(room: Room) -> Path:
    """Return the file that holds a room's results; its folder exists."""
    FOLDER.mkdir(exist_ok=True)
    return FOLDER / f"{room.name.replace('/', '.')}.jsonl"


def results_of(room: Room) -> dict[str, Result]:
    """Return a room's results by the mutants' keys, the newest of each."""
    path = state_of(room)
    lines = path.read_bytes().splitlines() if path.exists() else []
    return {result.key: result for result in (msgspec.json.decode(line, type=Result) for line in lines)}


def explanations() -> list[Explanation]:
    """Return all explanations."""
    groups = tomllib.loads(EXPLAINED.read_text())["group"]
    return [
        Explanation(path=one["path"], before=one["before"], after=after, why=group["why"])
        for group in groups
        for one in group["mutants"]
        for after in one["after"]
    ]


def open_survivors(results: Iterable[Result]) -> list[Result]:
    """Return survivors that nothing explains, in the order of the code."""
    explained = {(one.path, one.before, one.after) for one in explanations()}
    found = [one for one in results if one.outcome == "survived" and (one.path, one.before, one.after) not in explained]
    return sorted(found, key=lambda one: (one.path, one.line, one.key))


def write_score() -> None:
    """Write SCORE.md."""
    raise NotImplementedError

"""Results of trials, the survivors that are explained, and SCORE.md."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec
from scipy.stats import binomtest

from tests.mutation.rooms import ROOMS, ROOT, Room

FOLDER: Final = ROOT / ".mutants"
EXPLAINED: Final = Path(__file__).with_name("explained.toml")
SCORE: Final = Path(__file__).with_name("SCORE.md")

TEMPLATE: Final = """# Mutation score

Written on {date} by `python -m tests.mutation --score` from the results of `make mutants` (Cosmic Ray 8.7.0; a run that
was stopped goes on where it was). Mutants are tried in a random order that is always the same, so the results of an
unfinished room are those of a random sample; rooms without a row are not begun. A mutant is judged by the fast tests of
its room that ran the changed line; `--again` judges survivors by those that ran any line of the file, on what is
imported anew. Survivors that are left were not tried again, unless a test was written for them and seen to fail with
the mutant; then they count as killed.

*At first* is the share of tried mutants that the tests of that time killed, with its 95% interval for the whole room
where only a sample was tried. *Now* is the share that is killed, timed out or explained, after tests were written for
survivors: of a sample it says nothing about mutants that were not tried. Left out: annotations, arguments `frozen`,
`kw_only` and `slots` of classes, decorators in a `Protocol`, `assert_never`, and changes that do not compile.

| room | mutants | tried | killed | timed out | survived | explained | left | at first | now |
|---|---|---|---|---|---|---|---|---|---|
{rows}

## Survivors that are left

{left}

Survivors that are explained are in [`explained.toml`](explained.toml), each with the reason.
"""


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


def results_of(room: Room, *, first: bool = False) -> dict[str, Result]:
    """Return a room's results by the mutants' keys, the newest of each or the first."""
    path = state_of(room)
    lines = path.read_bytes().splitlines() if path.exists() else []
    results = [msgspec.json.decode(line, type=Result) for line in lines]
    return {result.key: result for result in (reversed(results) if first else results)}


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


def write_score(mutants: Mapping[str, set[str]]) -> None:
    """Write SCORE.md from the results of all rooms and their mutants' keys."""
    rows, survivors = [], []
    for name, keys in mutants.items():
        results = [result for key, result in results_of(ROOMS[name]).items() if key in keys]
        outcomes = Counter(result.outcome for result in results)
        count, tried = len(keys) - outcomes["no mutant"], len(results) - outcomes["no mutant"]
        if not tried:
            continue
        left = open_survivors(results)
        survivors += left
        explained = outcomes["survived"] - len(left)
        at_first = results_of(ROOMS[name], first=True)
        found = binomtest(sum(at_first[result.key].outcome in {"killed", "timed out"} for result in results), tried)
        share, (low, high) = found.statistic, found.proportion_ci(method="wilson")
        before = f"{share:.1%}" if tried == count else f"{share:.1%} ({low:.1%} to {high:.1%})"
        score = f"{1 - len(left) / tried:.1%}"
        killed = outcomes["killed"], outcomes["timed out"]
        rows.append((name, count, tried, *killed, outcomes["survived"], explained, len(left), before, score))
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    SCORE.write_text(TEMPLATE.format(date=datetime.now(UTC).date(), rows="\n".join(lines), left=_left(survivors)))


def _left(survivors: Sequence[Result]) -> str:
    if not survivors:
        return "None."
    rows = [f"| {one.path}:{one.line} | {_code(one.before)} | {_code(one.after)} |" for one in survivors]
    return "\n".join(("| file | line | mutant |", "|---|---|---|", *rows))


def _code(text: str) -> str:
    return "`" + text.replace("|", "\\|") + "`"

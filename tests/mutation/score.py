"""Results of Cosmic Ray's sessions, the survivors that are explained, and SCORE.md."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from tests.mutation.rooms import Room

EXPLAINED: Final = Path(__file__).with_name("explained.toml")
SCORE: Final = Path(__file__).with_name("SCORE.md")
TEMPLATE: Final = """# Mutation score

Written on {date} by `python -m tests.mutation --score` from the results of `make mutants` (Cosmic Ray; a run that was
stopped goes on where it was). Mutants are tried in random order, so the results of an unfinished room are those
of a random sample; rooms without a row are not begun. A mutant is judged by the fast tests of
its room. Left out: annotations, arguments `frozen`, `kw_only` and `slots` of classes, decorators in a `Protocol`,
`assert_never`, and changes that do not compile.

| room | mutants | tried | killed | timed out | survived | explained | left | score |
|---|---|---|---|---|---|---|---|---|
{rows}

## Survivors that are left

{left}

Survivors that are explained are in [`explained.toml`](explained.toml), each with the reason.
"""


class Survivor(NamedTuple):
    """A mutant that no test killed, as the line that it changes and what it is changed to."""

    path: str
    line: int
    before: str
    after: str


class Explanation(NamedTuple):
    """A survivor that no test can or should kill, and why."""

    path: str
    before: str
    after: str
    why: str


def explanations() -> list[Explanation]:
    """Return all explanations."""
    groups = tomllib.loads(EXPLAINED.read_text())["group"]
    return [
        Explanation(path=one["path"], before=one["before"], after=after, why=group["why"])
        for group in groups
        for one in group["mutants"]
        for after in one["after"]
    ]


def results(room: Room) -> Iterator[tuple[str, Survivor]]:
    """Yield how each tried mutant of a room ended, and the change that its diff shows."""
    from cosmic_ray.work_db import use_db  # noqa: PLC0415 - of the environment of mutation testing
    from cosmic_ray.work_item import WorkerOutcome  # noqa: PLC0415 - the same

    if not room.session.exists():
        return
    with use_db(str(room.session)) as db:
        for item, result in db.completed_work_items:
            if result.worker_outcome is not WorkerOutcome.SKIPPED:
                change = item.mutations[0]
                outcome = "timed out" if result.output == "timeout" else str(result.test_outcome.value)
                before, after = lines_of(result.diff or "")
                yield outcome, Survivor(str(change.module_path), change.start_pos[0], before, after)


def lines_of(diff: str) -> tuple[str, str]:
    r"""Return the first line that a diff takes away, and the line that it puts there.

    >>> lines_of("--- a.py\n+++ a.py\n@@ -1 +1 @@\n-  x = 1\n+  x =  2\n")
    ('x = 1', 'x = 2')
    """
    body = [line for line in diff.splitlines() if line[:3] not in {"---", "+++"}]
    gone = [line[1:].strip() for line in body if line.startswith("-")]
    put = [" ".join(line[1:].split()) for line in body if line.startswith("+")]
    return next(iter(gone), ""), put[0] if len(put) == len(gone) else "(removed)"


def open_survivors(room: Room) -> list[Survivor]:
    """Return a room's survivors that nothing explains, in the order of the code."""
    explained = {(one.path, one.before, one.after) for one in explanations()}
    found = [one for outcome, one in results(room) if outcome == "survived"]
    return sorted(one for one in found if (one.path, one.before, one.after) not in explained)


def count_of(room: Room) -> int:
    """Return how many mutants a room has, tried or not."""
    from cosmic_ray.work_db import use_db  # noqa: PLC0415 - of the environment of mutation testing

    with use_db(str(room.session)) as db:
        return db.num_work_items - sum(result.worker_outcome.value == "skipped" for _, result in db.results)


def write_score(rooms: Sequence[Room]) -> None:
    """Write SCORE.md from the sessions of rooms."""
    rows, survivors = [], list[Survivor]()
    for room in rooms:
        ended = Counter(outcome for outcome, _ in results(room))
        if tried := ended.total():
            left = open_survivors(room)
            survivors += left
            counts = ended["killed"], ended["timed out"], ended["survived"], ended["survived"] - len(left), len(left)
            rows.append((room.name, count_of(room), tried, *counts, f"{1 - len(left) / tried:.1%}"))
    table = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    shown = [f"- {one.path}:{one.line}: `{one.before}` as `{one.after}`" for one in survivors]
    values = {"date": datetime.now(UTC).date(), "rows": "\n".join(table), "left": "\n".join(shown) or "None."}
    SCORE.write_text(TEMPLATE.format(**values))

"""Fuzzing of the two verifiers: run ``python -m tests.fuzz --seconds N`` where node and npm are installed.

Each execution draws edits of a base or of an input that was kept, builds the log that an attacker with every key would
write, and asks both. An input that shows a new set of findings is kept; one on which the verifiers differ is
made smaller, printed and kept as well. A run goes on from what ``--folder`` holds of the run before.
"""

import argparse
import json
import random
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException

from tests.fuzz.fuzz_bases import MADE, names
from tests.fuzz.fuzz_corpus import Input, load, save
from tests.fuzz.fuzz_edits import edits_of
from tests.fuzz.fuzz_verdicts import Difference, TypeScript, difference, verdicts
from tests.node_project import build as build_project
from tests.node_project import install
from tests.verifier.verifier_project import PROJECT

BATCH: Final = 50
PROGRESS_SECONDS: Final = 30
MOST_EDITS: Final = 6


class Run:
    """A run: the inputs kept so far, what they show, and the differences that were found."""

    def __init__(self, folder: Path, typescript: TypeScript) -> None:
        self.folder, self.typescript = folder, typescript
        self.kept = load() + load(folder / "corpus.jsonl")
        self.state = json.loads(_read(folder / "state.json", '{"executions": 0, "seconds": 0, "batches": 0}'))
        self.shown = {tuple(one) for one in json.loads(_read(folder / "shown.json", "[]"))}
        self.differences: dict[str, tuple[Input, Difference]] = {}
        self.counts: dict[str, int] = {}
        self.bases = names()
        self.dropped: dict[str, int] = {}

    def go(self, seconds: float) -> None:
        """Execute batches until the time is over, and print progress."""
        start = printed = time.monotonic()
        before = self.state["seconds"]
        while (spent := time.monotonic() - start) < seconds:
            self.batch(self.state["batches"])
            self.state |= {"batches": self.state["batches"] + 1, "seconds": before + round(spent)}
            if time.monotonic() - printed > PROGRESS_SECONDS:
                printed = time.monotonic()
                self.report()
        self.report()

    def batch(self, number: int) -> None:
        """Execute some inputs, drawn from the number of the batch."""
        luck = random.Random(number)  # noqa: S311 - to choose tests
        starts = [self._start(luck) for _ in range(8)]

        @seed(number)
        @settings(
            max_examples=BATCH,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=[*HealthCheck],
        )
        @given(st.data())
        def execute(data: st.DataObject) -> None:
            one = data.draw(st.sampled_from(starts))
            try:
                one = Input(one.base, (*one.edits, *data.draw(edits_of(one.tree))))
                row = one.row
            except HypothesisException:
                raise
            except Exception as error:  # noqa: BLE001 - what cannot be built is not asked about, and ends no run
                self.drop(error)
                return
            self.execute(one, row)

        execute()

    def drop(self, error: Exception) -> None:
        """Count an input that could not be built, and print the first of each kind of error."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        kind = f"{type(error).__name__} in {where.name}"
        self.dropped[kind] = self.dropped.get(kind, 0) + 1
        if self.dropped[kind] == 1:
            self.print(f"NOT BUILT {kind}\n")

    def _start(self, luck: random.Random) -> Input:
        small = [one for one in self.kept if len(one.edits) < MOST_EDITS]
        if small and luck.random() < 0.4:
            return luck.choice(small)
        return Input(luck.choice([*MADE] if luck.random() < 0.7 else self.bases), ())

    def execute(self, one: Input, row: Mapping[str, Any]) -> None:
        """Ask both verifiers about one input, and keep what is new."""
        self.state["executions"] += 1
        found = verdicts(row, self.typescript)
        differs = difference(found)
        if differs is not None:
            self.counts[differs.name] = self.counts.get(differs.name, 0) + 1
            if differs.name not in self.differences:
                one = self.smaller(one, differs.name)
                self.differences[differs.name] = one, differs
                self.print(f"DIFFERENCE {differs.name}\n  {differs}\n  {one.line}\n")
            return
        shown = tuple(sorted({seen.code for seen in (*found.python, *found.typescript)}))
        if shown not in self.shown:
            self.shown.add(shown)
            self.kept.append(one)

    def smaller(self, one: Input, name: str) -> Input:
        """Leave out edits as long as the difference stays."""
        place = 0
        while place < len(one.edits):
            less = Input(one.base, (*one.edits[:place], *one.edits[place + 1 :]))
            if self._still_differs(less, name):
                one = less
            else:
                place += 1
        return one

    def _still_differs(self, one: Input, name: str) -> bool:
        try:
            row = one.row
        except Exception:  # noqa: BLE001 - as above
            return False
        still = difference(verdicts(row, self.typescript))
        return still is not None and still.name == name

    def report(self) -> None:
        """Print progress and save what a later run goes on from."""
        self.folder.mkdir(parents=True, exist_ok=True)
        save(self.kept, self.folder / "corpus.jsonl")
        (self.folder / "state.json").write_text(json.dumps(self.state), "utf-8")
        (self.folder / "shown.json").write_text(json.dumps(sorted(self.shown)), "utf-8")
        lines = [
            json.dumps({"name": name, "count": self.counts[name], **json.loads(one.line)})
            for name, (one, _) in self.differences.items()
        ]
        (self.folder / "differences.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
        said = f"{self.state['seconds']} s, {self.state['executions']} executions, {len(self.kept)} inputs kept"
        said += f", {sum(self.dropped.values())} not built"
        self.print(f"{said}, {len(self.differences)} differences ({sum(self.counts.values())} times)\n")

    def print(self, text: str) -> None:
        """Print to the terminal at once."""
        sys.stdout.write(text)
        sys.stdout.flush()


def _read(file: Path, default: str) -> str:
    return file.read_text("utf-8") if file.exists() else default


def _is_stale() -> bool:
    """Return whether the TypeScript verifier was changed since it was built."""
    built = PROJECT / "build" / "test" / "verdicts.js"
    sources = [file for folder in ("src", "test") for file in (PROJECT / folder).glob("*.ts")]
    return not built.exists() or any(file.stat().st_mtime > built.stat().st_mtime for file in sources)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fuzz for some seconds; return 1 if the verifiers differed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to run")
    parser.add_argument("--folder", type=Path, default=Path(".fuzz"), help="where a run keeps what it found")
    given_ones = parser.parse_args(arguments)
    if why := install(PROJECT):
        sys.stderr.write(f"the TypeScript verifier cannot run: {why}\n")
        return 2
    if _is_stale():
        build_project(PROJECT, "build:test")
    with TypeScript() as typescript:
        run = Run(given_ones.folder, typescript)
        run.go(given_ones.seconds)
    return 1 if run.differences else 0


if __name__ == "__main__":
    sys.exit(main())

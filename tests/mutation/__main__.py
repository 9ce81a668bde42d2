"""Mutation testing of one room: run ``make mutants ROOM=transcript``; a run that was stopped goes on where it was.

Results are appended to ``.mutants/``, a line a mutant. ``--again`` tries the survivors again, in fresh imports and with
the tests of the whole file; ``--survivors`` prints those that nothing explains, and ``--score`` writes SCORE.md.
"""

# ruff: noqa: T201 - a command that prints

import argparse
import gc
import hashlib
import os
import sys
import time
from collections.abc import Generator, Sequence

import msgspec
import pytest

from tests.mutation.choice import AGAIN_SECONDS, Choice, Watch
from tests.mutation.mutants import Mutant, changed_lines, mutants_of
from tests.mutation.rooms import ROOMS, ROOT, Room
from tests.mutation.score import Result, open_survivors, results_of, state_of, write_score
from tests.mutation.trial import (
    Outcome,
    SameExamples,
    Trial,
    changed_functions,
    flags,
    functions_by_code,
    run_anew,
    run_collected,
    swap,
)

Attempt = Generator[Trial, Outcome, Result]
"""The trials of one mutant, one after the other."""


class Trials:
    """A plugin that tries mutants instead of running the collected tests."""

    def __init__(self, room: Room, mutants: Sequence[Mutant], *, jobs: int, again: bool) -> None:
        self._room = room
        self._mutants = mutants
        self._jobs = jobs
        self._again = again

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all mutants; the tests that were collected are run by the trials alone."""
        self._session = session
        self._items = {item.nodeid: item for item in session.items}
        self._choice = self._watch()
        if self._again:
            self._choice.most = AGAIN_SECONDS
        session.config.pluginmanager.unregister(name="terminalreporter")
        self._functions = functions_by_code()
        self._check_anew()
        gc.freeze()
        started = time.monotonic()
        waiting = [self._attempt(mutant) for mutant in reversed(self._mutants)]
        running: dict[Trial, Attempt] = {}
        results = 0
        with state_of(self._room).open("ab", buffering=0) as state:

            def go_on(attempt: Attempt, outcome: Outcome | None) -> None:
                nonlocal results
                try:
                    running[next(attempt) if outcome is None else attempt.send(outcome)] = attempt
                except StopIteration as end:
                    state.write(msgspec.json.encode(end.value) + b"\n")
                    results += 1
                    if results % 50 == 0:
                        pace = (time.monotonic() - started) / results
                        print(f"{results} of {len(self._mutants)}, {pace:.2f} s each", file=sys.stderr, flush=True)

            while running or waiting:
                while waiting and len(running) < self._jobs:
                    go_on(waiting.pop(), None)
                for trial in list(running):
                    if (outcome := trial.outcome()) is not None:
                        self._choice.credit(trial.killer)
                        go_on(running.pop(trial), outcome)
                time.sleep(0.004)
        return True

    def _watch(self) -> Choice:
        """Run all tests once, unchanged, in a fork; return which lines each runs. SystemExit if one fails.

        What was returned is kept and read again as long as neither the room's files nor its tests change.
        """
        files = sorted({*self._room.paths(), *(item.path for item in self._session.items)})
        digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
        kept = state_of(self._room).with_suffix(f".{digest[:16]}.json")
        if not kept.exists():
            pid = os.fork()
            if pid == 0:
                watch = Watch(self._room.paths())
                self._session.config.pluginmanager.register(watch)
                watch.start()
                if failed := run_collected(self._session, list(self._items.values())):
                    print(f"fails without a mutant: {failed}", file=sys.stderr, flush=True)
                else:
                    kept.write_bytes(msgspec.json.encode(watch.choice()))
                os._exit(0)
            os.waitpid(pid, 0)
        if not kept.exists():
            sys.exit("the tests fail without a mutant: nothing can be said about mutants")
        return msgspec.json.decode(kept.read_bytes(), type=Choice)

    def _check_anew(self) -> None:
        """Run the tests of one file on what is imported anew, unchanged. SystemExit if one fails."""
        unchanged = min(self._mutants, key=lambda one: self._choice.cost(self._choice.of_file(one.path)))
        tests = self._choice.of_file(unchanged.path)
        trial = Trial(lambda: run_anew(unchanged.module, unchanged.path.read_text(), tests), seconds=600)
        while (outcome := trial.outcome()) is None:
            time.sleep(0.1)
        if outcome is not Outcome.SURVIVED:
            sys.exit(f"the tests fail without a mutant when all is imported anew: {trial.killer or outcome}")

    def _attempt(self, mutant: Mutant) -> Attempt:
        mutated = mutant.source()
        path = str(mutant.path.relative_to(ROOT))
        if mutated is None:
            return Result(mutant.key, Outcome.NO_MUTANT, path, mutant.first, "", "")
        outcome = Outcome.SURVIVED
        codes = changed_functions(mutant.path, mutant.path.read_text(), mutated)
        tests = self._choice.of_lines(mutant.path, mutant.first, mutant.last) if codes else []
        if codes and tests:
            items = [self._items[test] for test in tests]

            def swapped() -> str:
                return run_collected(self._session, items) if swap(codes, self._functions) else ""

            outcome = yield Trial(swapped, seconds=self._choice.cost(tests))
        if outcome is Outcome.SURVIVED and (self._again or not (codes and tests)):
            tests = self._choice.of_file(mutant.path)
            if codes is None:
                tests += self._choice.of_others(mutant.path)
            outcome = yield Trial(lambda: run_anew(mutant.module, mutated, tests), seconds=self._choice.cost(tests))
        before, after = changed_lines(mutant, mutated)
        return Result(mutant.key, outcome, path, mutant.first, before, after)


def try_mutants(room: Room, *, jobs: int, again: bool) -> None:
    """Try the mutants of a room that have no result yet; with ``again``, the survivors that nothing explains too."""
    known = results_of(room)
    if again:
        unexplained = {result.key for result in open_survivors(known.values())}
        known = {key: result for key, result in known.items() if key not in unexplained}
    mutants = [mutant for path in room.paths() for mutant in mutants_of(path) if mutant.key not in known]
    mutants.sort(key=lambda one: one.order)
    print(f"{room.name}: {len(mutants)} mutants to try", file=sys.stderr, flush=True)
    if mutants:
        chosen = [*room.tests, *(("-k", f"not ({room.leave_out})") if room.leave_out else ())]
        pytest.main([*flags(), *chosen], plugins=[SameExamples(), Trials(room, mutants, jobs=jobs, again=again)])


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("room", nargs="*", choices=[*ROOMS, []], help="the rooms; none: all of them")
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants are tried at once")
    parser.add_argument("--again", action="store_true", help="try survivors that nothing explains again")
    parser.add_argument("--survivors", action="store_true", help="print survivors that nothing explains")
    parser.add_argument("--score", action="store_true", help="write SCORE.md")
    asked = parser.parse_args()
    os.chdir(ROOT)
    rooms = [ROOMS[name] for name in asked.room or ROOMS]
    if not (asked.survivors or asked.score):
        for room in rooms:
            try_mutants(room, jobs=asked.jobs, again=asked.again)
        return
    keys = {room.name: {one.key for path in room.paths() for one in mutants_of(path)} for room in rooms}
    if asked.score:
        write_score(keys)
    for room in rooms if asked.survivors else ():
        for one in open_survivors(result for key, result in results_of(room).items() if key in keys[room.name]):
            print(f"{one.path}:{one.line}\n  {one.before}\n  {one.after}")


main()

"""Kills processes in the middle of appends and prints, as one line of JSON, where they died and what did not hold.

``FOLDER sweep STRIDE`` lets a process die at every STRIDE-th place of a life that founds a log, fills it and compacts
it, and at every STRIDE-th place of one that goes on with it, each time in three ways: KILL, CUT (nothing of what was
not forced to disk survives) and SHRED (each sector of it survives with even odds). ``FOLDER chain COUNT SEED`` lets
one process after the other die at random on one log until it is full, and begins again, until COUNT have died.
``FOLDER control COUNT SEED`` is a chain on a store that does not force its commits, which must lose something.
``FOLDER reopen`` kills one process between a commit's writing and its forcing, and then cuts the next one's power.

The leaves are those of real rounds. A life is: open, check, audit, compare with everything that was ever promised,
hand out the head, append what is missing and wait for each answer. *Promised* are leaves that were answered and heads
that anyone could read, at the moment of death as well.
"""

import itertools
import json
import os
import pickle
import random
import shutil
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sqlalchemy import event

from referee.audit import AuditTerms, AuditTime, MemoryLog, TrustedKeys, audit_log
from referee.evidence.merkle import leaf_hash, verify_consistency
from referee.evidence.note import Note
from referee.log import Checkpoint, CheckpointSigner
from referee.rulesets import load_builtin
from referee.storage import Append, Reader, Store, StoreError, Writer, check_store
from referee.storage.sqlite import open_sqlite
from tests.storage.faulty_disk import FaultyDisk, Unforced
from tests.storage.real_rounds import HALF, LEAVES, LOG, ORIGIN, REQUESTS, ROOT, START

SIGNER: Final = CheckpointSigner(LOG, key_name=LOG.name)
CATALOGUE: Final = load_builtin()
SURVIVES: Final = {"CUT": 0.0, "SHRED": 0.5}
WAYS: Final = ("KILL", "CUT", "SHRED")
RESTARTED: Final = "restarted"
"""The place at which a process has handed out the head that it found, and nothing else."""


@dataclass(frozen=True)
class Fate:
    """Where a process dies: at the ``at``-th place, or at the first of this name, where need be ``after`` another."""

    at: int = 0
    place: str = ""
    after: str = ""
    how: str = "KILL"


@dataclass
class LogReceiptCheck:
    """All that the processes reported of one log."""

    leaves: dict[int, str] = field(default_factory=dict)
    heads: dict[int, str] = field(default_factory=dict)
    forks: list[str] = field(default_factory=list)

    def record(self, line: dict[str, Any]) -> None:
        """One line of a process."""
        if "leaf" in line and self.leaves.setdefault(line["index"], line["leaf"]) != line["leaf"]:
            self.forks.append(f"leaf {line['index']} was answered twice")
        note = line.get("head")
        if note:
            head = Checkpoint.parse(Note.parse(note.encode()).text)
            if self.heads.setdefault(head.size, head.root.hex()) != head.root.hex():
                self.forks.append(f"two heads of size {head.size}")


class Life:
    """One process from its start to its fate. ``report`` writes a line that its parent reads."""

    def __init__(self, folder: Path, fate: Fate, report: Callable[..., None], *, seed: int, forced: bool) -> None:
        self._folder = folder
        self._fate = fate
        self.report = report
        self._luck = random.Random(seed)  # noqa: S311 - what a power cut leaves may be repeated
        self._forced = forced
        self._count = 0
        self._passed = {""}
        self._store: Store | None = None
        self._disk = FaultyDisk(self.visit)

    def live(self, promises: LogReceiptCheck, unforced: list[Unforced]) -> None:
        """All of it, as far as its fate lets it come."""
        self._disk.install()
        self._disk.unforced = unforced
        store = open_sqlite(self._folder)
        if not self._forced:
            _stop_forcing(store)
        requests = iter(REQUESTS)
        if _is_founded(store) or promises.heads:
            compare(store, promises)
            self._store = store
            self.visit(RESTARTED)
        with Writer(store, SIGNER, origin=ORIGIN, probe=self.visit) as writer:
            self._store = store
            size = store.head().size
            at = 0
            for request in requests:
                at += len(request)
                if at > size or request[0].step is not None:  # what was answered before is asked again
                    self._append(writer, request)
                if at == HALF and at > size:
                    self.visit("half")
                    store.compact()
            store.compact()
            if list(store.iterate()) != LEAVES:
                raise AssertionError("the whole log is another one")
        self._store = None
        store.close()
        self.report(end=True)

    def _append(self, writer: Writer, request: list[Append]) -> None:
        for logged in writer.submit(*request).result():
            index = logged.receipt.index
            if logged.leaf != LEAVES[index]:
                raise AssertionError(f"leaf {index} is another one")
            self.report(index=index, leaf=leaf_hash(logged.leaf).hex(), head=logged.receipt.checkpoint.decode())

    def visit(self, place: str, tear: Callable[[], None] | None = None) -> None:
        """Note that the process is at this place; read the head and die if that is its fate."""
        self._count += 1
        self._passed.add(place)
        is_named = place == self._fate.place and self._fate.after in self._passed
        if self._count != self._fate.at and not is_named:
            return
        fate, self._fate = self._fate, Fate()
        head = ""
        if self._store is not None:
            try:
                head = self._store.head().checkpoint.decode()
            except StoreError:
                head = ""
        if tear is not None:
            tear()
        if fate.how in SURVIVES:
            self._disk.cut_power(self._luck, survives=SURVIVES[fate.how])
            self._disk.unforced.clear()
        _unforced_of(self._folder).write_bytes(pickle.dumps(self._disk.unforced))
        self.report(died=place, head=head)
        os.kill(os.getpid(), signal.SIGKILL)


def _unforced_of(folder: Path) -> Path:
    return folder.with_suffix(".unforced")


def _is_founded(store: Store) -> bool:
    try:
        return bool(store.origin)
    except StoreError:
        return False


def _stop_forcing(store: Store) -> None:
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401 - a driver's connection
        connection.execute("PRAGMA synchronous=OFF")

    store._engine.dispose()  # noqa: SLF001 - the connections made so far force their commits
    event.listen(store._engine, "connect", prepare)  # noqa: SLF001 - as above


def compare(store: Reader, promises: LogReceiptCheck) -> None:
    """Verify that the log is whole, audits clean and has all that was promised; raise AssertionError otherwise."""
    head = check_store(store)
    leaves = list(store.iterate())
    if leaves != LEAVES[: len(leaves)]:
        raise AssertionError("the log is no beginning of what was asked for")
    for index, hashed in promises.leaves.items():
        if index >= len(leaves) or leaf_hash(leaves[index]).hex() != hashed:
            msg = f"leaf {index} of {max(promises.leaves)} was answered, and {len(leaves)} leaves are there"
            raise AssertionError(msg)
    for size, root in promises.heads.items():
        if size > head.size:
            raise AssertionError(f"a head of {size} leaves was handed out, and {head.size} are there")
        proof = store.consistency_proof(old_size=size, new_size=head.size)
        verify_consistency(
            old_size=size, new_size=head.size, old_root=bytes.fromhex(root), new_root=head.root, proof=proof
        )
    report = audit_log(
        MemoryLog(checkpoint=head.checkpoint, entries=tuple(leaves)),
        AuditTerms(origin=ORIGIN, catalogue=CATALOGUE),
        TrustedKeys(log=LOG.text, root=ROOT.text),
        AuditTime(now=START),
    )
    if not report.is_clean:
        raise AssertionError(f"the audit found {report.finding_counts}")


@dataclass
class Deaths:
    """One log, lived in by one process after the other."""

    folder: Path
    promises: LogReceiptCheck = field(default_factory=LogReceiptCheck)
    places: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    has_ended: bool = False

    def live(self, fate: Fate, *, seed: int, forced: bool = True) -> str:
        """Where a process died that had this fate, or nothing where it lived to the end."""
        kept = _unforced_of(self.folder)
        unforced = pickle.loads(kept.read_bytes()) if kept.exists() else []  # noqa: S301 - written by the last one
        kept.unlink(missing_ok=True)
        source, sink = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(source)
            _be(Life(self.folder, fate, _teller(sink), seed=seed, forced=forced), self.promises, unforced)
        os.close(sink)
        died = fault = ""
        with os.fdopen(source, encoding="utf-8") as lines:
            for line in lines:
                report = json.loads(line)
                self.promises.record(report)
                died, fault = report.get("died", died), report.get("fault", fault)
                self.has_ended |= "end" in report
        _, status = os.waitpid(child, 0)
        if fault or os.waitstatus_to_exitcode(status) != (-signal.SIGKILL if died else 0):
            self.faults.append(f"{fate}: {fault or f'ended with {os.waitstatus_to_exitcode(status)}'}")
        self.faults += self.promises.forks
        self.promises.forks.clear()
        if died:
            self.places[died, fate.how] += 1
        return died


def _teller(sink: int) -> Callable[..., None]:
    def report(**what: object) -> None:
        os.write(sink, json.dumps(what).encode() + b"\n")

    return report


def _be(life: Life, promises: LogReceiptCheck, unforced: list[Unforced]) -> None:
    """Never returns: the process that was forked lives this life and no other."""
    code = 0
    try:
        life.live(promises, unforced)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the parent must get it
        life.report(fault="".join(traceback.format_exception_only(error)).strip())
        code = 1
    os._exit(code)


def sweep(folder: Path, stride: int) -> Deaths:
    """Kill a process at every ``stride``-th place, on a new log and on one that another process left half-way.

    Each way of dying begins two places later, so that together they reach rare places too.
    """
    total = Deaths(folder)
    for name, begun in (("new", Fate()), ("half", Fate(place="half"))):
        for how in WAYS:
            for at in itertools.count(1 + 2 * WAYS.index(how), stride):
                deaths = Deaths(folder / f"{name}-{how}-{at}")
                if name == "half":
                    deaths.live(begun, seed=0)
                died = deaths.live(Fate(at=at, how=how), seed=at)
                if died and how == "KILL":
                    # what the dead process wrote is seen by the next one, and then the power goes as well
                    deaths.live(Fate(place=RESTARTED, how="CUT"), seed=at)
                deaths.live(Fate(), seed=0)
                _finish(deaths, total)
                if not died:
                    break
    return total


def visit_each(folder: Path, places: Sequence[str]) -> Deaths:
    """Kill a process at each of these places, in each way, on a new log; to be restarted, it dies half-way before."""
    total = Deaths(folder)
    for number, (place, how) in enumerate(itertools.product(places, WAYS)):
        deaths = Deaths(folder / f"place-{number}")
        if place == RESTARTED:
            deaths.live(Fate(place="half"), seed=0)
        deaths.live(Fate(place=place, how=how), seed=number)
        deaths.live(Fate(), seed=0)
        _finish(deaths, total)
    return total


def chain(folder: Path, count: int, seed: int, *, forced: bool = True) -> Deaths:
    """Kill processes at random places, each on what the last one left, until ``count`` have died."""
    total, luck = Deaths(folder), random.Random(seed)  # noqa: S311 - the same in every run
    for number in itertools.count():
        deaths = Deaths(folder / f"{number}")
        while sum(deaths.places.values()) + sum(total.places.values()) < count:
            fate = Fate(at=luck.randint(1, 160), how=luck.choice(WAYS))
            if not deaths.live(fate, seed=luck.randrange(2**32), forced=forced):
                break
        else:
            deaths.live(Fate(), seed=0, forced=forced)
            _finish(deaths, total)
            return total
        _finish(deaths, total)
    raise AssertionError


def reopen(folder: Path) -> Deaths:
    """Kill a process after a commit is written and before it is forced; let the next one read it; cut the power."""
    deaths = Deaths(folder / "reopened")
    deaths.live(Fate(place="force wal before", after="WRITTEN"), seed=0)
    deaths.live(Fate(place=RESTARTED, how="CUT"), seed=0)
    deaths.live(Fate(), seed=0)
    total = Deaths(folder)
    _finish(deaths, total)
    return total


def _finish(deaths: Deaths, total: Deaths) -> None:
    if not deaths.has_ended:
        deaths.faults.append("the log was never finished")
    total.places += deaths.places
    total.faults += [f"{deaths.folder.name}: {fault}" for fault in deaths.faults]
    shutil.rmtree(deaths.folder, ignore_errors=True)
    _unforced_of(deaths.folder).unlink(missing_ok=True)


def main() -> None:
    """Run what the command line asks for."""
    folder, what, *words = Path(sys.argv[1]), *sys.argv[2:]
    match what:
        case "places":
            total = visit_each(folder, words)
        case "sweep":
            total = sweep(folder, *map(int, words))
        case "reopen":
            total = reopen(folder)
        case _:
            total = chain(folder, *map(int, words), forced=what == "chain")
    places: dict[str, dict[str, int]] = {}
    for (place, how), count in sorted(total.places.items()):
        places.setdefault(place, {})[how] = count
    sys.stdout.write(json.dumps({"places": places, "faults": total.faults}) + "\n")


if __name__ == "__main__":
    main()

"""Verdict on a run: compare the acknowledged answers with the log, read from the store and audited by the command.

Every acknowledged leaf is in the log at its index and nowhere else; its receipt proves it; every checkpoint
that was handed out is of this log; a round has one end; the same question is answered the same again; and a quarrel
about the latest rounds names nobody.
"""

import itertools
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import grpc

from referee.audit import AuditTerms, AuditTime, audit_log
from referee.audit.dispute.case import case_of_log
from referee.audit.dispute.dispute import settle_dispute
from referee.cli.audited_log import audited_log
from referee.evidence.dsse import Envelope
from referee.evidence.merkle import Frontier, LeafIndex, grow, leaf_hash
from referee.evidence.note import Note
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint, LogReceipt, ReceiptError
from referee.rulesets import load_builtin
from referee.server.clock import system_clock
from referee.server.keys.folder import read_public_keys
from referee.storage import DataLossError, StoreError, check_store, open_reader
from referee.transcript.inputs import MEDIA_TYPE
from tests.chaos.ledger import Acknowledged, Ledger
from tests.service.stubs import stub_of

AUDIT_SECONDS: Final = 900
_ASKED_AGAIN: Final = 200
_DISPUTED: Final = 6
"""Tables of a log about whose latest rounds a quarrel is answered."""


@dataclass(slots=True)
class Verdict:
    """What came out of the comparison; empty ``faults`` is well."""

    leaves: int = 0
    settled: int = 0
    """Settlements in the log, answered or not."""
    faults: list[str] = field(default_factory=list)


def judge(ledger: Ledger, data: Path, *, database: str | None = None) -> Verdict:
    """Judge a log at rest; the verdict includes the ledger's ``faults``."""
    verdict = Verdict(faults=list(ledger.faults))
    try:
        with closing(open_reader(data, database=database)) as reader:
            leaves = list(reader.iterate(0, check_store(reader).size))
            origin = reader.origin
    except (StoreError, DataLossError) as error:
        verdict.faults.append(f"the log cannot be read: {error}")
        return verdict
    verdict.leaves = len(leaves)
    verdict.settled = sum(Envelope.parse(leaf).payload_type == MEDIA_TYPE for leaf in leaves)
    verdict.faults += _misplaced(ledger.acknowledged, leaves)
    verdict.faults += _doubled(ledger.acknowledged)
    verdict.faults += _unproved(ledger, data, origin, leaves)
    verdict.faults += _audited(data, database)
    verdict.faults += [] if verdict.faults else suspected(data, database)
    return verdict


def ask_again(ledger: Ledger, address: str) -> list[str]:
    """Ask again for settlements, or a sample of many; return what is wrong with the answers."""
    luck = random.Random(len(ledger.settled))  # noqa: S311 - which are asked
    asked = luck.sample(ledger.settled, min(_ASKED_AGAIN, len(ledger.settled)))
    wrong = []
    with grpc.insecure_channel(address) as channel:
        for one in asked:
            answer = stub_of(one.game, channel).SettleRound(one.request, timeout=60, wait_for_ready=True)
            receipt, codes = answer.log_receipt, {fault.code for fault in answer.violations}
            name = f"round {one.acknowledged.number} of {one.acknowledged.table}"
            if codes:
                wrong.append(f"{name} is found to be {', '.join(codes)} now")
            elif (receipt.leaf, receipt.leaf_index) != (one.acknowledged.leaf, one.acknowledged.index):
                wrong.append(f"{name} is answered otherwise now")
    return wrong


def suspected(data: Path, database: str | None = None) -> Iterator[str]:
    """Answer quarrels about the latest rounds of a log's tables; a fault of machines must not name anyone."""
    with audited_log(database or str(data), data) as log:
        terms = AuditTerms(origin=log.origin, catalogue=load_builtin()), log.trusted, AuditTime(now=system_clock())
        tables = list(itertools.islice(audit_log(log.source, *terms).tables, _DISPUTED))
        if not tables:
            yield "there is no round to quarrel about"
        for table in tables:
            answer = settle_dispute(case_of_log(log.source, (table, 0), *terms), ())
            if answer.suspects or answer.verdict.value not in {"SOUND", "UNFINISHED"}:
                yield f"a quarrel about the latest round of {table} is {answer.verdict.value}: {answer.suspects}"


def _misplaced(acknowledged: list[Acknowledged], leaves: list[bytes]) -> Iterator[str]:
    times = Counter(leaves)
    for one in acknowledged:
        name = f"{one.kind} of round {one.number} of {one.table}"
        if one.index >= len(leaves) or leaves[one.index] != one.leaf:
            yield f"{name} was answered and is not at {one.index}"
        elif times[one.leaf] != 1:
            yield f"{name} is {times[one.leaf]} times in the log"


def _doubled(acknowledged: list[Acknowledged]) -> Iterator[str]:
    places: dict[tuple[str, str, int], set[int]] = {}
    for one in acknowledged:
        places.setdefault((one.kind, one.table, one.number), set()).add(one.index)
    yield from (f"{slot} was answered at {sorted(found)}" for slot, found in places.items() if len(found) > 1)


def _unproved(ledger: Ledger, data: Path, origin: str, leaves: list[bytes]) -> Iterator[str]:
    keys = [VerifierKey.parse(read_public_keys(data / "keys")["log"])]
    edge, roots = Frontier(), {0: Frontier().root}
    for leaf in leaves:
        edge = grow(edge, [leaf_hash(leaf)]).frontier
        roots[edge.size] = edge.root
    for one in ledger.acknowledged:
        receipt = LogReceipt(
            index=LeafIndex(one.index),
            leaf_hash=leaf_hash(one.leaf),
            proof=one.proof,
            checkpoint=one.checkpoint.encode(),
        )
        try:
            receipt.verify(one.leaf, origin=origin, keys=keys)
        except ReceiptError as error:
            yield f"the receipt of {one.kind} of round {one.number} of {one.table}: {error}"
    for text in ledger.checkpoints | {one.checkpoint for one in ledger.acknowledged}:
        head = Checkpoint.parse(Note.parse(text.encode()).text)
        if roots.get(head.size) != head.root:
            yield f"a checkpoint of {head.size} leaves was handed out that is not of this log"


def _audited(data: Path, database: str | None) -> Iterator[str]:
    command = [sys.executable, "-m", "referee", "audit", "--data", str(data)]
    done = subprocess.run(
        [*command, *(["--database", database] if database else [])],
        capture_output=True,
        text=True,
        timeout=AUDIT_SECONDS,
        check=False,
    )
    if done.returncode:
        yield f"referee audit ends with {done.returncode}: {done.stdout[-1500:]}{done.stderr[-500:]}"

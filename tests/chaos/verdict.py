"""Verdict on a run: compare the acknowledged answers with the log, read from the store and audited.

Every acknowledged leaf is in the log at its index and nowhere else; a round has each leaf once; the audit, which is
given all receipts and checkpoints that were handed out, finds nothing; and a quarrel about the latest rounds names
nobody.
"""

import base64
import itertools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import grpc

from referee.audit import AuditTerms, AuditTime, Documents, audit_log
from referee.audit.dispute.case import case_of_log
from referee.audit.dispute.dispute import settle_dispute
from referee.audit.documents import KeptReceipt
from referee.cli.audited_log import audited_log
from referee.evidence.merkle import LeafIndex, leaf_hash
from referee.log import LogReceipt
from referee.rulesets import load_builtin
from referee.server.clock import system_clock
from referee.storage import DataLossError, StoreError, check_store, open_reader
from referee.v1 import round_pb2
from tests.chaos.ledger import Ledger
from tests.driver.messages import method_of
from tests.randomness import random_from

_ASKED_AGAIN: Final = 200
_DISPUTED: Final = 6
"""Tables of a log about whose latest rounds a quarrel is answered."""


def faults_of(ledger: Ledger, data: Path, database: str | None = None) -> tuple[list[str], int]:
    """Judge a log at rest; return what is wrong, the ledger's own faults first, and how many leaves it has."""
    try:
        with closing(open_reader(data, database=database)) as reader:
            leaves = list(reader.iterate(0, check_store(reader).size))
    except (StoreError, DataLossError) as error:
        return [*ledger.faults, f"the log cannot be read: {error}"], 0
    found = [*ledger.faults, *_misplaced(ledger, leaves), *_found_by_the_audit(ledger, data, database)]
    return found, len(leaves)


def ask_again(ledger: Ledger, address: str) -> Iterator[str]:
    """Ask again for settlements, or a sample of many; yield what is wrong with the answers."""
    asked = random_from("again").sample(ledger.settled, min(_ASKED_AGAIN, len(ledger.settled)))
    with grpc.insecure_channel(address) as channel:
        for method, request, receipt in asked:
            call = method_of(channel, method.removeprefix("/referee.v1."))
            answer = call(request, timeout=60, wait_for_ready=True)
            again = answer.log_receipt
            if answer.violations or (again.leaf, again.leaf_index) != (receipt.leaf, receipt.leaf_index):
                yield f"leaf {receipt.leaf_index} is answered otherwise now: {answer.violations}"


def text_of(receipt: round_pb2.LogReceipt) -> bytes:
    """Return a receipt as its holder keeps it."""
    proof, checkpoint = tuple(receipt.inclusion_proof), receipt.checkpoint.encode()
    index, hashed = LeafIndex(receipt.leaf_index), leaf_hash(receipt.leaf)
    return LogReceipt(index=index, leaf_hash=hashed, proof=proof, checkpoint=checkpoint).text


def _misplaced(ledger: Ledger, leaves: Sequence[bytes]) -> Iterator[str]:
    times, places = Counter(leaves), dict[tuple[Any, ...], set[int]]()
    for one in ledger.receipts:
        envelope = json.loads(one.leaf)
        said = json.loads(base64.b64decode(envelope["payload"]))
        step = envelope["payloadType"], said["round_id"], said.get("number")
        places.setdefault(step, set()).add(one.leaf_index)
        if one.leaf_index >= len(leaves) or leaves[one.leaf_index] != one.leaf:
            yield f"{step} was answered and is not at {one.leaf_index}"
        elif times[one.leaf] != 1:
            yield f"{step} is {times[one.leaf]} times in the log"
    yield from (f"{step} was answered at {sorted(found)}" for step, found in places.items() if len(found) > 1)


def _found_by_the_audit(ledger: Ledger, data: Path, database: str | None) -> Iterator[str]:
    kept = tuple([KeptReceipt(receipt=text_of(one), leaf=one.leaf) for one in ledger.receipts])
    held = Documents(log_receipts=kept, checkpoints=tuple([one.encode() for one in ledger.checkpoints]))
    with audited_log(database or str(data), data) as log:
        terms = AuditTerms(origin=log.origin, catalogue=load_builtin()), log.trusted, AuditTime(now=system_clock())
        report = audit_log(log.source, *terms, documents=held)
        if not report.is_clean:
            yield from (f"the audit finds {one}" for one in report.findings[:20])
            return
        for table in itertools.islice(report.tables, _DISPUTED):
            answer = settle_dispute(case_of_log(log.source, (table, 0), *terms), ())
            if answer.suspects or answer.verdict.value not in {"SOUND", "UNFINISHED"}:
                yield f"a quarrel about the latest round of {table} is {answer.verdict.value}: {answer.suspects}"

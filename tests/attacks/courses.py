"""What attacks on courses share: continuations of a round, a server that forgets openings, and the audit of its log."""

import copy
from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from referee.audit import Code, Report
from referee.log import SettleStep, Slot, Step, UnsealStep, advance
from referee.v1 import log_pb2
from tests.service.house import House
from tests.service.table import Table
from tests.service.tien_len_house import TienLenHouse
from tests.verifier.built import Verdicts

FORKED = ("FAILED_PRECONDITION", "COURSE_FORKED")


def continuation(table: Table) -> Table:
    """Return the round as it is, to be continued on its own."""
    other = copy.copy(table)
    other.message = copy.deepcopy(table.message)
    return other


def adopt_cards(table: Table, other: Table) -> None:
    """Use the cards that another continuation has opened."""
    table.message.certificates[:] = other.message.certificates


def forget_openings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the server open and settle whatever it is asked to, as an operator's own program could."""

    def lax(step: Step, *, leaf_hash: bytes, previous: Slot | None, current: Slot | None) -> Slot:
        if isinstance(step, SettleStep) and current is not None:
            step = replace(step, unseals=current.unseals)
        if isinstance(step, UnsealStep) and current is not None:
            step = replace(step, course={one.number: one.history for one in current.unseals})
        return advance(step, leaf_hash=leaf_hash, previous=previous, current=current)

    monkeypatch.setattr("referee.storage.batch.advance", lax)


def revealed(house: House, tables: Iterable[Table]) -> Report:
    """Reveal the seeds of these rounds and audit the log."""
    for table in tables:
        table.reveal()
    return house.audit()


def refused(house: House, call: Any) -> tuple[str, str]:  # noqa: ANN401 - a function without arguments
    """Return the status code and the reason that a call is refused for."""
    refusal = house.refusal_of(call)
    return refusal.code, refusal.reason


def fails(report: Report) -> list[Code]:
    """Return the codes of a report's failures in their order."""
    return [finding.code for finding in report.findings if finding.severity == "FAIL"]


def findings_of_both(house: TienLenHouse, verdicts: Verdicts) -> tuple[list[Code], list[str]]:
    """Audit the server's log by the package and by the verifier in TypeScript; return the failures of each."""
    house.settled_size()  # once all seeds are revealed
    keys = house.log.GetKeys(log_pb2.GetKeysRequest())
    row = {
        "origin": keys.origin,
        "log_key": keys.log_key,
        "root_key": keys.root_key,
        "checkpoint": house.checkpoint(),
        "leaves": [leaf.decode() for leaf in house.leaves()],
        "now": house.clock.now,
    }
    (other,) = verdicts([row])
    return fails(house.audit()), [one["code"] for one in other["findings"] if one["severity"] == "FAIL"]

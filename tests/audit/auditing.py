"""Audits with the test keys, and of fixtures as any verifier would run them: from the files alone."""

import base64
from typing import Any

import msgspec
import pytest

from referee.audit import Documents, MemoryLog
from referee.audit.cosignatures import Witnessing
from referee.audit.documents import HeldSeed, KeptReceipt
from referee.audit.source import LogSource
from referee.log.cosignature import quorum_of
from referee.suspicion.report import CountedReport
from tests.audit.audit_builder import LOG, NOW, ORIGIN, ROOT, Auditor, newest_time
from tests.driver.auditing import TERMS, counted, terms_of

Fixture = dict[str, Any]


def audited(source: LogSource, **more: Any) -> CountedReport:  # noqa: ANN401 - what audit_of takes
    """Audit a log with the test keys, at a time after all rounds of a log of some hundred.

    It is audited as a running log is, at the auditor's clock, unless ``as_of`` says otherwise.
    """
    usual = {"origin": ORIGIN, "log_key": LOG.text, "root_key": ROOT.text, "now": NOW, "as_of": more.get("now", NOW)}
    given = usual | more
    terms = {name: given.pop(name) for name in TERMS if name in given}
    return counted(source, *terms_of(**terms), **given)


@pytest.fixture(scope="session")
def audit() -> Auditor:
    """Return a function that audits a log with the test keys; ``now`` defaults to the time of its newest leaf."""
    return lambda bundle, **more: audited(bundle, **{"now": newest_time(bundle.leaves(0, 10**9))} | more)


def log_of(fixture: Fixture) -> MemoryLog:
    """Return the log of a fixture."""
    return MemoryLog(checkpoint=fixture["checkpoint"].encode(), entries=tuple(map(str.encode, fixture["leaves"])))


def options_of(fixture: Fixture) -> dict[str, Any]:
    """Return what a fixture is audited with besides its leaves."""

    def decoded(name: str) -> tuple[bytes, ...]:
        return tuple(map(base64.b64decode, fixture.get(name, ())))

    options = {name: fixture[name] for name in ("origin", "log_key", "root_key", "now")}
    options["as_of"] = fixture.get("as_of")
    options["witnessed"] = [note.encode() for note in fixture.get("witnessed", ())]
    options["documents"] = Documents(
        certificates=decoded("certificates"),
        event_receipts=decoded("event_receipts"),
        log_receipts=tuple(map(promise_of, fixture.get("log_receipts", ()))),
        exports=decoded("exports"),
        seeds=msgspec.convert(fixture.get("seeds", []), tuple[HeldSeed, ...]),
    )
    if "witnesses" in fixture:
        options["witnessing"] = Witnessing(
            quorum=quorum_of(fixture["witnesses"], needed=fixture["quorum"]),
            cosigned=[note.encode() for note in fixture["cosigned"]],
            max_age=fixture["max_age"],
            outgrown=[note.encode() for note in fixture["outgrown"]],
        )
    return options


def promise_of(held: dict[str, str]) -> KeptReceipt:
    """Return a log receipt of a fixture, with its leaf if it has one."""
    leaf = base64.b64decode(held["leaf"]) if "leaf" in held else None
    return KeptReceipt(receipt=held["receipt"].encode(), leaf=leaf)

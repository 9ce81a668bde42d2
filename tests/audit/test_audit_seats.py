"""Sound logs with sealed hands and signed seeds: no finding, and the levels that they prove."""

from dataclasses import replace

import msgspec
import pytest

from referee.audit.report import DealingLevel, EventLevel
from referee.evidence.dsse import Envelope
from referee.transcript.replay import write_transcript
from tests.audit.audit_attacks_seats import KEYED, SEALED, hashes_of
from tests.audit.audit_builder import Auditor, LogBuilder, Table, receipt_of, settle

TEXAS = Table(name="texas", ruleset_id="ultimate_texas.casino", seats=3, keyed=True, sealed=True)


def played(*tables: Table, rounds: int = 2) -> LogBuilder:
    """Build a log of tables that have each played some rounds."""
    log = LogBuilder.founded()
    for table in tables:
        for _ in range(rounds):
            log.play(table)
    return log


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(("attested", "keyed"), [("SEAT", True), ("RECEIPT", False), ("FRONTEND", False)])
def test_sealed_rounds_are_sound(attested: str, seats: int, *, keyed: bool, audit: Auditor) -> None:
    """Every way to attest events, and with three or more seats a timeout; all rounds are counted."""
    table = replace(SEALED, seats=seats, attested=attested, keyed=keyed)  # type: ignore[arg-type] # a literal
    report = audit(played(table, rounds=4).bundle())
    assert report.findings == ()
    assert report.checked.replayed == report.checked.redealt == 4
    assert (report.rounds.opened, report.rounds.sealed) == (4, 4)


def test_sealed_round_of_ultimate_texas_is_sound(audit: Auditor) -> None:
    report = audit(played(TEXAS, replace(TEXAS, name="open", sealed=False)).bundle())
    assert report.findings == ()
    assert report.event_levels[EventLevel.E2] == 4
    assert {name: counts.sealed for name, counts in report.tables.items()} == {"texas": 2, "open": 0}


def test_timeout_needs_only_a_receipt_beside_signed_events(audit: Auditor) -> None:
    """On a sealed table whose seats have keys, only a timeout needs no signature; the round has the receipt's level."""
    log = LogBuilder.founded()
    parts = log.lay_out(replace(SEALED, seats=3))
    settle(parts)
    assert parts.inputs is not None
    events = list(parts.inputs.events)
    place = next(number for number, event in enumerate(events) if b"TIMEOUT" in bytes(event.event))
    hashed = hashes_of(parts)[place + 1]
    receipt = receipt_of(parts, place + 1, hashed, time=events[place].time, opens_section=2)
    events[place] = msgspec.structs.replace(
        events[place],
        attested="RECEIPT",
        signature="",
        receipt=(Envelope.parse(receipt).signature or b"").hex(),
        opens_section=2,
    )
    parts.inputs = msgspec.structs.replace(parts.inputs, events=tuple(events))
    found = msgspec.json.decode(parts.transcript)["results"]
    parts.transcript = write_transcript(parts.header, parts.inputs, found)
    log.append(parts)
    report = audit(log.bundle())
    assert report.findings == ()
    assert report.event_levels[EventLevel.E1] == 1


def test_signed_seeds_are_of_level_two_and_unsigned_ones_of_level_one(audit: Auditor) -> None:
    """The rounds differ only in the signatures; the finding that lowers the level is a note."""
    signed = audit(played(KEYED).bundle())
    assert signed.findings == ()
    assert signed.dealing_levels[DealingLevel.L2] == 2
    unsigned = audit(played(replace(KEYED, signs_seeds=False)).bundle())
    assert unsigned.is_clean
    assert {finding.code for finding in unsigned.findings} == {"CLIENT_SEED_UNSIGNED"}
    assert unsigned.dealing_levels[DealingLevel.L1] == 2

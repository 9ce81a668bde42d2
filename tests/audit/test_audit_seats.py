"""Sound logs with sealed hands and signed seeds: no finding, and the levels that they prove."""

from dataclasses import replace

import msgspec
import pytest

from referee.audit.report import DealingLevel
from referee.transcript.proof import EventLevel
from tests.audit.audit_attack import revised
from tests.audit.audit_attacks_seats import KEYED, SEALED
from tests.audit.audit_builder import Auditor, LogBuilder, Table

TEXAS = Table(name="texas", ruleset_id="ultimate_texas.casino", seats=3, keyed=True, sealed=True)


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("keyed", [True, False])
def test_sealed_rounds_are_sound(seats: int, *, keyed: bool, audit: Auditor) -> None:
    """With three or more seats one runs out of time; all rounds are counted, and every opening is an UNSEAL."""
    log = LogBuilder.of(replace(SEALED, seats=seats, keyed=keyed), rounds=4)
    report = audit(log.bundle())
    assert report.findings == ()
    assert report.checked.replayed == report.checked.redealt == 4
    assert (report.rounds.opened, report.rounds.sealed) == (4, 4)
    level = EventLevel.E2 if keyed else EventLevel.E1
    assert report.event_levels[level] + report.event_levels[EventLevel.NONE] == 4
    assert report.event_levels[level] == sum(b"referee.unseal." in leaf for leaf in log.entries)


def test_sealed_round_of_ultimate_texas_is_sound(audit: Auditor) -> None:
    report = audit(LogBuilder.of(TEXAS, replace(TEXAS, name="open", sealed=False), rounds=2).bundle())
    assert report.findings == ()
    assert report.event_levels[EventLevel.E2] == 4
    assert {name: counts.sealed for name, counts in report.tables.items()} == {"texas": 2, "open": 0}


def test_opening_of_an_arrangement_may_be_only_reported(audit: Auditor) -> None:
    """What a sealed table's seats reveal needs no time of the referee's; the round is then of the lowest level."""
    log = LogBuilder.founded()
    parts = log.prepare(replace(SEALED, seats=3))
    *events, last = parts.inputs.events
    revised(parts, (*events, msgspec.structs.replace(last, received=0)))
    log.append(parts)
    report = audit(log.bundle())
    assert report.findings == ()
    assert report.event_levels[EventLevel.E0] == 1


def test_signed_seeds_are_of_level_two_and_unsigned_ones_of_level_one(audit: Auditor) -> None:
    """The rounds differ only in the signatures; the finding that lowers the level is a note."""
    signed = audit(LogBuilder.of(KEYED, rounds=2).bundle())
    assert signed.findings == ()
    assert signed.dealing_levels[DealingLevel.L2] == 2
    unsigned = audit(LogBuilder.of(replace(KEYED, signs_seeds=False), rounds=2).bundle())
    assert unsigned.is_clean
    assert {finding.code for finding in unsigned.findings} == {"CLIENT_SEED_UNSIGNED"}
    assert unsigned.dealing_levels[DealingLevel.L1] == 2

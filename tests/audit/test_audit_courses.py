"""Findings on courses that take the rules of a game, and what an audit says where a course is sound or forked."""

import msgspec
import pytest

from referee.audit import Code, Documents
from referee.audit.settlement import EVIDENCE_CODES
from referee.cards import Seat
from referee.games import ultimate_texas as texas
from referee.transcript.proof import EventLevel, EvidenceFault
from tests.audit.audit_attack import revised
from tests.audit.audit_attacks_courses import BOARD, checked_twice, decided
from tests.audit.audit_builder import Auditor, LogBuilder, Parts, codes, course_of, dealt_of, receipt_of, settle
from tests.audit.audit_players import MOVE_MS, Playing

CHECK, PLAY_1X, PLAY_4X = texas.Decision.CHECK, texas.Decision.PLAY_1X, texas.Decision.PLAY_4X


def laid_out() -> tuple[LogBuilder, Parts]:
    log = LogBuilder.founded()
    return log, log.lay_out(BOARD)


def codes_after(audit: Auditor, log: LogBuilder, parts: Parts) -> list[Code]:
    log.append(parts)
    return codes(audit(log.bundle()))


def test_every_fault_of_evidence_has_a_code():
    assert EVIDENCE_CODES.keys() == set(EvidenceFault)


def test_round_with_an_opening_for_every_street_is_sound(audit: Auditor):
    log, parts = checked_twice()
    log.append(parts)
    report = audit(log.bundle())
    assert report.findings == ()
    assert [leaf.sections for leaf in parts.unseals] == [(3,), (4,), (2,)]
    assert report.event_levels[EventLevel.E2] == 2


@pytest.mark.parametrize(("street", "code"), [(0, Code.OPENED_WITHOUT_UNSEAL), (2, Code.STREET_OPENED_EARLY)])
def test_opening_by_an_event_that_opens_nothing_is_found(audit: Auditor, street: int, code: Code):
    """The referee itself signs that the first of a street's decisions ends it; without the rules nothing is wrong."""
    log, parts = laid_out()
    settle(parts, play=decided(parts, CHECK, CHECK, PLAY_1X))
    unsealed = list(parts.inputs.unsealed)
    before = parts.inputs.events[2 * street]
    parts.opens[2 * street + 1] = parts.opens.pop(2 * street + 2)
    unsealed[street] = msgspec.structs.replace(unsealed[street], number=2 * street + 1, time=before.time + 1)
    revised(parts, parts.inputs.events, unsealed=tuple(unsealed))
    assert codes_after(audit, log, parts) == [code]


def test_receipt_of_an_abandoned_continuation_is_a_note(audit: Auditor):
    """A play was receipted and then replaced, before anything opened; the seat that kept the receipt can show it."""
    log, parts = laid_out()
    settle(parts, play=decided(parts, PLAY_4X))
    abandoned = receipt_of(parts, 1, course_of(parts))
    settle(parts, play=decided(parts, CHECK, CHECK, PLAY_1X))
    documents = Documents(event_receipts=(abandoned,))
    log.append(parts)
    report = audit(log.bundle(), documents=documents)
    assert codes(report) == [Code.FORKED_RECEIPTS]
    assert report.is_clean


def test_seats_that_decide_at_once_sign_what_they_had_seen(audit: Auditor):
    """Both seats have seen the deal alone when they decide; neither signature depends on the other's event."""
    log, parts = laid_out()
    playing = Playing(dealt_of(parts))
    for seat in (1, 0):
        playing.do(texas.Event(Seat(seat), PLAY_4X, playing.time + MOVE_MS))
    settle(parts, play=playing.end(5))
    events = [msgspec.json.decode(event.event) | {"seen": 0} for event in parts.inputs.events]
    raw = [msgspec.Raw(msgspec.json.encode(event, order="sorted")) for event in events]
    changed = [msgspec.structs.replace(one, event=event) for one, event in zip(parts.inputs.events, raw, strict=True)]
    signed = parts.inputs.signatures[0]
    revised(parts, tuple(changed))
    assert parts.inputs.signatures[0] != signed
    assert codes_after(audit, log, parts) == []


@pytest.mark.parametrize("received", [True, False])
def test_lawful_timeout_of_a_keyed_seat_needs_no_signature(audit: Auditor, *, received: bool):
    """Seat 1 never acts: its time is called up by others, and its place for a signature stays empty."""
    log, parts = laid_out()
    playing = Playing(dealt_of(parts))
    playing.do(texas.Event(Seat(0), PLAY_4X, playing.time + MOVE_MS))
    while not playing.state.is_over:
        playing.do(texas.Event(Seat(1), texas.Decision.TIMEOUT, playing.state.deadline_time))
    settle(parts, play=playing.end(5))
    assert parts.inputs.signatures[1] == ""
    if not received:
        *events, last = parts.inputs.events
        revised(parts, (*events, msgspec.structs.replace(last, received=0)))
    log.append(parts)
    report = audit(log.bundle())
    if received:
        assert report.findings == ()
        assert report.event_levels[EventLevel.E2] == 1
    else:
        assert not report.is_clean
        assert report.findings[0].code in {Code.UNSEAL_NOT_IN_COURSE, Code.EVENT_NOT_RECEIVED}


def test_openings_without_end_are_reported_and_not_kept(audit: Auditor):
    """A log could name a hundred thousand openings of one round; each but the first few is only counted."""
    log, parts = checked_twice()
    numbers = range(parts.unseals[-1].number + 1, parts.unseals[-1].number + 401)
    parts.unseals = (*parts.unseals, *[msgspec.structs.replace(parts.unseals[-1], number=one) for one in numbers])
    log.append(parts, steps="ODU")
    report = audit(log.bundle())
    assert report.finding_counts[Code.STREET_OPENED_EARLY] >= len(numbers) - 3
    assert not report.is_clean

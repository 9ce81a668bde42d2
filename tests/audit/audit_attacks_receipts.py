"""Attacks on moves that the referee received: a move dropped for a timeout, and receipts beside the wrong event."""

import msgspec

from referee.audit import Code, Documents
from referee.transcript.inputs import InputEvent
from referee.transcript.receipted import ReceiptedEvent, receipted_event
from tests.audit.audit_attack import Attacked, ended, mutation
from tests.audit.audit_attacks_courses import timed_out
from tests.audit.audit_builder import LogBuilder, Parts, course_of, receipt_of

EARLIER_MS = 10_000
"""Time from a move that was received to the timeout in its place."""


def received_instead(*, earlier: int = EARLIER_MS) -> tuple[LogBuilder, Parts, ReceiptedEvent]:
    """Make a round whose second event is a timeout, and the file of a pass that was received before, in its place."""
    log, parts = timed_out()
    timeout = parts.inputs.events[1]
    seat = msgspec.json.decode(timeout.event)["seat"]
    passed = msgspec.json.encode({"kind": "PASS", "seat": seat, "seen": 1}, order="sorted")
    settled = parts.inputs
    parts.inputs = msgspec.structs.replace(
        settled, events=(settled.events[0], InputEvent(msgspec.Raw(passed), 1, timeout.time - earlier))
    )
    course = course_of(parts)
    kept = receipted_event(course, 2, receipt_of(parts, 2, course))
    parts.inputs = settled
    return log, parts, kept


def holding(log: LogBuilder, parts: Parts, *kept: ReceiptedEvent) -> Attacked:
    """Return the log with the round and what its player kept."""
    log.documents = Documents(event_receipts=tuple([one.to_bytes() for one in kept]))
    return ended(log, parts)


@mutation(Code.MOVE_DROPPED, "a move that the referee received is dropped, and its seat's timeout settled in its place")
def received_move_dropped() -> Attacked:
    return holding(*received_instead())


@mutation(Code.FORKED_RECEIPTS, "a move is received after the timeout that the settlement has in its place")
def move_received_after_its_timeout() -> Attacked:
    return holding(*received_instead(earlier=-1))


@mutation(Code.RECEIPT_REFUSED, "a receipt is shown beside another event than its own")
def receipt_beside_another_event() -> Attacked:
    log, parts, kept = received_instead()
    return holding(log, parts, msgspec.structs.replace(kept, event=kept.event.replace("PASS", "LEAVE")))


@mutation(Code.RECEIPT_REFUSED, "a receipt is shown beside its event and the hash of another course")
def receipt_beside_another_course() -> Attacked:
    log, parts, kept = received_instead()
    return holding(log, parts, msgspec.structs.replace(kept, previous_hash="00" * 32))


def kept_moves() -> Attacked:
    """Make a sound log, and the file of each event of its round, a timeout among them."""
    log, parts = timed_out()
    course = course_of(parts)
    numbers = range(1, course.number + 1)
    return holding(log, parts, *[receipted_event(course, one, receipt_of(parts, one, course)) for one in numbers])

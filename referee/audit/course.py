"""The course of a settlement, checked by its receipt and its seats' signatures, without the rules of its game.

The referee's newest receipt covers the events, their times and flags; a seat's newest signature covers all its moves.
An event's bytes are read only for its seat, the newest event that the seat had seen, and whether it is a timeout.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from referee.audit.reading import Placed
from referee.audit.round_leaves import RoundLeaves
from referee.dealing.header import NO_KEY
from referee.evidence.canonical import CanonicalError, unhex
from referee.evidence.ed25519 import SIGNATURE_SIZE, is_signature
from referee.evidence.outside import OutsideError, read_json
from referee.finding import Code, Difference, RoundFindings, shown
from referee.log.keys import KeyRole
from referee.transcript.chain import Course, EventReceipt, is_receipted
from referee.transcript.inputs import InputEvent, Inputs, Transcript


class AttestedCourse(NamedTuple):
    """The course of a settlement, the number of valid signatures in it, and whether none is missing or invalid."""

    course: Course
    signatures: int
    is_attested: bool


def examine_course(
    leaves: RoundLeaves,
    settle: Placed[Transcript],
    findings: RoundFindings,
    *,
    verified: Sequence[tuple[EventReceipt, str]] = (),
    replayed: Course | None = None,
) -> AttestedCourse:
    """Check the receipt and the seats' signatures of a settlement over its events.

    ``verified`` are receipts of the round's UNSEALs with their valid signatures, which are not verified again.
    ``replayed`` is the course of a replay that gave the same transcript and verified its signatures; None if there was
    no such replay.
    """
    inputs = settle.leaf.inputs
    course, unsigned = settled_course(leaves, inputs) if replayed is None else (replayed, [])
    fault = _receipt_fault(leaves, settle, course, verified=verified, is_replayed=replayed is not None)
    if fault is not None:
        code, detail, difference = fault
        findings.add(code, detail, settle.index, difference=difference)
    signed = 0
    if replayed is not None:
        signed = sum(map(bool, inputs.signatures))
    elif len(inputs.signatures) != leaves.header.seat_count:
        unsigned.append(f"{leaves.header.seat_count} seats have {len(inputs.signatures)} places for signatures")
    else:
        for seat, text in enumerate(inputs.signatures):
            detail = _signature_fault(leaves, course, seat, text)
            signed += not detail and bool(text)
            unsigned += [detail] if detail else []
    has_receipt = course.received > 0 or not isinstance(inputs.receipt, msgspec.UnsetType)
    if fault is None or not has_receipt:  # if the receipt is of other events, so are the signatures
        for detail in unsigned:
            findings.add(Code.EVENT_UNSIGNED, detail, settle.index)
    received = int(fault is None and course.received > 0)
    return AttestedCourse(course, received + signed, is_attested=fault is None and not unsigned)


def is_referees(receipt: EventReceipt, signature: str, keys: Sequence[bytes]) -> bool:
    """Return whether the hex is a signature of this receipt under one of the keys."""
    data = _signature(signature)
    return any(is_receipted(receipt, data, key) for key in keys)


def attestation_of(event: InputEvent) -> str:
    """Return who attests an event.

    SEAT: the seat signed it and the referee timed it; SEAT_REPORTED: the seat signed it and the frontend gave the time;
    RECEIPT: only the referee received it; FRONTEND: only the frontend reports it.
    """
    if "seen" in _members(event.event):
        return "SEAT" if event.received else "SEAT_REPORTED"
    return "RECEIPT" if event.received else "FRONTEND"


def seat_of(event: bytes) -> int | None:
    """Return the number in an event's member ``seat``; None if there is none."""
    seat = _members(event).get("seat")
    return seat if type(seat) is int else None


def is_timeout(event: bytes) -> bool:
    """Return whether an event is a timeout of its seat."""
    members = _members(event)
    return "TIMEOUT" in (members.get("kind"), members.get("decision"))


def is_unopened(events: Iterable[bytes]) -> bool:
    """Return whether a seat committed to its arrangement, never opened it, and timed out."""
    committed: set[int | None] = set()
    for event in events:
        if _members(event).get("kind") == "COMMIT":
            committed.add(seat_of(event))
        elif is_timeout(event) and seat_of(event) in committed:
            return True
    return False


def _members(raw: bytes | msgspec.Raw) -> Mapping[str, object]:
    """Return the members of a JSON object; an empty mapping for any other text."""
    try:
        value: object = read_json(bytes(raw))
    except OutsideError:
        return {}
    return value if isinstance(value, dict) else {}


def settled_course(leaves: RoundLeaves, inputs: Inputs) -> tuple[Course, list[str]]:
    """Return the course of the inputs, as ``course_of`` does."""
    events = [(bytes(event.event), event.time, event.received == 1) for event in inputs.events]
    return course_of(leaves, events, deck_root=inputs.deck_root)


def course_of(
    leaves: RoundLeaves, events: Iterable[tuple[bytes, int, bool]], *, deck_root: str
) -> tuple[Course, list[str]]:
    """Return the course of events, and a description of each fault in the events that its seats had seen.

    Each event is given by its bytes, its time, and whether the referee's clock gave that time.
    """
    faults: list[str] = []
    steps = []
    for number, (event, time, received) in enumerate(events, 1):
        seat, seen, fault = _mover(leaves, event, number=number)
        faults += [fault] if fault else []
        steps.append((event, time, received, seat, seen))
    return Course.begin(round_id=leaves.round_id, deck_root=unhex(deck_root)).extend(steps), faults


def _mover(leaves: RoundLeaves, event: bytes, *, number: int) -> tuple[int, int | None, str]:
    """Return the seat of an event, the newest event that it had seen, and a description of the fault in these.

    The second is None if the seat does not sign the event; the description is empty if nothing is wrong.
    """
    members, keys = _members(event), leaves.header.seat_keys
    seat, seen = members.get("seat"), members.get("seen")
    if type(seat) is not int or not 0 <= seat < len(keys):
        fault = "" if "seen" not in members else f"event {number} is of no seat, and says what it had seen"
        return 0, None, fault
    if keys[seat] == NO_KEY or is_timeout(event):
        fault = "" if "seen" not in members else f"event {number} is of no seat that signs, and says what it had seen"
        return seat, None, fault
    if type(seen) is not int or not 0 <= seen < number:
        detail = f"event {number} is of seat {seat}, which has a key, and does not say which earlier event it had seen"
        return seat, None, detail
    return seat, seen, ""


def _receipt_fault(
    leaves: RoundLeaves,
    settle: Placed[Transcript],
    course: Course,
    *,
    verified: Sequence[tuple[EventReceipt, str]],
    is_replayed: bool,
) -> tuple[Code, str, Difference | None] | None:
    """Return the fault of the newest receipt, or of the hash of the events in the results; None without a fault.

    A replay that gave the same bytes has checked that hash already.
    """
    receipt = settle.leaf.inputs.receipt
    if isinstance(receipt, msgspec.UnsetType):
        number, names = 0, "names no receipt"
    else:
        number, names = receipt.number, f"names the receipt of event {receipt.number}"
    if number > course.number:
        detail = f"the transcript has {course.number} events and {names}"
        return Code.EVENTS_ALTERED, detail, None
    claimed = course.event_hash.hex() if is_replayed else _members(settle.leaf.results).get("events_hash")
    if claimed != course.event_hash.hex():
        detail = "the events are not those that the result was computed from"
        difference = Difference("results.events_hash", shown(claimed), shown(course.event_hash.hex()))
        return Code.EVENTS_ALTERED, detail, difference
    if number != course.received:
        detail = f"event {course.received} is the last that the referee received, and the transcript {names}"
        return Code.HISTORY_ALTERED, detail, None
    if isinstance(receipt, msgspec.UnsetType):
        return None
    opened = receipt.opens_section
    due = course.receipt(number, opens_section=opened if isinstance(opened, int) else None)
    keys = settle.ring.since(KeyRole.REFEREE, (leaves.deal or leaves.open).index)
    if (due, receipt.signature) not in verified and not is_referees(due, receipt.signature, keys):
        detail = f"the receipt of event {number} is not the referee's over these events, their times and flags"
        return Code.HISTORY_ALTERED, detail, None
    return None


def _signature_fault(leaves: RoundLeaves, course: Course, seat: int, text: str) -> str:
    """Describe the fault of a seat's newest signature; an empty text if it is valid, or rightly absent."""
    move = course.moves.get(seat)
    if move is None:
        return f"seat {seat} made no event to sign, and there is a signature" if text else ""
    if not text:
        return f"seat {seat} has a key and has not signed what it did"
    if not is_signature(_signature(text), move, leaves.header.seat_keys[seat]):
        return f"the signature of seat {seat} is not over what it did in this course"
    return ""


def _signature(text: str) -> bytes:
    """Decode a signature of 64 bytes from lowercase hex; empty for any other text."""
    try:
        return unhex(text, SIGNATURE_SIZE)
    except CanonicalError:
        return b""

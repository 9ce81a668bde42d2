"""UNSEALs of sections during play: the course of events that opens a section is logged before its cards are shown.

The shuffler knows no game. It gets the hash, time and flag of each event of the course, computes the course's history,
and compares that with the referee's receipt of the last event, which names the section. The log refuses a course that
contradicts an earlier UNSEAL of the round. A repeated course is answered from the log.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from referee.dealing.header import Header, is_past
from referee.dealing.leaf import OpenLeaf, UnsealLeaf, read_leaf, sign_leaf
from referee.evidence.canonical import MAX_INTEGER
from referee.evidence.encoding import HASH_SIZE
from referee.games import game_of
from referee.log import NO_LEAF, Slot, SlotError, SlotKey, SlotReason, StepKind, Unseal, UnsealStep, advance
from referee.service.appending import Appending
from referee.service.attesting import read_receipt
from referee.service.shuffler_parts import ShufflerParts
from referee.service.terms import leaf_time
from referee.storage import Append, Logged, Reader
from referee.transcript.chain import EventReceipt, first_hash, next_history
from referee.v1 import shuffler_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError, deadline_refusal, foreign, invalid_field
from referee.wire.round import slot_refusal

_RECEIPT: Final = ("event_hash", "opens_section", "receipt_signature", "received_time")
"""Members of an UNSEAL from which, with number and history, a frontend can rebuild the receipt."""


class Unsealer:
    """Appender of UNSEAL leaves, which open sections of dealt rounds."""

    def __init__(self, parts: ShufflerParts) -> None:
        self._parts = parts

    def unseal(
        self, found: Slot, opened: OpenLeaf, request: shuffler_pb2.OpenSectionRequest
    ) -> Appending[tuple[UnsealLeaf, Logged]]:
        """Append the UNSEAL for the section that a receipt names; return its contents and the leaf in the log.

        For a repeated course return the earlier UNSEAL. Refuse a receipt that names no section or is not for the last
        event of the course, and a course that contradicts an earlier UNSEAL of the round.
        """
        if found.deck_root is None:
            raise RefusedError(ErrorReason.ERROR_REASON_NOT_DEALT, "the round has not been dealt")
        receipt, signature = read_receipt(request.receipt, keys=self._parts.referee_keys, field="receipt")
        header = opened.header
        limit = game_of(header.ruleset_id).max_events
        start = first_hash(round_id=header.round_id, deck_root=found.deck_root)
        course = _course(request.steps, start=start, limit=limit)
        _check_receipt(receipt, request.steps, course, header=header)
        section = _section_of(receipt)
        unseal = Unseal(receipt.number, course[receipt.number])
        before = unseal_leaves(self._parts.reader, found.key)
        for leaf, index in before:
            if (leaf.number, leaf.history) == (unseal.number, unseal.history.hex()):
                return leaf, self._parts.reader.logged(index)
        step = UnsealStep(found.key, round_id=header.round_id, unseal=unseal, course=course)
        try:
            advance(step, leaf_hash=NO_LEAF, previous=None, current=found)
        except SlotError as error:
            raise self._refusal(error) from None
        sections = _new_sections(header, section, [leaf for leaf, _ in before], is_sealed=opened.is_sealed)
        now = self._time(found, receipt)
        leaf = UnsealLeaf(
            event_hash=receipt.event_hash,
            history=receipt.history,
            number=receipt.number,
            opens_section=section,
            receipt_signature=signature.hex(),
            received_time=receipt.received_time,
            round_id=receipt.round_id,
            sections=sections,
            unsealed_time=now,
        )
        append = Append(
            leaf=sign_leaf(leaf, self._parts.signer),
            step=step,
            request_digest=unseal.history,
            time=now,
        )
        try:
            logged = yield append
        except SlotError as error:
            raise self._refusal(error) from None
        return _parse(logged.leaf), logged

    def _time(self, found: Slot, receipt: EventReceipt) -> int:
        """Return the time of an UNSEAL now, not before the receipt's; refuse one after the round's deadline."""
        now = max(leaf_time(self._parts.clock(), floor=found.newest_time), receipt.received_time)
        if is_past(found.round_deadline, time=now):
            message = f"the round was to be settled by {found.round_deadline} and it is {now}; it is aborted"
            reason = ErrorReason.ERROR_REASON_DEADLINE_PASSED
            raise deadline_refusal(reason, message, deadline=found.round_deadline, now=now)
        return now

    def _refusal(self, error: SlotError) -> RefusedError:
        """Return the refusal of a step; for a forked course, its facts have the members of the newest UNSEAL."""
        refusal = slot_refusal(error)
        if error.reason is SlotReason.COURSE_FORKED:
            newest = unseal_leaves(self._parts.reader, error.key)[-1][0]
            refusal.facts |= {name: str(getattr(newest, name)) for name in ("number", "history", *_RECEIPT)}
        return refusal


def unseal_leaves(reader: Reader, key: SlotKey) -> list[tuple[UnsealLeaf, int]]:
    """Return the UNSEALs of a round with the indices of their leaves, in the order of the log."""
    marks = [mark for mark in reader.marks(key) if mark.kind is StepKind.UNSEAL]
    return [(_parse(reader.leaf(mark.index)), mark.index) for mark in marks]


def _parse(leaf: bytes) -> UnsealLeaf:
    return read_leaf(leaf, UnsealLeaf)


def _course(steps: Sequence[shuffler_pb2.Step], *, start: bytes, limit: int) -> Mapping[int, bytes]:
    """Return the history hash after each event, by event number from 1, computed from the first hash ``start``.

    Refuse more steps than ``limit``, and a step with a malformed hash or time.
    """
    if len(steps) > limit:
        raise RefusedError(
            ErrorReason.ERROR_REASON_TOO_MANY_EVENTS,
            f"{len(steps)} events; a round of this game has at most {limit}",
            field="steps",
        )
    course: dict[int, bytes] = {}
    history = start
    for number, step in enumerate(steps, 1):
        if len(step.event_hash) != HASH_SIZE or step.time > MAX_INTEGER:
            raise invalid_field(
                f"a step has a hash of {HASH_SIZE} bytes and a time of at most 2^53-1 ms", field=f"steps[{number - 1}]"
            )
        history = next_history(history, event_hash=step.event_hash, time=step.time, received=step.received)
        course[number] = history
    return course


def _check_receipt(
    receipt: EventReceipt, steps: Sequence[shuffler_pb2.Step], course: Mapping[int, bytes], *, header: Header
) -> None:
    """Refuse a receipt unless it is of this round and of the last of these steps, with their history."""
    last = steps[-1] if steps else shuffler_pb2.Step()
    history = course.get(receipt.number, b"").hex()
    found = (header.round_id.hex(), len(steps), last.event_hash.hex(), last.time, last.received, history)
    if found != (receipt.round_id, receipt.number, receipt.event_hash, receipt.received_time, True, receipt.history):
        raise foreign(
            "the receipt is not of the last of these steps; send every event of the round up to the one it is of",
            field="receipt",
            number=receipt.number,
        )


def _section_of(receipt: EventReceipt) -> int:
    if isinstance(receipt.opens_section, msgspec.UnsetType):
        raise _closed("the receipt opens no section; send that of the event that closed the street")
    return receipt.opens_section


def _new_sections(header: Header, section: int, before: Sequence[UnsealLeaf], *, is_sealed: bool) -> tuple[int, ...]:
    """Return the sections, ascending, that open together with ``section`` and that no earlier UNSEAL has opened.

    Refuse a section that does not open during play, and one that an earlier UNSEAL has opened.
    """
    layout = game_of(header.ruleset_id).layout(header.seat_count)
    try:
        until = layout.opened_until(section, is_sealed=is_sealed)
    except KeyError:
        raise _closed(f"section {section} does not open during play", section=section) from None
    known = {index for leaf in before for index in leaf.sections} | (set() if is_sealed else set(layout.hands))
    new = tuple(sorted(set(until) - known))
    if section not in new:
        message = f"section {section} was opened by an earlier event; ask for it with the receipt of that event"
        raise _closed(message, section=section)
    return new


def _closed(message: str, **facts: int) -> RefusedError:
    """Return the refusal of a receipt that opens no section now."""
    return RefusedError(ErrorReason.ERROR_REASON_SECTION_CLOSED, message, field="receipt", **facts)

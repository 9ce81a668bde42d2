"""Receipted events as evidence: the conditions under which one counts, and the move that a settlement dropped.

A receipt is the referee's word alone: the holder of the referee's key can make one at any time. A receipted event
counts only if it binds its seat and its round too: its events start from the round's h_0, a seat with a key signed the
move, and the referee received it between DEAL and SETTLE. Even then it convicts the round and not a party: the frontend
can have dropped the move, or the operator can have made the receipt afterwards together with the player.
"""

from collections.abc import Sequence
from typing import Final

from referee.audit.course import course_of, is_timeout, seat_of
from referee.audit.round_leaves import RoundLeaves
from referee.dealing.header import NO_KEY
from referee.evidence.canonical import CanonicalError, decode, unhex
from referee.evidence.ed25519 import SIGNATURE_SIZE, is_signature
from referee.games import GAMES, EventBytesError, LawError, under_ruleset
from referee.rulesets import Ruleset
from referee.transcript.chain import Course, EventReceipt, Link
from referee.transcript.receipted import ReceiptedEvent

_NO_TIMEOUT: Final = "mau_binh"
"""Game whose open tables have no TIMEOUT event: a seat without an arrangement plays its cards as dealt."""


def receipted_fault(
    kept: ReceiptedEvent, receipt: EventReceipt, leaves: RoundLeaves, ruleset: Ruleset | None
) -> str | None:
    """Return why a receipted event counts for nothing; None if it counts. The referee's signature is checked elsewhere.

    Without a ruleset the bytes of the event are not compared with the rules of a game.
    """
    if leaves.deal is None:
        return "the round has no DEAL that its events could start from"
    events = [(text.encode(), 0, True) for text in kept.events]
    course, faults = course_of(leaves, events, deck_root=leaves.deal.leaf.deck_root)
    if (course.number, course.event_hash.hex()) != (receipt.number, receipt.event_hash):
        return "its receipt is of other events, or they start from another deal"
    faults += [
        f"event {number} is not canonical" for number, event in enumerate(events, 1) if not _is_canonical(event[0])
    ]
    faults += _time_faults(receipt, leaves)
    return faults[0] if faults else _signer_fault(kept, leaves, course) or _rule_fault(kept, receipt, leaves, ruleset)


def is_of_its_seat(kept: ReceiptedEvent, leaves: RoundLeaves) -> bool:
    """Return whether the seat answers for an event that counts: not for a timeout, which others report, under a key."""
    seat = seat_of(kept.event)
    return seat is not None and not (is_timeout(kept.event) and leaves.header.seat_keys[seat] != NO_KEY)


def dropped(kept: ReceiptedEvent, receipt: EventReceipt, leaves: RoundLeaves, links: Sequence[Link]) -> str | None:
    """Return what a settled course has in place of a move that counts; None if it did not drop the move.

    In place of the move it has a timeout of the move's seat, not earlier than the receipt. On an open table of Mau
    Binh, which has no timeouts, it has no event of the seat from then on.
    """
    data, seat = kept.event, seat_of(kept.event)
    if is_timeout(data) or any(link.event == data for link in links):
        return None
    later = [
        (number, is_timeout(link.event))
        for number, link in enumerate(links, 1)
        if link.time >= receipt.received_time and seat_of(link.event) == seat
    ]
    for number, is_late in later:
        if is_late:
            return f"a timeout of seat {seat} as event {number}"
    game = leaves.header.ruleset_id.partition(".")[0]
    if later or leaves.open.leaf.is_sealed or game != _NO_TIMEOUT:
        return None
    return f"no event of seat {seat} from then on"


def _time_faults(receipt: EventReceipt, leaves: RoundLeaves) -> Sequence[str]:
    """Return a description if the receipt is dated before the deal or after the settlement."""
    time, deal, settle = receipt.received_time, leaves.deal, leaves.settle
    if deal is not None and time < deal.leaf.dealt_time:
        return [f"it was received at {time}, before the deal at {deal.leaf.dealt_time}"]
    if settle is not None and time > settle.leaf.inputs.closed_time:
        return [f"it was received at {time}, after the settlement at {settle.leaf.inputs.closed_time}"]
    return []


def _signer_fault(kept: ReceiptedEvent, leaves: RoundLeaves, course: Course) -> str | None:
    """Return what is wrong with the seat of the last event, or with the seat's signature; None if nothing is."""
    seat, keys = seat_of(kept.event), leaves.header.seat_keys
    if seat is None or not 0 <= seat < len(keys):
        return "its last event is of no seat of the round"
    if keys[seat] == NO_KEY or is_timeout(kept.event):
        return "it has a signature, and its seat signs no such event" if kept.signature else None
    if not kept.signature:
        return f"seat {seat} has a key, and its signature is missing"
    if not is_signature(unhex(kept.signature, SIGNATURE_SIZE), course.moves[seat], keys[seat]):
        return f"the signature in it is not that of seat {seat} over the event"
    return None


def _rule_fault(
    kept: ReceiptedEvent, receipt: EventReceipt, leaves: RoundLeaves, ruleset: Ruleset | None
) -> str | None:
    """Return why the last event is no event of the round's game; None if it is one, or the game is unknown."""
    if ruleset is None:
        return None
    codec = GAMES[ruleset.game].events
    try:
        with under_ruleset(ruleset.id, ruleset.version):
            codec.decode(kept.event, time=receipt.received_time, round_id=leaves.round_id)
    except (EventBytesError, CanonicalError, LawError) as error:
        return f"its last event is none of the game: {error}"
    return None


def _is_canonical(event: bytes) -> bool:
    """Return whether the bytes are the canonical text of any value."""
    try:
        decode(event)
    except CanonicalError:
        return False
    return True

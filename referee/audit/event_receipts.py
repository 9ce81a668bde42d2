"""Event receipts that people kept, compared with one another, with the settlement, and with what UNSEALs opened.

Two receipts of one number with different events before or at it show that the referee judged two continuations; that
proves no fault, and is noted. A repeated call gives another receipt of the same event, maybe with another time, which
is not noted. Which continuation opened cards is in the log. A receipted event, which has the event's bytes as well,
shows a move that was received, and dropped for a timeout of its seat.
"""

from collections.abc import Iterable, Sequence

from referee.audit.certificates import document_leaf, keys_in_force
from referee.audit.course import is_timeout, seat_of
from referee.audit.finding import Code, Difference, RoundFindings, shown
from referee.audit.round_leaves import RoundLeaves
from referee.evidence.canonical import CanonicalError, unhex
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.log.keys import KeyRole
from referee.transcript.chain import FORM, RECEIPT_TYPE, Course, EventReceipt, Link
from referee.transcript.receipted import ReceiptedEvent, read_receipted_event


def examine_event_receipts(leaves: RoundLeaves, course: Course | None, findings: RoundFindings) -> None:
    """Check a round's event receipts; ``course`` is that of its settlement, None if there is none."""
    if not leaves.documents.event_receipts:
        return
    keys, index = keys_in_force(leaves, KeyRole.REFEREE), document_leaf(leaves)
    links = () if course is None else course.links
    hashes = {number: link.event_hash.hex() for number, link in enumerate(links, 1)}
    opened = {one.leaf.number: one.leaf for one in leaves.unseals}
    for place, data in enumerate(leaves.documents.event_receipts):
        event = read_receipted_event(data)
        receipt = _read_receipt(data if event is None else event.receipt.encode(), keys)
        if receipt is None:
            detail = f"event receipt {place} is not signed by the referee, or is no event receipt"
            findings.add(Code.RECEIPT_REFUSED, detail, leaf_index=index)
            continue
        number = receipt.number
        if event is not None and event.event_hash(number) != receipt.event_hash:
            difference = Difference(f"h_{number}", receipt.event_hash, event.event_hash(number))
            detail = f"event receipt {place} is of another event than the one beside it"
            findings.add(Code.RECEIPT_REFUSED, detail, leaf_index=index, difference=difference)
            continue
        timeout = None if event is None else _timeout_instead(event, receipt, links)
        if timeout is not None and leaves.settle is not None:
            detail = (
                f"event {number} was received at {receipt.received_time}, the settled course has it nowhere, and has a "
                f"timeout of its seat as event {timeout}"
            )
            findings.add(Code.MOVE_DROPPED, detail, leaf_index=leaves.settle.index)
            continue
        if course is not None and number > course.number:
            detail = f"event {number} has a receipt, and the settlement ends with event {course.number}"
            findings.add(Code.EVENTS_ALTERED, detail, leaf_index=index)
            continue
        expected = hashes.setdefault(number, receipt.event_hash)
        if expected != receipt.event_hash:
            findings.add(
                Code.FORKED_RECEIPTS,
                f"number {number} has receipts of two courses, or the settlement has another course there",
                leaf_index=index,
                difference=Difference(f"h_{number}", expected, receipt.event_hash),
            )
        elif number in opened and opened[number].opens_section != receipt.opens_section:
            findings.add(
                Code.STREET_OPENED_EARLY,
                f"a receipt of event {number} opens another section than the UNSEAL of that event",
                leaf_index=index,
                difference=Difference(
                    "opens_section",
                    shown(receipt.opens_section if isinstance(receipt.opens_section, int) else None),
                    shown(opened[number].opens_section),
                ),
            )


def _timeout_instead(event: ReceiptedEvent, receipt: EventReceipt, links: Sequence[Link]) -> int | None:
    """Return the number of a timeout that a course has instead of a received event; None if it has none, or the event.

    The timeout is of the event's seat, and no earlier than the receipt.
    """
    data, seat = event.event.encode(), seat_of(event.event.encode())
    if seat is None or any(link.event == data for link in links):
        return None
    for number, link in enumerate(links, 1):
        if link.time >= receipt.received_time and is_timeout(link.event) and seat_of(link.event) == seat:
            return number
    return None


def _read_receipt(data: bytes, keys: Iterable[bytes]) -> EventReceipt | None:
    try:
        envelope = Envelope.parse(data)
        envelope.verify_any(payload_type=RECEIPT_TYPE, public_keys=keys)
        receipt = FORM.read(envelope.payload)
        for text in (receipt.event_hash, receipt.history):
            unhex(text)
    except (EnvelopeError, CanonicalError):
        return None
    return receipt if receipt.number else None

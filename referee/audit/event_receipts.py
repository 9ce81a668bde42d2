"""Event receipts that people kept, and when sections of the deck were opened.

Two receipts of one round with one number and different hashes prove that the referee accepted two continuations. The
event that closes a street, or the last one to seal a hand, opens a section, and its receipt names the section. Receipts
must agree with the settlement on which event that is, name sections in the order in which they open, and be given in
the order of their events: one that was given after a section opened, for an event before it, let somebody decide with
knowledge of the section. A certificate that opens such a section needs a receipt that names it or a later one; without
one at hand nothing is proved either way, which is noted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from referee.audit.certificates import document_leaf, keys_in_force
from referee.audit.finding import Code, Difference, RoundFindings
from referee.audit.keys import KeyRole
from referee.audit.round_leaves import RoundLeaves
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.games import Layout
from referee.transcript.chain import FORM, RECEIPT_TYPE, EventReceipt


@dataclass(frozen=True, slots=True, order=True)
class _Given:
    """A receipt: its event's number, when that was received, and the section it opens, None for none."""

    number: int
    time: int
    section: int | None


def examine_event_receipts(
    leaves: RoundLeaves, layout: Layout | None, hashes: Sequence[bytes], findings: RoundFindings, *, opened: list[int]
) -> None:
    """Check a round's event receipts against one another, its settlement, and the sections that certificates opened.

    ``layout`` is None if the round's game is unknown; ``hashes`` are h_0 to h_n of its settlement, if it has one.
    """
    held = _examine_hashes(leaves, hashes, findings)
    if layout is not None and (held or opened):
        _examine_openings(leaves, layout, findings, held=held, opened=opened)


def _examine_hashes(leaves: RoundLeaves, hashes: Sequence[bytes], findings: RoundFindings) -> tuple[EventReceipt, ...]:
    """Return the receipts that the referee signed and that agree with one another and with the settlement."""
    keys, index = keys_in_force(leaves, KeyRole.REFEREE), document_leaf(leaves)
    held: list[EventReceipt] = []
    known = {number: hashed.hex() for number, hashed in enumerate(hashes)}
    for place, data in enumerate(leaves.documents.event_receipts):
        receipt = _read_receipt(data, keys)
        if receipt is None:
            detail = f"event receipt {place} is not signed by the referee, or is no event receipt"
            findings.add(Code.RECEIPT_REFUSED, detail, leaf_index=index)
            continue
        hashed = known.setdefault(receipt.number, receipt.event_hash)
        if hashes and receipt.number >= len(hashes):
            detail = f"event {receipt.number} has a receipt, and the settlement ends with event {len(hashes) - 1}"
            findings.add(Code.EVENTS_ALTERED, detail, leaf_index=index)
        elif hashed == receipt.event_hash:
            held.append(receipt)
        else:
            findings.add(
                Code.FORKED_RECEIPTS,
                f"event {receipt.number} has two receipts, or the transcript has another event there",
                leaf_index=index,
                difference=Difference(f"h_{receipt.number}", hashed, receipt.event_hash),
            )
    return tuple(held)


def _read_receipt(data: bytes, keys: Iterable[bytes]) -> EventReceipt | None:
    try:
        envelope = Envelope.parse(data)
        envelope.verify_any(payload_type=RECEIPT_TYPE, public_keys=keys)
        return FORM.read(envelope.payload)
    except (EnvelopeError, CanonicalError):
        return None


def _examine_openings(
    leaves: RoundLeaves, layout: Layout, findings: RoundFindings, *, held: Sequence[EventReceipt], opened: list[int]
) -> None:
    index = document_leaf(leaves)
    settled = _settled(leaves)
    for receipt in held:
        given = _given(receipt)
        known = settled.get(given.number)
        if known is not None and known.section != given.section:
            findings.add(
                Code.STREET_OPENED_EARLY,
                f"a receipt of event {given.number} opens another section than the event does",
                leaf_index=index,
                difference=Difference("opens_section", _name(given.section), _name(known.section)),
            )
            return
    receipts = sorted(
        {*settled.values(), *map(_given, held)}, key=lambda one: (one.number, one.time, one.section or -1)
    )
    fault = _order_fault(receipts, layout)
    if fault:
        findings.add(Code.STREET_OPENED_EARLY, fault, leaf_index=index)
        return
    due = frozenset(index for one in receipts if one.section is not None for index in _until(layout, one.section))
    for section in sorted(frozenset(opened) - due - frozenset(layout.hands) - {layout.stock}):
        detail = f"a certificate opens section {section}, and no receipt at hand opens it"
        findings.add(Code.STREET_UNRECEIPTED, detail, leaf_index=index)


def _order_fault(receipts: Sequence[_Given], layout: Layout) -> str:
    """Describe what is wrong with the order of receipts, given by number; empty if nothing is."""
    opening = [one for one in receipts if one.section is not None]
    for one in opening:
        if not _until(layout, one.section):
            return f"a receipt of event {one.number} opens section {one.section}, which no event opens"
    for one, other in pairwise(opening):
        if one.number < other.number and len(_until(layout, one.section)) >= len(_until(layout, other.section)):
            return (
                f"a receipt of event {one.number} opens section {one.section}, and event {other.number} opens "
                f"section {other.section}, which comes first"
            )
    for one in opening:
        late = [other for other in receipts if other.number < one.number and other.time > one.time]
        if late:
            return (
                f"event {late[0].number} was received at {late[0].time}, after event {one.number} had opened section "
                f"{one.section} at {one.time}"
            )
    return ""


def _settled(leaves: RoundLeaves) -> dict[int, _Given]:
    """Return the receipts in the settlement, by the number of their event."""
    events = () if leaves.settle is None else leaves.settle.leaf.inputs.events
    return {
        number: _Given(number, event.time, event.opens_section if isinstance(event.opens_section, int) else None)
        for number, event in enumerate(events, 1)
        if event.receipt
    }


def _given(receipt: EventReceipt) -> _Given:
    section = receipt.opens_section
    return _Given(receipt.number, receipt.received_time, section if isinstance(section, int) else None)


def _until(layout: Layout, section: int | None) -> tuple[int, ...]:
    """Return the sections that are open once a section is, hands first; empty if no receipt opens it."""
    if section is None:
        return ()
    try:
        return layout.opened_until(section, is_sealed=section == layout.last_opened and not layout.opening_order)
    except KeyError:
        return ()


def _name(section: int | None) -> str:
    return "none" if section is None else str(section)

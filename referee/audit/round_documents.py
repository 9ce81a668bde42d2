"""Documents that people kept of one round, checked against its leaves: certificates, event receipts, and exports.

Certificates must all show the deal that the log has. A certificate whose time of expiry is not its round's is refused;
that the time is past does not matter.

Event receipts are compared with one another, with the settlement, and with the sections that UNSEALs opened.

Two receipts with the same event number and different event hashes show that the referee judged two continuations of the
round; that proves no fault, and is noted. A repeated call gives another receipt of the same event, perhaps with another
time, which is not noted. The log shows which continuation opened cards. A receipted event also has the bytes of the
events and the seat's signature, so it can show that a move was received and that the settlement dropped it. One that
does not meet the conditions of ``receipted_moves`` is named, and counts for nothing; so does a receipt by itself.

An export must not hold the server's seed unless it holds REVEAL too, nor the key of a section that no certificate in it
opens. No certificate may open the stock. Keys must be random, and each opens one section of one round. Secrets are
searched for as bytes, hexadecimal digits in either case and base64, also within nested base64. Before REVEAL the
server's seed is recognised by its commitment.
"""

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from referee.audit.deal import is_trivial
from referee.audit.documents import hex_values, layers_of
from referee.audit.openings import Openings
from referee.audit.receipted_moves import dropped, is_of_its_seat, receipted_fault
from referee.audit.round_leaves import RoundLeaves
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError, CertificateFault
from referee.dealing.commitment import SEED_SIZE, server_commitment
from referee.dealing.deal import Deal
from referee.dealing.lead import read_lead
from referee.evidence.canonical import CanonicalError, unhex
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.outside import OutsideError, read_json
from referee.finding import Code, Difference, RoundFindings, shown
from referee.log.keys import KeyRole
from referee.rulesets import Ruleset
from referee.transcript.chain import FORM, RECEIPT_TYPE, Course, EventReceipt
from referee.transcript.receipted import ReceiptedEvent, read_receipted_event

_CODES: Final = {
    CertificateFault.WRONG_SIZE: Code.SECTION_WRONG_SIZE,
    CertificateFault.DUPLICATE_CARD: Code.DUPLICATE_CARD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedDeal:
    """Roots and keys in the certificates that agree with the DEAL leaf.

    ``roots`` has the root of every section, and is empty if no certificate agrees. ``opened`` has each opened section
    with its key.
    """

    roots: tuple[bytes, ...] = ()
    opened: tuple[tuple[int, bytes], ...] = ()


_NOTHING: Final = CertifiedDeal()


def examine_certificates(leaves: RoundLeaves, openings: Openings, findings: RoundFindings) -> CertifiedDeal:
    """Check a round's certificates against its leaves and the openings of its sections."""
    if not leaves.documents.certificates:
        return _NOTHING
    stock = None if openings.layout is None else openings.layout.stock
    roots: tuple[bytes, ...] = ()
    opened: list[tuple[int, bytes]] = []
    keys = keys_in_force(leaves, KeyRole.SHUFFLER)
    index = document_leaf(leaves)
    for number, data in enumerate(leaves.documents.certificates):
        try:
            read = certificate.read(data, keys=keys, header=leaves.header)
        except CertificateError as error:
            code = _CODES.get(error.fault, Code.CERTIFICATE_REFUSED)
            findings.add(code, f"certificate {number} is refused: {error.fault}: {error.detail}", index)
            continue
        if _agrees(read, leaves, findings, number=number):
            roots = tuple([bytes.fromhex(root) for root in read.section_roots])
            mine = [(section.index, bytes.fromhex(section.key)) for section in read.sections]
            examine_opened(mine, findings, stock=stock, leaf_index=index)
            _examine_times(read, leaves, openings, findings, number=number)
            opened += mine
    return CertifiedDeal(roots=roots, opened=tuple(opened))


def keys_in_force(leaves: RoundLeaves, role: KeyRole) -> tuple[bytes, ...]:
    """Return the keys of a role that were valid at one or more leaves of the round."""
    placed = (leaves.open, leaves.deal, *leaves.unseals, leaves.settle, leaves.abort)
    return tuple(dict.fromkeys([key for one in placed if one is not None for key in one.ring.of(role)]))


def document_leaf(leaves: RoundLeaves) -> int:
    """Return the leaf index for findings about documents: the DEAL's, or the OPEN's if there is no DEAL."""
    return leaves.open.index if leaves.deal is None else leaves.deal.index


def _agrees(read: Certificate, leaves: RoundLeaves, findings: RoundFindings, *, number: int) -> bool:
    """Return whether a certificate agrees with the DEAL leaf; also compare its cards with the settlement's."""
    deal, settle = leaves.deal, leaves.settle
    if deal is None:
        detail = f"certificate {number} is of a round that has no DEAL"
        findings.add(Code.CERTIFICATES_DISAGREE, detail, document_leaf(leaves))
        return False
    shown: list[tuple[str, object, object]] = [
        ("deck_root", deal.leaf.deck_root, read.deck_root),
        ("mix", deal.leaf.mix, read.mix),
        ("dealt_time", deal.leaf.dealt_time, read.dealt_time),
        ("leader", read_lead(deal.leaf.leader, deal.leaf.leader_by), read.lead),
        ("server_commitment", leaves.open.leaf.server_commitment, read.server_commitment),
    ]
    for path, claimed, found in shown:
        if claimed != found:
            findings.add(
                Code.CERTIFICATES_DISAGREE,
                f"certificate {number} shows another deal than the log",
                deal.index,
                difference=Difference(path, str(claimed), str(found)),
            )
            return False
    if settle is not None:
        sections = settle.leaf.inputs.sections
        for index, cards in read.cards.items():
            numbers = tuple([card.number for card in cards])
            if index < len(sections) and sections[index] != numbers:
                findings.add(
                    Code.CARDS_MISMATCH,
                    f"certificate {number} opens other cards than the transcript has",
                    settle.index,
                    difference=Difference(f"inputs.sections[{index}]", str(sections[index]), str(numbers)),
                )
    return True


def _examine_times(
    read: Certificate, leaves: RoundLeaves, openings: Openings, findings: RoundFindings, *, number: int
) -> None:
    """Check that the log opened every section of a certificate, and at the same time.

    On a sealed table a certificate may show a hand that the log never opened, since a seat sees its own.
    """
    layout, index = openings.layout, document_leaf(leaves)
    if layout is None:
        return
    own = frozenset(layout.hands) if leaves.open.leaf.is_sealed else frozenset()
    for section in read.cards:
        time, due = read.unsealed_times.get(section), openings.times.get(section)
        if section == layout.stock or (time is None and section in openings.at_deal | own):
            continue
        if section not in openings.sections:
            detail = f"certificate {number} opens section {section}, and no UNSEAL does"
            findings.add(Code.OPENED_WITHOUT_UNSEAL, detail, index)
        elif time != due:
            findings.add(
                Code.CERTIFICATES_DISAGREE,
                f"certificate {number} has another time for the opening of section {section} than the log",
                index,
                difference=Difference("unsealed_time", shown(time), shown(due)),
            )


def examine_event_receipts(
    leaves: RoundLeaves, course: Course | None, ruleset: Ruleset | None, findings: RoundFindings
) -> None:
    """Check a round's event receipts; ``course`` is that of its settlement, None without a settlement."""
    if not leaves.documents.event_receipts:
        return
    keys, index = keys_in_force(leaves, KeyRole.REFEREE), document_leaf(leaves)
    hashes = {number: link.event_hash.hex() for number, link in enumerate(() if course is None else course.links, 1)}
    opened = {one.leaf.number: one.leaf for one in leaves.unseals}
    for place, data in enumerate(leaves.documents.event_receipts):
        kept = read_receipted_event(data)
        receipt = _read_receipt(data if kept is None else kept.receipt.encode(), keys)
        if receipt is None:
            detail = f"event receipt {place} is not signed by the referee, or is no event receipt"
            findings.add(Code.RECEIPT_REFUSED, detail, index)
            continue
        fault = None if kept is None else receipted_fault(kept, receipt, leaves, ruleset)
        if fault is not None:
            findings.add(Code.RECEIPT_REFUSED, f"receipted event {place} counts for nothing: {fault}", index)
            continue
        if kept is not None and course is not None and _is_left_out(kept, receipt, leaves, course, findings):
            continue
        number = receipt.number
        is_after = course is not None and number > course.number
        expected = "absent" if is_after else hashes.setdefault(number, receipt.event_hash)
        if expected != receipt.event_hash:
            findings.add(
                Code.FORKED_RECEIPTS,
                f"number {number} has receipts of two courses, or the settlement has another course there",
                index,
                difference=Difference(f"h_{number}", expected, receipt.event_hash),
            )
        elif number in opened and opened[number].opens_section != receipt.opens_section:
            findings.add(
                Code.STREET_OPENED_EARLY,
                f"a receipt of event {number} opens another section than the UNSEAL of that event",
                index,
                difference=Difference(
                    "opens_section",
                    shown(receipt.opens_section if isinstance(receipt.opens_section, int) else None),
                    shown(opened[number].opens_section),
                ),
            )


def _is_left_out(
    kept: ReceiptedEvent, receipt: EventReceipt, leaves: RoundLeaves, course: Course, findings: RoundFindings
) -> bool:
    """Return whether the settlement dropped an event that counts, or ends before it; add the finding."""
    settle, number = leaves.settle, receipt.number
    if settle is None or not is_of_its_seat(kept, leaves):
        return False
    instead = dropped(kept, receipt, leaves, course.links)
    if instead is not None:
        detail = (
            f"event {number} was received at {receipt.received_time}, the settled course has it nowhere, and has "
            f"{instead}: the frontend may have dropped the move, or the operator may have made the receipt afterwards "
            "with the player, and neither is proved"
        )
        findings.add(Code.MOVE_DROPPED, detail, settle.index)
        return True
    if number > course.number:
        detail = f"event {number} has a receipt, and the settlement ends with event {course.number}"
        findings.add(Code.EVENTS_ALTERED, detail, document_leaf(leaves))
        return True
    return False


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


def examine_opened(
    opened: Sequence[tuple[int, bytes]], findings: RoundFindings, *, stock: int | None, leaf_index: int
) -> None:
    """Check the sections that a certificate opens, each with its key: none is the stock, and the keys are random."""
    seen: dict[bytes, int] = {}
    for section, key in opened:
        if section == stock:
            detail = f"a certificate opens section {section}, the stock, which is not dealt"
            findings.add(Code.SECRET_EXPOSED, detail, leaf_index)
        if is_trivial(key):
            findings.add(Code.SECTION_KEY_WEAK, f"the key of section {section} is hardly random", leaf_index)
        elif seen.setdefault(key, section) != section:
            findings.add(Code.SECTION_KEY_WEAK, f"sections {seen[key]} and {section} have the same key", leaf_index)


def examine_exports(leaves: RoundLeaves, again: Deal | None, findings: RoundFindings) -> None:
    """Check that exports of the round hold none of its secrets.

    ``again`` is the deal made again from the seeds; without it only the server's seed is searched for.
    """
    for number, data in enumerate(leaves.documents.exports):
        layers = layers_of(data)
        if leaves.reveal is not None and leaves.reveal.envelope.payload in layers:
            continue
        for what in _exposed(leaves, again, layers):
            findings.add(Code.SECRET_EXPOSED, f"export {number} holds {what}", leaves.open.index)


def _exposed(leaves: RoundLeaves, again: Deal | None, layers: Sequence[bytes]) -> Iterator[str]:
    """Yield the names of the round's secrets that an export holds; ``layers`` are those of ``layers_of``."""
    if _holds_seed(leaves, layers):
        yield "the server's seed"
    if again is None:
        return
    opened = frozenset(index for layer in layers for index in _opened_in(layer, leaves.round_id))
    for section, key in enumerate(again.keys):
        if section not in opened and _is_in(key, layers):
            yield f"the key of section {section}, which nothing in it opens"


def _holds_seed(leaves: RoundLeaves, layers: Sequence[bytes]) -> bool:
    if leaves.reveal is not None:
        return _is_in(bytes.fromhex(leaves.reveal.leaf.server_seed), layers)
    commitment = bytes.fromhex(leaves.open.leaf.server_commitment)
    return any(
        server_commitment(round_id=leaves.round_id, seed=value) == commitment
        for layer in layers
        for value in (*hex_values(layer), *([layer] if len(layer) == SEED_SIZE else []))
    )


def _opened_in(layer: bytes, round_id: bytes) -> tuple[int, ...]:
    """Return the sections that a certificate's payload opens; empty if the bytes are no such payload of this round."""
    try:
        certificate: Certificate = read_json(layer, Certificate)
    except OutsideError:
        return ()
    return tuple([one.index for one in certificate.sections]) if certificate.round_id == round_id.hex() else ()


def _is_in(secret: bytes, layers: Iterable[bytes]) -> bool:
    digits = secret.hex().encode()
    texts = (base64.b64encode(secret).rstrip(b"="), base64.urlsafe_b64encode(secret).rstrip(b"="))
    spellings = (secret, digits, digits.upper(), *texts)
    return any(spelled in layer for layer in layers for spelled in spellings)

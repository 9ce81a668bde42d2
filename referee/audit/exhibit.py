"""What people hold of a round, checked against its leaves: certificates and event receipts.

The law: a certificate and the log must show one deal, and every certificate the same; two receipts of one round with
one number and different hashes prove that the referee accepted two continuations. A time of expiry matters to those who
play, not afterwards, but a certificate that names another one than its round is refused.

It refuses to know how these came to whoever holds them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from referee.audit.docket import Docket
from referee.audit.finding import Code, Difference
from referee.audit.gathered import GatheredRound
from referee.audit.keys import Role
from referee.audit.secrecy import examine_opened, round_ids_in
from referee.audit.source import NO_EXHIBITS, Exhibits
from referee.audit.street import examine_streets
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError, CertificateFault, CertificateJson
from referee.dealing.layout import Layout
from referee.evidence.canonical import CanonicalError, Form
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.transcript.receipt import FORM, RECEIPT_TYPE, EventReceipt

_CERTIFICATE_FORM: Final = Form(CertificateJson)
_CODES: Final = {
    CertificateFault.WRONG_SIZE: Code.SECTION_WRONG_SIZE,
    CertificateFault.DUPLICATE_CARD: Code.DUPLICATE_CARD,
}


def round_id_of(data: bytes) -> bytes | None:
    """The round that a certificate or event receipt names, whatever else is wrong with it; None where none is named."""
    try:
        payload = Envelope.parse(data).payload
    except EnvelopeError:
        return None
    for form in (_CERTIFICATE_FORM, FORM):
        try:
            named: CertificateJson | EventReceipt = form.read(payload)
            return bytes.fromhex(named.round_id)
        except ValueError:
            continue
    return None


def by_round(exhibits: Exhibits) -> dict[bytes, Exhibits]:
    """The certificates, event receipts and exports by the round they name; those that name none under no id.

    An export stands under everything in it that could be a round's id.
    """
    held: dict[bytes, Exhibits] = {}

    def add(round_id: bytes, **more: tuple[bytes, ...]) -> None:
        before = held.get(round_id, NO_EXHIBITS)
        held[round_id] = replace(before, **{name: getattr(before, name) + data for name, data in more.items()})

    for data in exhibits.certificates:
        add(round_id_of(data) or b"", certificates=(data,))
    for data in exhibits.event_receipts:
        add(round_id_of(data) or b"", event_receipts=(data,))
    for data in exhibits.exports:
        for round_id in round_ids_in(data):
            add(round_id, exports=(data,))
    return held


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What the certificates of a deal show that agree with its DEAL leaf.

    ``roots`` are those of all sections, none where no certificate agrees; ``opened`` are sections with their keys.
    """

    roots: tuple[bytes, ...] = ()
    opened: tuple[tuple[int, bytes], ...] = ()


def examine_exhibits(gathered: GatheredRound, layout: Layout | None, hashes: Sequence[bytes], docket: Docket) -> Shown:
    """What certificates and receipts of a round show, held against its leaves and one another.

    ``layout`` is None where the round's game is not known, ``hashes`` are h_0 to h_n of its settlement, if it has one.
    """
    shown = _examine_certificates(gathered, docket, stock=None if layout is None else layout.stock)
    held = _examine_receipts(gathered, hashes, docket)
    if layout is not None and (held or shown.opened):
        opened = [section for section, _ in shown.opened]
        examine_streets(gathered, layout, docket, held=held, opened=opened, leaf_index=_leaf(gathered))
    return shown


def _examine_certificates(gathered: GatheredRound, docket: Docket, *, stock: int | None) -> Shown:
    """What the certificates show; ``stock`` is the section of the cards that nobody is dealt, None where none is."""
    roots: tuple[bytes, ...] = ()
    opened: list[tuple[int, bytes]] = []
    keys = _keys(gathered, Role.SHUFFLER)
    for number, data in enumerate(gathered.exhibits.certificates):
        try:
            read = certificate.read(data, keys=keys, header=gathered.header)
        except CertificateError as error:
            code = _CODES.get(error.fault, Code.CERTIFICATE_REFUSED)
            docket.add(
                code, f"certificate {number} is refused: {error.fault}: {error.detail}", leaf_index=_leaf(gathered)
            )
            continue
        if _agrees(read, gathered, docket, number=number):
            payload = _CERTIFICATE_FORM.read(Envelope.parse(data).payload)
            roots = tuple([bytes.fromhex(root) for root in payload.section_roots])
            mine = [(section.index, bytes.fromhex(section.key)) for section in payload.sections]
            examine_opened(mine, docket, stock=stock, leaf_index=_leaf(gathered))
            opened += mine
    return Shown(roots=roots, opened=tuple(opened))


def _examine_receipts(gathered: GatheredRound, hashes: Sequence[bytes], docket: Docket) -> tuple[EventReceipt, ...]:
    """The receipts that the referee signed and that agree with one another.

    Where the round was settled they are compared with its hashes h_0 to h_n as well, and none may be of a later event.
    """
    keys = _keys(gathered, Role.REFEREE)
    held: list[EventReceipt] = []
    known = {number: hashed.hex() for number, hashed in enumerate(hashes)}
    for place, data in enumerate(gathered.exhibits.event_receipts):
        receipt = _read_receipt(data, keys)
        if receipt is None:
            detail = f"event receipt {place} is not signed by the referee, or is no event receipt"
            docket.add(Code.RECEIPT_REFUSED, detail, leaf_index=_leaf(gathered))
            continue
        hashed = known.setdefault(receipt.number, receipt.event_hash)
        if hashes and receipt.number >= len(hashes):
            detail = f"event {receipt.number} has a receipt, and the settlement ends with event {len(hashes) - 1}"
            docket.add(Code.EVENTS_ALTERED, detail, leaf_index=_leaf(gathered))
        elif hashed == receipt.event_hash:
            held.append(receipt)
        else:
            docket.add(
                Code.FORKED_RECEIPTS,
                f"event {receipt.number} has two receipts, or another stands in the transcript",
                leaf_index=_leaf(gathered),
                difference=Difference(f"h_{receipt.number}", hashed, receipt.event_hash),
            )
    return tuple(held)


def _agrees(read: Certificate, gathered: GatheredRound, docket: Docket, *, number: int) -> bool:
    """Whether a certificate shows the deal that the log does, cards that were told included."""
    deal, settle = gathered.deal, gathered.settle
    if deal is None:
        detail = f"certificate {number} is of a round that has no DEAL"
        docket.add(Code.CERTIFICATES_DISAGREE, detail, leaf_index=_leaf(gathered))
        return False
    shown: list[tuple[str, object, object]] = [
        ("deck_root", deal.leaf.deck_root, read.deck_root.hex()),
        ("mix", deal.leaf.mix, read.mixed.hex()),
        ("dealt_time", deal.leaf.dealt_time, read.dealt_time),
        ("server_commitment", gathered.open.leaf.server_commitment, read.commitment.hex()),
    ]
    for path, told, found in shown:
        if told != found:
            docket.add(
                Code.CERTIFICATES_DISAGREE,
                f"certificate {number} shows another deal than the log",
                leaf_index=deal.index,
                difference=Difference(path, str(told), str(found)),
            )
            return False
    if settle is not None:
        sections = settle.leaf.told.sections
        for index, cards in read.sections.items():
            numbers = tuple([card.number for card in cards])
            if index < len(sections) and sections[index] != numbers:
                docket.add(
                    Code.CARDS_MISMATCH,
                    f"certificate {number} opens other cards than the transcript tells",
                    leaf_index=settle.index,
                    difference=Difference(f"told.sections[{index}]", str(sections[index]), str(numbers)),
                )
    return True


def _read_receipt(data: bytes, keys: Iterable[bytes]) -> EventReceipt | None:
    try:
        envelope = Envelope.parse(data)
        envelope.verify_any(payload_type=RECEIPT_TYPE, public_keys=keys)
        return FORM.read(envelope.payload)
    except (EnvelopeError, CanonicalError):
        return None


def _keys(gathered: GatheredRound, role: Role) -> tuple[bytes, ...]:
    """The role's keys that were in force at any leaf of the round."""
    placed = (gathered.open, gathered.deal, gathered.settle, gathered.abort)
    return tuple(dict.fromkeys([key for one in placed if one is not None for key in one.ring.of(role)]))


def _leaf(gathered: GatheredRound) -> int:
    """The leaf that a finding about an exhibit points to: the DEAL, or the OPEN where there is none."""
    return gathered.open.index if gathered.deal is None else gathered.deal.index

"""What people hold of a round, checked against its leaves: certificates and event receipts.

The law: a certificate and the log must show one deal, and every certificate the same; two receipts of one round with
one number and different hashes prove that the referee accepted two continuations. A time of expiry matters to those who
play, not afterwards, but a certificate that names another one than its round is refused.

It refuses to know how these came to whoever holds them.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.audit.docket import Docket
from referee.audit.finding import Code, Difference
from referee.audit.gathered import GatheredRound
from referee.audit.keys import Role
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError, CertificateFault, CertificateJson
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


def examine_certificates(gathered: GatheredRound, docket: Docket) -> tuple[bytes, ...]:
    """The roots of all sections as the deal's certificates show them; none where none agrees with the DEAL leaf."""
    roots: tuple[bytes, ...] = ()
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
    return roots


def examine_receipts(gathered: GatheredRound, hashes: Sequence[bytes], docket: Docket) -> None:
    """Receipts are compared with one another and, where the round was settled, with its hashes h_0 to h_n."""
    keys = _keys(gathered, Role.REFEREE)
    known = {number: hashed.hex() for number, hashed in enumerate(hashes)}
    for place, data in enumerate(gathered.exhibits.event_receipts):
        receipt = _read_receipt(data, keys)
        if receipt is None:
            detail = f"event receipt {place} is not signed by the referee, or is no event receipt"
            docket.add(Code.RECEIPT_REFUSED, detail, leaf_index=_leaf(gathered))
            continue
        hashed = known.setdefault(receipt.number, receipt.event_hash)
        if hashed != receipt.event_hash:
            docket.add(
                Code.FORKED_RECEIPTS,
                f"event {receipt.number} has two receipts, or another stands in the transcript",
                leaf_index=_leaf(gathered),
                difference=Difference(f"h_{receipt.number}", hashed, receipt.event_hash),
            )


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

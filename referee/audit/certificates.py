"""Certificates that people kept, checked against the round's leaves: all must show the deal that the log has.

A time of expiry matters during play, not afterwards; but a certificate that names another expiry than its round is
refused.
"""

from dataclasses import dataclass
from typing import Final

from referee.audit.documents import CERTIFICATE_FORM
from referee.audit.finding import Code, Difference, RoundFindings, shown
from referee.audit.openings import Openings
from referee.audit.round_leaves import RoundLeaves
from referee.audit.secrecy import examine_opened
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError, CertificateFault
from referee.dealing.lead import Lead
from referee.evidence.dsse import Envelope
from referee.log.keys import KeyRole

_CODES: Final = {
    CertificateFault.WRONG_SIZE: Code.SECTION_WRONG_SIZE,
    CertificateFault.DUPLICATE_CARD: Code.DUPLICATE_CARD,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedDeal:
    """Content of the certificates that agree with the DEAL leaf.

    ``roots`` are those of all sections, none if no certificate agrees; ``opened`` are sections with their keys.
    """

    roots: tuple[bytes, ...] = ()
    opened: tuple[tuple[int, bytes], ...] = ()


_NOTHING: Final = CertifiedDeal()


def examine_certificates(leaves: RoundLeaves, openings: Openings, findings: RoundFindings) -> CertifiedDeal:
    """Check a round's certificates against its leaves and openings."""
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
            findings.add(code, f"certificate {number} is refused: {error.fault}: {error.detail}", leaf_index=index)
            continue
        if _agrees(read, leaves, findings, number=number):
            payload = CERTIFICATE_FORM.read(Envelope.parse(data).payload)
            roots = tuple([bytes.fromhex(root) for root in payload.section_roots])
            mine = [(section.index, bytes.fromhex(section.key)) for section in payload.sections]
            examine_opened(mine, findings, stock=stock, leaf_index=index)
            _examine_times(read, leaves, openings, findings, number=number)
            opened += mine
    return CertifiedDeal(roots=roots, opened=tuple(opened))


def keys_in_force(leaves: RoundLeaves, role: KeyRole) -> tuple[bytes, ...]:
    """Return the role's keys that were valid at any leaf of the round."""
    placed = (leaves.open, leaves.deal, *leaves.unseals, leaves.settle, leaves.abort)
    return tuple(dict.fromkeys([key for one in placed if one is not None for key in one.ring.of(role)]))


def document_leaf(leaves: RoundLeaves) -> int:
    """Return the leaf that a finding about a document points to: the DEAL, or the OPEN if there is none."""
    return leaves.open.index if leaves.deal is None else leaves.deal.index


def _agrees(read: Certificate, leaves: RoundLeaves, findings: RoundFindings, *, number: int) -> bool:
    """Compare a certificate with the deal in the log, and its cards with those of the settlement."""
    deal, settle = leaves.deal, leaves.settle
    if deal is None:
        detail = f"certificate {number} is of a round that has no DEAL"
        findings.add(Code.CERTIFICATES_DISAGREE, detail, leaf_index=document_leaf(leaves))
        return False
    shown: list[tuple[str, object, object]] = [
        ("deck_root", deal.leaf.deck_root, read.deck_root.hex()),
        ("mix", deal.leaf.mix, read.mixed.hex()),
        ("dealt_time", deal.leaf.dealt_time, read.dealt_time),
        ("leader", Lead.of(deal.leaf.leader, deal.leaf.leader_by), read.lead),
        ("server_commitment", leaves.open.leaf.server_commitment, read.commitment.hex()),
    ]
    for path, claimed, found in shown:
        if claimed != found:
            findings.add(
                Code.CERTIFICATES_DISAGREE,
                f"certificate {number} shows another deal than the log",
                leaf_index=deal.index,
                difference=Difference(path, str(claimed), str(found)),
            )
            return False
    if settle is not None:
        sections = settle.leaf.inputs.sections
        for index, cards in read.sections.items():
            numbers = tuple([card.number for card in cards])
            if index < len(sections) and sections[index] != numbers:
                findings.add(
                    Code.CARDS_MISMATCH,
                    f"certificate {number} opens other cards than the transcript has",
                    leaf_index=settle.index,
                    difference=Difference(f"inputs.sections[{index}]", str(sections[index]), str(numbers)),
                )
    return True


def _examine_times(
    read: Certificate, leaves: RoundLeaves, openings: Openings, findings: RoundFindings, *, number: int
) -> None:
    """Check that every section of a certificate was opened, and when; a sealed table's hand may be its seat's own."""
    layout, index = openings.layout, document_leaf(leaves)
    if layout is None:
        return
    own = frozenset(layout.hands) if leaves.open.leaf.is_sealed else frozenset()
    for section in read.sections:
        time, due = read.unsealed_times.get(section), openings.times.get(section)
        if section == layout.stock or (time is None and section in openings.at_deal | own):
            continue
        if section not in openings.sections:
            detail = f"certificate {number} opens section {section}, and no UNSEAL does"
            findings.add(Code.OPENED_WITHOUT_UNSEAL, detail, leaf_index=index)
        elif time != due:
            findings.add(
                Code.CERTIFICATES_DISAGREE,
                f"certificate {number} has another time for the opening of section {section} than the log",
                leaf_index=index,
                difference=Difference("unsealed_time", shown(time), shown(due)),
            )

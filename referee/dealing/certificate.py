"""Certificates: cards of a deal, opened under the shuffler's signature, that need no call to be verified.

The payload is the canonical JSON of ``Certificate`` in a DSSE envelope of type ``CERTIFICATE_TYPE``. It names its
round by id, repeats C, M and every section's root, and opens some sections with their cards and K_i. A certificate
without opened sections only names the deal. Checks run in this order: length and form of the envelope, signature over
the bytes received, type, canonical form, round id and deadline against the header, each opened section's index, size
and root, no card twice, the deck root, and last the time: a certificate expires at its round's deadline.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final, Literal, NoReturn

import msgspec

from referee.cards import DECK, Card, Seat
from referee.dealing.commitment import deck_root, section_root
from referee.dealing.deal import Deal
from referee.dealing.header import Header
from referee.dealing.lead import Lead, read_lead
from referee.dealing.leaf import check_leader
from referee.evidence.canonical import CanonicalError, Form, Hex32, Natural, unhex
from referee.evidence.dsse import Envelope, EnvelopeError, EnvelopeFault
from referee.evidence.ed25519 import Signer
from referee.games import LeaderBy

CERTIFICATE_TYPE: Final = "application/vnd.referee.certificate.v1+json"


class CertificateReason(StrEnum):
    """Reasons to refuse a certificate, as answers to callers have them; each covers one or more faults."""

    MALFORMED = "MALFORMED"
    FORGED = "FORGED"
    FOREIGN = "FOREIGN"
    EXPIRED = "EXPIRED"


class CertificateFault(StrEnum):
    """Exact faults of a certificate."""

    MALFORMED = "MALFORMED"
    """Too long, or not the one text of an envelope or payload."""
    FORGED = "FORGED"
    """Unsigned, or signed by none of the shuffler's keys."""
    WRONG_TYPE = "WRONG_TYPE"
    """Correctly signed, but as another type."""
    FOREIGN_ROUND = "FOREIGN_ROUND"
    """The round or its deadline is not the header's, or certificates of different deals are joined."""
    BAD_SECTION = "BAD_SECTION"
    """A section is not in the layout, out of order or named twice, or there is not one root for each section."""
    WRONG_SIZE = "WRONG_SIZE"
    """A section with more or fewer cards than the layout gives it."""
    ROOT_MISMATCH = "ROOT_MISMATCH"
    """Cards and key that do not hash to the section's root, or roots that do not hash to the deck root."""
    DUPLICATE_CARD = "DUPLICATE_CARD"
    """A card in two places."""
    EXPIRED = "EXPIRED"
    """The round's deadline has passed."""

    @property
    def reason(self) -> CertificateReason:
        """Reason that the caller is given."""
        return _REASONS.get(self, CertificateReason.MALFORMED)


_REASONS: Final = {
    CertificateFault.FORGED: CertificateReason.FORGED,
    CertificateFault.FOREIGN_ROUND: CertificateReason.FOREIGN,
    CertificateFault.EXPIRED: CertificateReason.EXPIRED,
}


class CertificateError(ValueError):
    """A certificate that proves nothing: its fault, the reason for the caller, and a detail for people."""

    def __init__(self, fault: CertificateFault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault
        self.reason = fault.reason
        self.detail = detail

    def __reduce__(self) -> tuple[type["CertificateError"], tuple[CertificateFault, str]]:
        return type(self), (self.fault, self.detail)


class SectionJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One opened section: its index, its cards' numbers in the order dealt, and its key.

    ``unsealed_time`` is when an UNSEAL leaf opened the section. It is left out if the section was open at the deal, and
    for a hand that is open to its own seat alone.
    """

    cards: tuple[Natural, ...]
    index: Natural
    key: Hex32
    unsealed_time: Natural | msgspec.UnsetType = msgspec.UNSET


class Certificate(msgspec.Struct, frozen=True, dict=True, forbid_unknown_fields=True):
    """The payload: opened sections in ascending order of index, and the root of every section of the layout.

    ``sealed`` is 1 on a sealed table and left out on an open one; ``leader`` and ``leader_by`` are DEAL's. Times are in
    ms since 1970 UTC. ``read`` returns verified certificates alone.
    """

    dealt_time: Natural
    deck_root: Hex32
    expires_time: Natural
    mix: Hex32
    round_id: Hex32
    section_roots: tuple[Hex32, ...]
    sections: tuple[SectionJson, ...]
    server_commitment: Hex32
    leader: Natural | msgspec.UnsetType = msgspec.UNSET
    leader_by: LeaderBy | msgspec.UnsetType = msgspec.UNSET
    sealed: Literal[1] | msgspec.UnsetType = msgspec.UNSET

    @property
    def lead(self) -> Lead | None:
        """The seat that leads, and why; None in a game without a leader."""
        return read_lead(self.leader, self.leader_by)

    @property
    def is_sealed(self) -> bool:
        """Whether the table is sealed."""
        return self.sealed is not msgspec.UNSET

    @cached_property
    def cards(self) -> Mapping[int, tuple[Card, ...]]:
        """Cards of each opened section, in the order dealt; IndexError for a number that no card has."""
        return {section.index: tuple([DECK[number - 1] for number in section.cards]) for section in self.sections}

    def hand(self, seat: Seat) -> tuple[Card, ...] | None:
        """Return the seat's hand, in the order dealt; None if the certificate does not open it."""
        return self.cards.get(int(seat))

    @property
    def unsealed_times(self) -> Mapping[int, int]:
        """For each section that an UNSEAL leaf opened, the time at which it did."""
        times = {section.index: section.unsealed_time for section in self.sections}
        return {index: time for index, time in times.items() if isinstance(time, int)}

    @property
    def deal(self) -> tuple[object, ...]:
        """Members that are equal in all certificates of one deal."""
        lead = self.leader, self.leader_by
        return self.round_id, self.deck_root, self.mix, self.dealt_time, lead, self.sealed


_FORM: Final = Form(Certificate)


def issue(  # noqa: PLR0913 - the content of a certificate
    deal: Deal,
    header: Header,
    *,
    sections: Iterable[int],
    dealt_time: int,
    signer: Signer,
    lead: Lead | None = None,
    is_sealed: bool = False,
    unsealed_times: Mapping[int, int] = MappingProxyType({}),
) -> bytes:
    """Sign a certificate that opens these sections of a deal, and return its envelope.

    ``unsealed_times``: for each section that an UNSEAL leaf opened, the time at which it did. Raise ValueError for a
    deal of another round than the header's, IndexError for a section that the deal does not have.
    """
    if deal.round_id != header.round_id:
        raise ValueError("the deal is of another round than the header's")
    payload = Certificate(
        dealt_time=dealt_time,
        deck_root=deal.deck_root.hex(),
        expires_time=header.round_deadline,
        mix=deal.mixed.hex(),
        round_id=deal.round_id.hex(),
        section_roots=tuple([root.hex() for root in deal.roots]),
        sections=tuple([_section_json(deal, index, unsealed_times) for index in sorted(set(sections))]),
        server_commitment=deal.commitment.hex(),
        leader=msgspec.UNSET if lead is None else lead[0],
        leader_by=msgspec.UNSET if lead is None else lead[1],
        sealed=1 if is_sealed else msgspec.UNSET,
    )
    return Envelope.signed(CERTIFICATE_TYPE, _FORM.write(payload), signer).to_bytes()


def verify(data: bytes, *, keys: Iterable[bytes], header: Header, now: int) -> Certificate:
    """Verify a certificate under the shuffler's public keys, for the round of this header, at a time.

    Raise CertificateError with the first fault.
    """
    certificate = read(data, keys=keys, header=header)
    check_unexpired(certificate.expires_time, now=now)
    return certificate


def read(data: bytes, *, keys: Iterable[bytes], header: Header) -> Certificate:
    """Verify a certificate except its expiry and return it; raise CertificateError with the first fault."""
    certificate = _signed_payload(data, keys)
    if certificate.round_id != header.round_id.hex():
        _refuse(
            CertificateFault.FOREIGN_ROUND,
            f"the certificate is for round {certificate.round_id}, the header is that of {header.round_id.hex()}",
        )
    if certificate.expires_time != header.round_deadline:
        _refuse(CertificateFault.FOREIGN_ROUND, "the certificate names another deadline than the round")
    try:
        _check(certificate, header)
    except CanonicalError as error:
        _refuse(CertificateFault.MALFORMED, str(error))
    return certificate


def check_unexpired(expires_time: int, *, now: int) -> None:
    """Raise CertificateError if ``now`` is after ``expires_time``."""
    if now > expires_time:
        _refuse(CertificateFault.EXPIRED, f"the certificate expired at {expires_time}, and it is {now}")


def join(certificates: Iterable[Certificate]) -> Mapping[int, tuple[Card, ...]]:
    """Merge the sections that verified certificates open: the cards by section.

    Several certificates may open the same section. Raise CertificateError for certificates of different deals, and for
    a card in two sections.
    """
    sections: dict[int, tuple[Card, ...]] = {}
    deals = set()
    for certificate in certificates:
        deals.add(certificate.deal)
        sections.update(certificate.cards)
    if len(deals) > 1:
        _refuse(CertificateFault.FOREIGN_ROUND, "the certificates are not of one deal")
    _check_distinct(sections)
    return sections


def join_times(certificates: Iterable[Certificate]) -> Mapping[int, int]:
    """Merge the ``unsealed_times`` of certificates; raise CertificateError if a section has two different times.

    A section may have a time in one certificate and none in another: a hand has none while only its own seat sees it.
    """
    times: dict[int, int] = {}
    for certificate in certificates:
        for section, time in certificate.unsealed_times.items():
            if times.setdefault(section, time) != time:
                _refuse(
                    CertificateFault.FOREIGN_ROUND,
                    f"section {section} was unsealed at {times[section]} in one certificate and at {time} in another",
                )
    return times


def _section_json(deal: Deal, index: int, unsealed: Mapping[int, int]) -> SectionJson:
    if not 0 <= index < len(deal.numbers):
        raise IndexError(f"the deal has no section {index}")
    return SectionJson(
        cards=tuple(deal.numbers[index]),
        index=index,
        key=deal.keys[index].hex(),
        unsealed_time=unsealed.get(index, msgspec.UNSET),
    )


def _signed_payload(data: bytes, keys: Iterable[bytes]) -> Certificate:
    try:
        envelope = Envelope.parse(data)
        envelope.verify_any(payload_type=CERTIFICATE_TYPE, public_keys=keys)
        return _FORM.read(envelope.payload)
    except EnvelopeError as error:
        _refuse(_FAULTS[error.fault], error.detail)
    except CanonicalError as error:
        _refuse(CertificateFault.MALFORMED, f"the payload is no certificate: {error}")


_FAULTS: Final = {
    EnvelopeFault.TOO_LONG: CertificateFault.MALFORMED,
    EnvelopeFault.MALFORMED: CertificateFault.MALFORMED,
    EnvelopeFault.FORGED: CertificateFault.FORGED,
    EnvelopeFault.WRONG_TYPE: CertificateFault.WRONG_TYPE,
}


def _check(certificate: Certificate, header: Header) -> None:
    """Verify what a certificate shows of its deal; raise CertificateError or CanonicalError with the first fault."""
    roots = [unhex(text) for text in certificate.section_roots]
    if len(roots) != len(header.layout):
        _refuse(CertificateFault.BAD_SECTION, f"{len(header.layout)} sections have {len(roots)} roots")
    last = -1
    for section in certificate.sections:
        if not last < section.index < len(roots):
            _refuse(CertificateFault.BAD_SECTION, f"section {section.index} is out of order or unknown")
        last = section.index
        _check_section(section, header=header, root=roots[last])
    _check_distinct(certificate.cards)
    commitment, mixed = unhex(certificate.server_commitment), unhex(certificate.mix)
    whole = deck_root(round_id=header.round_id, commitment=commitment, mixed=mixed, layout=header.layout, roots=roots)
    if whole != unhex(certificate.deck_root):
        _refuse(CertificateFault.ROOT_MISMATCH, "the roots do not hash to the deck root")
    check_leader(certificate.leader, certificate.leader_by, seat_count=header.seat_count)


def _check_section(section: SectionJson, *, header: Header, root: bytes) -> None:
    numbers = section.cards
    size = header.layout[section.index]
    if len(numbers) != size:
        _refuse(CertificateFault.WRONG_SIZE, f"section {section.index} has {len(numbers)} cards, not {size}")
    if min(numbers) < 1 or max(numbers) > len(DECK):
        _refuse(CertificateFault.MALFORMED, f"section {section.index} has a number that no card has")
    key, round_id = unhex(section.key), header.round_id
    if section_root(key=key, round_id=round_id, section=section.index, numbers=bytes(numbers)) != root:
        _refuse(CertificateFault.ROOT_MISMATCH, f"section {section.index} does not hash to its root")


def _check_distinct(sections: Mapping[int, tuple[Card, ...]]) -> None:
    cards = [card for section in sections.values() for card in section]
    if len(set(cards)) != len(cards):
        _refuse(CertificateFault.DUPLICATE_CARD, "a card is in two places")


def _refuse(fault: CertificateFault, detail: str) -> NoReturn:
    raise CertificateError(fault, detail)

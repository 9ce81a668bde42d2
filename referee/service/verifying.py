"""Verification of the header, ruleset and certificates that a request carries, with a memo of what was verified.

The memo's key has all verified bytes, so the memo saves work and changes no answer. Every call checks the deadline.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from referee.cards import Card
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError, CertificateFault
from referee.dealing.header import SUITE_COMMITMENT, Header, is_past
from referee.games import GAMES
from referee.rulesets import Catalogue, Ruleset
from referee.service.lost_ruleset import SlotFinder, check_ruleset
from referee.service.memo import MEMO_BYTES, Memo
from referee.transcript.round import Round
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import RoundHeader
from referee.wire.refusal import RefusedError, foreign, invalid_field, invalid_header, missing_field
from referee.wire.round import certificate_refusal, find_ruleset, read_header

_ENTRY_BYTES: Final = 8 * 1024
"""Bytes of memory that a verified round takes besides the bytes that it was read from; an upper estimate."""


def require(dealt: Round, sections: Iterable[int], *, field: str) -> None:
    """Refuse a round whose certificates do not open these sections."""
    for section in sections:
        if dealt.deal.sections[section] is None:
            raise closed_refusal(section, dealt.header, dealt.ruleset, field=field)


def hand_of(dealt: Round, seat: int, *, seat_field: str, field: str) -> tuple[Card, ...]:
    """Return a seat's hand; refuse a seat that the round does not have, and certificates that do not open its hand."""
    if seat >= dealt.header.seat_count:
        raise seat_refusal(dealt.header, seat, field=seat_field)
    require(dealt, [seat], field=field)
    return dealt.deal.sections[seat] or ()


def seat_refusal(header: Header, seat: int, *, field: str) -> RefusedError:
    """Return the refusal of a seat that the round does not have."""
    message = f"the round has {header.seat_count} seats, counted from 0"
    return RefusedError(ErrorReason.ERROR_REASON_INVALID_SEAT, message, field=field, found=seat)


def closed_refusal(section: int, header: Header, ruleset: Ruleset, *, field: str) -> RefusedError:
    """Return the refusal of a round whose certificates do not open a section."""
    name = GAMES[ruleset.game].layout(header.seat_count).name(section)
    what = f"the section {name}" if name else f"the hand of seat {section}"
    return RefusedError(
        ErrorReason.ERROR_REASON_SECTION_MISSING,
        f"no certificate opens {what}; send the one that the shuffler answered",
        field=f"{field}.certificates",
        section=section,
    )


class RoundVerifier:
    """Verifier of headers against rulesets and this log's origin, and of certificates against the shuffler's keys."""

    def __init__(  # noqa: PLR0913 - what rounds are verified against, and the bound of its memo
        self,
        *,
        catalogue: Catalogue,
        origin: str,
        shuffler_keys: Sequence[bytes],
        clock: Callable[[], int],
        slot_of: SlotFinder,
        suite: int = SUITE_COMMITMENT,
        memo_bytes: int = MEMO_BYTES,
    ) -> None:
        self._suite = suite
        self._slot_of = slot_of
        self._catalogue = catalogue
        self._origin = origin
        self._keys = tuple(shuffler_keys)
        self._clock = clock
        self._memo: Memo[tuple[bytes, ...], Round] = Memo(max_bytes=memo_bytes)

    @property
    def catalogue(self) -> Catalogue:
        """Rulesets that headers are verified against."""
        return self._catalogue

    def verify(self, header: RoundHeader, certificates: Sequence[bytes], *, field: str) -> Round:
        """Return the round before its first event: its header and certificates hold, and its deadline has not passed.

        Refuse it otherwise. Whether its game can start from the deal is not checked: a certificate may open one hand.
        ``field`` is the round's field in the request, which the refusal names.
        """
        verified = self.verify_ended(header, certificates, field=field)
        self.check_unexpired(verified, field=field)
        return verified

    def check_unexpired(self, dealt: Round, *, field: str) -> None:
        """Refuse a round after its deadline, at which its certificates expire."""
        check_unexpired(dealt.header, now=self._clock(), field=field)

    def verify_ended(self, header: RoundHeader, certificates: Sequence[bytes], *, field: str) -> Round:
        """Do the same as ``verify`` for a round whose deadline may have passed."""
        key = (header.SerializeToString(deterministic=True), *certificates)
        verified = self._memo.get(key)
        if verified is None:
            verified = self._verify(header, certificates, field=field)
            self._memo.put(key, verified, size=_ENTRY_BYTES + sum(map(len, key)))
        return verified

    def read_terms(self, message: RoundHeader, *, field: str) -> tuple[Header, Ruleset]:
        """Read a header and find its ruleset; refuse a header that does not agree with this log and that ruleset."""
        if not message.ByteSize():
            raise missing_field("send the header that OpenRound answered", field=field)
        header = read_header(message, field=field)
        check_ruleset(header, self._catalogue, self._slot_of)
        ruleset = find_ruleset(self._catalogue, header.ruleset_id, header.ruleset_version, field=f"{field}.ruleset_id")
        for name, found, expected in (
            ("origin", header.origin, self._origin),
            ("randomness_suite", header.randomness_suite, self._suite),
            ("ruleset_digest", header.ruleset_digest, ruleset.digest),
            ("layout", header.layout, _layout_of(ruleset, header)),
        ):
            if found != expected:
                difference = f"the round's {name} is {_text_of(found)}, here it is {_text_of(expected)}"
                raise invalid_header(difference, field=f"{field}.{name}")
        return header, ruleset

    def _verify(self, message: RoundHeader, certificates: Sequence[bytes], *, field: str) -> Round:
        header, ruleset = self.read_terms(message, field=f"{field}.header")
        if not certificates:
            raise missing_field(
                "send the certificate that ShufflerService.DealRound answered", field=f"{field}.certificates"
            )
        _check_certificates(header, certificates, field=f"{field}.certificates")
        read = self._read_certificates(certificates, header, field=field)
        first = read[0]
        for index, certified in enumerate(read):
            if certified.deal != first.deal:
                raise foreign(
                    "two certificates of one round disagree about its deal; keep both, they prove foul play",
                    field=f"{field}.certificates[{index}]",
                )
        try:
            cards, unsealed_times = certificate.join(read), certificate.join_times(read)
        except CertificateError as error:
            raise certificate_refusal(error, field=f"{field}.certificates") from None
        return Round.begin(
            header,
            ruleset,
            sections=[cards.get(section) for section in GAMES[ruleset.game].layout(header.seat_count).shown],
            deck_root=bytes.fromhex(first.deck_root),
            dealt_time=first.dealt_time,
            lead=first.lead,
            is_sealed=first.is_sealed,
            unsealed_times=unsealed_times,
        )

    def _read_certificates(self, certificates: Sequence[bytes], header: Header, *, field: str) -> list[Certificate]:
        """Read the certificates; refuse the first wrong one, or the header if all of them are for another header."""
        read, faults = [], dict[int, tuple[CertificateFault, str]]()  # not the errors, which would keep the call
        for index, data in enumerate(certificates):
            try:
                read.append(certificate.read(data, keys=self._keys, header=header))
            except CertificateError as error:
                faults[index] = error.fault, error.detail
        if not read and all(fault is CertificateFault.FOREIGN_ROUND for fault, _ in faults.values()):
            raise foreign(
                f"{faults[0][1]}; the header was altered or is another round's: send it as OpenRound answered it",
                field=f"{field}.header",
            )
        for index, first in faults.items():
            raise certificate_refusal(CertificateError(*first), field=f"{field}.certificates[{index}]")
        return read


def _check_certificates(header: Header, certificates: Sequence[bytes], *, field: str) -> None:
    """Refuse a certificate that is sent twice, and more certificates than there are sections plus one."""
    limit = len(header.layout) + 1
    if len(certificates) > limit:
        raise invalid_field(
            f"{len(certificates)} certificates are too many for {len(header.layout)} sections: send at most one a "
            "section, and the one that opens none",
            field=field,
            limit=limit,
            found=len(certificates),
        )
    first: dict[bytes, int] = {}
    for index, data in enumerate(certificates):
        before = first.setdefault(data, index)
        if before != index:
            raise invalid_field(
                f"certificates {before} and {index} are the same; send it once",
                field=f"{field}[{index}]",
                first=before,
                found=index,
            )


def check_unexpired(header: Header, *, now: int, field: str) -> None:
    """Refuse a round after its deadline, at which its certificates expire. ``now`` is in ms since 1970 UTC."""
    deadline = header.round_deadline
    if is_past(deadline, time=now):
        raise RefusedError(
            ErrorReason.ERROR_REASON_EXPIRED,
            f"the round ended at {deadline} and it is {now}",
            field=f"{field}.certificates",
            expires_time=deadline,
            now=now,
        )


def _layout_of(ruleset: Ruleset, header: Header) -> tuple[int, ...]:
    """Return the section sizes of the game for the header's seat count; empty if the deck has too few cards for it."""
    try:
        return GAMES[ruleset.game].layout(header.seat_count).sizes
    except ValueError:
        return ()


def _text_of(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)

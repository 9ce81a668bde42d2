"""Header, ruleset and certificates of the round that a request carries: verified, and remembered by their bytes.

The memo's key is every byte that was verified, so it saves work and changes no answer; time is checked on every call.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from referee.cards import Card
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError
from referee.dealing.header import SUITE_COMMITMENT, Header
from referee.games import GAMES
from referee.rulesets import Catalogue, Ruleset
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import RoundHeader
from referee.wire.refusal import RefusedError
from referee.wire.round import certificate_refusal, find_ruleset, read_header

_MEMO_SIZE: Final = 4096

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Memo(Generic[KeyT, ValueT]):
    """Up to ``size`` values by key, the oldest forgotten first; for values that follow from their key alone."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[KeyT, ValueT] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: KeyT) -> ValueT | None:
        """Return the value of a key, None if it is not known."""
        return self._values.get(key)

    def put(self, key: KeyT, value: ValueT) -> None:
        """Set the value of a key."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VerifiedRound:
    """A round whose header fits its ruleset and whose certificates are verified. Times in ms since 1970 UTC."""

    header: Header
    ruleset: Ruleset
    sections: Mapping[int, tuple[Card, ...]]
    deck_root: bytes
    commitment: bytes
    mixed: bytes
    dealt_time: int
    is_sealed: bool

    def require(self, sections: Iterable[int], *, field: str) -> None:
        """Refuse a round whose certificates do not open these sections."""
        for section in sections:
            if section not in self.sections:
                name = GAMES[self.ruleset.game].layout(self.header.seat_count).name(section)
                what = f"the section {name}" if name else f"the hand of seat {section}"
                raise RefusedError(
                    ErrorReason.ERROR_REASON_SECTION_MISSING,
                    f"no certificate opens {what}; send the one that the shuffler answered",
                    field=f"{field}.certificates",
                    section=section,
                )

    def check_seat(self, seat: int, *, field: str) -> None:
        """Refuse a seat that the round does not have."""
        if seat >= self.header.seat_count:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_SEAT,
                f"the round has {self.header.seat_count} seats, counted from 0",
                field=field,
                found=seat,
            )

    def hand(self, seat: int, *, field: str) -> tuple[Card, ...]:
        """Return a seat's hand; refuse certificates that do not open it."""
        self.require([seat], field=field)
        return self.sections[seat]


class RoundVerifier:
    """Verifies headers against rulesets and this log's origin, and certificates against the shuffler's keys."""

    def __init__(
        self,
        *,
        catalogue: Catalogue,
        origin: str,
        shuffler_keys: Sequence[bytes],
        clock: Callable[[], int],
        suite: int = SUITE_COMMITMENT,
    ) -> None:
        self._suite = suite
        self._catalogue = catalogue
        self._origin = origin
        self._keys = tuple(shuffler_keys)
        self._clock = clock
        self._memo: Memo[tuple[bytes, ...], VerifiedRound] = Memo(_MEMO_SIZE)

    @property
    def catalogue(self) -> Catalogue:
        """Rulesets that it knows."""
        return self._catalogue

    def verify(self, header: RoundHeader, certificates: Sequence[bytes], *, field: str) -> VerifiedRound:
        """Verify a round that has not ended; refuse anything else, naming the field."""
        verified = self.verify_ended(header, certificates, field=field)
        check_unexpired(verified, now=self._clock(), field=field)
        return verified

    def verify_ended(self, header: RoundHeader, certificates: Sequence[bytes], *, field: str) -> VerifiedRound:
        """Verify a round that may have ended."""
        key = (header.SerializeToString(deterministic=True), *certificates)
        verified = self._memo.get(key)
        if verified is None:
            verified = self._verify(header, certificates, field=field)
            self._memo.put(key, verified)
        return verified

    def read_terms(self, message: RoundHeader, *, field: str) -> tuple[Header, Ruleset]:
        """Read a header and its ruleset; refuse a header of another log, ruleset or layout."""
        if not message.ByteSize():
            raise RefusedError(
                ErrorReason.ERROR_REASON_MISSING_FIELD, "send the header that OpenRound answered", field=field
            )
        header = read_header(message, field=field)
        ruleset = find_ruleset(self._catalogue, header.ruleset_id, header.ruleset_version, field=f"{field}.ruleset_id")
        for name, found, expected in (
            ("origin", header.origin, self._origin),
            ("randomness_suite", header.randomness_suite, self._suite),
            ("ruleset_digest", header.ruleset_digest, ruleset.digest),
            ("layout", header.layout, _layout_of(ruleset, header)),
        ):
            if found != expected:
                raise RefusedError(
                    ErrorReason.ERROR_REASON_INVALID_HEADER,
                    f"the round's {name} is {_text_of(found)}, here it is {_text_of(expected)}",
                    field=f"{field}.{name}",
                )
        return header, ruleset

    def _verify(self, message: RoundHeader, certificates: Sequence[bytes], *, field: str) -> VerifiedRound:
        header, ruleset = self.read_terms(message, field=f"{field}.header")
        if not certificates:
            raise RefusedError(
                ErrorReason.ERROR_REASON_MISSING_FIELD,
                "send the certificate that ShufflerService.DealRound answered",
                field=f"{field}.certificates",
            )
        read = [
            self._read_certificate(data, header, field=f"{field}.certificates[{index}]")
            for index, data in enumerate(certificates)
        ]
        first = read[0]
        for index, one in enumerate(read):
            if (one.deck_root, one.dealt_time, one.is_sealed) != (first.deck_root, first.dealt_time, first.is_sealed):
                raise RefusedError(
                    ErrorReason.ERROR_REASON_FOREIGN,
                    "two certificates of one round disagree about its deal; keep both, they prove foul play",
                    field=f"{field}.certificates[{index}]",
                )
        try:
            sections = certificate.join(read)
        except CertificateError as error:
            raise certificate_refusal(error, field=f"{field}.certificates") from None
        return VerifiedRound(
            header=header,
            ruleset=ruleset,
            sections=sections,
            deck_root=first.deck_root,
            commitment=first.commitment,
            mixed=first.mixed,
            dealt_time=first.dealt_time,
            is_sealed=first.is_sealed,
        )

    def _read_certificate(self, data: bytes, header: Header, *, field: str) -> Certificate:
        try:
            return certificate.read(data, keys=self._keys, header=header)
        except CertificateError as error:
            raise certificate_refusal(error, field=field) from None


def check_unexpired(verified: VerifiedRound, *, now: int, field: str) -> None:
    """Refuse a round after its deadline, with which its certificates expire."""
    deadline = verified.header.round_deadline
    if now > deadline:
        raise RefusedError(
            ErrorReason.ERROR_REASON_EXPIRED,
            f"the round ended at {deadline} and it is {now}",
            field=f"{field}.certificates",
            expires_time=deadline,
            now=now,
        )


def _layout_of(ruleset: Ruleset, header: Header) -> tuple[int, ...]:
    """Return the layout of the game for the header's seats; empty where the deck has too few cards."""
    try:
        return GAMES[ruleset.game].layout(header.seat_count).sizes
    except ValueError:
        return ()


def _text_of(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)

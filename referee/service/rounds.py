"""Reads the round that a question carries: header, ruleset and certificates, all checked, remembered as a pure memo.

The memo's key is every byte that was checked, so it can only save work: an expired certificate is refused all the same,
because the time is looked at on every call.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from referee.cards import Card, Seat
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError
from referee.dealing.header import SUITE_COMMITMENT, Header
from referee.dealing.layout import layout_of
from referee.rulesets import Catalogue, Ruleset
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import RoundHeader
from referee.wire.certificate import certificate_refusal
from referee.wire.header import read_header
from referee.wire.refusal import RefusedError
from referee.wire.ruleset import find_ruleset

_MEMO_SIZE: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VerifiedRound:
    """A round whose header fits its ruleset and whose certificates hold. Times in ms since 1970 UTC.

    Equal to itself alone, so that what follows from it can be remembered by it.
    """

    header: Header
    ruleset: Ruleset
    sections: Mapping[int, tuple[Card, ...]]
    deck_root: bytes
    commitment: bytes
    mixed: bytes
    dealt_time: int
    expires_time: int
    is_sealed: bool

    def hands(self, seats: Iterable[Seat], *, field: str) -> tuple[tuple[Card, ...], ...]:
        """The hands of these seats; refuses a round whose certificates do not open one of them."""
        return tuple([self.section(int(seat), f"the hand of seat {seat}", field=field) for seat in seats])

    def section(self, index: int, name: str, *, field: str) -> tuple[Card, ...]:
        """The cards of a section; refuses a round whose certificates do not open it."""
        cards = self.sections.get(index)
        if cards is None:
            raise RefusedError(
                ErrorReason.ERROR_REASON_SECTION_MISSING,
                f"no certificate opens {name}; send the one that the shuffler answered",
                field=f"{field}.certificates",
                section=index,
            )
        return cards


class RoundVerifier:
    """Checks headers against rulesets and this log's origin, and certificates against the shuffler's keys."""

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
        self._memo: OrderedDict[tuple[bytes, ...], VerifiedRound] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def catalogue(self) -> Catalogue:
        """The rulesets that it knows."""
        return self._catalogue

    def verify(self, header: RoundHeader, certificates: Sequence[bytes], *, field: str) -> VerifiedRound:
        """The round, its certificates unexpired; refuses whatever does not hold, naming the field."""
        found = self.verify_ended(header, certificates, field=field)
        now = self._clock()
        if now > found.expires_time:
            raise RefusedError(
                ErrorReason.ERROR_REASON_EXPIRED,
                f"the round ended at {found.expires_time} and it is {now}",
                field=f"{field}.certificates",
                expires_time=found.expires_time,
                now=now,
            )
        return found

    def verify_ended(self, header: RoundHeader, certificates: Sequence[bytes], *, field: str) -> VerifiedRound:
        """The same, of a round that may have ended."""
        key = (header.SerializeToString(deterministic=True), *certificates)
        found = self._memo.get(key)
        if found is None:
            found = self._verify(header, certificates, field=field)
            with self._lock:
                self._memo[key] = found
                while len(self._memo) > _MEMO_SIZE:
                    self._memo.popitem(last=False)
        return found

    def read_terms(self, message: RoundHeader, *, field: str) -> tuple[Header, Ruleset]:
        """The header and its ruleset, which it fits; refuses a header of another log, ruleset or layout."""
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
                    f"the round's {name} is {_shown(found)}, here it is {_shown(expected)}",
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
            self._certificate(data, header, field=f"{field}.certificates[{index}]")
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
            expires_time=first.expires_time,
            is_sealed=first.is_sealed,
        )

    def _certificate(self, data: bytes, header: Header, *, field: str) -> Certificate:
        try:
            return certificate.read(data, keys=self._keys, header=header)
        except CertificateError as error:
            raise certificate_refusal(error, field=field) from None


def _layout_of(ruleset: Ruleset, header: Header) -> tuple[int, ...]:
    """The layout of the game for the header's seats; empty where a deck has no cards for so many."""
    try:
        return layout_of(ruleset.game, seat_count=header.seat_count).sizes
    except ValueError:
        return ()


def _shown(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)

"""Seeds of seats, each verified against the seat's commitment and key.

A seat's seed comes with the request to deal, or earlier from the seat itself. A seed that comes earlier is kept secret
until the deal or the end of the round publishes it; if it comes again with the request to deal, the two must be equal.
The contribution that completes the seeds deals the round.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from referee.cards import Seat
from referee.dealing.commitment import SEED_SIZE, client_commitment, seed_statement
from referee.dealing.header import NO_KEY
from referee.evidence.ed25519 import is_signature
from referee.log import SlotKey
from referee.service.opened import OpenedRound
from referee.storage import Contribution
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.shuffler_pb2 import ContributeSeedRequest, DealRoundRequest
from referee.wire.refusal import RefusedError, invalid_field

NO_SEED: Final = ""
"""The text in an ABORT leaf at the place of a seat that has given no seed."""


class SeatSeeds(msgspec.Struct, frozen=True):
    """One seed of 32 bytes for each seat, and the seats' signatures of them, empty for a seat without a key."""

    seeds: tuple[bytes, ...]
    signatures: tuple[bytes, ...]

    @property
    def leaf_signatures(self) -> tuple[str, ...] | msgspec.UnsetType:
        """Signatures in the form of a DEAL leaf: hexadecimal, by seat; UNSET if no seat has a key."""
        return tuple([one.hex() for one in self.signatures]) if any(self.signatures) else msgspec.UNSET


def read_contribution(opened: OpenedRound, key: SlotKey, request: ContributeSeedRequest) -> Contribution:
    """Read the contribution of a seat; refuse a seed that does not open the seat's commitment, or is signed wrongly."""
    check_seat(opened, request.seat)
    _check_seed(opened, Seat(request.seat), request.seed, field="seed")
    _check_signature(opened, Seat(request.seat), request.seed, request.signature, field="signature")
    return Contribution(key=key, seat=request.seat, seed=request.seed, signature=request.signature)


def check_seat(opened: OpenedRound, seat: int) -> None:
    """Refuse a seat that the round does not have."""
    if seat >= opened.header.seat_count:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_SEAT,
            f"the round has {opened.header.seat_count} seats, counted from 0",
            field="seat",
            found=seat,
        )


def seeds_of(contributed: Sequence[Contribution]) -> SeatSeeds:
    """Return the contributed seeds in the order of the seats; the caller ensures that every seat has contributed."""
    by_seat = sorted(contributed, key=lambda one: one.seat)
    return SeatSeeds(tuple([one.seed for one in by_seat]), tuple([one.signature for one in by_seat]))


def check_dealt_seeds(opened: OpenedRound, request: DealRoundRequest, dealt: Sequence[str]) -> None:
    """Refuse a request to deal a dealt round if it has a seed other than the one that the round was dealt from.

    ``dealt`` are the hexadecimal seeds of the DEAL, by seat. A seat's place in the request may be empty.
    """
    for seat, seed in enumerate(_by_seat(opened, request.client_seeds, "client_seeds", "seeds")):
        if seed and seed.hex() != dealt[seat]:
            raise RefusedError(
                ErrorReason.ERROR_REASON_ALREADY_DEALT,
                f"the round was dealt from another seed of seat {seat}; leave the places empty to ask for its deal",
                field=f"client_seeds[{seat}]",
            )


def read_seeds(opened: OpenedRound, request: DealRoundRequest, contributed: Sequence[Contribution]) -> SeatSeeds:
    """Return every seat's seed to deal from: the contributed seed if there is one, else the request's, verified.

    Refuse a request if a seat has given no seed, or has given one that is wrong or not the contributed one.
    """
    kept = {one.seat: one for one in contributed}
    given = _by_seat(opened, request.client_seeds, "client_seeds", "seeds")
    signed = _by_seat(opened, request.seed_signatures, "seed_signatures", "signatures")
    missing = [seat for seat, seed in enumerate(given) if not seed and seat not in kept]
    if missing:
        seats = ",".join(map(str, missing))
        raise RefusedError(
            ErrorReason.ERROR_REASON_SEED_MISSING,
            f"seats {seats} have given no seed",
            field=f"client_seeds[{missing[0]}]" if request.client_seeds else "client_seeds",
            seats=seats,
        )
    seeds, signatures = [], []
    for seat, (seed, signature) in enumerate(zip(given, signed, strict=True)):
        one = kept.get(seat)
        if one is not None:
            _check_same(one, seed)
            seeds.append(one.seed)
            signatures.append(one.signature)
        else:
            _check_seed(opened, Seat(seat), seed, field=f"client_seeds[{seat}]")
            _check_signature(opened, Seat(seat), seed, signature, field=f"seed_signatures[{seat}]")
            seeds.append(seed)
            signatures.append(signature)
    return SeatSeeds(tuple(seeds), tuple(signatures))


def given_contributions(
    opened: OpenedRound, key: SlotKey, request: DealRoundRequest, contributed: Sequence[Contribution]
) -> list[Contribution]:
    """Return the seeds of a request to deal that are not contributed yet, verified; refuse wrong seeds."""
    kept = {one.seat: one for one in contributed}
    given = _by_seat(opened, request.client_seeds, "client_seeds", "seeds")
    signed = _by_seat(opened, request.seed_signatures, "seed_signatures", "signatures")
    found = []
    for seat, (seed, signature) in enumerate(zip(given, signed, strict=True)):
        if seat in kept:
            _check_same(kept[seat], seed)
        elif seed:
            _check_seed(opened, Seat(seat), seed, field=f"client_seeds[{seat}]")
            _check_signature(opened, Seat(seat), seed, signature, field=f"seed_signatures[{seat}]")
            found.append(Contribution(key=key, seat=seat, seed=seed, signature=signature))
    return found


def missing_seats(seat_count: int, contributed: Sequence[Contribution]) -> list[int]:
    """Return the seats that have contributed no seed, ascending."""
    kept = {one.seat for one in contributed}
    return [seat for seat in range(seat_count) if seat not in kept]


def leaf_seeds(seat_count: int, contributed: Sequence[Contribution]) -> tuple[str, ...]:
    """Return one text for each seat, in order: its contributed seed in hexadecimal, or ``NO_SEED``."""
    kept: Mapping[int, str] = {one.seat: one.seed.hex() for one in contributed}
    return tuple([kept.get(seat, NO_SEED) for seat in range(seat_count)])


def _by_seat(opened: OpenedRound, given: Sequence[bytes], field: str, what: str) -> Sequence[bytes]:
    """Return the values of a request, one for each seat; all are empty if the request has none. Refuse other numbers.

    ``what`` names the values in the refusal.
    """
    count = opened.header.seat_count
    if len(given) not in (0, count):
        raise invalid_field(f"{count} seats need as many {what}, not {len(given)}", field=field)
    return given or (b"",) * count


def _check_same(one: Contribution, seed: bytes) -> None:
    if seed not in (b"", one.seed):
        raise RefusedError(
            ErrorReason.ERROR_REASON_SEED_MISMATCH,
            f"seat {one.seat} has contributed another seed; leave its place empty",
            field=f"client_seeds[{one.seat}]",
        )


def _check_seed(opened: OpenedRound, seat: Seat, seed: bytes, *, field: str) -> None:
    if len(seed) != SEED_SIZE:
        raise invalid_field(f"a seed has {SEED_SIZE} bytes, not {len(seed)}", field=field)
    commitment = opened.client_commitments[seat]
    if commitment and client_commitment(round_id=opened.header.round_id, seat=seat, seed=seed) != commitment:
        raise RefusedError(
            ErrorReason.ERROR_REASON_SEED_MISMATCH, f"the seed of seat {seat} does not open its commitment", field=field
        )


def _check_signature(opened: OpenedRound, seat: Seat, seed: bytes, signature: bytes, *, field: str) -> None:
    """Refuse a seed that a seat with a key has not signed, and any signature for a seat without a key."""
    key = opened.header.seat_keys[seat]
    if key == NO_KEY:
        if not signature:
            return
        message = f"seat {seat} has no key in the header to sign with"
    else:
        statement = seed_statement(
            round_id=opened.header.round_id,
            commitment=opened.commitment,
            seat=seat,
            token_hash=opened.seat_tokens[seat] if opened.is_sealed_table else b"",
            seed=seed,
        )
        if is_signature(signature, statement, key):
            return
        message = f"seat {seat} has a key, and this is not its signature of its seed under the server's commitment"
    raise RefusedError(ErrorReason.ERROR_REASON_BAD_SIGNATURE, message, field=field, seat=seat)

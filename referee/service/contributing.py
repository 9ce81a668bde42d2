"""Seeds of seats, each verified against the seat's commitment and key.

A seat's seed comes with the request to deal, or earlier from the seat itself. A seed that comes earlier is kept secret
until the deal or the end of the round publishes it; if it comes again with the request to deal, the two must be equal.
The contribution that completes the seeds deals the round.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from referee.cards import Seat
from referee.dealing.commitment import SEED_SIZE, client_commitment, seed_statement
from referee.dealing.header import NO_KEY
from referee.dealing.leaf import OpenLeaf
from referee.evidence.ed25519 import is_signature
from referee.log import SlotKey
from referee.service.verifying import seat_refusal
from referee.storage import Contribution
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.shuffler_pb2 import ContributeSeedRequest, DealRoundRequest
from referee.wire.refusal import RefusedError, invalid_field

NO_SEED: Final = ""
"""The text in an ABORT leaf at the place of a seat that has given no seed."""


def read_contribution(opened: OpenLeaf, key: SlotKey, request: ContributeSeedRequest) -> Contribution:
    """Read the contribution of a seat; refuse a seed that does not open the seat's commitment, or is signed wrongly."""
    check_seat(opened, request.seat)
    _check_seed(opened, Seat(request.seat), request.seed, field="seed")
    _check_signature(opened, Seat(request.seat), request.seed, request.signature, field="signature")
    return Contribution(key=key, seat=request.seat, seed=request.seed, signature=request.signature)


def check_seat(opened: OpenLeaf, seat: int) -> None:
    """Refuse a seat that the round does not have."""
    if seat >= opened.header.seat_count:
        raise seat_refusal(opened.header, seat, field="seat")


def check_dealt_seeds(opened: OpenLeaf, request: DealRoundRequest, dealt: Sequence[str]) -> None:
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


def read_seeds(
    opened: OpenLeaf, key: SlotKey, request: DealRoundRequest, contributed: Sequence[Contribution]
) -> list[Contribution]:
    """Return every seat's seed to deal from: the contributed seed if there is one, else the request's, verified.

    Refuse a request if a seat has given no seed, or has given one that is wrong or not the contributed one.
    """
    requested = _by_seat(opened, request.client_seeds, "client_seeds", "seeds")
    _by_seat(opened, request.seed_signatures, "seed_signatures", "signatures")
    missing = [seat for seat in missing_seats(opened.header.seat_count, contributed) if not requested[seat]]
    if missing:
        seats = ",".join(map(str, missing))
        raise RefusedError(
            ErrorReason.ERROR_REASON_SEED_MISSING,
            f"seats {seats} have given no seed",
            field=f"client_seeds[{missing[0]}]" if request.client_seeds else "client_seeds",
            seats=seats,
        )
    return [*contributed, *given_contributions(opened, key, request, contributed)]


def given_contributions(
    opened: OpenLeaf, key: SlotKey, request: DealRoundRequest, contributed: Sequence[Contribution]
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


def _by_seat(opened: OpenLeaf, given: Sequence[bytes], field: str, what: str) -> Sequence[bytes]:
    """Return the values of a request, one for each seat; all are empty if the request has none. Refuse other numbers.

    ``what`` names the values in the refusal.
    """
    count = opened.header.seat_count
    if len(given) not in (0, count):
        raise invalid_field(f"{count} seats need as many {what}, not {len(given)}", field=field)
    return given or (b"",) * count


def _check_same(one: Contribution, seed: bytes) -> None:
    if seed not in (b"", one.seed):
        message = f"seat {one.seat} has contributed another seed; leave its place empty"
        raise RefusedError(ErrorReason.ERROR_REASON_SEED_MISMATCH, message, field=f"client_seeds[{one.seat}]")


def _check_seed(opened: OpenLeaf, seat: Seat, seed: bytes, *, field: str) -> None:
    if len(seed) != SEED_SIZE:
        raise invalid_field(f"a seed has {SEED_SIZE} bytes, not {len(seed)}", field=field)
    commitment = opened.client_commitments[seat]
    if commitment and client_commitment(round_id=opened.header.round_id, seat=seat, seed=seed).hex() != commitment:
        message = f"the seed of seat {seat} does not open its commitment"
        raise RefusedError(ErrorReason.ERROR_REASON_SEED_MISMATCH, message, field=field)


def _check_signature(opened: OpenLeaf, seat: Seat, seed: bytes, signature: bytes, *, field: str) -> None:
    """Refuse a seed that a seat with a key has not signed, and any signature for a seat without a key."""
    key = opened.header.seat_keys[seat]
    if key == NO_KEY:
        if not signature:
            return
        message = f"seat {seat} has no key in the header to sign with"
    else:
        statement = seed_statement(
            round_id=opened.header.round_id,
            commitment=bytes.fromhex(opened.server_commitment),
            seat=seat,
            token_hash=opened.token_hash(seat),
            seed=seed,
        )
        if is_signature(signature, statement, key):
            return
        message = f"seat {seat} has a key, and this is not its signature of its seed under the server's commitment"
    raise RefusedError(ErrorReason.ERROR_REASON_BAD_SIGNATURE, message, field=field, seat=seat)

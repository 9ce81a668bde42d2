"""Keys of seats: what pages sign, what bots sign with keys that the table server holds, and the course they sign on.

A page's private key never comes here. A round of which every seat has a key is signed by all of them; that a bot's key
is the table server's own is what the table says of its bots.
"""

import base64
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from nacl.signing import SigningKey

from referee.cards import Seat
from referee.dealing.commitment import seed_statement
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import is_public_key, is_signature
from referee.evidence.outside import read_json
from referee.transcript.chain import Course
from referee_table.state import Person, Round
from referee_table.wording import Code, RefusedError


class Signed(Protocol):
    """A command, or a game's draft of one, with the event that the seat had seen and the seat's signature."""

    @property
    def seen(self) -> int | None:
        """The number of the newest event that the seat had been shown."""

    @property
    def signature(self) -> str | None:
        """The seat's signature, in hex; None for a seat without a key."""


NO_KEY: Final = bytes(32)


def bot_key(entropy: bytes) -> tuple[bytes, bytes]:
    """Return a private key of 32 random bytes and its public key."""
    return entropy, bytes(SigningKey(entropy).verify_key)


def read_key(text: str | None) -> bytes:
    """Return the public key that a page names, empty for none or one that cannot verify anything."""
    key = bytes.fromhex(text or "")
    return key if key and is_public_key(key) else b""


def seat_keys(seated: Sequence[Person]) -> list[bytes]:
    """Return the keys of a round by seat; a key counts once, for the seat that has it first.

    Bots have keys where every person has one: only then is the whole round signed.
    """
    is_whole = all(one.seat_key for one in seated if not one.is_bot)
    keys: list[bytes] = []
    for one in seated:
        is_keyed = bool(one.seat_key) and one.seat_key not in keys and (is_whole or not one.is_bot)
        keys.append(one.seat_key if is_keyed else NO_KEY)
    return keys


def deck_root_of(certificate: bytes) -> bytes:
    """Return the root of the deck that a certificate names; it is the same in all of a round's."""
    return bytes.fromhex(read_json(Envelope.parse(certificate).payload, dict[str, Any])["deck_root"])


def seed_statement_of(made: Round, seat: int, seed: bytes) -> bytes:
    """Return what a seat with a key signs of its seed."""
    return seed_statement(
        round_id=made.round_id,
        commitment=made.server_commitment,
        seat=Seat(seat),
        token_hash=made.token_hashes[seat],
        seed=seed,
    )


def check_seed(made: Round, seat: int, seed: bytes, signature: str | None) -> bytes:
    """Return a seat's signature of its seed, empty for a seat without a key; refuse one that does not verify."""
    key = made.seats[seat].key
    if not key:
        return b""
    if signature is None:
        raise RefusedError(Code.UNSIGNED)
    given = bytes.fromhex(signature)
    if not is_signature(given, seed_statement_of(made, seat, seed), key):
        raise RefusedError(Code.BAD_COMMAND, detail="the signature of the seed does not verify")
    return given


def sign_bot_seeds(made: Round) -> None:
    """Sign the seeds of the bots, once the server's commitment is known."""
    for seat, one in enumerate(made.seats):
        if one.signing_key:
            made.seed_signatures[seat] = _sign(one.signing_key, seed_statement_of(made, seat, made.seeds[seat]))


def sign_event(  # noqa: PLR0913 - each says something else of one event
    made: Round,
    event: Any,  # noqa: ANN401 - the game's own event
    course: Course,
    *,
    move: Signed | None,
    has_seen_all: bool,
    encode: Callable[[Any], bytes],
) -> bytes:
    """Return the signature of an event's seat and note in the event what the seat had seen.

    A seat without a key has neither. A bot signs here, on the course so far; ``move`` has what a page signed. Raise
    UNSIGNED if it did not. ``encode`` returns an event's canonical bytes.
    """
    seat = made.seats[event.seat]
    if not seat.key:
        return b""
    if seat.signing_key:
        event.seen = course.number if has_seen_all else 0
        return _sign(seat.signing_key, course.next_move(encode(event), seat=event.seat, seen=event.seen))
    if move is None or move.signature is None or move.seen is None:
        raise RefusedError(Code.UNSIGNED)
    event.seen = move.seen
    return bytes.fromhex(move.signature)


def shown_course(
    made: Round,
    message: Any,  # noqa: ANN401 - a game's round
    seat: int,
    *,
    is_whole: bool,
    encode: Callable[[Any], bytes],
) -> dict[str, Any]:
    """Return what a seat with a key signs on; of a course that is not whole, the seat's own events alone."""
    signature = message.signatures[seat] if message.signatures else b""
    return {
        "deck_root": made.deck_root.hex(),
        "is_whole": is_whole,
        "events": [
            {"event": encode(event).decode(), "time": event.time, "received": event.received}
            for event in message.events
            if is_whole or event.seat == seat
        ],
        "signature": signature.hex(),
        "receipt": base64.b64encode(message.receipt).decode(),
    }


def keep_signature(message: Any, seat: int, signature: bytes, *, seats: int) -> None:  # noqa: ANN401 - a game's round
    """Put a seat's newest signature in the round."""
    if signature:
        given = list(message.signatures) or [b""] * seats
        given[seat] = signature
        message.signatures[:] = given


def _sign(private: bytes, message: bytes) -> bytes:
    return SigningKey(private).sign(message).signature

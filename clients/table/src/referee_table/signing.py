"""Keys of seats: which seats of a round have one, and what a page is shown to sign its events on.

A page's private key never comes here. A round of which every seat has a key is signed by all of them; that a bot's key
is the table server's own is what the table says of its bots.
"""

import base64
from collections.abc import Sequence
from typing import Any, Final, Protocol

from nacl.signing import SigningKey
from referee_client import event_bytes

from referee.evidence.ed25519 import is_public_key
from referee_table.state import Person

NO_KEY: Final = bytes(32)


class Signed(Protocol):
    """A command, or a game's draft of one, with the event that the seat had seen and the seat's signature."""

    @property
    def seen(self) -> int | None:
        """The number of the newest event that the seat had been shown."""

    @property
    def signature(self) -> str | None:
        """The seat's signature, in hex; None for a seat without a key."""


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


def shown_course(game: Any, seat: int, *, is_whole: bool) -> dict[str, Any]:  # noqa: ANN401 - the SDK's round of a game
    """Return what a seat with a key signs on; of a course that is not whole, the seat's own events alone."""
    message = game.message
    signature = message.signatures[seat] if message.signatures else b""
    return {
        "deck_root": game.deck_root.hex(),
        "is_whole": is_whole,
        "events": [
            {"event": event_bytes(event).decode(), "time": event.time, "received": event.received}
            for event in message.events
            if is_whole or event.seat == seat
        ],
        "signature": signature.hex(),
        "receipt": base64.b64encode(message.receipt).decode(),
    }

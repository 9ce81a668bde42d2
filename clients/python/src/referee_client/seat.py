"""The secrets of a seat in one round: its seed, the token of its hand, a nonce, and its key if it has one.

Each secret is 32 random bytes, made anew for every round. A seed is shown once OPEN is in the log, a nonce when the
arrangement is opened, a token only to the shuffler. A key lasts as long as its owner likes. The commitments and hashes
that are shown earlier bind the seat and reveal nothing.

>>> secrets = SeatSecrets.make(0, keyed=True)
>>> len(secrets.seed), len(secrets.public_key), secrets.seed == SeatSecrets.make(0).seed
(32, 32, False)
"""

import secrets as entropy
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Self

from nacl.signing import SigningKey

from referee.cards import Card, Seat
from referee.dealing.commitment import client_commitment, seat_token_hash, seed_statement
from referee.games.mau_binh import arrangement_commitment

NO_KEY: Final = bytes(32)
_SIZE: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatSecrets:
    """A seat's secrets in one round, which ``repr`` does not show; ``make`` makes new ones."""

    seat: int
    """The seat, from 0."""
    seed: bytes = field(repr=False)
    """Seed of 32 bytes, which is mixed into the deal."""
    token: bytes = field(repr=False)
    """Token of 32 bytes, which opens the seat's hand on a sealed table."""
    nonce: bytes = field(repr=False)
    """Nonce of 32 bytes, which hides a committed arrangement."""
    private_key: bytes = field(default=b"", repr=False)
    """Ed25519 seed of 32 bytes; empty without a key."""

    @classmethod
    def make(cls, seat: int, *, keyed: bool = False, private_key: bytes = b"") -> Self:
        """Make new secrets from the system's randomness; ``keyed`` makes a new key too, ``private_key`` sets one."""
        seed, token, nonce = (entropy.token_bytes(_SIZE) for _ in range(3))
        if keyed and not private_key:
            private_key = entropy.token_bytes(_SIZE)
        return cls(seat=seat, seed=seed, token=token, nonce=nonce, private_key=private_key)

    @property
    def public_key(self) -> bytes:
        """Public key of the seat, for the round's header; 32 zeros without a key."""
        return bytes(SigningKey(self.private_key).verify_key) if self.private_key else NO_KEY

    def seed_commitment(self, round_id: bytes) -> bytes:
        """Return the seat's commitment to its seed, which OPEN will have; 32 bytes."""
        return client_commitment(round_id=round_id, seat=Seat(self.seat), seed=self.seed)

    def token_hash(self, round_id: bytes) -> bytes:
        """Return the hash of the seat's token, which the OPEN of a sealed table has; 32 bytes."""
        return seat_token_hash(round_id=round_id, seat=Seat(self.seat), token=self.token)

    def sign_seed(self, round_id: bytes, *, server_commitment: bytes, is_sealed: bool = False) -> bytes:
        """Sign the seat's seed together with the server's commitment and, on a sealed table, the token's hash.

        The signature has 64 bytes; it is empty without a key.
        """
        statement = seed_statement(
            round_id=round_id,
            commitment=server_commitment,
            seat=Seat(self.seat),
            token_hash=self.token_hash(round_id) if is_sealed else b"",
            seed=self.seed,
        )
        return self._sign(statement)

    def sign_move(self, move: bytes) -> bytes:
        """Sign g_{i,j}, a link of the seat's own chain that ``SeatChain`` computes; empty without a key."""
        return self._sign(move)

    def arrangement_commitment(self, round_id: bytes, *, cards: Sequence[Card]) -> bytes:
        """Return the seat's commitment to thirteen cards in the order back, middle, front; 32 bytes."""
        return arrangement_commitment(round_id=round_id, seat=Seat(self.seat), cards=cards, nonce=self.nonce)

    def _sign(self, message: bytes) -> bytes:
        return SigningKey(self.private_key).sign(message).signature if self.private_key else b""

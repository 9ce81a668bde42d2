"""Players who trust nobody: each with a key, a seed, a token and a nonce, who compute every hash by themselves.

What they hash and sign comes from the second derivation of the protocol and from this file, and shares no line with the
project: a signature that the server takes is one that two implementations agree on.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.v1 import log_pb2
from tests.vectors.dealing.dealing_derivation import number, tagged


def secret(*parts: object) -> bytes:
    """32 bytes that nobody else knows."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).digest()


@dataclass(frozen=True)
class Player:
    """A seat's own secrets in the rounds of one table."""

    table: str
    seat: int

    @property
    def key(self) -> Ed25519PrivateKey:
        """The seat's private key."""
        return Ed25519PrivateKey.from_private_bytes(secret(self.table, self.seat, "key"))

    @property
    def public_key(self) -> bytes:
        """The public key that headers contain."""
        return self.key.public_key().public_bytes_raw()

    @property
    def seed(self) -> bytes:
        """What the seat adds to the mix."""
        return secret(self.table, self.seat, "seed")

    @property
    def token(self) -> bytes:
        """What opens the seat's hand."""
        return secret(self.table, self.seat, "token")

    @property
    def nonce(self) -> bytes:
        """What hides the seat's arrangement."""
        return secret(self.table, self.seat, "nonce")

    def seed_commitment(self, round_id: bytes) -> bytes:
        """Compute c_i."""
        return tagged("client-commit", round_id, number(self.seat, 1), self.seed)

    def token_hash(self, round_id: bytes) -> bytes:
        """Hash the token, as the OPEN leaf holds it."""
        return tagged("seat-token", round_id, number(self.seat, 1), self.token)

    def sign_seed(self, round_id: bytes, commitment: bytes, *, seed: bytes = b"", is_sealed: bool = False) -> bytes:
        """Sign the seat's seed under the server's commitment, and on a sealed table under the seat's token."""
        token = self.token_hash(round_id) if is_sealed else b""
        return self.key.sign(
            tagged("client-seed", round_id, commitment, number(self.seat, 1), token, seed or self.seed)
        )

    def list_request(self, *, origin: str, now: int, **asked: Any) -> log_pb2.ListSeatRoundsRequest:  # noqa: ANN401 - fields of the request
        """Return a request for the rounds of the seat's key, signed over a log's origin, the period and the time."""
        request = log_pb2.ListSeatRoundsRequest(seat_key=self.public_key, signed_time=now, **asked)
        times = (number(time, 8) for time in (request.start_time, request.end_time, now))
        request.signature = self.key.sign(tagged("list-rounds", origin.encode(), self.public_key, *times))
        return request

    def commitment(self, round_id: bytes, cards: Sequence[int]) -> bytes:
        """Commit to thirteen cards in the order back, middle, front."""
        return tagged("arrange", round_id, number(self.seat, 1), bytes(cards), self.nonce)

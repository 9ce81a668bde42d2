"""Secrets of a case's seats: they follow from the case, so a case that is played again has the same ones."""

from dataclasses import dataclass

from nacl.signing import SigningKey

from referee.cards import Seat
from referee.dealing.commitment import client_commitment, seat_token_hash
from referee.evidence.encoding import tagged_hash, u8


@dataclass(frozen=True)
class Secrets:
    """A seat's secrets: its private key follows from table and seat; seed, token and nonce from the round too."""

    table: str
    seat: int
    round_id: bytes

    def _made(self, what: str, round_id: bytes = b"") -> bytes:
        return tagged_hash("round", round_id, f"{self.table}/{self.seat}/{what}".encode())

    @property
    def key(self) -> bytes:
        """Ed25519 private key."""
        return self._made("key")

    @property
    def public_key(self) -> bytes:
        """Ed25519 public key."""
        return bytes(SigningKey(self.key).verify_key)

    @property
    def seed(self) -> bytes:
        """What the seat adds to the mix."""
        return self._made("seed", self.round_id)

    @property
    def token(self) -> bytes:
        """What opens the seat's hand."""
        return self._made("token", self.round_id)

    @property
    def nonce(self) -> bytes:
        """What hides the seat's arrangement."""
        return self._made("nonce", self.round_id)

    @property
    def token_hash(self) -> bytes:
        """Hash of the token, as OPEN has it."""
        return seat_token_hash(round_id=self.round_id, seat=Seat(self.seat), token=self.token)

    @property
    def seed_commitment(self) -> bytes:
        """Commitment to the seed."""
        return client_commitment(round_id=self.round_id, seat=Seat(self.seat), seed=self.seed)

    def commitment(self, cards: list[int]) -> bytes:
        """Commit to thirteen cards in the order back, middle, front."""
        return tagged_hash("arrange", self.round_id, u8(self.seat), bytes(cards), self.nonce)

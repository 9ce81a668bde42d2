"""OpenedRound: the contents of an OPEN leaf of this log, with a memo so that each leaf is parsed once."""

from collections.abc import Sequence
from typing import Final, Self

import msgspec

from referee.dealing.deal import Deal
from referee.dealing.header import Header
from referee.dealing.leaf import OpenLeaf
from referee.dealing.leaf import parse as parse_leaf
from referee.dealing.seal import unseal
from referee.evidence.dsse import Envelope
from referee.service.memo import Memo

_MEMO_SIZE: Final = 4096
_ENTRY_BYTES: Final = 4 * 1024
"""Bytes of memory that a parsed leaf takes besides its own bytes; an upper estimate."""


class OpenedRound(msgspec.Struct, frozen=True, kw_only=True):
    """Contents of an OPEN leaf of this log."""

    header: Header
    commitment: bytes
    client_commitments: tuple[bytes, ...]
    sealed_seed: bytes
    seat_tokens: tuple[bytes, ...]
    """Hashes of the seats' tokens, by seat, on a sealed table; empty on an open table."""

    @staticmethod
    def of(leaf: bytes) -> "OpenedRound":
        """Read an OPEN leaf; return the remembered contents if the same leaf was read before.

        Its signature is not verified: the leaf must come from this log.
        """
        known = _READ.get(leaf)
        if known is None:
            known = OpenedRound._read(leaf)
            known.note(leaf)
        return known

    def note(self, leaf: bytes) -> None:
        """Remember these contents for a leaf. The caller ensures that the leaf was written from them."""
        _READ.put(leaf, self, size=len(leaf) + _ENTRY_BYTES)

    @classmethod
    def _read(cls, leaf: bytes) -> Self:
        opened = parse_leaf(Envelope.parse(leaf).payload, OpenLeaf)
        return cls(
            header=opened.header.to_header(),
            commitment=bytes.fromhex(opened.server_commitment),
            client_commitments=tuple([bytes.fromhex(one) for one in opened.client_commitments]),
            sealed_seed=bytes.fromhex(opened.sealed_seed),
            seat_tokens=tuple([bytes.fromhex(one) for one in opened.seat_tokens or ()]),
        )

    @property
    def is_sealed_table(self) -> bool:
        """Whether each hand is shown to its own seat only, until the game opens the hands to all."""
        return bool(self.seat_tokens)

    def seed(self, sealing_key: bytes) -> bytes:
        """Return the server's seed; raise SealError if it was sealed with another key."""
        return unseal(
            self.sealed_seed,
            sealing_key=sealing_key,
            round_id=self.header.round_id,
            commitment=self.commitment,
        )

    def deal(self, sealing_key: bytes, client_seeds: Sequence[bytes]) -> Deal:
        """Derive the round's deal from its sealed seed and the seats' seeds; raise what unsealing and deriving raise.

        Unsealing has checked the seed against the commitment, so the deal does not compute the commitment again.
        """
        return Deal.derive(
            self.header, server_seed=self.seed(sealing_key), client_seeds=client_seeds, commitment=self.commitment
        )


_READ: Final[Memo[bytes, OpenedRound]] = Memo(_MEMO_SIZE)

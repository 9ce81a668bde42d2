"""Opened rounds: the contents of OPEN leaves of this log, each read once."""

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
"""Memory of a leaf that was read beside its bytes, on the safe side."""


class OpenedRound(msgspec.Struct, frozen=True, kw_only=True):
    """Contents of an OPEN leaf of this log."""

    header: Header
    commitment: bytes
    client_commitments: tuple[bytes, ...]
    sealed_seed: bytes
    seat_tokens: tuple[bytes, ...]
    """Hashes of the seats' tokens on a sealed table; none on an open one."""

    @staticmethod
    def of(leaf: bytes) -> "OpenedRound":
        """Read an OPEN leaf, once, because a round is dealt, opened further and revealed by the same leaf."""
        known = _READ.get(leaf)
        if known is None:
            known = OpenedRound._read(leaf)
            known.note(leaf)
        return known

    def note(self, leaf: bytes) -> None:
        """Remember that these are the contents of a leaf, which was just written from them."""
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
        """Whether each hand is shown to its seat alone until the hands open."""
        return bool(self.seat_tokens)

    def seed(self, sealing_key: bytes) -> bytes:
        """Return the server's seed; raise SealError for another sealing key."""
        return unseal(
            self.sealed_seed,
            sealing_key=sealing_key,
            round_id=self.header.round_id,
            commitment=self.commitment,
        )

    def deal(self, sealing_key: bytes, client_seeds: Sequence[bytes]) -> Deal:
        """Derive the round's deal from its sealed seed and the seats' seeds; raise what these two raise.

        The sealed seed opens only to the one that the commitment is to, so that is not computed again.
        """
        return Deal.derive(
            self.header, server_seed=self.seed(sealing_key), client_seeds=client_seeds, commitment=self.commitment
        )


_READ: Final[Memo[bytes, OpenedRound]] = Memo(_MEMO_SIZE)

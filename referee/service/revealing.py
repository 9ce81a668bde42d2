"""REVEAL: the leaf that shows a round's server seed once the round has ended.

It needs no signature, because the commitment in the OPEN leaf proves it, and no caller: whoever holds the sealing key
makes it from the log alone.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

from referee.dealing.header import Header
from referee.dealing.leaf import REVEAL_TYPE, OpenLeaf, RevealLeaf
from referee.dealing.leaf import encode as encode_leaf
from referee.dealing.leaf import parse as parse_leaf
from referee.dealing.seal import unseal
from referee.evidence.dsse import Envelope
from referee.log import RevealStep, SlotKey
from referee.storage import Append

_MEMO_SIZE: Final = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """What an OPEN leaf of our own log holds."""

    header: Header
    commitment: bytes
    client_commitments: tuple[bytes, ...]
    sealed_seed: bytes
    seat_tokens: tuple[bytes, ...]
    """The hashes of the seats' tokens on a sealed table; none on an open one."""

    @classmethod
    @lru_cache(maxsize=_MEMO_SIZE)
    def of(cls, leaf: bytes) -> Self:
        """What the leaf holds. A pure memo: a round is dealt, opened further and revealed by the same leaf."""
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
        """Whether each seat alone sees its hand until the hands open."""
        return bool(self.seat_tokens)

    def seed(self, sealing_key: bytes) -> bytes:
        """The server's seed; SealError where the sealing key is another."""
        return unseal(
            self.sealed_seed,
            sealing_key=sealing_key,
            round_id=self.header.round_id,
            commitment=self.commitment,
        )


def reveal_of(sealed: Sealed, *, sealing_key: bytes) -> Append:
    """The REVEAL of a round, ready to be appended; the same every time."""
    header = sealed.header
    leaf = RevealLeaf(round_id=header.round_id.hex(), server_seed=sealed.seed(sealing_key).hex())
    return Append(
        leaf=Envelope(REVEAL_TYPE, encode_leaf(leaf)).to_bytes(),
        step=RevealStep(SlotKey(header.table_id, header.round_number), round_id=header.round_id),
        request_digest=header.round_id,
    )

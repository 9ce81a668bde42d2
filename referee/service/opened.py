"""OPEN leaves of this log, and the seed, the deal and the REVEAL that follow from them."""

from collections.abc import Sequence

from referee.dealing.deal import Deal
from referee.dealing.leaf import REVEAL_TYPE, OpenLeaf, RevealLeaf, encode, read_leaf
from referee.dealing.seal import decrypt_seed
from referee.evidence.dsse import Envelope
from referee.log import RevealStep, SlotKey
from referee.storage import Append


def read_open(data: bytes) -> OpenLeaf:
    """Read an OPEN leaf. Its signature is not verified: the leaf must come from this log."""
    return read_leaf(data, OpenLeaf)


def seed_of(opened: OpenLeaf, sealing_key: bytes) -> bytes:
    """Return the server's seed of a round; raise SealError for another sealing key."""
    return decrypt_seed(
        bytes.fromhex(opened.sealed_seed),
        sealing_key=sealing_key,
        round_id=opened.header.round_id,
        commitment=bytes.fromhex(opened.server_commitment),
    )


def deal_of(opened: OpenLeaf, sealing_key: bytes, client_seeds: Sequence[bytes]) -> Deal:
    """Derive a round's deal from its sealed seed and the seats' seeds; raise as ``seed_of`` and ``Deal.derive`` do.

    Decryption has checked the seed against the commitment, so the deal does not compute the commitment again.
    """
    seed, commitment = seed_of(opened, sealing_key), bytes.fromhex(opened.server_commitment)
    return Deal.derive(opened.header, server_seed=seed, client_seeds=client_seeds, commitment=commitment)


def reveal_of(opened: OpenLeaf, *, sealing_key: bytes) -> Append:
    """Return the REVEAL of a round to append, the same bytes each time; the caller ensures that the round has ended.

    A REVEAL needs no signature, because the commitment in the OPEN leaf proves the seed.
    """
    header = opened.header
    leaf = RevealLeaf(round_id=header.round_id.hex(), server_seed=seed_of(opened, sealing_key).hex())
    return Append(
        leaf=Envelope(REVEAL_TYPE, encode(leaf)).to_bytes(),
        step=RevealStep(SlotKey(header.table_id, header.round_number), round_id=header.round_id),
        request_digest=header.round_id,
    )

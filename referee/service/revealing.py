"""REVEAL leaves, which publish a round's server seed once the round has ended.

A REVEAL needs no signature, because the commitment in the OPEN leaf proves the seed. It needs no request either: it is
made from the sealing key and the log alone.
"""

from referee.dealing.leaf import REVEAL_TYPE, RevealLeaf
from referee.dealing.leaf import encode as encode_leaf
from referee.evidence.dsse import Envelope
from referee.log import RevealStep, SlotKey
from referee.service.opened import OpenedRound
from referee.storage import Append


def reveal_of(opened: OpenedRound, *, sealing_key: bytes) -> Append:
    """Return the REVEAL of a round to append, the same bytes each time; the caller ensures that the round has ended."""
    header = opened.header
    leaf = RevealLeaf(round_id=header.round_id.hex(), server_seed=opened.seed(sealing_key).hex())
    return Append(
        leaf=Envelope(REVEAL_TYPE, encode_leaf(leaf)).to_bytes(),
        step=RevealStep(SlotKey(header.table_id, header.round_number), round_id=header.round_id),
        request_digest=header.round_id,
    )

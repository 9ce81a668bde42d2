"""The events of a round form a chain: each hash covers the one before it, so none can be edited, moved or dropped.

::

    h_0 = TH("transcript", round_id, deck_root)
    h_k = TH("event", h_{k-1}, u32 k, event bytes)          k = 1, 2, ..

*Event bytes* are the canonical JSON of the seat's choice, such as ``{"kind":"LEAVE","seat":2}``: neither its time nor
how it is attested, because a receipt's signature covers those.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

from referee.evidence.encoding import HASH_SIZE, framed, opening, tagged_hash, u32

_EVENT: Final = opening("event", 3) + HASH_SIZE.to_bytes(4, "big")
_NUMBER: Final = (4).to_bytes(4, "big")


def first_hash(*, round_id: bytes, deck_root: bytes) -> bytes:
    """Return h_0 of a round."""
    return tagged_hash("transcript", round_id, deck_root)


def next_hash(previous: bytes, *, number: int, event: bytes) -> bytes:
    """Return h_k of the event with this number (from 1) and these bytes, after h_{k-1}."""
    return hashlib.sha256(b"%b%b%b%b%b" % (_EVENT, previous, _NUMBER, u32(number), framed(event))).digest()


def chain_hashes(*, round_id: bytes, deck_root: bytes, events: Iterable[bytes]) -> list[bytes]:
    """Return h_0 to h_n for the events in their order."""
    hashes = [first_hash(round_id=round_id, deck_root=deck_root)]
    for number, event in enumerate(events, 1):
        hashes.append(next_hash(hashes[-1], number=number, event=event))
    return hashes

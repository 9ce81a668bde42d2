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

import msgspec

from referee.evidence.canonical import Form, Natural
from referee.evidence.dsse import Envelope, pae
from referee.evidence.ed25519 import Signer, is_signature
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


RECEIPT_TYPE: Final = "application/vnd.referee.event.v1+json"


class EventReceipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is signed. ``opens_section`` is the section that the event opens, where it closes a street."""

    event_hash: str
    number: Natural
    received_time: Natural
    round_id: str
    opens_section: Natural | msgspec.UnsetType = msgspec.UNSET


FORM: Final = Form(EventReceipt)


def sign_receipt(receipt: EventReceipt, signer: Signer) -> bytes:
    """Sign a receipt and return its envelope."""
    return Envelope.signed(RECEIPT_TYPE, FORM.write(receipt), signer).to_bytes()


def is_receipted(receipt: EventReceipt, signature: bytes, public_key: bytes) -> bool:
    """Return whether the holder of the key signed exactly this receipt."""
    return is_signature(signature, pae(RECEIPT_TYPE, FORM.write(receipt)), public_key)

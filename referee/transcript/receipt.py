"""An event receipt: the referee's word that it judged an event lawful, and when it received it.

The payload is the canonical JSON of ``EventReceipt`` in a DSSE envelope of type ``RECEIPT_TYPE``. It names the event by
number and by h_k, which covers all events before it. In a transcript only time and signature stand: the rest follows
from the events, so ``is_receipted`` builds the payload again and checks the signature over it. Two receipts of one
round with one number and different hashes prove a fork; the earlier counts.
"""

from typing import Final

import msgspec

from referee.evidence.canonical import Form, Natural
from referee.evidence.dsse import Envelope, pae
from referee.evidence.ed25519 import Signer, is_signature

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

"""Receipted event: a file that a player keeps of a move, so that nobody can drop the move unseen.

A file with three members: the bytes of events 1 to k, the referee's receipt of event k, and its seat's signature. The
events start from the round's h_0, so they give the h_k that the receipt signs, and the g_{i,j} that the seat signs: the
file proves which move the referee received, and when, and that a seat with a key made it.

>>> ReceiptedEvent(events=("{}",), receipt="{}", signature="").to_bytes()
b'{"events":["{}"],"receipt":"{}","signature":""}'
"""

from typing import Annotated, Final

import msgspec

from referee.evidence.canonical import CanonicalError, Form
from referee.transcript.chain import Course


class ReceiptedEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Event k of a round with its receipt and the events before it, which the receipt covers."""

    events: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    """Canonical bytes of events 1 to k, each as text."""
    receipt: str
    """Envelope of the receipt, as text."""
    signature: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{128})?$")]
    """Signature of the event's seat in hex.

    Empty for an event that its seat does not sign: of a seat without a key, and a timeout.
    """

    @property
    def event(self) -> bytes:
        """The canonical bytes of event k."""
        return self.events[-1].encode()

    def to_bytes(self) -> bytes:
        """Encode the file: canonical JSON."""
        return _FORM.write(self)


MAX_SIZE: Final = 131_072
"""Most bytes of a file; the events of a round that can be settled take less."""
_FORM: Final = Form(ReceiptedEvent)


def receipted_event(course: Course, number: int, receipt: bytes, *, signature: bytes) -> ReceiptedEvent:
    """Return the file of event ``number`` of a course.

    ``receipt`` is the envelope of its receipt, ``signature`` its seat's, empty if the seat does not sign it.
    """
    events = tuple([link.event.decode() for link in course.links[:number]])
    return ReceiptedEvent(events=events, receipt=receipt.decode(), signature=signature.hex())


def read_receipted_event(data: bytes) -> ReceiptedEvent | None:
    """Read the file of a receipted event; None for any other file. Nothing in it is verified here."""
    if len(data) > MAX_SIZE:
        return None
    try:
        return _FORM.read(data)
    except CanonicalError:
        return None

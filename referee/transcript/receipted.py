"""Receipted event: a file that a player keeps of a move, so that nobody can drop the move unseen.

A file with three members: the referee's receipt of event k, the event's bytes, and h_{k-1}. Together they give the h_k
that the receipt signs, so the file proves which move the referee received, and when, without the rest of the course.

>>> ReceiptedEvent(event="{}", previous_hash="00" * 32, receipt="{}").to_bytes()[:30]
b'{"event":"{}","previous_hash":'
"""

from typing import Final

import msgspec

from referee.evidence.canonical import CanonicalError, Form, Hex32, unhex
from referee.transcript.chain import Course, next_hash


class ReceiptedEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An event's canonical bytes as text, h_{k-1} in lowercase hex, and the receipt's envelope as text."""

    event: str
    previous_hash: Hex32
    receipt: str

    def to_bytes(self) -> bytes:
        """Encode the file: canonical JSON."""
        return _FORM.write(self)

    def event_hash(self, number: int) -> str:
        """Return the h_k in hex that the event has under this number; empty for a number above 2^32-1."""
        if number > _MOST:
            return ""
        return next_hash(unhex(self.previous_hash), number=number, event=self.event.encode()).hex()


_MOST: Final = 2**32 - 1
_FORM: Final = Form(ReceiptedEvent)


def receipted_event(course: Course, number: int, receipt: bytes) -> ReceiptedEvent:
    """Return the file of event ``number`` of a course; ``receipt`` is the envelope of its receipt."""
    event, previous = course.links[number - 1].event, course.hash_at(number - 1)
    return ReceiptedEvent(event=event.decode(), previous_hash=previous.hex(), receipt=receipt.decode())


def read_receipted_event(data: bytes) -> ReceiptedEvent | None:
    """Read the file of a receipted event; None for any other file. The receipt is not verified here."""
    try:
        receipted = _FORM.read(data)
        unhex(receipted.previous_hash)
    except CanonicalError:
        return None
    return receipted

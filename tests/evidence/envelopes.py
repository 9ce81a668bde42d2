"""Envelopes opened in one step, for tests that compare payloads."""

from referee.evidence.dsse import Envelope


def open_envelope(data: bytes, *, payload_type: str, public_key: bytes) -> bytes:
    """Return the payload that a key signed as this type; raise EnvelopeError for any other bytes."""
    envelope = Envelope.parse(data)
    envelope.verify_any(payload_type=payload_type, public_keys=[public_key])
    return envelope.payload

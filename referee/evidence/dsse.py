"""A signed envelope (DSSE v1) with exactly one text: canonical JSON with at most one signature and no key id.

::

    PAE      = "DSSEv1" SP len(type) SP type SP len(payload) SP payload             lengths in decimal, of bytes
    envelope = {"payload":base64,"payloadType":type,"signatures":[{"sig":base64}]}  base64 with padding

An unsigned envelope has an empty list of signatures. A reader checks in this order: length, form, the signature over
the payload as received, the type; only then may the payload be parsed, encoded again and compared. An envelope has at
most 65,535 bytes, its payload at most 48,000.

>>> Envelope("application/example", b"hello").to_bytes()
b'{"payload":"aGVsbG8=","payloadType":"application/example","signatures":[]}'

Source: https://github.com/secure-systems-lab/dsse, protocol.md and envelope.md, version 1.0.2.
"""

import enum
import re
from collections.abc import Iterable
from typing import Annotated, Final, NoReturn, Self

import msgspec

from referee.evidence.canonical import CanonicalError, encode_record
from referee.evidence.ed25519 import SIGNATURE_SIZE, Signer, is_signature

MAX_ENVELOPE_SIZE: Final = 65_535
MAX_PAYLOAD_SIZE: Final = 48_000

_TYPE: Final = re.compile(r"[A-Za-z0-9!#$&^_.+/:-]{1,255}")
_NOT_THE_TEXT: Final = "it is not the canonical JSON of an envelope with at most one signature"


class EnvelopeFault(enum.StrEnum):
    """Reasons to refuse an envelope."""

    TOO_LONG = "TOO_LONG"
    """More than 65,535 bytes, or a payload of more than 48,000."""
    MALFORMED = "MALFORMED"
    """Not the one text of an envelope."""
    FORGED = "FORGED"
    """Unsigned, or not signed by an expected key."""
    WRONG_TYPE = "WRONG_TYPE"
    """Correctly signed, but as another type."""


class EnvelopeError(ValueError):
    """An envelope that is refused, with its fault and a detail for people."""

    def __init__(self, fault: EnvelopeFault, detail: str) -> None:
        super().__init__(f"{fault}: {detail}")
        self.fault = fault
        self.detail = detail

    def __reduce__(self) -> tuple[type["EnvelopeError"], tuple[EnvelopeFault, str]]:
        return type(self), (self.fault, self.detail)


def pae(payload_type: str, payload: bytes) -> bytes:
    """Encode the bytes that are signed: type and payload, each after its length in decimal."""
    name = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(name), name, len(payload), payload)


class Envelope(msgspec.Struct, frozen=True):
    """A payload, its type, and its signature of 64 bytes, None where unsigned; not verified yet."""

    payload_type: str
    payload: bytes
    signature: bytes | None = None

    def __post_init__(self) -> None:
        if len(self.payload) > MAX_PAYLOAD_SIZE:
            _refuse(EnvelopeFault.TOO_LONG, f"its payload has {len(self.payload)} bytes, at most {MAX_PAYLOAD_SIZE}")
        if _TYPE.fullmatch(self.payload_type) is None:
            _refuse(EnvelopeFault.MALFORMED, f"{self.payload_type!r} is no media type")
        if self.signature is not None and len(self.signature) != SIGNATURE_SIZE:
            _refuse(EnvelopeFault.MALFORMED, f"its signature has {len(self.signature)} bytes, not {SIGNATURE_SIZE}")

    @classmethod
    def signed(cls, payload_type: str, payload: bytes, signer: Signer) -> Self:
        """Sign a payload as this type."""
        return cls(payload_type, payload, signer.sign(pae(payload_type, payload)))

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read an envelope from its one text; raise EnvelopeError (TOO_LONG, MALFORMED) for any other bytes."""
        if len(data) > MAX_ENVELOPE_SIZE:
            _refuse(EnvelopeFault.TOO_LONG, f"it has {len(data)} bytes, at most {MAX_ENVELOPE_SIZE}")
        try:
            read = _decoder.decode(data)
            is_text = encode_record(read) == data
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, CanonicalError):
            is_text = False
        if not is_text:
            _refuse(EnvelopeFault.MALFORMED, _NOT_THE_TEXT)
        return cls(read.payload_type, read.payload, read.signatures[0].sig if read.signatures else None)

    def to_bytes(self) -> bytes:
        """Encode the envelope as its one text."""
        signatures = () if self.signature is None else (_SignatureJson(self.signature),)
        return encode_record(_EnvelopeJson(self.payload, self.payload_type, signatures))

    def is_signed_by(self, public_key: bytes) -> bool:
        """Return whether the key signed this payload as this type; False where it is unsigned."""
        return self.signature is not None and is_signature(
            self.signature, pae(self.payload_type, self.payload), public_key
        )

    def verify_any(self, *, payload_type: str, public_keys: Iterable[bytes]) -> None:
        """Verify that one of the keys signed this payload as this type.

        Raise EnvelopeError otherwise: FORGED where none signed it, WRONG_TYPE where one signed it as another type.
        """
        if not any(self.is_signed_by(key) for key in public_keys):
            _refuse(EnvelopeFault.FORGED, "it is not signed by a key that may sign it")
        if self.payload_type != payload_type:
            _refuse(EnvelopeFault.WRONG_TYPE, f"it holds {self.payload_type}, not {payload_type}")


class _SignatureJson(msgspec.Struct):
    sig: bytes


class _EnvelopeJson(msgspec.Struct, forbid_unknown_fields=True):
    """The members in their order; bytes are base64 with padding."""

    payload: bytes
    payload_type: str = msgspec.field(name="payloadType")
    signatures: Annotated[tuple[_SignatureJson, ...], msgspec.Meta(max_length=1)]


_decoder: Final = msgspec.json.Decoder(_EnvelopeJson, strict=True)


def _refuse(fault: EnvelopeFault, detail: str) -> NoReturn:
    raise EnvelopeError(fault, detail)

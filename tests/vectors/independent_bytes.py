"""The evidence a third time, from ``README.md`` beside this file alone: hashlib, hmac, json and PyNaCl, nothing else.

Encoding, canonical JSON, HKDF, Ed25519, envelopes and Merkle trees, as short as they can be said.
"""

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn

from nacl.bindings import crypto_core_ed25519_is_valid_point, crypto_sign_open
from nacl.exceptions import BadSignatureError

LARGEST = 2**53 - 1
GROUP_ORDER = 2**252 + 27742317777372353535851937790883648493
DEEPEST = 254


class RefusedError(ValueError):
    """What was read is refused; the first argument is the code."""


def refuse(code: str) -> NoReturn:
    raise RefusedError(code)


def uint(value: int, bits: int) -> bytes:
    if not 0 <= value < 1 << bits:
        refuse("RANGE")
    return value.to_bytes(bits // 8, "big")


def text_field(value: str) -> bytes:
    if any(not " " <= letter <= "~" for letter in value):
        refuse("TEXT")
    return value.encode()


def enc(tag: str, *fields: bytes) -> bytes:
    name = b"referee/v1/" + text_field(tag)
    return b"".join(
        [uint(len(name), 8), name, uint(len(fields), 8), *[uint(len(field), 32) + field for field in fields]]
    )


def th(tag: str, *fields: bytes) -> bytes:
    return hashlib.sha256(enc(tag, *fields)).digest()


def hkdf(ikm: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    if not 1 <= length <= 255 * 32:
        refuse("LENGTH")
    key = hmac.new(salt or bytes(32), ikm, hashlib.sha256).digest()
    out = block = b""
    while len(out) < length:
        block = hmac.new(key, block + info + bytes([len(out) // 32 + 1]), hashlib.sha256).digest()
        out += block
    return out[:length]


def write_json(value: Any) -> bytes:  # noqa: ANN401 - whatever JSON holds
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def read_json(data: bytes) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Parse canonical JSON."""
    try:
        value = json.loads(data.decode("ascii"), parse_float=_no_float, parse_constant=_no_float)
        _check_value(value, DEEPEST)
        again = write_json(value)
    except RefusedError:
        raise
    except (ValueError, RecursionError):
        refuse("NOT_CANONICAL")
    if again != data:
        refuse("NOT_CANONICAL")
    return value


def _no_float(_: str) -> NoReturn:
    refuse("NOT_CANONICAL")


def _check_value(value: object, depth: int) -> None:
    if depth == 0 and isinstance(value, dict | list):
        refuse("NOT_CANONICAL")
    if isinstance(value, dict):
        for name, member in value.items():
            _check_value(name, depth)
            _check_value(member, depth - 1)
    elif isinstance(value, list):
        for member in value:
            _check_value(member, depth - 1)
    elif isinstance(value, str):
        if any(not " " <= letter <= "~" for letter in value):
            refuse("NOT_CANONICAL")
    elif isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST:
        refuse("NOT_CANONICAL")


def unhex(text: object, size: int = 32) -> bytes:
    if not isinstance(text, str) or re.fullmatch(f"[0-9a-f]{{{2 * size}}}", text) is None:
        refuse("HEX")
    return bytes.fromhex(text)


def unbase64(text: object) -> bytes:
    """Decode canonical base64."""
    if not isinstance(text, str):
        refuse("BASE64")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        refuse("BASE64")
    if base64.b64encode(data).decode() != text:
        refuse("BASE64")
    return data


def is_sound_key(key: bytes) -> bool:
    return len(key) == 32 and crypto_core_ed25519_is_valid_point(key)


def holds(signature: bytes, message: bytes, key: bytes) -> bool:
    if len(signature) != 64 or len(key) != 32:
        return False
    try:
        crypto_sign_open(signature + message, key)
    except BadSignatureError:
        return False
    return True


def pae(kind: str, payload: bytes) -> bytes:
    return b" ".join([b"DSSEv1", b"%d" % len(kind), kind.encode(), b"%d" % len(payload), payload])


class Envelope(NamedTuple):
    """What an envelope's text says; ``signature`` is empty where it is unsigned."""

    kind: str
    payload: bytes
    signature: bytes

    def is_by(self, key: bytes) -> bool:
        """Whether the key signed this payload as this type."""
        return holds(self.signature, pae(self.kind, self.payload), key)


def media_type(name: str) -> str:
    return f"application/vnd.referee.{name}.v1+json"


_ENVELOPE = re.compile(
    rb'\{"payload":"([A-Za-z0-9+/]*={0,2})","payloadType":"([A-Za-z0-9!#$&^_.+/:-]{1,255})",'
    rb'"signatures":\[(?:\{"sig":"([A-Za-z0-9+/]*={0,2})"\})?\]\}'
)


def read_envelope(data: bytes) -> Envelope:
    if len(data) > 65_535:
        refuse("TOO_LONG")
    match = _ENVELOPE.fullmatch(data)
    if match is None:
        refuse("MALFORMED")
    try:
        signature = b"" if match[3] is None else unbase64(match[3].decode())
    except RefusedError:
        refuse("SIGNATURE_LENGTH")
    try:
        payload = unbase64(match[1].decode())
    except RefusedError:
        refuse("MALFORMED")
    if len(payload) > 48_000:
        refuse("TOO_LONG")
    if match[3] is not None and len(signature) != 64:
        refuse("SIGNATURE_LENGTH")
    return Envelope(match[2].decode(), payload, signature)


def open_envelope(data: bytes, kind: str, keys: Sequence[bytes]) -> bytes:
    """Return the payload of an envelope that one of the keys signed as this type."""
    try:
        envelope = read_envelope(data)
    except RefusedError as error:
        refuse("TOO_LONG" if error.args[0] == "TOO_LONG" else "MALFORMED")
    if not any(envelope.is_by(key) for key in keys):
        refuse("FORGED")
    if envelope.kind != kind:
        refuse("WRONG_TYPE")
    return envelope.payload


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:
    """Return the largest power of two below a size."""
    return 1 << (size - 1).bit_length() - 1


def tree_root(hashes: Sequence[bytes]) -> bytes:
    if len(hashes) < 2:
        return hashes[0] if hashes else hashlib.sha256(b"").digest()
    k = _split(len(hashes))
    return node_hash(tree_root(hashes[:k]), tree_root(hashes[k:]))


def inclusion_root(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """Compute the root of an inclusion proof by the recursion that made it: its last hash is the other half's."""
    if not 0 <= index < size or any(len(node) != 32 for node in (leaf, *proof)):
        refuse("PROOF")
    if size == 1:
        if proof:
            refuse("PROOF")
        return leaf
    if not proof:
        refuse("PROOF")
    k = _split(size)
    if index < k:
        return node_hash(inclusion_root(leaf, index, k, proof[:-1]), proof[-1])
    return node_hash(proof[-1], inclusion_root(leaf, index - k, size - k, proof[:-1]))


def consistency_roots(old: int, new: int, old_root: bytes, proof: Sequence[bytes]) -> tuple[bytes, bytes]:
    """Compute the old and the new root of a consistency proof by RFC 6962's recursion."""
    return _subproof(old, new, proof, old_root=old_root, is_whole=True)


def _subproof(old: int, new: int, proof: Sequence[bytes], *, old_root: bytes, is_whole: bool) -> tuple[bytes, bytes]:
    if old == new:
        if is_whole:
            if proof:
                refuse("PROOF")
            return old_root, old_root
        if len(proof) != 1:
            refuse("PROOF")
        return proof[0], proof[0]
    if not proof:
        refuse("PROOF")
    k, last = _split(new), proof[-1]
    if old <= k:
        first, second = _subproof(old, k, proof[:-1], old_root=old_root, is_whole=is_whole)
        return first, node_hash(second, last)
    first, second = _subproof(old - k, new - k, proof[:-1], old_root=old_root, is_whole=False)
    return node_hash(last, first), node_hash(last, second)


def check_consistency(row: dict[str, Any]) -> None:
    """Nothing where a row's proof holds."""
    old, new = row["old_size"], row["new_size"]
    old_root, new_root = unhex(row["old_root"]), unhex(row["new_root"])
    proof = [unhex(node) for node in row["proof"]]
    if not 0 <= old <= new:
        refuse("PROOF")
    if old == 0:
        if proof or old_root != tree_root([]):
            refuse("PROOF")
        return
    if consistency_roots(old, new, old_root, proof) != (old_root, new_root):
        refuse("PROOF")

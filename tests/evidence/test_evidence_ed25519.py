"""Ed25519: everything that must not pass, with points of small and mixed order computed in plain integers.

The vectors of RFC 8032 are in ``tests/vectors/evidence/ed25519_signatures.jsonl``.
"""

import hashlib
import itertools

import pytest
from nacl.signing import SigningKey

from referee.evidence.ed25519 import PublicKeyError, check_public_key, is_public_key, is_signature
from tests.vectors.written_curve import BASE, D, L, P, Point, add, decode, encode, times

IDENTITY: Point = (0, 1)
SECRET = SigningKey(bytes(32))
PUBLIC, MESSAGE = bytes(SECRET.verify_key), b"a message"
SIGNATURE = SECRET.sign(MESSAGE).signature


def roots(y: int) -> list[int]:
    """Return the x of each point with this y."""
    x, _ = decode(y.to_bytes(32, "little"))
    is_on_curve = (y * y - x * x - 1 - D * x * x * y * y) % P == 0
    return sorted({x, -x % P}) if is_on_curve else []


def encodings(point: Point) -> set[bytes]:
    """Return the 32-byte strings that a lax decoder accepts for a point: y or y + p, and either sign if x is zero."""
    x, y = point
    signs = {0, 1} if x == 0 else {x & 1}
    return {(high | sign << 255).to_bytes(32, "little") for high in (y, y + P) if high < 2**255 for sign in signs}


def torsion() -> list[Point]:
    """Return the eight points whose order divides eight."""
    for y in itertools.count(2):
        for x in roots(y):
            point = times(L, (x, y))
            if times(4, point) != IDENTITY:
                return [times(k, point) for k in range(8)]
    raise AssertionError


TORSION = torsion()
SMALL_ORDER = sorted(itertools.chain.from_iterable(encodings(point) for point in TORSION))


def test_the_arithmetic_here_is_that_of_the_curve():
    assert times(L, BASE) == IDENTITY
    assert encode(BASE).hex() == "58" + "66" * 31
    assert len(set(TORSION)) == 8
    assert {times(8, point) for point in TORSION} == {IDENTITY}
    assert len(SMALL_ORDER) == 14  # eight points, and the other texts of those with x = 0, y = 0 or y = 1


def test_every_changed_bit_is_refused():
    for bit in range(512):
        changed = bytearray(SIGNATURE)
        changed[bit // 8] ^= 1 << bit % 8
        assert not is_signature(bytes(changed), MESSAGE, PUBLIC)
    for bit in range(256):
        changed = bytearray(PUBLIC)
        changed[bit // 8] ^= 1 << bit % 8
        assert not is_signature(SIGNATURE, MESSAGE, bytes(changed))
    assert not is_signature(SIGNATURE, MESSAGE + b"\x00", PUBLIC)


@pytest.mark.parametrize("size", [0, 1, 63, 65, 128])
def test_signatures_of_another_length_are_refused(size: int):
    assert not is_signature((SIGNATURE * 2)[:size], MESSAGE, PUBLIC)
    # A longer "signature" must not take its last bytes for the start of the message.
    assert not is_signature(SIGNATURE + MESSAGE, b"", PUBLIC)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_keys_of_another_length_are_refused(size: int):
    assert not is_signature(bytes(64), b"", bytes(size))
    assert not is_public_key(bytes(size))


@pytest.mark.parametrize("multiple", range(1, 8))
def test_a_signature_whose_s_is_not_reduced_is_refused(multiple: int):
    """S + L verifies for a lax reader, so a signature could be changed without its key."""
    s = int.from_bytes(SIGNATURE[32:], "little") + multiple * L
    assert not is_signature(SIGNATURE[:32] + s.to_bytes(32, "little"), MESSAGE, PUBLIC)


@pytest.mark.parametrize("key", SMALL_ORDER, ids=bytes.hex)
def test_a_key_of_small_order_is_refused_and_signs_nothing(key: bytes):
    """Under the identity point (R = identity, S = 0) would be a signature of every message."""
    assert not is_public_key(key)
    with pytest.raises(PublicKeyError):
        check_public_key(key)
    for r in SMALL_ORDER:
        assert not is_signature(r + bytes(32), b"any message", key)


@pytest.mark.parametrize("r", SMALL_ORDER, ids=bytes.hex)
def test_a_signature_whose_r_has_small_order_is_refused(r: bytes):
    """Such a signature satisfies the equation that is multiplied by the cofactor: 8 S B = 8 R + 8 k A."""
    secret = hashlib.sha512(bytes(32)).digest()
    a = (int.from_bytes(secret[:32], "little") & ((1 << 254) - 8)) | 1 << 254
    public = encode(times(a, BASE))
    assert public == SigningKey(bytes(32)).verify_key.encode()
    k = int.from_bytes(hashlib.sha512(r + public + b"message").digest(), "little") % L
    assert not is_signature(r + (k * a % L).to_bytes(32, "little"), b"message", public)


def test_only_keys_of_the_prime_order_group_are_sound():
    """The multiples of the base point are; with any torsion added they are not."""
    for k in (1, 2, 3, 8, L - 1, 0x123456789):
        point = times(k, BASE)
        assert is_public_key(encode(point))
        for twist in TORSION[1:]:
            assert not is_public_key(encode(add(point, twist)))


def test_keys_off_the_curve_or_not_reduced_are_refused():
    off_curve = [y for y in range(2, 40) if not roots(y)]
    assert off_curve
    for y in off_curve:
        assert not is_public_key(y.to_bytes(32, "little"))
    for y in range(2, 19):  # y + p still fits 255 bits
        for sign in (0, 1):
            assert not is_public_key((y + P | sign << 255).to_bytes(32, "little"))

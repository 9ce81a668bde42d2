"""Ed25519: the vectors of RFC 8032, and everything that must not pass.

The tests implement the curve's arithmetic again in plain integers, so that they compute the points of small and mixed
order instead of copying them from a list.
"""

import hashlib
import itertools

import pytest
from nacl.signing import SigningKey

from referee.evidence.ed25519 import PublicKeyError, check_public_key, is_public_key, is_signature

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
Point = tuple[int, int]
IDENTITY: Point = (0, 1)

RFC_8032 = {
    "TEST 1": (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
            "d25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    "TEST 2": (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
            "387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
    "TEST 3": (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        (
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
            "4a7c15e9716ed28dc027beceea1ec40a"
        ),
    ),
}


def added(a: Point, b: Point) -> Point:
    product = D * a[0] * b[0] * a[1] * b[1] % P
    x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + product, -1, P)
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, -1, P)
    return x % P, y % P


def times(k: int, point: Point) -> Point:
    total = IDENTITY
    while k:
        if k & 1:
            total = added(total, point)
        point = added(point, point)
        k >>= 1
    return total


def roots(y: int) -> list[int]:
    """Return the x of each point with this y."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    return sorted({x, -x % P}) if x * x % P == square else []


def encodings(point: Point) -> set[bytes]:
    """Return the 32-byte strings that a lax decoder accepts for a point: y or y + p, and either sign if x is zero."""
    x, y = point
    signs = {0, 1} if x == 0 else {x & 1}
    return {(high | sign << 255).to_bytes(32, "little") for high in (y, y + P) if high < 2**255 for sign in signs}


def canonical_encoding(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def torsion() -> list[Point]:
    """Return the eight points whose order divides eight."""
    for y in itertools.count(2):
        for x in roots(y):
            point = times(L, (x, y))
            if times(4, point) != IDENTITY:
                return [times(k, point) for k in range(8)]
    raise AssertionError


TORSION = torsion()
BASE: Point = (next(x for x in roots(4 * pow(5, -1, P) % P) if x % 2 == 0), 4 * pow(5, -1, P) % P)
SMALL_ORDER = sorted(itertools.chain.from_iterable(encodings(point) for point in TORSION))


def test_the_arithmetic_here_is_that_of_the_curve():
    assert times(L, BASE) == IDENTITY
    assert canonical_encoding(BASE).hex() == "58" + "66" * 31
    assert len(set(TORSION)) == 8
    assert {times(8, point) for point in TORSION} == {IDENTITY}
    assert len(SMALL_ORDER) == 14  # eight points, and the other texts of those with x = 0, y = 0 or y = 1


@pytest.mark.parametrize("name", RFC_8032)
def test_rfc_8032_vector(name: str):
    secret, public, message, signature = (bytes.fromhex(part) for part in RFC_8032[name])
    assert SigningKey(secret).verify_key.encode() == public
    assert is_public_key(public)
    assert is_signature(signature, message, public)


def test_every_changed_bit_is_refused():
    _, public, message, signature = (bytes.fromhex(part) for part in RFC_8032["TEST 3"])
    for bit in range(512):
        changed = bytearray(signature)
        changed[bit // 8] ^= 1 << bit % 8
        assert not is_signature(bytes(changed), message, public)
    for bit in range(256):
        changed = bytearray(public)
        changed[bit // 8] ^= 1 << bit % 8
        assert not is_signature(signature, message, bytes(changed))
    assert not is_signature(signature, message + b"\x00", public)


@pytest.mark.parametrize("size", [0, 1, 63, 65, 128])
def test_signatures_of_another_length_are_refused(size: int):
    _, public, message, signature = (bytes.fromhex(part) for part in RFC_8032["TEST 2"])
    assert not is_signature((signature * 2)[:size], message, public)
    # A longer "signature" must not take its last bytes for the start of the message.
    assert not is_signature(signature + message, b"", public)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_keys_of_another_length_are_refused(size: int):
    assert not is_signature(bytes(64), b"", bytes(size))
    assert not is_public_key(bytes(size))


@pytest.mark.parametrize("multiple", range(1, 8))
def test_a_signature_whose_s_is_not_reduced_is_refused(multiple: int):
    """S + L verifies for a lax reader, so a signature could be changed without its key."""
    _, public, message, signature = (bytes.fromhex(part) for part in RFC_8032["TEST 3"])
    s = int.from_bytes(signature[32:], "little") + multiple * L
    assert not is_signature(signature[:32] + s.to_bytes(32, "little"), message, public)


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
    public = canonical_encoding(times(a, BASE))
    assert public == SigningKey(bytes(32)).verify_key.encode()
    k = int.from_bytes(hashlib.sha512(r + public + b"message").digest(), "little") % L
    assert not is_signature(r + (k * a % L).to_bytes(32, "little"), b"message", public)


def test_only_keys_of_the_prime_order_group_are_sound():
    """The multiples of the base point are; with any torsion added they are not."""
    for k in (1, 2, 3, 8, L - 1, 0x123456789):
        point = times(k, BASE)
        assert is_public_key(canonical_encoding(point))
        for twist in TORSION[1:]:
            assert not is_public_key(canonical_encoding(added(point, twist)))


def test_keys_off_the_curve_or_not_reduced_are_refused():
    off_curve = [y for y in range(2, 40) if not roots(y)]
    assert off_curve
    for y in off_curve:
        assert not is_public_key(y.to_bytes(32, "little"))
    for y in range(2, 19):  # y + p still fits 255 bits
        for sign in (0, 1):
            assert not is_public_key((y + P | sign << 255).to_bytes(32, "little"))

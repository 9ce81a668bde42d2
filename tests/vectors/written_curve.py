"""The curve of Ed25519 (RFC 8032, section 5.1), for keys and signatures that no library would make."""

import hashlib
from functools import cache

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
Point = tuple[int, int]
BASE: Point = (15112221349535400772501151409588531511454012693041857206046113283949847762202, 4 * pow(5, P - 2, P) % P)


def add(one: Point, other: Point) -> Point:
    (x1, y1), (x2, y2) = one, other
    k = D * x1 * x2 * y1 * y2 % P
    inverse = pow(1 - k * k, -1, P)
    return (x1 * y2 + x2 * y1) * (1 - k) * inverse % P, (y1 * y2 + x1 * x2) * (1 + k) * inverse % P


def times(scalar: int, point: Point) -> Point:
    out: Point = (0, 1)
    while scalar:
        if scalar & 1:
            out = add(out, point)
        point, scalar = add(point, point), scalar >> 1
    return out


def encode(point: Point) -> bytes:
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def decode(data: bytes) -> Point:
    whole = int.from_bytes(data, "little")
    y, odd = whole & (1 << 255) - 1, whole >> 255
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (x if x & 1 == odd else P - x), y


def secret(seed: bytes) -> tuple[int, bytes]:
    """Expand a private key into its scalar and the prefix of its nonces."""
    hashed = hashlib.sha512(seed).digest()
    return int.from_bytes(hashed[:32], "little") & (1 << 254) - 8 | 1 << 254, hashed[32:]


@cache
def public(seed: bytes) -> bytes:
    return encode(times(secret(seed)[0], BASE))


def sign(seed: bytes, message: bytes) -> bytes:
    scalar, prefix = secret(seed)
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    start = encode(times(r, BASE))
    k = int.from_bytes(hashlib.sha512(start + public(seed) + message).digest(), "little") % L
    return start + ((r + k * scalar) % L).to_bytes(32, "little")

"""The dealing protocol a second time, written from its definition with other libraries and without this project.

It is slow and plain: HKDF and Ed25519 by ``cryptography``,
XChaCha20-Poly1305 by HChaCha20 over the ChaCha20-Poly1305 of ``cryptography``, JSON and base64 by the standard library.
Below it are the keys and the terms of the vectors.
"""

import base64
import hashlib
import json
import struct
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

Row = dict[str, Any]

HEADER_ORDER = (
    ("protocol", 1),
    ("origin", str),
    ("randomness_suite", 1),
    ("table_id", str),
    ("round_number", 8),
    ("ruleset_id", str),
    ("ruleset_version", str),
    ("ruleset_digest", bytes),
    ("layout", "sizes"),
    ("currency", str),
    ("stake", 8),
    ("seat_stakes", "stakes"),
    ("seat_keys", "keys"),
    ("previous_leaf", bytes),
    ("deal_deadline", 8),
    ("round_deadline", 8),
)


def number(value: int, size: int) -> bytes:
    return value.to_bytes(size, "big")


def enc(tag: str, *fields: bytes) -> bytes:
    name = ("referee/v1/" + tag).encode()
    out = struct.pack("B", len(name)) + name + struct.pack("B", len(fields))
    for field in fields:
        out += struct.pack(">I", len(field)) + field
    return out


def tagged(tag: str, *fields: bytes) -> bytes:
    return hashlib.sha256(enc(tag, *fields)).digest()


def hkdf(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt or None, info=info).derive(secret)


def section_root(rid: bytes, index: int, cards: list[int], key: bytes) -> bytes:
    return tagged("section", rid, number(index, 1), bytes(cards), key)


def round_id(header: Row) -> bytes:
    """From the header's JSON form."""
    fields = []
    for name, kind in HEADER_ORDER:
        value = header[name]
        if kind is str:
            fields.append(value.encode("ascii"))
        elif kind is bytes:
            fields.append(bytes.fromhex(value))
        elif kind == "sizes":
            fields.append(bytes(value))
        elif kind == "stakes":
            fields.append(b"".join(number(ante, 8) + number(trips, 8) for ante, trips in value))
        elif kind == "keys":
            fields.append(b"".join(bytes.fromhex(key) for key in value))
        else:
            assert isinstance(kind, int)
            fields.append(number(value, kind))
    return tagged("round", *fields)


def draw(stream: Iterator[int], n: int) -> int:
    limit = 256 - (256 % n)
    while True:
        byte = next(stream)
        if byte < limit:
            return byte % n


def shuffled(stream: bytes) -> list[int] | None:
    """Card numbers in the order dealt; None where the stream is used up."""
    deck = [k + 1 for k in range(52)]
    rest = iter(stream)
    try:
        for i in reversed(range(1, 52)):
            j = draw(rest, i + 1)
            deck[i], deck[j] = deck[j], deck[i]
    except StopIteration:
        return None
    return deck


def deck_of_seed(seed: bytes) -> list[int]:
    """Return the card numbers in the order that a seed of suite 250 encodes: digits of mixed radix 52, 51 .. 2."""
    deck = [k + 1 for k in range(52)]
    weight = 1
    for n in range(52, 1, -1):
        j = int.from_bytes(seed, "big") // weight % n
        deck[n - 1], deck[j] = deck[j], deck[n - 1]
        weight *= n
    return deck


def derive(header: Row, server_seed: bytes, client_seeds: list[bytes]) -> Row:
    rid = round_id(header)
    commitment = tagged("server-commit", rid, server_seed)
    mix = tagged("mix", rid, commitment, b"", *client_seeds)
    is_scripted = header["randomness_suite"] == 250
    deck = deck_of_seed(server_seed) if is_scripted else shuffled(hkdf(server_seed, mix, enc("deck", rid), 128))
    assert deck is not None
    sections: list[Row] = []
    start = 0
    for i, size in enumerate(header["layout"]):
        cards = deck[start : start + size]
        start += size
        key = hkdf(server_seed, mix, enc("section-key", rid, number(i, 1)), 32)
        sections.append({"index": i, "cards": cards, "key": key, "root": section_root(rid, i, cards, key)})
    seats = len(header["seat_keys"])
    drawn = draw(iter(hkdf(server_seed, commitment if is_scripted else mix, enc("leader", rid), 32)), seats)
    dealt = {card: seat for seat in range(seats) for card in sections[seat]["cards"]}
    lowest = next(dealt[card] for card in [*range(5, 53), 1, 2, 3, 4] if card in dealt)
    roots = [section["root"] for section in sections]
    return {
        "round_id": rid,
        "server_commitment": commitment,
        "mix": mix,
        "deck": deck,
        "sections": sections,
        "roots": roots,
        "deck_root": tagged("deck-root", rid, commitment, mix, bytes(header["layout"]), *roots),
        "drawn": drawn,
        "lowest": lowest,
    }


def canonical(value: Any) -> bytes:  # noqa: ANN401 - whatever JSON holds
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def pae(payload_type: str, payload: bytes) -> bytes:
    return b" ".join(
        [b"DSSEv1", str(len(payload_type)).encode(), payload_type.encode(), str(len(payload)).encode(), payload]
    )


def sign(signing_seed: bytes, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(signing_seed).sign(message)


def envelope(payload_type: str, payload: bytes, signing_seed: bytes | None) -> bytes:
    signatures = []
    if signing_seed is not None:
        signature = sign(signing_seed, pae(payload_type, payload))
        signatures = [{"sig": base64.b64encode(signature).decode()}]
    return canonical(
        {"payload": base64.b64encode(payload).decode(), "payloadType": payload_type, "signatures": signatures}
    )


def public_key(signing_seed: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(signing_seed).public_key().public_bytes_raw()


CERTIFICATE_TYPE = "application/vnd.referee.certificate.v1+json"


def certificate_payload(header: Row, dealt: Row, sections: list[int], dealt_time: int) -> Row:
    return {
        "round_id": dealt["round_id"].hex(),
        "server_commitment": dealt["server_commitment"].hex(),
        "mix": dealt["mix"].hex(),
        "deck_root": dealt["deck_root"].hex(),
        "dealt_time": dealt_time,
        "expires_time": header["round_deadline"],
        "section_roots": [root.hex() for root in dealt["roots"]],
        "sections": [
            {"index": i, "cards": dealt["sections"][i]["cards"], "key": dealt["sections"][i]["key"].hex()}
            for i in sections
        ],
    }


def hchacha20(key: bytes, nonce: bytes) -> bytes:
    """draft-irtf-cfrg-xchacha-03, section 2.2."""
    state = list(struct.unpack("<16I", b"expand 32-byte k" + key + nonce))

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for x, y, z, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[x] = (state[x] + state[y]) & 0xFFFFFFFF
            mixed = state[z] ^ state[x]
            state[z] = ((mixed << turn) | (mixed >> (32 - turn))) & 0xFFFFFFFF

    for _ in range(10):
        for column in range(4):
            quarter(column, column + 4, column + 8, column + 12)
        for diagonal in range(4):
            quarter(diagonal, (diagonal + 1) % 4 + 4, (diagonal + 2) % 4 + 8, (diagonal + 3) % 4 + 12)
    return struct.pack("<8I", *state[:4], *state[12:])


def sealed(seed: bytes, sealing_key: bytes, rid: bytes, commitment: bytes, nonce: bytes) -> bytes:
    subkey = hchacha20(hkdf(sealing_key, b"", enc("seal", rid), 32), nonce[:16])
    return nonce + ChaCha20Poly1305(subkey).encrypt(bytes(4) + nonce[16:], seed, rid + commitment)


NO_KEY = "00" * 32
SHUFFLER = hashlib.sha256(b"a shuffler's key for tests").digest()
STRANGER = hashlib.sha256(b"a stranger's key for tests").digest()


def header_of(**changes: Any) -> Row:  # noqa: ANN401 - any member
    return {
        "protocol": 1,
        "origin": "log.example/tables",
        "randomness_suite": 1,
        "table_id": "table-7",
        "round_number": 1,
        "ruleset_id": "mau_binh.maubinh_com",
        "ruleset_version": "1.0.0",
        "ruleset_digest": hashlib.sha256(b"a ruleset").hexdigest(),
        "layout": [13, 13, 13, 13],
        "currency": "VND",
        "stake": 10_000,
        "seat_stakes": [],
        "seat_keys": [NO_KEY] * 4,
        "previous_leaf": "00" * 32,
        "deal_deadline": 1_800_000_020_000,
        "round_deadline": 1_800_000_900_000,
        **changes,
    }

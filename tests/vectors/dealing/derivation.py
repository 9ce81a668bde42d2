"""The dealing protocol a second time, written from its definition with other libraries and without this project.

It is slow and plain: HKDF and Ed25519 by ``cryptography``, the Merkle tree by the recursion that RFC 6962 defines,
XChaCha20-Poly1305 by HChaCha20 over the ChaCha20-Poly1305 of ``cryptography``, JSON and base64 by the standard library.
Run as a script it writes the vectors beside it; a test compares what it would write with what stands there.
"""

import base64
import hashlib
import json
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

Row = dict[str, Any]

PROTOCOL_SOURCE = "the dealing protocol of this project, computed by derivation.py"
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


def tree_root(leaves: list[bytes]) -> bytes:
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    return hashlib.sha256(b"\x01" + tree_root(leaves[:k]) + tree_root(leaves[k:])).digest()


def tree_path(leaves: list[bytes], index: int) -> list[bytes]:
    if len(leaves) == 1:
        return []
    k = 1
    while 2 * k < len(leaves):
        k *= 2
    if index < k:
        return [*tree_path(leaves[:k], index), tree_root(leaves[k:])]
    return [*tree_path(leaves[k:], index - k), tree_root(leaves[:k])]


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


def derive(header: Row, server_seed: bytes, client_seeds: list[bytes]) -> Row:
    rid = round_id(header)
    commitment = tagged("server-commit", rid, server_seed)
    mix = tagged("mix", rid, commitment, b"", *client_seeds)
    deck = shuffled(hkdf(server_seed, mix, enc("deck", rid), 128))
    assert deck is not None
    sections: list[Row] = []
    start = 0
    for i, size in enumerate(header["layout"]):
        cards = deck[start : start + size]
        start += size
        key = hkdf(server_seed, mix, enc("section", rid, number(i, 1)), 32)
        salts = hkdf(key, b"", enc("salt", rid, number(i, 1)), 32 * size)
        leaves = [
            tagged("card", rid, number(i, 1), number(k, 1), number(card, 1), salts[32 * k : 32 * k + 32])
            for k, card in enumerate(cards)
        ]
        sections.append(
            {"index": i, "cards": cards, "key": key, "salts": salts, "leaves": leaves, "root": tree_root(leaves)}
        )
    leader = draw(iter(hkdf(mix, b"", enc("leader", rid), 32)), len(header["seat_keys"]))
    roots = [section["root"] for section in sections]
    return {
        "round_id": rid,
        "server_commitment": commitment,
        "mix": mix,
        "deck": deck,
        "sections": sections,
        "roots": roots,
        "deck_root": tagged("deck-root", rid, commitment, mix, bytes(header["layout"]), *roots),
        "leader": leader,
    }


def canonical(value: Any) -> bytes:  # noqa: ANN401 - whatever JSON holds
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def pae(payload_type: str, payload: bytes) -> bytes:
    return b" ".join(
        [b"DSSEv1", str(len(payload_type)).encode(), payload_type.encode(), str(len(payload)).encode(), payload]
    )


def envelope(payload_type: str, payload: bytes, signing_seed: bytes | None) -> bytes:
    signatures = []
    if signing_seed is not None:
        signature = Ed25519PrivateKey.from_private_bytes(signing_seed).sign(pae(payload_type, payload))
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


# --- vectors -----------------------------------------------------------------------------------------------------

KEYS = [public_key(hashlib.sha256(b"seat key %d" % seat).digest()).hex() for seat in range(6)]
NO_KEY = "00" * 32
SHUFFLER = hashlib.sha256(b"a shuffler's key for tests").digest()
STRANGER = hashlib.sha256(b"a stranger's key for tests").digest()
DEALT_TIME = 1_800_000_005_000


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


PREVIOUS = hashlib.sha256(b"the leaf before").hexdigest()
HEADERS: dict[str, tuple[str, Row]] = {
    "mau_binh_four": ("four seats take the whole deck, so there is no stock", header_of()),
    "mau_binh_two": (
        "two seats leave a stock of 26",
        header_of(layout=[13, 13, 26], seat_keys=[NO_KEY] * 2, ruleset_id="mau_binh.classic", table_id="A.b_c-9"),
    ),
    "mau_binh_three": (
        "three seats and a stock of 13: the layout of four seats, under another id",
        header_of(seat_keys=[NO_KEY] * 3, ruleset_id="mau_binh.chi_2020", stake=1),
    ),
    "tien_len_four": (
        "every seat has a key; a later round names the leaf that ended the one before",
        header_of(
            ruleset_id="tien_len.mien_nam", seat_keys=KEYS[:4], round_number=2, previous_leaf=PREVIOUS, currency="CHIP"
        ),
    ),
    "tien_len_three": (
        "three seats: bytes 255 are thrown away when the leader is drawn",
        header_of(ruleset_id="tien_len.mien_nam", seat_keys=[KEYS[0], NO_KEY, KEYS[2]]),
    ),
    "ultimate_texas_one": (
        "one seat against the house: a stock of 43",
        header_of(
            ruleset_id="ultimate_texas.casino",
            layout=[2, 2, 3, 2, 43],
            seat_keys=[NO_KEY],
            stake=2,
            seat_stakes=[[200, 0]],
        ),
    ),
    "ultimate_texas_six": (
        "six seats with stakes of their own, one of them the largest amount there is",
        header_of(
            ruleset_id="ultimate_texas.two_plus_three",
            layout=[2, 2, 2, 2, 2, 2, 2, 3, 2, 33],
            seat_keys=KEYS,
            stake=2,
            seat_stakes=[[2, 0], [4, 1], [6, 5], [200, 100], [2, 2**53 - 1], [1000, 7]],
            round_number=2**53 - 1,
            previous_leaf=PREVIOUS,
        ),
    ),
    "fixture_suite": ("a scripted deal for tests names its own suite", header_of(randomness_suite=250)),
}


def seeds_of(name: str, header: Row) -> tuple[bytes, list[bytes]]:
    server = hashlib.sha256(f"server seed of {name}".encode()).digest()
    clients = [hashlib.sha256(f"seed of seat {i} of {name}".encode()).digest() for i in range(len(header["seat_keys"]))]
    return server, clients


def row(id_: str, why: str, **members: Any) -> Row:  # noqa: ANN401 - any member
    return {"id": id_, "why": why, "source": PROTOCOL_SOURCE, **members}


def header_rows() -> Iterator[Row]:
    for name, (why, header) in HEADERS.items():
        yield row(name, why, header=header, round_id=round_id(header).hex())


def deal_rows() -> Iterator[Row]:
    for name, (why, header) in HEADERS.items():
        server, clients = seeds_of(name, header)
        dealt = derive(header, server, clients)
        yield row(
            name,
            why,
            header=header,
            server_seed=server.hex(),
            client_seeds=[seed.hex() for seed in clients],
            server_commitment=dealt["server_commitment"].hex(),
            client_commitments=[
                tagged("client-commit", dealt["round_id"], number(i, 1), seed).hex() for i, seed in enumerate(clients)
            ],
            mix=dealt["mix"].hex(),
            deck=dealt["deck"],
            leader=dealt["leader"],
            sections=[
                {
                    "cards": section["cards"],
                    "key": section["key"].hex(),
                    "salts": section["salts"].hex(),
                    "root": section["root"].hex(),
                }
                for section in dealt["sections"]
            ],
            deck_root=dealt["deck_root"].hex(),
        )


def shuffle_rows() -> Iterator[Row]:
    streams = {
        "zeros": ("the smallest byte every time, which always counts", bytes(128)),
        "rising": ("bytes in order", bytes(range(128))),
        "rejects_first": ("208 = 4*52 is the first byte that does not count for 52 cards, 207 the last that does",
                          bytes([208, 255, 207]) + bytes(125)),
        "exactly_enough": ("51 bytes that count are enough", bytes(51)),
        "one_short": ("50 bytes that count are one too few: void", bytes(50)),
        "all_rejected": ("255 counts only where the number of cards divides 256: the first draw never ends, void",
                         b"\xff" * 128),
        "last_byte": ("the last byte of the stream is still taken", b"\xff" * 77 + bytes(51)),
        "last_byte_gone": ("one more rejected byte and the stream is used up: void", b"\xff" * 78 + bytes(50)),
    }  # fmt: skip
    for name, (why, stream) in streams.items():
        yield row(name, why, stream=stream.hex(), deck=shuffled(stream) or [])


def proof_rows() -> Iterator[Row]:
    for name in ("mau_binh_four", "ultimate_texas_one"):
        header = HEADERS[name][1]
        dealt = derive(header, *seeds_of(name, header))
        for section, places in ((0, (0, 1)), (3, (1,)), (len(header["layout"]) - 1, (0, 12))):
            for place in places:
                if place >= header["layout"][section]:
                    continue
                held = dealt["sections"][section]
                yield row(
                    f"{name}.{section}.{place}",
                    "one card opens with its salt and a path from its leaf upwards",
                    round_id=dealt["round_id"].hex(),
                    section=section,
                    place=place,
                    size=header["layout"][section],
                    card=held["cards"][place],
                    salt=held["salts"][32 * place : 32 * place + 32].hex(),
                    path=[node.hex() for node in tree_path(held["leaves"], place)],
                    root=held["root"].hex(),
                )


def certificate_rows() -> Iterator[Row]:
    cases = {
        "mau_binh_four": ("all hands under one signature", [0, 1, 2, 3]),
        "mau_binh_two": ("the stock stays shut", [0, 1]),
        "tien_len_four": ("one seat's own certificate at a sealed table", [2]),
        "ultimate_texas_one": ("the hand and, after its receipt, the flop", [0, 2]),
        "ultimate_texas_six": ("no section at all: it only names the deal", []),
    }
    for name, (why, sections) in cases.items():
        header = HEADERS[name][1]
        dealt = derive(header, *seeds_of(name, header))
        payload = certificate_payload(header, dealt, sections, DEALT_TIME)
        yield row(
            name,
            why,
            header=header,
            public_key=public_key(SHUFFLER).hex(),
            certificate=envelope(CERTIFICATE_TYPE, canonical(payload), SHUFFLER).decode(),
            fault="",
            sections={str(i): dealt["sections"][i]["cards"] for i in sections},
            deck_root=dealt["deck_root"].hex(),
            dealt_time=DEALT_TIME,
        )
    yield from refused_certificate_rows()


def refused_certificate_rows() -> Iterator[Row]:
    header = HEADERS["mau_binh_four"][1]
    name = "mau_binh_four"
    dealt = derive(header, *seeds_of(name, header))

    def good() -> Row:
        return certificate_payload(header, dealt, [0, 1, 2, 3], DEALT_TIME)

    def refused(id_: str, fault: str, why: str, data: bytes) -> Row:
        return row(
            f"refused.{id_}",
            why,
            header=header,
            public_key=public_key(SHUFFLER).hex(),
            certificate=data.decode(),
            fault=fault,
        )

    def changed(id_: str, fault: str, why: str, change: Callable[[Row], None]) -> Row:
        payload = good()
        change(payload)
        return refused(id_, fault, why, envelope(CERTIFICATE_TYPE, canonical(payload), SHUFFLER))

    def swap_hands(payload: Row) -> None:
        first, second = payload["sections"][:2]
        first["cards"], second["cards"] = second["cards"], first["cards"]

    def swap_cards(payload: Row) -> None:
        cards = payload["sections"][0]["cards"] = list(payload["sections"][0]["cards"])
        cards[0], cards[1] = cards[1], cards[0]

    def drop_card(payload: Row) -> None:
        payload["sections"][3]["cards"] = payload["sections"][3]["cards"][:-1]

    def put(path: list[Any], value: Any) -> Callable[[Row], None]:  # noqa: ANN401 - any member
        def change(payload: Row) -> None:
            place: Any = payload
            for step in path[:-1]:
                place = place[step]
            place[path[-1]] = value

        return change

    def reorder(payload: Row) -> None:
        payload["sections"].reverse()

    def twice(payload: Row) -> None:
        payload["sections"][1] = payload["sections"][0]

    def other_card_number(payload: Row) -> None:
        payload["sections"][0]["cards"] = [53, *payload["sections"][0]["cards"][1:]]

    def doubled(payload: Row) -> None:
        # Section 1 honestly holds a card of section 0, under a root of its own: only the duplicate gives it away.
        cards = [dealt["sections"][0]["cards"][0], *dealt["sections"][1]["cards"][1:]]
        salts = dealt["sections"][1]["salts"]
        rid = dealt["round_id"]
        leaves = [
            tagged("card", rid, b"\x01", number(k, 1), number(card, 1), salts[32 * k : 32 * k + 32])
            for k, card in enumerate(cards)
        ]
        roots = [*dealt["roots"]]
        roots[1] = tree_root(leaves)
        payload["sections"][1]["cards"] = cards
        payload["section_roots"][1] = roots[1].hex()
        payload["deck_root"] = tagged(
            "deck-root", rid, dealt["server_commitment"], dealt["mix"], bytes(header["layout"]), *roots
        ).hex()

    other = HEADERS["fixture_suite"][1]
    foreign = derive(other, *seeds_of("fixture_suite", other))
    zeros = "00" * 32
    honest = canonical(good())
    yield refused("stranger", "FORGED", "signed by another key", envelope(CERTIFICATE_TYPE, honest, STRANGER))
    yield refused("unsigned", "FORGED", "not signed", envelope(CERTIFICATE_TYPE, honest, None))
    yield refused(
        "wrong_type",
        "WRONG_TYPE",
        "the shuffler signed it as a DEAL leaf",
        envelope("application/vnd.referee.deal.v1+json", honest, SHUFFLER),
    )
    yield refused(
        "spaces",
        "MALFORMED",
        "the payload is signed but not canonical JSON",
        envelope(CERTIFICATE_TYPE, json.dumps(good(), sort_keys=True).encode(), SHUFFLER),
    )
    yield refused(
        "unsorted",
        "MALFORMED",
        "members are not sorted by name",
        envelope(CERTIFICATE_TYPE, json.dumps(good(), separators=(",", ":")).encode(), SHUFFLER),
    )
    yield refused(
        "envelope_spaces",
        "MALFORMED",
        "the envelope is not canonical JSON",
        json.dumps(json.loads(envelope(CERTIFICATE_TYPE, honest, SHUFFLER))).encode(),
    )
    yield refused("empty", "MALFORMED", "no bytes", b"")
    yield refused(
        "foreign_round",
        "FOREIGN_ROUND",
        "an honest certificate of another round",
        envelope(CERTIFICATE_TYPE, canonical(certificate_payload(other, foreign, [0], DEALT_TIME)), SHUFFLER),
    )
    yield changed("longer", "FOREIGN_ROUND", "it outlives its round", put(["expires_time"], 1_800_000_900_001))
    yield changed("swapped_hands", "ROOT_MISMATCH", "two seats' hands changed places", swap_hands)
    yield changed("swapped_cards", "ROOT_MISMATCH", "two cards of a hand changed places", swap_cards)
    yield changed("wrong_key", "ROOT_MISMATCH", "another section key", put(["sections", 2, "key"], zeros))
    yield changed("wrong_root", "ROOT_MISMATCH", "another section root", put(["section_roots", 0], zeros))
    yield changed("wrong_mix", "ROOT_MISMATCH", "another mix", put(["mix"], zeros))
    yield changed("wrong_commitment", "ROOT_MISMATCH", "another C", put(["server_commitment"], zeros))
    yield changed("wrong_deck_root", "ROOT_MISMATCH", "another deck root", put(["deck_root"], zeros))
    yield changed("short_hand", "WRONG_SIZE", "a hand of twelve", drop_card)
    yield changed("empty_hand", "WRONG_SIZE", "a hand of none", put(["sections", 0, "cards"], []))
    yield changed("card_53", "MALFORMED", "no card has the number 53", other_card_number)
    yield changed("out_of_order", "BAD_SECTION", "sections are not ascending", reorder)
    yield changed("twice", "BAD_SECTION", "one section stands twice", twice)
    yield changed("unknown_section", "BAD_SECTION", "the layout has four sections", put(["sections", 3, "index"], 4))
    yield changed("root_missing", "BAD_SECTION", "a section has no root", lambda payload: payload["section_roots"].pop())
    yield changed("duplicate_card", "DUPLICATE_CARD", "the roots are true, and one card stands in two hands", doubled)
    yield changed("extra_member", "MALFORMED", "a member that certificates have not", put(["note"], "x"))
    yield changed("uppercase_hex", "MALFORMED", "hex is lowercase", put(["mix"], dealt["mix"].hex().upper()))
    yield changed("null_time", "MALFORMED", "null is no value", put(["dealt_time"], None))
    yield changed("float_time", "MALFORMED", "numbers are whole", put(["dealt_time"], 1.5))
    yield changed("true_card", "MALFORMED", "true is no card", put(["sections", 0, "cards", 0], True))  # noqa: FBT003


def seal_rows() -> Iterator[Row]:
    for name in ("mau_binh_four", "ultimate_texas_six"):
        header = HEADERS[name][1]
        server, _ = seeds_of(name, header)
        rid = round_id(header)
        commitment = tagged("server-commit", rid, server)
        key = hashlib.sha256(b"a sealing key for tests").digest()
        nonce = hashlib.sha256(name.encode()).digest()[:24]
        yield row(
            name,
            "a fixed nonce, for the vector alone",
            server_seed=server.hex(),
            sealing_key=key.hex(),
            round_id=rid.hex(),
            server_commitment=commitment.hex(),
            nonce=nonce.hex(),
            sealed_seed=sealed(server, key, rid, commitment, nonce).hex(),
        )


def arrangement_rows() -> Iterator[Row]:
    name = "mau_binh_four"
    header = HEADERS[name][1]
    dealt = derive(header, *seeds_of(name, header))
    for seat in (0, 3):
        cards = dealt["sections"][seat]["cards"]
        nonce = hashlib.sha256(b"nonce of seat %d" % seat).digest()
        hashed = tagged("arrange", dealt["round_id"], number(seat, 1), bytes(cards), nonce)
        yield row(
            f"seat_{seat}",
            "thirteen cards in order back, middle, front; one byte each",
            round_id=dealt["round_id"].hex(),
            seat=seat,
            cards=cards,
            nonce=nonce.hex(),
            commitment=hashed.hex(),
        )


def leaf_rows() -> Iterator[Row]:
    name = "tien_len_four"
    header = HEADERS[name][1]
    server, clients = seeds_of(name, header)
    dealt = derive(header, server, clients)
    rid = dealt["round_id"].hex()
    seeds = [seed.hex() for seed in clients]
    commitments = [
        tagged("client-commit", dealt["round_id"], number(i, 1), seed).hex() for i, seed in enumerate(clients)
    ]
    seal = sealed(server, bytes(32), dealt["round_id"], dealt["server_commitment"], bytes(24)).hex()
    payloads: dict[str, tuple[str, str, Row]] = {
        "open": (
            "open",
            "seat 1 has not committed to a seed",
            {
                "header": header,
                "round_id": rid,
                "server_commitment": dealt["server_commitment"].hex(),
                "client_commitments": [commitments[0], "", *commitments[2:]],
                "sealed_seed": seal,
            },
        ),
        "deal": (
            "deal",
            "with the leader, where the game has one",
            {
                "round_id": rid,
                "client_seeds": seeds,
                "mix": dealt["mix"].hex(),
                "deck_root": dealt["deck_root"].hex(),
                "leader": dealt["leader"],
                "dealt_time": DEALT_TIME,
            },
        ),
        "abort": (
            "abort",
            "seat 2 did not show its seed",
            {
                "round_id": rid,
                "stage": "OPENED",
                "reason": "SEED_MISSING",
                "culprit": 2,
                "client_seeds": [seeds[0], seeds[1], "", seeds[3]],
                "aborted_time": 1_800_000_020_001,
            },
        ),
        "abort_dealt": (
            "abort",
            "nobody settled and nobody is at fault: no culprit stands there",
            {
                "round_id": rid,
                "stage": "DEALT",
                "reason": "DEADLINE",
                "client_seeds": seeds,
                "aborted_time": 1_800_000_900_001,
            },
        ),
        "reveal": ("reveal", "unsigned: C proves it", {"round_id": rid, "server_seed": server.hex()}),
        "key": (
            "key",
            "the key of C2SP signed-note's own example",
            {
                "role": "referee",
                "action": "ADD",
                "key": "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW",
            },
        ),
    }
    for id_, (kind, why, payload) in payloads.items():
        media_type = f"application/vnd.referee.{kind}.v1+json"
        signed_by = None if kind == "reveal" else SHUFFLER
        yield row(
            id_,
            why,
            kind=kind,
            payload=canonical(payload).decode(),
            public_key="" if signed_by is None else public_key(signed_by).hex(),
            envelope=envelope(media_type, canonical(payload), signed_by).decode(),
        )


TOPICS: dict[str, Callable[[], Iterator[Row]]] = {
    "headers": header_rows,
    "deals": deal_rows,
    "shuffles": shuffle_rows,
    "card_proofs": proof_rows,
    "certificates": certificate_rows,
    "sealed_seeds": seal_rows,
    "arrangements": arrangement_rows,
    "leaves": leaf_rows,
}


def text(topic: str) -> str:
    """What the file of a topic holds: a JSON object a line."""
    return "".join(json.dumps(line) + "\n" for line in TOPICS[topic]())


if __name__ == "__main__":
    for topic in TOPICS:
        (Path(__file__).parent / f"{topic}.jsonl").write_text(text(topic))

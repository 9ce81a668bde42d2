"""Vectors of what seats hold themselves: signed seeds, tokens of sealed tables, leaves and events that contain them."""

import hashlib
from collections.abc import Iterator
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.vectors.dealing.dealing_derivation import (
    CERTIFICATE_TYPE,
    DEALT_TIME,
    HEADERS,
    KEYS,
    NO_KEY,
    SHUFFLER,
    Row,
    canonical,
    certificate_payload,
    derive,
    envelope,
    number,
    public_key,
    sealed,
    seeds_of,
    tagged,
)
from tests.vectors.dealing.dealing_refusals import SOURCE


def row(id_: str, why: str, **members: Any) -> Row:  # noqa: ANN401 - any member
    return {"id": id_, "why": why, "source": SOURCE, **members}


def seat_signing_seed(seat: int) -> bytes:
    """Return the private key behind ``KEYS``."""
    return hashlib.sha256(b"seat key %d" % seat).digest()


def sign(seat: int, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seat_signing_seed(seat)).sign(message)


def token_of(seat: int) -> bytes:
    return hashlib.sha256(b"token of seat %d" % seat).digest()


def seed_statement(dealt: Row, seat: int, seed: bytes) -> bytes:
    return tagged("client-seed", dealt["round_id"], dealt["server_commitment"], number(seat, 1), seed)


def token_hash(dealt: Row, seat: int) -> bytes:
    return tagged("seat-token", dealt["round_id"], number(seat, 1), token_of(seat))


def seed_signature_rows() -> Iterator[Row]:
    for name in ("tien_len_four", "ultimate_texas_six"):
        header = HEADERS[name][1]
        server, clients = seeds_of(name, header)
        dealt = derive(header, server, clients)
        for seat, seed in enumerate(clients):
            statement = seed_statement(dealt, seat, seed)
            yield row(
                f"{name}.{seat}",
                "a seat signs its seed under the server's commitment, so only after OPEN",
                round_id=dealt["round_id"].hex(),
                server_commitment=dealt["server_commitment"].hex(),
                seat=seat,
                seed=seed.hex(),
                statement=statement.hex(),
                public_key=KEYS[seat],
                signature=sign(seat, statement).hex(),
            )


def seat_token_rows() -> Iterator[Row]:
    for name in ("mau_binh_four", "ultimate_texas_six"):
        header = HEADERS[name][1]
        dealt = derive(header, *seeds_of(name, header))
        for seat in (0, len(header["seat_keys"]) - 1):
            yield row(
                f"{name}.{seat}",
                "OPEN holds the hash of the token that opens a seat's hand",
                round_id=dealt["round_id"].hex(),
                seat=seat,
                token=token_of(seat).hex(),
                hash=token_hash(dealt, seat).hex(),
            )


def sealed_certificate_rows() -> Iterator[Row]:
    cases = {
        "mau_binh_four": ("one seat's own hand", [2]),
        "mau_binh_two": ("no hand: it names the deal for everybody", []),
        "ultimate_texas_six": ("the flop alone: hands open with the house's", [7]),
    }
    for name, (why, sections) in cases.items():
        header = HEADERS[name][1]
        dealt = derive(header, *seeds_of(name, header))
        payload = {**certificate_payload(header, dealt, sections, DEALT_TIME), "sealed": 1}
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
    for id_, value in (("zero", 0), ("true", True), ("two", 2), ("text", "1")):
        header = HEADERS["mau_binh_two"][1]
        dealt = derive(header, *seeds_of("mau_binh_two", header))
        payload = {**certificate_payload(header, dealt, [], DEALT_TIME), "sealed": value}
        yield row(
            f"refused.{id_}",
            "an open table omits the member, a sealed one has the number 1",
            header=header,
            public_key=public_key(SHUFFLER).hex(),
            certificate=envelope(CERTIFICATE_TYPE, canonical(payload), SHUFFLER).decode(),
            fault="MALFORMED",
        )


def seat_leaf_rows() -> Iterator[Row]:
    name = "tien_len_three"
    header = HEADERS[name][1]
    server, clients = seeds_of(name, header)
    dealt = derive(header, server, clients)
    signatures = [
        "" if key == NO_KEY else sign(seat, seed_statement(dealt, seat, seed)).hex()
        for seat, (key, seed) in enumerate(zip(header["seat_keys"], clients, strict=True))
    ]
    deal = {
        "round_id": dealt["round_id"].hex(),
        "client_seeds": [seed.hex() for seed in clients],
        "seed_signatures": signatures,
        "mix": dealt["mix"].hex(),
        "deck_root": dealt["deck_root"].hex(),
        "leader": dealt["leader"],
        "dealt_time": DEALT_TIME,
    }
    sealing = HEADERS["mau_binh_four"][1]
    secret, seeds = seeds_of("mau_binh_four", sealing)
    shut = derive(sealing, secret, seeds)
    opened = {
        "header": sealing,
        "round_id": shut["round_id"].hex(),
        "server_commitment": shut["server_commitment"].hex(),
        "client_commitments": [
            tagged("client-commit", shut["round_id"], number(i, 1), seed).hex() for i, seed in enumerate(seeds)
        ],
        "seat_tokens": [token_hash(shut, seat).hex() for seat in range(4)],
        "sealed_seed": sealed(secret, bytes(32), shut["round_id"], shut["server_commitment"], bytes(24)).hex(),
    }
    void = {
        "round_id": shut["round_id"].hex(),
        "stage": "OPENED",
        "reason": "VOID",
        "client_seeds": [seed.hex() for seed in seeds],
        "aborted_time": DEALT_TIME,
    }
    leaves = {
        "open_sealed": ("open", "a sealed table: a token's hash for each seat", opened),
        "deal_signed": ("deal", "two of three seats have keys and signed their seeds", deal),
        "abort_void": ("abort", "the seeds gave no deck: all of them stand there, and nobody is at fault", void),
    }
    for id_, (kind, why, payload) in leaves.items():
        media_type = f"application/vnd.referee.{kind}.v1+json"
        yield row(
            id_,
            why,
            kind=kind,
            payload=canonical(payload).decode(),
            public_key=public_key(SHUFFLER).hex(),
            envelope=envelope(media_type, canonical(payload), SHUFFLER).decode(),
        )


def sealed_event_rows() -> Iterator[Row]:
    """Write a sealed round of Mau Binh event by event; each seat with a key signs the hash of its own event."""
    name = "mau_binh_two"
    header = HEADERS[name][1]
    dealt = derive(header, *seeds_of(name, header))
    rid = dealt["round_id"]
    nonce = hashlib.sha256(b"nonce of seat 0").digest()
    cards = dealt["sections"][0]["cards"]
    committed = tagged("arrange", rid, number(0, 1), bytes(cards), nonce)
    chi = {"back": cards[:5], "front": cards[10:], "middle": cards[5:10]}
    events: list[tuple[str, str, Row]] = [
        ("commit", "seat 0 binds itself", {"commitment": committed.hex(), "kind": "COMMIT", "seat": 0}),
        ("timeout", "seat 1 ran out of time, which opens the hands", {"kind": "TIMEOUT", "seat": 1}),
        ("arrange", "seat 0 opens what it committed to", {**chi, "kind": "ARRANGE", "nonce": nonce.hex(), "seat": 0}),
        ("leave", "seat 0 leaves", {"kind": "LEAVE", "seat": 0}),
    ]
    last = tagged("transcript", rid, dealt["deck_root"])
    for k, (id_, why, event) in enumerate(events, 1):
        text = canonical(event)
        last = tagged("event", last, number(k, 4), text)
        yield row(
            id_,
            why,
            round_id=rid.hex(),
            deck_root=dealt["deck_root"].hex(),
            number=k,
            event=text.decode(),
            opens=committed.hex() if id_ == "arrange" else "",
            hash=last.hex(),
            public_key=KEYS[0],
            signature=sign(0, last).hex(),
        )

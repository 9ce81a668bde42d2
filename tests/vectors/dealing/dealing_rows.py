"""Writes the vectors of dealing: run as a script, it writes each topic's file beside it.

A test compares what it would write with the files.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.vectors.dealing.dealing_derivation import (
    CERTIFICATE_TYPE,
    DEALT_TIME,
    HEADERS,
    SHUFFLER,
    Row,
    canonical,
    certificate_payload,
    derive,
    envelope,
    number,
    public_key,
    round_id,
    sealed,
    seeds_of,
    shuffled,
    tagged,
)
from tests.vectors.dealing.dealing_leads import lead_rows
from tests.vectors.dealing.dealing_refusals import SOURCE, refused_certificate_rows
from tests.vectors.dealing.dealing_seats import (
    list_request_rows,
    sealed_certificate_rows,
    sealed_event_rows,
    seat_leaf_rows,
    seat_token_rows,
    seed_signature_rows,
    unseal_rows,
    unsealed_certificate_rows,
)


def row(id_: str, why: str, **members: Any) -> Row:  # noqa: ANN401 - any member
    return {"id": id_, "why": why, "source": SOURCE, **members}


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
            drawn=dealt["drawn"],
            lowest=dealt["lowest"],
            sections=[
                {"cards": section["cards"], "key": section["key"].hex(), "root": section["root"].hex()}
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


def section_rows() -> Iterator[Row]:
    cases = {
        "mau_binh_four": (0, "a hand of thirteen, hashed in the order dealt"),
        "mau_binh_two": (2, "a stock of 26"),
        "tien_len_four": (3, "the last seat's hand"),
        "ultimate_texas_one": (2, "the flop"),
        "ultimate_texas_six": (9, "the stock of a layout of ten sections"),
    }
    for name, (section, why) in cases.items():
        header = HEADERS[name][1]
        dealt = derive(header, *seeds_of(name, header))
        held = dealt["sections"][section]
        yield row(
            f"{name}.{section}",
            why,
            round_id=dealt["round_id"].hex(),
            section=section,
            cards=held["cards"],
            key=held["key"].hex(),
            root=held["root"].hex(),
        )


def certificate_rows() -> Iterator[Row]:
    cases = {
        "mau_binh_four": ("all hands under one signature", [0, 1, 2, 3]),
        "mau_binh_two": ("the stock stays shut", [0, 1]),
        "tien_len_four": ("one hand, with who leads and why", [2]),
        "ultimate_texas_one": ("the hand and, after its receipt, the flop", [0, 2]),
        "ultimate_texas_six": ("no section at all: it only names the deal", []),
    }
    for name, (why, sections) in cases.items():
        header = HEADERS[name][1]
        dealt = derive(header, *seeds_of(name, header))
        lead = {"leader": dealt["drawn"], "leader_by": "DRAW"} if name == "tien_len_four" else {}
        payload = certificate_payload(header, dealt, sections, DEALT_TIME) | lead
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
            **lead,
        )
    yield from refused_certificate_rows()
    yield from unsealed_certificate_rows()


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


START: Row = {
    "instance": "table-room.1",
    "package": "1f" * 32,
    "python": "3.13.5",
    "rulesets": [
        {"digest": "2a" * 32, "id": "mau_binh.classic", "version": "1.0.0"},
        {"digest": "2b" * 32, "id": "mau_binh.classic", "version": "1.1.0"},
        {"digest": "2c" * 32, "id": "mau_binh.classic_2", "version": "1.0.0"},
        {"digest": "2a" * 32, "id": "tien_len.mien_nam", "version": "1.0.0"},
    ],
    "settings": "3c" * 32,
    "started_time": DEALT_TIME,
    "version": "0.1.0",
}


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
                "opened_time": DEALT_TIME - 5_000,
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
                "leader": dealt["drawn"],
                "leader_by": "DRAW",
                "opened_sections": [0, 1, 2, 3],
                "cosigned_checkpoint": b"any bytes of a note".hex(),
                "dealt_time": DEALT_TIME,
            },
        ),
        "abort": (
            "abort",
            "seat 2 did not show its seed, whose place is empty",
            {
                "round_id": rid,
                "stage": "OPENED",
                "reason": "SEED_MISSING",
                "client_seeds": [seeds[0], seeds[1], "", seeds[3]],
                "aborted_time": 1_800_000_020_001,
            },
        ),
        "abort_dealt": (
            "abort",
            "nobody settled and nobody is at fault: all seeds are there",
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
        "start": ("start", "rulesets ascend by id, then by version as text", START),
        "start_editable": (
            "start",
            "a program that runs from a checkout, and judges by no ruleset",
            {**START, "package": "editable", "python": "3.14.0rc1+local", "rulesets": [], "version": "0.1.0.dev1"},
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
    "leads": lead_rows,
    "shuffles": shuffle_rows,
    "sections": section_rows,
    "certificates": certificate_rows,
    "sealed_seeds": seal_rows,
    "arrangements": arrangement_rows,
    "leaves": leaf_rows,
    "seed_signatures": seed_signature_rows,
    "list_requests": list_request_rows,
    "seat_tokens": seat_token_rows,
    "sealed_certificates": sealed_certificate_rows,
    "seat_leaves": seat_leaf_rows,
    "sealed_events": sealed_event_rows,
    "unseals": unseal_rows,
}


def text(topic: str) -> str:
    """Return the text of a topic's file: a JSON object a line."""
    return "".join(json.dumps(line) + "\n" for line in TOPICS[topic]())


def path(topic: str) -> Path:
    """Return the path of a topic's file."""
    return Path(__file__).parent / f"{topic}.jsonl"


if __name__ == "__main__":
    for name in TOPICS:
        path(name).write_text(text(name), encoding="ascii")

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
    pae,
    public_key,
    sealed,
    seeds_of,
    tagged,
)
from tests.vectors.dealing.dealing_refusals import SOURCE

REFEREE = hashlib.sha256(b"a referee's key for tests").digest()
EVENT_TYPE = "application/vnd.referee.event.v1+json"
UNSEAL_TYPE = "application/vnd.referee.unseal.v1+json"
RECEIPT_MEMBERS = ("event_hash", "history", "number", "opens_section", "received_time", "round_id")


def row(id_: str, why: str, **members: Any) -> Row:  # noqa: ANN401 - any member
    return {"id": id_, "why": why, "source": SOURCE, **members}


def seat_signing_seed(seat: int) -> bytes:
    """Return the private key behind ``KEYS``."""
    return hashlib.sha256(b"seat key %d" % seat).digest()


def sign(seat: int, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seat_signing_seed(seat)).sign(message)


def token_of(seat: int) -> bytes:
    return hashlib.sha256(b"token of seat %d" % seat).digest()


def seed_statement(dealt: Row, seat: int, seed: bytes, token: bytes = b"") -> bytes:
    return tagged("client-seed", dealt["round_id"], dealt["server_commitment"], number(seat, 1), token, seed)


def token_hash(dealt: Row, seat: int) -> bytes:
    return tagged("seat-token", dealt["round_id"], number(seat, 1), token_of(seat))


def seed_signature_rows() -> Iterator[Row]:
    for name in ("tien_len_four", "ultimate_texas_six"):
        header = HEADERS[name][1]
        server, clients = seeds_of(name, header)
        dealt = derive(header, server, clients)
        for seat, seed in enumerate(clients):
            hashed = token_hash(dealt, seat) if name == "ultimate_texas_six" else b""
            statement = seed_statement(dealt, seat, seed, hashed)
            yield row(
                f"{name}.{seat}",
                "a seat signs its seed under the server's commitment, so only after OPEN"
                + (", and under its own token on a sealed table" if hashed else ""),
                round_id=dealt["round_id"].hex(),
                server_commitment=dealt["server_commitment"].hex(),
                seat=seat,
                token_hash=hashed.hex(),
                seed=seed.hex(),
                statement=statement.hex(),
                public_key=KEYS[seat],
                signature=sign(seat, statement).hex(),
            )


def list_request_rows() -> Iterator[Row]:
    cases = {
        "period": ("the rounds of an hour", "log.example/1", (DEALT_TIME - 3_600_000, DEALT_TIME)),
        "since": ("an absent end is 0", "log.example/1", (DEALT_TIME, 0)),
        "all": ("an absent period is 0 and 0", "log.example/1", (0, 0)),
        "foreign": ("a signature for another log", "log.example/2", (0, 0)),
    }
    for id_, (why, origin, (start, end)) in cases.items():
        times = [number(time, 8) for time in (start, end, DEALT_TIME)]
        signed = [
            tagged("list-rounds", one.encode(), bytes.fromhex(KEYS[0]), *times) for one in (origin, "log.example/1")
        ]
        yield row(
            id_,
            why,
            origin=origin,
            public_key=KEYS[0],
            start_time=start,
            end_time=end,
            signed_time=DEALT_TIME,
            statement=signed[0].hex(),
            signature=sign(0, signed[1]).hex(),
            holds=signed[0] == signed[1],
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
        "leader": dealt["lowest"],
        "leader_by": "LOWEST_CARD",
        "opened_sections": [0, 1, 2],
        "dealt_time": DEALT_TIME,
    }
    sealing = HEADERS["mau_binh_four"][1]
    secret, seeds = seeds_of("mau_binh_four", sealing)
    shut = derive(sealing, secret, seeds)
    opened = {
        "header": sealing,
        "opened_time": DEALT_TIME - 5_000,
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
        "unseal": (
            "unseal",
            "what opens cards is in the log before they are shown",
            _unsealed("ultimate_texas_one", number_=1, opens=2, sections=[2], referee=REFEREE),
        ),
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
    """Write a sealed round of Mau Binh event by event; the seat with a key signs its own chain."""
    name = "mau_binh_two"
    header = HEADERS[name][1]
    dealt = derive(header, *seeds_of(name, header))
    rid = dealt["round_id"]
    nonce = hashlib.sha256(b"nonce of seat 0").digest()
    cards = dealt["sections"][0]["cards"]
    committed = tagged("arrange", rid, number(0, 1), bytes(cards), nonce)
    chi = {"back": cards[:5], "front": cards[10:], "middle": cards[5:10]}
    commit = {"commitment": committed.hex(), "kind": "COMMIT"}
    events: list[tuple[str, str, Row]] = [
        ("commit", "seat 0 binds itself, and has seen the deal", {**commit, "seat": 0, "seen": 0}),
        ("timeout", "seat 1 ran out of time, which opens the hands", {"kind": "TIMEOUT", "seat": 1}),
        (
            "arrange",
            "seat 0 opens what it committed to, and has seen the end of committing",
            {**chi, "kind": "ARRANGE", "nonce": nonce.hex(), "seat": 0, "seen": 2},
        ),
        ("leave", "seat 0 leaves, and has seen less than before", {"kind": "LEAVE", "seat": 0, "seen": 1}),
    ]
    hashes = [tagged("transcript", rid, dealt["deck_root"])]
    signed = tagged("seat", hashes[0], number(0, 1))
    for k, (id_, why, event) in enumerate(events, 1):
        text = canonical(event)
        is_own = event["seat"] == 0
        if is_own:
            signed = tagged("move", signed, hashes[event["seen"]], text)
        hashes.append(tagged("event", hashes[-1], number(k, 4), text))
        yield row(
            id_,
            why,
            round_id=rid.hex(),
            deck_root=dealt["deck_root"].hex(),
            number=k,
            event=text.decode(),
            opens=committed.hex() if id_ == "arrange" else "",
            hash=hashes[-1].hex(),
            signed=signed.hex() if is_own else "",
            public_key=KEYS[0],
            signature=sign(0, signed).hex() if is_own else "",
        )


def unsealed_certificate_rows() -> Iterator[Row]:
    """Write certificates of sections that an UNSEAL opened."""
    name = "ultimate_texas_one"
    header = HEADERS[name][1]
    dealt = derive(header, *seeds_of(name, header))

    def made(changes: dict[int, Row]) -> bytes:
        payload = certificate_payload(header, dealt, [0, 2], DEALT_TIME)
        for place, change in changes.items():
            payload["sections"][place] |= change
        return envelope(CERTIFICATE_TYPE, canonical(payload), SHUFFLER)

    about = {"header": header, "public_key": public_key(SHUFFLER).hex()}
    yield row(
        "unsealed",
        "the flop was opened by an UNSEAL, and the hand was open at the deal",
        **about,
        certificate=made({1: {"unsealed_time": DEALT_TIME + 40_000}}).decode(),
        fault="",
        sections={str(i): dealt["sections"][i]["cards"] for i in (0, 2)},
        unsealed={"2": DEALT_TIME + 40_000},
        deck_root=dealt["deck_root"].hex(),
        dealt_time=DEALT_TIME,
    )
    for id_, why, value in (("null", "what is absent is left out", None), ("text", "times are integers", "0"),
                            ("negative", "times are not before 1970", -1)):  # fmt: skip
        data = made({1: {"unsealed_time": value}}).decode()
        yield row(f"refused.unsealed_{id_}", why, **about, certificate=data, fault="MALFORMED")


def _unsealed(name: str, *, number_: int, opens: int, sections: list[int], referee: bytes) -> Row:
    """Make an UNSEAL over a receipt that a referee's key signed."""
    header = HEADERS[name][1]
    dealt = derive(header, *seeds_of(name, header))
    receipt = {
        "event_hash": hashlib.sha256(b"the course as far as this").hexdigest(),
        "history": hashlib.sha256(b"the course with its times").hexdigest(),
        "number": number_,
        "opens_section": opens,
        "received_time": DEALT_TIME + 40_000,
        "round_id": dealt["round_id"].hex(),
    }
    signed = pae(EVENT_TYPE, canonical(receipt))
    signature = Ed25519PrivateKey.from_private_bytes(referee).sign(signed)
    return {
        **receipt,
        "receipt_signature": signature.hex(),
        "sections": sections,
        "unsealed_time": DEALT_TIME + 40_100,
    }


def unseal_rows() -> Iterator[Row]:
    """Write UNSEAL leaves; the referee's signature in them is over the receipt that they repeat."""
    cases = {
        "flop": ("the flop opens with event 1", "ultimate_texas_one", 1, 2, [2]),
        "flop_to_house": ("nobody is left to decide: all that is still closed", "ultimate_texas_one", 1, 1, [1, 2, 3]),
        "sealed_hands": ("a sealed table's hands open together", "mau_binh_four", 4, 3, [0, 1, 2, 3]),
        "sealed_showdown": ("hands open with the house", "ultimate_texas_six", 9, 6, [0, 1, 2, 3, 4, 5, 6, 8]),
    }
    for id_, (why, name, number_, opens, sections) in cases.items():
        payload = _unsealed(name, number_=number_, opens=opens, sections=sections, referee=REFEREE)
        receipt = {one: payload[one] for one in RECEIPT_MEMBERS}
        yield row(
            id_,
            why,
            payload=canonical(payload).decode(),
            public_key=public_key(SHUFFLER).hex(),
            envelope=envelope(UNSEAL_TYPE, canonical(payload), SHUFFLER).decode(),
            referee_key=public_key(REFEREE).hex(),
            receipt=canonical(receipt).decode(),
            holds=True,
        )
    sound = _unsealed("ultimate_texas_one", number_=1, opens=2, sections=[2], referee=REFEREE)
    changes: dict[str, tuple[str, Row]] = {
        "time": ("another time of the event", {"received_time": DEALT_TIME}),
        "history": ("another history", {"history": "11" * 32}),
        "event": ("another event", {"event_hash": "11" * 32}),
        "number": ("another event's number", {"number": 2}),
        "opens": ("another section", {"opens_section": 3, "sections": [2, 3]}),
        "round": ("another round", {"round_id": "11" * 32}),
        "zeros": ("no signature", {"receipt_signature": "00" * 64}),
    }
    forged = {id_: (why, sound | change) for id_, (why, change) in changes.items()}
    stranger = _unsealed("ultimate_texas_one", number_=1, opens=2, sections=[2], referee=SHUFFLER)
    forged["stranger"] = ("the shuffler signed the receipt itself", stranger)
    for id_, (why, payload) in forged.items():
        yield row(
            f"refused.{id_}",
            why,
            payload=canonical(payload).decode(),
            public_key=public_key(SHUFFLER).hex(),
            envelope=envelope(UNSEAL_TYPE, canonical(payload), SHUFFLER).decode(),
            referee_key=public_key(REFEREE).hex(),
            receipt=canonical({one: payload[one] for one in RECEIPT_MEMBERS}).decode(),
            holds=False,
        )

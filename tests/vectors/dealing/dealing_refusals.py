"""Certificates that are refused, each for one fault."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from tests.vectors.dealing.dealing_derivation import (
    CERTIFICATE_TYPE,
    DEALT_TIME,
    HEADERS,
    SHUFFLER,
    STRANGER,
    Row,
    canonical,
    certificate_payload,
    derive,
    envelope,
    public_key,
    section_root,
    seeds_of,
    tagged,
)

SOURCE = "the dealing protocol of this project, computed by dealing_derivation.py"
Change = Callable[[Row, Row], None]
"""Changes a certificate's payload (first) of a derived deal (second)."""


def put(*path: str | int, value: Any) -> Change:  # noqa: ANN401 - any member
    def change(payload: Row, _: Row) -> None:
        place: Any = payload
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = value

    return change


def swap_hands(payload: Row, _: Row) -> None:
    first, second = payload["sections"][:2]
    first["cards"], second["cards"] = second["cards"], first["cards"]


def swap_cards(payload: Row, _: Row) -> None:
    cards = payload["sections"][0]["cards"]
    payload["sections"][0]["cards"] = [cards[1], cards[0], *cards[2:]]


def drop_card(payload: Row, _: Row) -> None:
    payload["sections"][3]["cards"] = payload["sections"][3]["cards"][:-1]


def other_card(payload: Row, _: Row) -> None:
    payload["sections"][0]["cards"] = [53, *payload["sections"][0]["cards"][1:]]


def true_card(payload: Row, _: Row) -> None:
    payload["sections"][0]["cards"] = [True, *payload["sections"][0]["cards"][1:]]


def reverse_sections(payload: Row, _: Row) -> None:
    payload["sections"].reverse()


def repeat_section(payload: Row, _: Row) -> None:
    payload["sections"][1] = payload["sections"][0]


def drop_root(payload: Row, _: Row) -> None:
    payload["section_roots"].pop()


def add_root(payload: Row, _: Row) -> None:
    payload["section_roots"].append(ZEROS)


def shout_mix(payload: Row, dealt: Row) -> None:
    payload["mix"] = dealt["mix"].hex().upper()


def deal_card_twice(payload: Row, dealt: Row) -> None:
    """Section 1 holds a card of section 0, under true roots: only the duplicate gives it away."""
    cards = [dealt["sections"][0]["cards"][0], *dealt["sections"][1]["cards"][1:]]
    rid = dealt["round_id"]
    roots = [dealt["roots"][0], section_root(rid, 1, cards, dealt["sections"][1]["key"]), *dealt["roots"][2:]]
    payload["sections"][1]["cards"] = cards
    payload["section_roots"][1] = roots[1].hex()
    payload["deck_root"] = tagged(
        "deck-root", rid, dealt["server_commitment"], dealt["mix"], bytes([13, 13, 13, 13]), *roots
    ).hex()


ZEROS = "00" * 32
CHANGES: list[tuple[str, str, str, Change]] = [
    ("longer", "FOREIGN_ROUND", "it outlives its round", put("expires_time", value=1_800_000_900_001)),
    ("swapped_hands", "ROOT_MISMATCH", "two seats' hands changed places", swap_hands),
    ("swapped_cards", "ROOT_MISMATCH", "two cards of a hand changed places", swap_cards),
    ("wrong_key", "ROOT_MISMATCH", "another section key", put("sections", 2, "key", value=ZEROS)),
    ("wrong_root", "ROOT_MISMATCH", "another section root", put("section_roots", 0, value=ZEROS)),
    ("wrong_mix", "ROOT_MISMATCH", "another mix", put("mix", value=ZEROS)),
    ("wrong_commitment", "ROOT_MISMATCH", "another C", put("server_commitment", value=ZEROS)),
    ("wrong_deck_root", "ROOT_MISMATCH", "another deck root", put("deck_root", value=ZEROS)),
    ("short_hand", "WRONG_SIZE", "a hand of twelve", drop_card),
    ("empty_hand", "WRONG_SIZE", "a hand of none", put("sections", 0, "cards", value=[])),
    ("card_53", "MALFORMED", "no card has the number 53", other_card),
    ("out_of_order", "BAD_SECTION", "sections are not ascending", reverse_sections),
    ("twice", "BAD_SECTION", "one section is there twice", repeat_section),
    ("unknown_section", "BAD_SECTION", "the layout has four sections", put("sections", 3, "index", value=4)),
    ("root_missing", "BAD_SECTION", "a section has no root", drop_root),
    ("root_added", "BAD_SECTION", "a root of no section", add_root),
    ("duplicate_card", "DUPLICATE_CARD", "the roots are true, and one card is in two hands", deal_card_twice),
    ("extra_member", "MALFORMED", "a member that certificates have not", put("note", value="x")),
    ("uppercase_hex", "MALFORMED", "hex is lowercase", shout_mix),
    ("null_time", "MALFORMED", "null is no value", put("dealt_time", value=None)),
    ("float_time", "MALFORMED", "numbers are whole", put("dealt_time", value=1.5)),
    ("true_card", "MALFORMED", "true is no card", true_card),
]


def refused_envelopes(payload: Row) -> Iterator[tuple[str, str, str, bytes]]:
    """Write an honest payload in envelopes that are refused."""
    honest = canonical(payload)
    unsorted = json.dumps(payload, separators=(",", ":")).encode()
    spaced = json.dumps(payload, sort_keys=True).encode()
    signed = envelope(CERTIFICATE_TYPE, honest, SHUFFLER)
    deal_type = "application/vnd.referee.deal.v1+json"
    other = HEADERS["fixture_suite"][1]
    foreign = certificate_payload(other, derive(other, *seeds_of("fixture_suite", other)), [0], DEALT_TIME)
    yield "stranger", "FORGED", "signed by another key", envelope(CERTIFICATE_TYPE, honest, STRANGER)
    yield "unsigned", "FORGED", "not signed", envelope(CERTIFICATE_TYPE, honest, None)
    yield "wrong_type", "WRONG_TYPE", "signed as a DEAL leaf", envelope(deal_type, honest, SHUFFLER)
    yield "spaces", "MALFORMED", "signed, but with spaces", envelope(CERTIFICATE_TYPE, spaced, SHUFFLER)
    yield "unsorted", "MALFORMED", "signed, but not sorted", envelope(CERTIFICATE_TYPE, unsorted, SHUFFLER)
    yield "envelope_spaces", "MALFORMED", "an envelope with spaces", json.dumps(json.loads(signed)).encode()
    yield "cut", "MALFORMED", "the last byte is missing", signed[:-1]
    yield "empty", "MALFORMED", "no bytes", b""
    foreign_data = envelope(CERTIFICATE_TYPE, canonical(foreign), SHUFFLER)
    yield "foreign_round", "FOREIGN_ROUND", "an honest certificate of another round", foreign_data


def refused_certificate_rows() -> Iterator[Row]:
    name = "mau_binh_four"
    header = HEADERS[name][1]
    dealt = derive(header, *seeds_of(name, header))

    def honest() -> Row:
        return certificate_payload(header, dealt, [0, 1, 2, 3], DEALT_TIME)

    cases = list(refused_envelopes(honest()))
    for id_, fault, why, change in CHANGES:
        payload = honest()
        change(payload, dealt)
        cases.append((id_, fault, why, envelope(CERTIFICATE_TYPE, canonical(payload), SHUFFLER)))
    for id_, fault, why, data in cases:
        members = {"header": header, "public_key": public_key(SHUFFLER).hex(), "certificate": data.decode()}
        yield {"id": f"refused.{id_}", "why": why, "source": SOURCE, **members, "fault": fault}

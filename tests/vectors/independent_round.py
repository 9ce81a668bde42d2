"""Headers, deals, certificates and payloads of leaves, from ``README.md`` alone."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from tests.vectors.independent_bytes import (
    LARGEST,
    RefusedError,
    enc,
    hkdf,
    is_sound_key,
    media_type,
    open_envelope,
    read_json,
    refuse,
    text_field,
    th,
    uint,
    unhex,
)
from tests.vectors.independent_log import read_key

Row = dict[str, Any]
ZEROS = "00" * 32
LEADER_BY = ("WINNER", "DRAW", "LOWEST_CARD")
GAMES = {"mau_binh": 13, "tien_len": 13, "ultimate_texas": 2}
TEXTS = {
    "origin": r"[!-*,-~]{1,255}",
    "table_id": r"[A-Za-z0-9._-]{1,64}",
    "ruleset_id": r"[a-z0-9_]{1,32}\.[a-z0-9_]{1,64}",
    "ruleset_version": r"[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}",
    "currency": r"[!-~]{1,16}",
}
HEADER = (
    *("protocol", "origin", "randomness_suite", "table_id", "round_number", "ruleset_id", "ruleset_version"),
    *("ruleset_digest", "layout", "currency", "stake", "seat_stakes", "seat_keys", "previous_leaf"),
    *("deal_deadline", "round_deadline"),
)


def is_natural(value: object, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST


def is_list(value: object, holds: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(holds(one) for one in value)


def is_rising(numbers: Sequence[Any]) -> bool:
    return all(one < other for one, other in pairwise(numbers))


def is_hex(value: object, size: int = 32) -> bool:
    return isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{2 * size}}}", value) is not None


def header_fault(header: Row) -> str:
    """Return the first member that breaks the protocol, or an empty text."""
    for name, is_kept in _header_checks(header):
        if not is_kept:
            return name
    return ""


def _header_checks(header: Row) -> Iterator[tuple[str, bool]]:
    seats = header["seat_keys"]
    for name in ("ruleset_digest", "previous_leaf"):
        yield "header", is_hex(header[name])
    yield "header", all(map(is_hex, seats))
    yield "protocol", header["protocol"] == 1
    yield "origin", _fits(header, "origin")
    yield "randomness_suite", header["randomness_suite"] in (1, 250)
    yield "table_id", _fits(header, "table_id")
    yield "round_number", is_natural(header["round_number"], 1)
    yield "ruleset_id", _fits(header, "ruleset_id")
    yield "ruleset_version", _fits(header, "ruleset_version")
    yield "layout", sum(header["layout"]) == 52 and min(header["layout"]) > 0
    yield "currency", _fits(header, "currency")
    yield "stake", is_natural(header["stake"], 1)
    yield "seat_keys", 1 <= len(seats) <= 6
    for seat, key in enumerate(seats):
        yield f"seat_keys[{seat}]", key == ZEROS or is_sound_key(bytes.fromhex(key))
    yield "seat_stakes", len(header["seat_stakes"]) in (0, len(seats))
    for seat, (ante, trips) in enumerate(header["seat_stakes"]):
        yield f"seat_stakes[{seat}]", is_natural(ante, 1) and is_natural(trips)
    yield "previous_leaf", (header["round_number"] == 1) == (header["previous_leaf"] == ZEROS)
    yield "deal_deadline", is_natural(header["deal_deadline"], 1)
    yield "round_deadline", header["deal_deadline"] <= header["round_deadline"] <= LARGEST


def _fits(header: Row, name: str) -> bool:
    return re.fullmatch(TEXTS[name], header[name]) is not None


def round_id(header: Row) -> bytes:
    """Hash a valid header."""
    fields = []
    for name in HEADER:
        value = header[name]
        if name in ("protocol", "randomness_suite"):
            fields.append(uint(value, 8))
        elif isinstance(value, int):
            fields.append(uint(value, 64))
        elif name in TEXTS:
            fields.append(text_field(value))
        elif name == "layout":
            fields.append(bytes(value))
        elif name == "seat_stakes":
            fields.append(b"".join(uint(one, 64) for pair in value for one in pair))
        else:
            fields.append(bytes.fromhex("".join(value)))
    return th("round", *fields)


def server_commitment(rid: bytes, seed: bytes) -> bytes:
    return th("server-commit", rid, seed)


def client_commitment(rid: bytes, seat: int, seed: bytes) -> bytes:
    return th("client-commit", rid, uint(seat, 8), seed)


def seed_statement(rid: bytes, commitment: bytes, seat: int, token: bytes, seed: bytes) -> bytes:
    return th("client-seed", rid, commitment, uint(seat, 8), token, seed)


def mix(rid: bytes, commitment: bytes, seeds: Sequence[bytes]) -> bytes:
    return th("mix", rid, commitment, b"", *seeds)


def arrangement(rid: bytes, seat: int, cards: Sequence[int], nonce: bytes) -> bytes:
    return th("arrange", rid, uint(seat, 8), bytes(cards), nonce)


def draw(stream: Iterator[int], n: int) -> int:
    byte = next((byte for byte in stream if byte < 256 - 256 % n), None)
    if byte is None:
        refuse("VOID")
    return byte % n


def shuffle(stream: bytes) -> list[int]:
    """Return the numbers of 52 cards in the order dealt; raise RefusedError if the stream is used up."""
    deck, rest = list(range(1, 53)), iter(stream)
    for i in range(51, 0, -1):
        at = draw(rest, i + 1)
        deck[i], deck[at] = deck[at], deck[i]
    return deck


def deck_of_seed(seed: bytes) -> list[int]:
    """Return the numbers of 52 cards in the order that the seed of a scripted deck encodes."""
    deck, number = list(range(1, 53)), int.from_bytes(seed, "big") % math.factorial(52)
    for i in range(51, 0, -1):
        number, at = divmod(number, i + 1)
        deck[i], deck[at] = deck[at], deck[i]
    return deck


def leader(rid: bytes, seed: bytes, mixed: bytes, seats: int) -> int:
    return draw(iter(hkdf(seed, mixed, enc("leader", rid), 32)), seats)


def lowest(hands: Sequence[Sequence[int]]) -> int:
    """Return the seat that holds the lowest card: 3 to A before the twos, which are 1 to 4."""
    strength = [*range(5, 53), *range(1, 5)]
    return min((strength.index(card), seat) for seat, hand in enumerate(hands) for card in hand)[1]


def winners_seat(header: Row, won: tuple[Row, int] | None) -> int | None:
    """Return the seat from which the winner of the table's last settled round leads; None where it does not."""
    if won is None:
        return None
    before, seat = won
    if any(header[name] != before[name] for name in ("ruleset_digest", "currency", "stake")):
        return None
    keyed = {key for key in header["seat_keys"] if key != ZEROS}
    if keyed and len(keyed & set(before["seat_keys"])) * 2 <= len(keyed):
        return None
    mine = before["seat_keys"][seat]
    if mine != ZEROS:
        return header["seat_keys"].index(mine) if mine in keyed else None
    return seat if header["seat_keys"][seat : seat + 1] == [ZEROS] else None


def section_root(rid: bytes, section: int, key: bytes, cards: Sequence[int]) -> bytes:
    return th("section", rid, uint(section, 8), b"".join(uint(card, 8) for card in cards), key)


def deck_root(header: Row, commitment: bytes, mixed: bytes, roots: Sequence[bytes]) -> bytes:
    return th("deck-root", round_id(header), commitment, mixed, bytes(header["layout"]), *roots)


class Deal(NamedTuple):
    """Everything that seeds give."""

    sections: list[list[int]]
    keys: list[bytes]
    roots: list[bytes]
    root: bytes


def deal(header: Row, seed: bytes, commitment: bytes, mixed: bytes) -> Deal:
    rid = round_id(header)
    is_scripted = header["randomness_suite"] == 250
    deck = deck_of_seed(seed) if is_scripted else shuffle(hkdf(seed, mixed, enc("deck", rid), 128))
    ends = [sum(header["layout"][: i + 1]) for i in range(len(header["layout"]))]
    sections = [deck[end - size : end] for end, size in zip(ends, header["layout"], strict=True)]
    keys = [hkdf(seed, mixed, enc("section-key", rid, uint(i, 8)), 32) for i in range(len(sections))]
    roots = [section_root(rid, i, keys[i], cards) for i, cards in enumerate(sections)]
    return Deal(sections, keys, roots, deck_root(header, commitment, mixed, roots))


def layout_of(game: str, seats: int) -> list[int]:
    sizes = [GAMES.get(game, 0)] * seats + ([2, 3, 2] if game == "ultimate_texas" else [])
    return [*sizes, 52 - sum(sizes)] if sum(sizes) < 52 else sizes


CERTIFICATE: dict[str, Callable[[Any], bool]] = {
    "dealt_time": is_natural,
    "deck_root": is_hex,
    "expires_time": is_natural,
    "mix": is_hex,
    "round_id": is_hex,
    "section_roots": lambda value: is_list(value, is_hex),
    "sections": lambda value: is_list(value, _is_section),
    "server_commitment": is_hex,
    "leader?": is_natural,
    "leader_by?": lambda value: value in LEADER_BY,
    "sealed?": lambda value: is_natural(value) and value == 1,
}


def _is_section(value: object) -> bool:
    return isinstance(value, dict) and has_members(
        value,
        {
            "cards": lambda cards: is_list(cards, is_natural),
            "index": is_natural,
            "key": is_hex,
            "unsealed_time?": is_natural,
        },
    )


def has_members(value: object, members: dict[str, Callable[[Any], bool]]) -> bool:
    """Whether an object has these members, those with a question mark perhaps, and no others."""
    if not isinstance(value, dict):
        return False
    known = {name.rstrip("?"): check for name, check in members.items()}
    needed = {name for name in members if not name.endswith("?")}
    return needed <= value.keys() <= known.keys() and all(known[name](one) for name, one in value.items())


def read_certificate(data: bytes, header: Row, keys: Sequence[bytes]) -> Row:
    """Verify a certificate and return its payload; raise RefusedError with its fault."""
    payload = open_envelope(data, media_type("certificate"), keys)
    try:
        shown = read_json(payload)
    except RefusedError:
        refuse("MALFORMED")
    if not has_members(shown, CERTIFICATE):
        refuse("MALFORMED")
    rid = round_id(header)
    if shown["round_id"] != rid.hex() or shown["expires_time"] != header["round_deadline"]:
        refuse("FOREIGN_ROUND")
    _check_sections(shown, header, rid)
    roots = [bytes.fromhex(root) for root in shown["section_roots"]]
    commitment, mixed = bytes.fromhex(shown["server_commitment"]), bytes.fromhex(shown["mix"])
    if deck_root(header, commitment, mixed, roots).hex() != shown["deck_root"]:
        refuse("ROOT_MISMATCH")
    if not is_led(shown, len(header["seat_keys"])):
        refuse("MALFORMED")
    return dict(shown)


def is_led(said: Row, seats: int) -> bool:
    """Whether a leader comes with its reason and is a seat, or neither is there."""
    return ("leader" in said) == ("leader_by" in said) and said.get("leader", 0) < seats


def _check_sections(shown: Row, header: Row, rid: bytes) -> None:
    layout, last, seen = header["layout"], -1, list[int]()
    if len(shown["section_roots"]) != len(layout):
        refuse("BAD_SECTION")
    for section in shown["sections"]:
        index, cards = section["index"], section["cards"]
        if not last < index < len(layout):
            refuse("BAD_SECTION")
        last = index
        if len(cards) != layout[index]:
            refuse("WRONG_SIZE")
        if not all(1 <= card <= 52 for card in cards):
            refuse("MALFORMED")
        if section_root(rid, index, bytes.fromhex(section["key"]), cards).hex() != shown["section_roots"][index]:
            refuse("ROOT_MISMATCH")
        seen += cards
    if len(set(seen)) < len(seen):
        refuse("DUPLICATE_CARD")


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_perhaps_hex(value: object) -> bool:
    return value == "" or is_hex(value)


def _is_key_text(value: object) -> bool:
    try:
        read_key(value)
    except RefusedError:
        return False
    return True


def is_header(value: object) -> bool:
    """Whether a value has a header's members, whatever they say."""
    numbers = ("protocol", "randomness_suite", "round_number", "stake", "deal_deadline", "round_deadline")
    members: dict[str, Callable[[Any], bool]] = dict.fromkeys(HEADER, _is_text)
    members |= dict.fromkeys(numbers, lambda one: isinstance(one, int))
    members["layout"] = lambda one: is_list(one, lambda size: isinstance(size, int))
    members["seat_keys"] = lambda one: is_list(one, _is_text)
    members["seat_stakes"] = lambda one: is_list(one, lambda pair: is_list(pair, lambda _: True) and len(pair) == 2)
    return has_members(value, members)


def _is_release(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("[A-Za-z0-9.+!_-]{1,64}", value) is not None


def _is_ruleset(value: object) -> bool:
    members: dict[str, Callable[[Any], bool]] = {
        "digest": is_hex,
        "id": lambda one: _is_text(one) and re.fullmatch(TEXTS["ruleset_id"], one) is not None,
        "version": lambda one: _is_text(one) and re.fullmatch(TEXTS["ruleset_version"], one) is not None,
    }
    return has_members(value, members)


PAYLOADS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "open": {
        "header": is_header,
        "opened_time": is_natural,
        "round_id": is_hex,
        "server_commitment": is_hex,
        "client_commitments": lambda value: is_list(value, _is_perhaps_hex),
        "sealed_seed": lambda value: is_hex(value, 72),
        "seat_tokens?": lambda value: is_list(value, is_hex),
    },
    "deal": {
        "round_id": is_hex,
        "client_seeds": lambda value: is_list(value, _is_perhaps_hex),
        "mix": is_hex,
        "deck_root": is_hex,
        "dealt_time": is_natural,
        "opened_sections": lambda value: is_list(value, is_natural),
        "cosigned_checkpoint?": _is_text,
        "leader?": is_natural,
        "leader_by?": lambda value: value in LEADER_BY,
        "seed_signatures?": lambda value: is_list(value, lambda one: one == "" or is_hex(one, 64)) and any(value),
    },
    "unseal": {
        "round_id": is_hex,
        "number": lambda value: is_natural(value, 1) and value < 1 << 32,
        "event_hash": is_hex,
        "history": is_hex,
        "received_time": is_natural,
        "opens_section": is_natural,
        "receipt_signature": lambda value: is_hex(value, 64),
        "sections": lambda value: is_list(value, is_natural) and bool(value) and is_rising(value),
        "unsealed_time": is_natural,
    },
    "abort": {
        "round_id": is_hex,
        "stage": lambda value: value in ("OPENED", "DEALT"),
        "reason": lambda value: value in ("SEED_MISSING", "DEADLINE", "OPERATOR", "VOID"),
        "client_seeds": lambda value: is_list(value, _is_perhaps_hex),
        "aborted_time": is_natural,
    },
    "reveal": {"round_id": is_hex, "server_seed": is_hex},
    "key": {
        "action": lambda value: value in ("ADD", "REVOKE"),
        "role": lambda value: value in ("log", "referee", "shuffler", "witness"),
        "key": _is_text,
    },
    "start": {
        "instance": lambda value: _is_text(value) and re.fullmatch("[A-Za-z0-9._-]{1,64}", value) is not None,
        "package": lambda value: value == "editable" or is_hex(value),
        "python": _is_release,
        "rulesets": lambda value: (
            is_list(value, _is_ruleset) and is_rising([(one["id"], one["version"]) for one in value])
        ),
        "settings": is_hex,
        "started_time": is_natural,
        "version": _is_release,
    },
    "settle": {
        "format": lambda value: value == 1,
        "inputs": lambda value: has_members(value, INPUTS),
        "results": lambda _: True,
        "round_id": is_hex,
    },
}
INPUTS: dict[str, Callable[[Any], bool]] = {
    "header": is_header,
    "deck_root": is_hex,
    "dealt_time": is_natural,
    "closed_time": is_natural,
    "sections": lambda value: is_list(value, lambda cards: is_list(cards, is_natural)),
    "events": lambda value: is_list(value, lambda event: has_members(event, INPUT_EVENT)),
    "leader?": is_natural,
    "leader_by?": lambda value: value in LEADER_BY,
    "receipt?": lambda value: has_members(value, INPUT_RECEIPT),
    "sealed?": lambda value: is_natural(value) and value == 1,
    "signatures": lambda value: is_list(value, _is_text),
    "unsealed": lambda value: is_list(value, lambda one: has_members(one, UNSEALED)),
}
INPUT_EVENT: dict[str, Callable[[Any], bool]] = {
    "event": lambda value: isinstance(value, dict),
    "received": lambda value: is_natural(value) and value <= 1,
    "time": is_natural,
}
INPUT_RECEIPT: dict[str, Callable[[Any], bool]] = {
    "number": is_natural,
    "opens_section?": is_natural,
    "signature": _is_text,
}
UNSEALED: dict[str, Callable[[Any], bool]] = {
    "number": is_natural,
    "sections": lambda value: is_list(value, is_natural),
    "time": is_natural,
}


def read_payload(kind: str, payload: bytes) -> Row:
    """Parse a payload; raise RefusedError NOT_CANONICAL, TYPE_CONFUSION or UNSOUND_KEY."""
    said = read_json(payload)
    if kind not in PAYLOADS:
        refuse("TYPE_CONFUSION")
    if not has_members(said, PAYLOADS[kind]):
        refuse("NOT_CANONICAL" if isinstance(said, dict) and _names(kind, said) else "TYPE_CONFUSION")
    if kind == "key" and not _is_key_text(said["key"]):
        refuse("UNSOUND_KEY")
    if kind == "deal" and not _is_deal(said):
        refuse("NOT_CANONICAL")
    if kind == "unseal" and said["opens_section"] not in said["sections"]:
        refuse("NOT_CANONICAL")
    return dict(said)


def _is_deal(said: Row) -> bool:
    note, sections = said.get("cosigned_checkpoint", "00"), said["opened_sections"]
    is_note = 0 < len(note) <= 8_192 and re.fullmatch("([0-9a-f]{2})*", note) is not None
    is_signed = len(said.get("seed_signatures") or said["client_seeds"]) == len(said["client_seeds"])
    is_whole = is_note and is_signed and is_led(said, len(said["client_seeds"]))
    return is_whole and sections == sorted(set(sections))


def _names(kind: str, said: Row) -> bool:
    """Whether an object has the members of a kind, so that only what they say is wrong."""
    return has_members(said, dict.fromkeys(PAYLOADS[kind], lambda _: True))


def check_leaf(kind: str, payload: bytes) -> Row:
    """Parse a payload that is valid by itself."""
    said = read_payload(kind, payload)
    if kind == "open":
        seats = len(said["header"]["seat_keys"])
        counts = {len(said[name]) for name in ("client_commitments", "seat_tokens") if name in said}
        if header_fault(said["header"]) or round_id(said["header"]).hex() != said["round_id"] or counts != {seats}:
            refuse("OPEN")
    if kind == "deal" and not all(said["client_seeds"]):
        refuse("DEAL")
    return said


def unhexed(*texts: str) -> list[bytes]:
    return [unhex(text) for text in texts]

"""Headers made from bytes, where ``Header`` has its hashes and keys as hexadecimal text."""

from typing import Any

from msgspec.structs import replace

from referee.dealing.header import NO_KEY, NO_LEAF, PROTOCOL, SUITE_FIXTURE, Header
from referee.games import GAMES
from referee.rulesets import Ruleset


def made_header(**members: Any) -> Header:  # noqa: ANN401 - members of every type
    """Return a header with these members; ``ruleset_digest``, ``seat_keys`` and ``previous_leaf`` are bytes."""
    return Header(**_texts(members))


def header_of(ruleset: Ruleset, seats: int, **members: Any) -> Header:  # noqa: ANN401 - as above
    """Return the header of a table's first round under a ruleset, by seats without keys, with these other members."""
    usual: dict[str, Any] = {
        "protocol": PROTOCOL,
        "origin": "log.example/1",
        "randomness_suite": SUITE_FIXTURE,
        "table_id": "t-1",
        "round_number": 1,
        "ruleset_id": ruleset.id,
        "ruleset_version": ruleset.version,
        "ruleset_digest": ruleset.digest,
        "layout": GAMES[ruleset.game].layout(seats).sizes,
        "currency": "CHIP",
        "stake": ruleset.bet_unit,
        "seat_stakes": (),
        "seat_keys": (NO_KEY,) * seats,
        "previous_leaf": NO_LEAF,
        "deal_deadline": 1_000_000,
        "round_deadline": 2_000_000,
    }
    return made_header(**usual | members)


def changed_header(header: Header, **members: Any) -> Header:  # noqa: ANN401 - as above
    """Return a header with other members, given as to ``made_header``."""
    return replace(header, **_texts(members))


def _texts(members: dict[str, Any]) -> dict[str, Any]:
    texts = dict(members)
    for name in {"ruleset_digest", "previous_leaf"} & texts.keys():
        texts[f"{name}_hex"] = texts.pop(name).hex()
    if "seat_keys" in texts:
        texts["seat_keys_hex"] = tuple(key.hex() for key in texts.pop("seat_keys"))
    return texts

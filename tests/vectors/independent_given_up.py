"""Shares of rounds that were given up, by log, tenant and table, from ``README.md`` alone."""

from collections import Counter
from collections.abc import Iterable, Iterator

from tests.vectors.independent_course import is_timeout
from tests.vectors.independent_grouping import Round
from tests.vectors.independent_round import ZEROS

YOUNG, TABLE, MANY, SHARE = 20, 20, 100, 20


def given_up_codes(rounds: Iterable[Round]) -> Iterator[str]:
    """Yield the notes of a log's rounds; the log first, then tenants, then tables."""
    ended, seeded, lost, young = (Counter[tuple[str, str]]() for _ in range(4))
    played = Counter[str]()
    for one in rounds:
        if not one.end or one.header["randomness_suite"] != 1:
            continue
        table, keys = str(one.header["table_id"]), [key for key in one.header["seat_keys"] if key != ZEROS]
        has_seed, is_lost = _seeded(one), _lost(one)
        is_young = len(keys) == len(one.header["seat_keys"]) and all(played[key] < YOUNG for key in keys)
        played.update(keys)
        for scope in (("1 log", ""), ("2 tenant", table.partition(".")[0]), ("3 table", table)):
            ended[scope] += 1
            seeded[scope] += has_seed
            lost[scope] += has_seed and is_lost
            young[scope] += has_seed and is_lost and is_young
    for scope in sorted(ended):
        least = TABLE if scope[0] == "3 table" else MANY
        if ended[scope] >= least and lost[scope] and SHARE * lost[scope] >= seeded[scope]:
            yield from ["GIVEN_UP_BY_YOUNG_KEYS"] if young[scope] else []
            yield "ROUNDS_GIVEN_UP"


def _seeded(one: Round) -> bool:
    return "deal" in one.parts or ("abort" in one.parts and any(one.parts["abort"][1]["client_seeds"]))


def _lost(one: Round) -> bool:
    """Whether it was aborted, or a seat of a sealed table committed and let its time run out."""
    if "abort" in one.parts:
        return True
    if "seat_tokens" not in one.said:
        return False
    committed = set()
    for entry in one.parts["settle"][1]["inputs"]["events"]:
        event = entry["event"]
        if event.get("kind") == "COMMIT":
            committed.add(event.get("seat"))
        elif is_timeout(event) and event.get("seat") in committed:
            return True
    return False

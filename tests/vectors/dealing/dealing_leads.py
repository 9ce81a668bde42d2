"""Rows of ``leads.jsonl``: who leads after a settled round. The expected seats are written down, not computed."""

from collections.abc import Iterator
from typing import Any

from tests.vectors.dealing.dealing_derivation import KEYS, NO_KEY, PREVIOUS, Row, header_of
from tests.vectors.dealing.dealing_refusals import SOURCE

FREE = NO_KEY
OTHER_DIGEST = "ab" * 32


def _round(keys: list[str], number: int, **terms: Any) -> Row:  # noqa: ANN401 - members of a header
    layout = [13] * len(keys) + ([52 - 13 * len(keys)] if len(keys) < 4 else [])
    previous = PREVIOUS if number > 1 else NO_KEY
    return header_of(
        ruleset_id="tien_len.mien_nam",
        layout=layout,
        seat_keys=keys,
        round_number=number,
        previous_leaf=previous,
        **terms,
    )


A, B, C, D, E, F = KEYS
CASES: list[tuple[str, str, list[str], object, list[str], dict[str, Any], int | None]] = [
    ("stays", "a winner with a key leads from its seat", [A, B, C, D], [2], [A, B, C, D], {}, 2),
    ("moved", "a winner with a key leads from the seat that has the key now", [A, B, C, D], [2], [C, A, B, D], {}, 0),
    ("gone", "a key that no seat has leads nowhere", [A, B, C, D], [2], [A, B, E, D], {}, None),
    (
        "key_given_up",
        "a winner with a key does not lead from its seat without it",
        [A, B, C],
        [2],
        [A, B, FREE],
        {},
        None,
    ),
    ("keyless", "a winner without a key leads from its seat number", [FREE] * 3, [1], [FREE] * 3, {}, 1),
    (
        "keyless_beside_keys",
        "a seat without a key leads beside seats with keys",
        [A, FREE, C],
        [1],
        [A, FREE, C],
        {},
        1,
    ),
    (
        "seat_has_key",
        "a winner without a key leads from no seat that has one now",
        [A, FREE, C],
        [1],
        [A, B, C],
        {},
        None,
    ),
    ("seat_missing", "a table that has become smaller has no such seat", [FREE] * 4, [3], [FREE] * 3, {}, None),
    ("two_of_four", "half of the keys are not more than half", [A, B, E, F], [0], [A, B, C, D], {}, None),
    ("three_of_four", "three of four keys are more than half", [A, B, C, E], [0], [A, B, C, D], {}, 0),
    (
        "one_of_two",
        "one of two keys, the others without: not more than half",
        [A, FREE, C],
        [0],
        [A, E, FREE],
        {},
        None,
    ),
    ("one_of_one", "the one key of the round sat in it", [A, B, C], [0], [FREE, A, FREE], {}, 1),
    (
        "keyless_and_strangers",
        "a winner without a key is no leader among new keys",
        [FREE, B],
        [0],
        [FREE, C],
        {},
        None,
    ),
    ("no_keys_any_more", "a round without keys asks for none", [A, FREE, C], [1], [FREE, FREE, FREE], {}, 1),
    ("stake", "a round for another stake makes no leader", [A, B, C], [0], [A, B, C], {"stake": 7}, None),
    ("currency", "a round in another currency makes no leader", [A, B, C], [0], [A, B, C], {"currency": "GOLD"}, None),
    (
        "ruleset",
        "a round under another ruleset makes no leader, though its id is the same",
        [A, B, C],
        [0],
        [A, B, C],
        {"ruleset_digest": OTHER_DIGEST},
        None,
    ),
    ("first_of_two", "of several winners the first counts", [A, B, C], [1, 2], [A, B, C], {}, 1),
    ("nobody", "no winner", [A, B, C], [], [A, B, C], {}, None),
    ("no_seat", "a winner that is no seat of its round", [A, B, C], [3], [A, B, C], {}, None),
    ("negative", "a winner that is no seat of its round", [A, B, C], [-1], [A, B, C], {}, None),
    ("true", "a winner that is no number", [A, B, C], [True], [A, B, C], {}, None),
    ("text", "a winner that is no number", [A, B, C], ["1"], [A, B, C], {}, None),
    ("no_list", "winners that are no list", [A, B, C], 1, [A, B, C], {}, None),
    ("text_behind", "only the first winner is read", [A, B, C], [1, "x"], [A, B, C], {}, 1),
]
"""Id, why, keys of the settled round, its winners, keys of the next round, its other terms, the seat that leads."""


def lead_rows() -> Iterator[Row]:
    """Yield a settled round and the header of the next, with the seat from which its winner leads."""
    for id_, why, before, winners, now, terms, seat in CASES:
        rounds = _round(before, 1), _round(now, 2, **terms)
        yield _row(id_, why, rounds, results={"winners": winners}, seat=seat)
    rounds = _round([A, B], 1), _round([A, B], 2)
    yield _row("no_results", "results without winners", rounds, results={}, seat=None)


def _row(id_: str, why: str, rounds: tuple[Row, Row], *, results: Row, seat: int | None) -> Row:
    before, header = rounds
    return {
        "id": id_,
        "why": why,
        "source": SOURCE,
        "before": before,
        "results": results,
        "header": header,
        "seat": seat,
    }

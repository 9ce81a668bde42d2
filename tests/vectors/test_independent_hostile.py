"""Whatever a leaf holds, the third verifier answers with a finding and raises nothing."""

import base64
import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from tests.vectors.independent_audit import audit
from tests.vectors.independent_bytes import write_json
from tests.vectors.reading import read

ODD: tuple[Any, ...] = (
    *(0, 1, -1, 53, 255, 2**53 - 1, -(2**53 - 1)),
    *("", "x", "TIMEOUT", "00" * 32, "00" * 64, "AA" * 32),
    *([], {}, [0], [[]], [1, 1], ["", ""], {"seat": 0}),
)
"""Values in the place of others; each can stand in canonical JSON."""
NAMES = ("another", "seen", "seat", "sealed", "leader", "opens_section")
COUNT = 120


def rows() -> list[dict[str, Any]]:
    return [row for name in ("healthy", "seats", "held") for row in read(f"audit/{name}")]


def places(value: object) -> Iterator[tuple[Any, Any]]:
    """Yield every list or object in a value with each of its places."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in items:
        yield value, name
        yield from places(member)


def changed(payload: Any, dice: random.Random) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return a payload with one member replaced, left out, doubled or added."""
    again = copy.deepcopy(payload)
    holder, name = dice.choice(list(places(again)))
    kind = dice.randrange(5)
    if kind == 0:
        del holder[name]
    elif kind == 1 and isinstance(holder, list):
        holder.insert(name, copy.deepcopy(holder[name]))
    elif kind == 1:
        holder[dice.choice(NAMES)] = dice.choice(ODD)
    elif kind == 2 and isinstance(holder[name], int):
        holder[name] += dice.choice((-1, 1))
    else:
        holder[name] = copy.deepcopy(dice.choice(ODD))
    return again


def hostile(leaf: str, dice: random.Random) -> str:
    """Return a leaf with another payload under the same signature."""
    envelope = json.loads(leaf)
    payload = changed(json.loads(base64.b64decode(envelope["payload"])), dice)
    return write_json(envelope | {"payload": base64.b64encode(write_json(payload)).decode()}).decode()


@pytest.mark.parametrize("seed", range(4))
def test_any_payload_gives_a_finding(seed: int) -> None:
    dice, known = random.Random(seed), [row for row in rows() if "leaves" in row]  # noqa: S311 - to choose tests
    for _ in range(COUNT // 4):
        row = dice.choice(known)
        leaves = list(row["leaves"])
        at = dice.randrange(len(leaves))
        leaves[at] = hostile(leaves[at], dice)
        if leaves[at] != row["leaves"][at]:
            assert audit({**row, "leaves": leaves}).findings, (row["id"], at, leaves[at])


def test_leaves_in_any_order_give_a_finding() -> None:
    dice = random.Random(1)  # noqa: S311 - to choose tests
    row = rows()[0]
    for _ in range(20):
        leaves = [dice.choice(row["leaves"]) for _ in row["leaves"]]
        assert audit({**row, "leaves": leaves}).findings


def test_bytes_that_are_no_json_give_a_finding() -> None:
    dice = random.Random(2)  # noqa: S311 - to choose tests
    row = rows()[0]
    for _ in range(50):
        leaves = list(row["leaves"])
        noise = "".join(map(chr, dice.choices(range(128), k=dice.randrange(80))))
        leaves[dice.randrange(len(leaves))] = dice.choice((noise, '{"payload":"' + noise + '"}', "[" * 5_000))
        assert audit({**row, "leaves": leaves}).findings

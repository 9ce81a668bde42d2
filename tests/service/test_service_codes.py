"""Closed sets of codes: the comment of each game's service, the texts and the vectors name those of the code."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from referee.games import StakeFault
from referee.games.mau_binh import code as mau_binh
from referee.games.tien_len import code as tien_len
from referee.games.ultimate_texas import code as ultimate_texas

ROOT: Final = Path(__file__).parents[2]
GAMES: Final = ("mau_binh", "tien_len", "ultimate_texas")
SETS: Final[dict[tuple[str, str], set[str]]] = {
    ("mau_binh", "Violation codes"): {str(code) for code in mau_binh.ViolationCode},
    ("mau_binh", "Transfer reasons"): {str(code) for code in mau_binh.Reason},
    ("mau_binh", "Instant wins"): {str(code) for code in mau_binh.Pattern},
    ("tien_len", "Violation codes"): {str(code) for code in tien_len.Fault},
    ("tien_len", "Transfer reasons"): {str(code) for code in tien_len.Reason},
    ("tien_len", "Instant wins"): {str(code) for code in tien_len.Pattern},
    ("ultimate_texas", "Violation codes"): {str(code) for code in ultimate_texas.ViolationCode}
    - {
        "TOO_FEW_SEATS",
        "TOO_MANY_SEATS",
        "ANTE_TOO_LOW",
        "ANTE_TOO_HIGH",
        "ANTE_NOT_A_MULTIPLE",
        "TRIPS_TOO_LOW",
        "TRIPS_TOO_HIGH",
        "STAKES_TOO_HIGH",
    },
    ("ultimate_texas", "Transfer reasons"): {str(code) for code in ultimate_texas.Bet},
}
"""What each list of a service's comment must name. Faults of stakes refuse the opening and are no violations there."""
MEMBERS: Final = {"code": "Violation codes", "reason": "Transfer reasons", "instant_win": "Instant wins"}
"""Members of vectors that hold such a code."""


def documented(game: str, title: str) -> set[str]:
    """Return the codes in a paragraph of the comment of a game's service."""
    proto = (ROOT / "protos" / "referee" / "v1" / f"{game}.proto").read_text(encoding="utf-8")
    comment = proto.partition("\nservice ")[0].rpartition("\n\n")[2].replace("\n// ", " ")
    paragraph = re.search(rf"^(?://)? ?{title}\. (.*)$", comment, re.MULTILINE)
    assert paragraph is not None, title
    return set(re.findall(r"\b[A-Z][A-Z0-9_]{2,}\b", paragraph[1]))


def members(value: Any) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - JSON
    """Return all members of JSON whose values are texts, at any depth."""
    if isinstance(value, dict):
        for name, one in value.items():
            if isinstance(one, str):
                yield name, one
            yield from members(one)
    elif isinstance(value, list):
        for one in value:
            yield from members(one)


@pytest.mark.parametrize(("game", "title"), SETS)
def test_comment_of_the_service_lists_the_codes_of_the_game(game: str, title: str) -> None:
    assert documented(game, title) == SETS[game, title]


@pytest.mark.parametrize("game", GAMES)
def test_vectors_use_documented_codes_only(game: str) -> None:
    found: dict[str, set[str]] = {title: set() for title in MEMBERS.values()}
    for file in sorted((ROOT / "tests" / "vectors" / game).glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            vector = json.loads(line)
            for part in ("violations", "transfers", "results", "outcome"):
                for name, value in members(vector.get(part)):
                    if name in MEMBERS and value:
                        found[MEMBERS[name]].add(value)
    stakes = {str(code) for code in ultimate_texas.ViolationCode} - SETS["ultimate_texas", "Violation codes"] | set(
        StakeFault
    )
    assert found["Violation codes"]
    for title, codes in found.items():
        assert codes <= SETS.get((game, title), set()) | stakes


def test_every_error_reason_has_an_example_and_a_remedy() -> None:
    """Each comment has "such as", or names a value of its metadata with "as"; its last paragraph is the remedy."""
    proto = (ROOT / "protos" / "referee" / "v1" / "error_reason.proto").read_text(encoding="utf-8")
    reasons = re.findall(r"((?: +//[^\n]*\n)+) +ERROR_REASON_(\w+) = [1-9]\d*;", proto)
    assert len(reasons) > 50
    lacking = [name for comment, name in reasons if not re.search(r"such\s+(?://\s+)?as|, as \"", comment)]
    assert lacking == []
    assert [name for comment, name in reasons if not re.search(r"//\n +// Remedy: \S", comment)] == []

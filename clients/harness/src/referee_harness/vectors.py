"""Test vectors by their id, and what of them can be dealt: hands, the house's cards, the board, who leads.

A vector is named ``file#id``, such as ``mau_binh/settlement#value-front-three-M``. One that holds no whole
hand, such as a question about a single play, cannot be dealt and is refused.

>>> script_of(find("tien_len/rounds#out-of-cards"))["leader"]
0
"""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from referee_harness.refusal import HarnessError

_GAMES: Final = ("mau_binh", "tien_len", "ultimate_texas")
_FOLDER: Final = Path(__file__).parent / "vectors"
_HAND_NAMES: Final = ("hand", "dealt")


def find(name: str) -> dict[str, Any]:
    """Find a vector by its name; return it whole, so that a test can play it on and compare."""
    topic, _, wanted = name.partition("#")
    for row in rows(topic):
        if row["id"] == wanted:
            return row
    raise HarnessError(field="vector", message=f"{topic} has no vector {wanted!r}", is_unknown=True)


def script_of(row: dict[str, Any]) -> dict[str, Any]:
    """Return the script that deals a vector: ``hands``, and ``house``, ``board``, ``leader`` if it has them."""
    hands = row.get("hands") or [row[name] for name in _HAND_NAMES if name in row]
    if not hands:
        raise HarnessError(
            field="vector", message=f"the vector {row['id']!r} holds no hand that could be dealt", is_unknown=True
        )
    return {"hands": hands} | {name: row[name] for name in ("house", "board", "leader") if name in row}


def names() -> list[str]:
    """Return the names of all vectors whose cards can be dealt."""
    return [f"{topic}#{row['id']}" for topic in topics() for row in rows(topic) if _is_dealable(row)]


def topics() -> list[str]:
    """List the files with vectors of games."""
    return sorted(f"{game}/{file.stem}" for game in _GAMES for file in (_FOLDER / game).glob("*.jsonl"))


def rows(topic: str) -> Iterator[dict[str, Any]]:
    """Read the vectors of a file; raise HarnessError if there is no such file."""
    if topic not in topics():
        raise HarnessError(
            field="vector",
            message=f"there is no file of vectors {topic!r}; there are {', '.join(topics())}",
            is_unknown=True,
        )
    for line in _text(_FOLDER / f"{topic}.jsonl").splitlines():
        yield json.loads(line)


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _is_dealable(row: dict[str, Any]) -> bool:
    return "hands" in row or any(name in row for name in _HAND_NAMES)

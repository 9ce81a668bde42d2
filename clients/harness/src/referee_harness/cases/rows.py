"""Cases as they are read from their files: a head, and steps."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "rows"
GAMES: Final = ("mau_binh", "tien_len", "ultimate_texas")
DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "mau_binh": {"ruleset": "mau_binh.classic", "stake": 1000},
    "tien_len": {"ruleset": "tien_len.mien_nam", "stake": 100},
    "ultimate_texas": {"ruleset": "ultimate_texas.casino", "stake": 2},
}
"""What a head that names less means."""
HEAD: Final = frozenset(
    {
        "case",
        "why",
        "finding",
        "source",
        "game",
        "ruleset",
        "seats",
        "stake",
        "currency",
        "bets",
        "keyed",
        "sealed",
        "hands",
        "house",
        "board",
        "leader",
        "wins",
        "rules",
    }
)
DECK: Final = frozenset({"hands", "house", "board", "leader", "wins"})
"""Members of a head that choose cards or who leads; such a case runs on the harness alone."""
VERBS: Final = frozenset(
    {
        "prepare",
        "open",
        "contribute",
        "deal",
        "hand",
        "accept",
        "report",
        "check",
        "section",
        "judge",
        "preview",
        "settle",
        "abort",
        "reveal",
        "ask",
        "call",
        "wait",
    }
)
"""A step has one of these, which says what is done; ``wait`` alone only moves the clock."""
BESIDE: Final = frozenset({"wait", "at", "with", "set", "signature", "times", "open_cards"})
EXPECTED: Final = frozenset({"refused", "facts", "violations", "answer", "transfers", "net", "leaves"})
Step = Mapping[str, Any]


class CaseFormError(ValueError):
    """Error for a line that is no part of a case; the message begins with its file and line."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """A case: its head, its steps in order, and the file and line where it begins."""

    head: Mapping[str, Any]
    steps: tuple[Step, ...]
    topic: str
    place: str

    @property
    def name(self) -> str:
        """The name, as ``tien_len/judging#out-of-turn``."""
        return f"{self.topic}#{self.head['case']}"

    @property
    def game(self) -> str:
        """The game that is played."""
        return str(self.head.get("game") or self.head["ruleset"].partition(".")[0])

    @property
    def seats(self) -> int:
        """How many seats play: as the hands or bets say, else 2."""
        counted = len(self.head.get("bets") or self.head.get("hands") or ()) or 2
        return int(self.head.get("seats", counted))

    @property
    def is_scripted(self) -> bool:
        """Whether the case chooses cards or the leader, so that only a harness can deal it."""
        return not DECK.isdisjoint(self.head)

    @property
    def deck(self) -> dict[str, Any]:
        """The script of the deal, as the harness takes it."""
        return {name: self.head[name] for name in DECK if name in self.head}


def verb_of(step: Step) -> str:
    """Return what a step does."""
    verbs = VERBS & set(step)
    return next(iter(verbs - {"wait"} or verbs))


def cases(folder: Path = FOLDER) -> list[Case]:
    """Read all cases below a folder, by file and line; raise CaseFormError for a line that is none."""
    files = [file for part in (*GAMES, "protocol") for file in sorted((folder / part).glob("*.jsonl"))]
    return [case for file in files for case in read(file)]


def read(file: Path) -> Iterator[Case]:
    """Read the cases of a file."""
    topic = f"{file.parent.name}/{file.stem}"
    head: dict[str, Any] = {}
    steps: list[Step] = []
    place, seen = "", set[str]()
    for number, line in _lines(file.read_text(encoding="utf-8")):
        here = f"tests/cases/{topic}.jsonl:{number}"
        row = _object(line, here)
        if "case" not in row:
            steps.append(_step(row, here, has_head=bool(head)))
            continue
        if head:
            yield Case(head=head, steps=tuple(steps), topic=topic, place=place)
        head, steps, place = _head(row, topic, here), [], here
        if row["case"] in seen:
            raise CaseFormError(f"{here}: the file has a case {row['case']!r} already")
        seen.add(row["case"])
    if head:
        yield Case(head=head, steps=tuple(steps), topic=topic, place=place)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each object's text with the number of its first line; a line that begins with a space continues one."""
    begun, whole = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(" "):
            whole += line
            continue
        if whole:
            yield begun, whole
        begun, whole = number, line
    if whole:
        yield begun, whole


def _object(line: str, here: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise CaseFormError(f"{here}: no JSON: {error}") from None
    if not isinstance(row, dict):
        raise CaseFormError(f"{here}: a line is an object, with a case's head or with a step")
    return row


def _head(row: dict[str, Any], topic: str, here: str) -> dict[str, Any]:
    if unknown := set(row) - HEAD:
        raise CaseFormError(f"{here}: a head has no {min(unknown)!r}; it has {', '.join(sorted(HEAD))}")
    if missing := {"why", "source"} - set(row):
        raise CaseFormError(f"{here}: the head lacks {min(missing)!r}")
    game = str(row.get("game") or row.get("ruleset", topic.partition("/")[0])).partition(".")[0]
    return dict(DEFAULTS.get(game, DEFAULTS["mau_binh"])) | row


def _step(row: dict[str, Any], here: str, *, has_head: bool) -> Step:
    if not has_head:
        raise CaseFormError(f"{here}: a step before the first head")
    if len(VERBS & set(row) - {"wait"}) > 1 or not VERBS & set(row):
        raise CaseFormError(f"{here}: a step does one thing of {', '.join(sorted(VERBS))}")
    if unknown := set(row) - VERBS - BESIDE - EXPECTED:
        raise CaseFormError(f"{here}: a step has no {min(unknown)!r}; it has {', '.join(sorted(BESIDE | EXPECTED))}")
    return row

"""Scores: questions to chance, judged together, so that asking many of them accuses nobody.

The law: each kind of question has the same part of the error rate, and within a kind the chance of each question is
multiplied by how many are asked (Bonferroni). What remains below ``FAIL_RATE`` is a failure, below ``NOTE_RATE`` a
note: one sound log in 10^9 fails by these, and one in 1,000 has a note, however the questions depend on one another.
The rates hold for one audit; who audits a growing log again and again multiplies them by how often.

It refuses to know how anything was counted.

>>> subject = Subject(Measure.BLAMED, table_id="felt", game="tien_len", seat_count=4, seat=2)
>>> subject.text
'table felt, tien_len of 4, seat 2: blamed for an abort'
>>> seen = Question(subject=subject, trials=20, observed=20, expected=5.0, deviation=7.7, log=-27.7)
>>> [(finding.code.value, finding.number) for finding in judge([seen]).findings]
[('WITHHELD_BY_SEAT', 40)]
"""

import enum
import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import msgspec

from referee.audit.chance import log10, log_any
from referee.audit.finding import Code, Finding, Severity

FAIL_RATE: Final = 1e-9
"""How often a sound log has a failure among these."""
NOTE_RATE: Final = 1e-3
"""How often a sound log has a note among these."""
KEPT: Final = 12
"""The least likely answers of each measure that a report lists."""


class Kind(enum.StrEnum):
    """What a question asks; each has its part of the error rate."""

    PLACES = "PLACES"
    SERIAL = "SERIAL"
    REPEATED = "REPEATED"
    ABORTED = "ABORTED"
    WINS = "WINS"
    BLAMED = "BLAMED"
    THROWN_AWAY = "THROWN_AWAY"
    RESULTS = "RESULTS"


NUMBERS: Final = MappingProxyType(
    {
        Kind.PLACES: 53,
        Kind.SERIAL: 53,
        Kind.REPEATED: 53,
        Kind.ABORTED: 39,
        Kind.WINS: 54,
        Kind.BLAMED: 40,
        Kind.THROWN_AWAY: 38,
        Kind.RESULTS: 54,
    }
)
"""For each kind its place in the list of what an audit must catch."""


class Measure(enum.StrEnum):
    """What is counted or summed."""

    CARD_AT_PLACE = "CARD_AT_PLACE"
    ALL_PLACES = "ALL_PLACES"
    KEPT_PLACES = "KEPT_PLACES"
    KEPT_NEIGHBOURS = "KEPT_NEIGHBOURS"
    NEW_NEIGHBOURS = "NEW_NEIGHBOURS"
    DECK_AGAIN = "DECK_AGAIN"
    ABORTED_POINTS = "ABORTED_POINTS"
    ABORTED_HANDS = "ABORTED_HANDS"
    ABORTED_AHEAD = "ABORTED_AHEAD"
    AHEAD = "AHEAD"
    BEST_HAND = "BEST_HAND"
    BLAMED = "BLAMED"
    WON_MOST = "WON_MOST"
    THROWN_AWAY = "THROWN_AWAY"


_MEASURES: Final = MappingProxyType(
    {
        Measure.CARD_AT_PLACE: (
            Kind.PLACES,
            Code.CARDS_BY_PLACE_UNEVEN,
            "card {card} at place {place} of the deck",
        ),
        Measure.ALL_PLACES: (Kind.PLACES, Code.CARDS_BY_PLACE_UNEVEN, "chi-square of all cards by place"),
        Measure.KEPT_PLACES: (
            Kind.SERIAL,
            Code.DECKS_CORRELATED,
            "cards that stay at the place they had in the table's deck before",
        ),
        Measure.KEPT_NEIGHBOURS: (
            Kind.SERIAL,
            Code.DECKS_CORRELATED,
            "cards that follow the card they followed in the table's deck before",
        ),
        Measure.NEW_NEIGHBOURS: (
            Kind.SERIAL,
            Code.DECKS_CORRELATED,
            "cards that follow the card before them in a new deck",
        ),
        Measure.DECK_AGAIN: (Kind.REPEATED, Code.DECK_REPEATED, "decks dealt a second time, card for card"),
        Measure.ABORTED_POINTS: (
            Kind.ABORTED,
            Code.ABORTED_BY_QUALITY,
            "share of the points in rounds aborted after the deal",
        ),
        Measure.ABORTED_HANDS: (
            Kind.ABORTED,
            Code.UNLIKELY_BY_CHANCE,
            "points of the hands in rounds aborted after the deal",
        ),
        Measure.ABORTED_AHEAD: (
            Kind.ABORTED,
            Code.ABORTED_BY_QUALITY,
            "better than the house in rounds aborted after the deal",
        ),
        Measure.AHEAD: (Kind.WINS, Code.WINS_BEYOND_CHANCE, "dealt a better hand than the house"),
        Measure.BEST_HAND: (Kind.WINS, Code.WINS_BEYOND_CHANCE, "dealt the best hand"),
        Measure.BLAMED: (Kind.BLAMED, Code.WITHHELD_BY_SEAT, "blamed for an abort"),
        Measure.WON_MOST: (Kind.RESULTS, Code.WIN_RATE_UNUSUAL, "has more than every other seat"),
        Measure.THROWN_AWAY: (
            Kind.THROWN_AWAY,
            Code.TABLES_THROWN_AWAY,
            "tables given up after one round that was not settled and shown",
        ),
    }
)


class Subject(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a question is about: the measure, and as far as it has them table, game, seats, seat, card and place.

    Without a table it is about all of them. ``place`` counts from 0, and from 1 in the text. ``leaf`` is where a deck
    stood before.
    """

    measure: Measure
    table_id: str | None = None
    game: str | None = None
    seat_count: int | None = None
    seat: int | None = None
    card: int | None = None
    place: int | None = None
    leaf: int | None = None

    @property
    def kind(self) -> Kind:
        """The kind of question."""
        return _MEASURES[self.measure][0]

    @property
    def code(self) -> Code:
        """What it comes to where it is beyond chance."""
        return _MEASURES[self.measure][1]

    @property
    def text(self) -> str:
        """The subject in English."""
        what = _MEASURES[self.measure][2].format(card=self.card, place=1 + (self.place or 0))
        if self.leaf is not None:
            what += f", this one in leaf {self.leaf} before"
        if self.game is None:
            return what
        where = "all tables" if self.table_id is None else f"table {self.table_id}"
        return f"{where}, {self.game} of {self.seat_count}, seat {self.seat}: {what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was seen, what is expected, and ``log``, the natural logarithm of a bound on its chance.

    ``among`` is how many like it were looked at to find this one; ``leaf_index`` where it shows, if at one leaf.
    """

    subject: Subject
    trials: int
    observed: int
    expected: float
    deviation: float
    log: float
    among: int = 1
    leaf_index: int | None = None


class Score(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An answer. ``deviation`` is in standard deviations, rounded, and for people alone.

    ``log10_chance`` bounds how likely chance does this or more at this one place, and ``log10_anywhere`` how likely it
    does so at any of the places that were looked at; both are decimal logarithms, rounded to two places. ``text`` is
    the subject in English.
    """

    kind: Kind
    code: Code
    subject: Subject
    text: str
    trials: int
    observed: int
    expected: float
    deviation: float
    log10_chance: float
    log10_anywhere: float


@dataclass(frozen=True, slots=True)
class Judged:
    """The least likely answers, least likely first within their kind, how many questions were asked, and findings."""

    scores: tuple[Score, ...]
    asked: int
    findings: tuple[Finding, ...]


def judge(questions: Iterable[Question]) -> Judged:
    """What the answers come to when all of them are looked at together."""
    asked: Counter[Kind] = Counter()
    least: dict[Measure, list[tuple[float, float, int, Question]]] = {}
    for number, question in enumerate(questions):
        asked[question.subject.kind] += question.among
        kept = least.setdefault(question.subject.measure, [])
        entry = (-question.log, abs(question.deviation), -number, question)
        if len(kept) < KEPT:
            heapq.heappush(kept, entry)
        elif entry > kept[0]:
            heapq.heapreplace(kept, entry)
    scores: list[Score] = []
    findings: list[Finding] = []
    for kind in Kind:
        mine = [entry for measure, kept in least.items() if _MEASURES[measure][0] is kind for entry in kept]
        for *_, question in sorted(mine, reverse=True):
            log = log_any(asked[kind] * len(Kind), question.log)
            score = _score(question, log)
            scores.append(score)
            findings += _findings(score, log, leaf_index=question.leaf_index)
    return Judged(tuple(scores), asked.total(), tuple(findings))


def _score(question: Question, anywhere: float) -> Score:
    return Score(
        kind=question.subject.kind,
        code=question.subject.code,
        subject=question.subject,
        text=question.subject.text,
        trials=question.trials,
        observed=question.observed,
        expected=round(question.expected, 1),
        deviation=round(question.deviation, 1),
        log10_chance=log10(question.log),
        log10_anywhere=log10(anywhere),
    )


def _findings(score: Score, log: float, *, leaf_index: int | None) -> Iterator[Finding]:
    """The finding that a score makes, if it makes one."""
    is_beyond = log <= math.log(FAIL_RATE)
    if not is_beyond and (log > math.log(NOTE_RATE) or score.code.severity is Severity.NOTE):
        return
    detail = (
        f"{score.text}: {score.observed:,} in {score.trials:,}, where {score.expected:,.1f} are expected "
        f"({score.deviation:+.1f} standard deviations); chance does this anywhere in a log like this one with a "
        f"probability below 10^{math.ceil(score.log10_anywhere)}"
    )
    code = score.code if is_beyond else Code.UNLIKELY_BY_CHANCE
    table_id = score.subject.table_id
    yield Finding.of(code, detail, table_id=table_id, number=NUMBERS[score.kind], leaf_index=leaf_index)

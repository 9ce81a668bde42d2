"""Scores of statistical questions, judged together so that many questions do not accuse an honest log.

Each kind of question has an equal part of the error rate. Within a kind, the chance of each question is multiplied by
the number of questions (Bonferroni). A chance that is then at most ``FAIL_RATE`` is a failure, at most ``NOTE_RATE`` a
note. So at most one honest log in 10^9 has a failure by these statistics, and one in 1,000 a note, even if the
questions depend on one another. The rates hold for one audit; auditing a growing log repeatedly multiplies them by the
number of audits.

>>> subject = Subject(Measure.BLAMED, owner=Owner(table_id="felt", seat=2))
>>> subject.text
'table felt, seat 2: without a seed that a deal waited for'
>>> seen = Question(subject=subject, trials=20, observed=20, expected=5.0, deviation=7.7, log=-27.7)
>>> [(one.code.value, one.number) for one in judge([seen]).suspicions]
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

from referee.finding import Code, Finding, Severity
from referee.suspicion.chance import log10, log_any
from referee.suspicion.owners import Owner

FAIL_RATE: Final = 1e-9
"""Largest share of honest logs that have a failure by these statistics."""
NOTE_RATE: Final = 1e-3
"""Largest share of honest logs that have a note by these statistics."""
KEPT: Final = 12
"""Number of scores of each measure that a report lists, the least likely first."""


class QuestionKind(enum.StrEnum):
    """Kind of a statistical question; each has an equal part of the error rate."""

    PLACES = "PLACES"
    SERIAL = "SERIAL"
    REPEATED = "REPEATED"
    ABORTED = "ABORTED"
    WINS = "WINS"
    BLAMED = "BLAMED"
    THROWN_AWAY = "THROWN_AWAY"
    RESULTS = "RESULTS"


class Measure(enum.StrEnum):
    """Quantity that a question counts or sums."""

    CARD_AT_PLACE = "CARD_AT_PLACE"
    ALL_PLACES = "ALL_PLACES"
    KEPT_PLACES = "KEPT_PLACES"
    KEPT_NEIGHBOURS = "KEPT_NEIGHBOURS"
    NEW_NEIGHBOURS = "NEW_NEIGHBOURS"
    DECK_AGAIN = "DECK_AGAIN"
    CHOSEN_DECKS = "CHOSEN_DECKS"
    ABORTED_HANDS = "ABORTED_HANDS"
    AHEAD = "AHEAD"
    BEST_HAND = "BEST_HAND"
    BLAMED = "BLAMED"
    WON_MOST = "WON_MOST"
    THROWN_AWAY = "THROWN_AWAY"
    UNSEEDED = "UNSEEDED"


_MEASURES: Final = MappingProxyType(
    {
        Measure.CARD_AT_PLACE: (
            QuestionKind.PLACES,
            Code.CARDS_BY_PLACE_UNEVEN,
            "card {card} at place {place} of the deck",
        ),
        Measure.ALL_PLACES: (QuestionKind.PLACES, Code.CARDS_BY_PLACE_UNEVEN, "chi-square of all cards by place"),
        Measure.KEPT_PLACES: (
            QuestionKind.SERIAL,
            Code.DECKS_CORRELATED,
            "cards that stay at the place they had in the table's deck before",
        ),
        Measure.KEPT_NEIGHBOURS: (
            QuestionKind.SERIAL,
            Code.DECKS_CORRELATED,
            "cards that follow the card they followed in the table's deck before",
        ),
        Measure.NEW_NEIGHBOURS: (
            QuestionKind.SERIAL,
            Code.DECKS_CORRELATED,
            "cards that follow the card before them in a new deck",
        ),
        Measure.DECK_AGAIN: (QuestionKind.REPEATED, Code.DECK_REPEATED, "decks dealt a second time, card for card"),
        Measure.CHOSEN_DECKS: (
            QuestionKind.ABORTED,
            Code.ABORTED_BY_QUALITY,
            "decks kept with the better hand, or given up with the worse",
        ),
        Measure.ABORTED_HANDS: (
            QuestionKind.ABORTED,
            Code.ABORTED_BY_QUALITY,
            "points of the hands in {game} decks given up",
        ),
        Measure.AHEAD: (QuestionKind.WINS, Code.WINS_BEYOND_CHANCE, "dealt a better hand than the house"),
        Measure.BEST_HAND: (QuestionKind.WINS, Code.WINS_BEYOND_CHANCE, "dealt the best hand"),
        Measure.BLAMED: (QuestionKind.BLAMED, Code.WITHHELD_BY_SEAT, "without a seed that a deal waited for"),
        Measure.WON_MOST: (QuestionKind.RESULTS, Code.WIN_RATE_UNUSUAL, "wins more than every other seat"),
        Measure.THROWN_AWAY: (
            QuestionKind.THROWN_AWAY,
            Code.TABLES_THROWN_AWAY,
            "tables given up after one round that was not settled and revealed",
        ),
        Measure.UNSEEDED: (
            QuestionKind.THROWN_AWAY,
            Code.TABLES_UNSEEDED,
            "tables given up after one round before any seed was received",
        ),
    }
)


class Subject(msgspec.Struct, frozen=True, omit_defaults=True):
    """Subject of a question: the measure, and where they apply owner, table, game, seats, seat, card and place.

    A subject without a table or an owner is about all of them. ``place`` counts from 0, and from 1 in the text.
    ``leaf`` is the DEAL leaf in which a repeated deck was dealt first.
    """

    measure: Measure
    table_id: str | None = None
    game: str | None = None
    seat_count: int | None = None
    seat: int | None = None
    card: int | None = None
    place: int | None = None
    leaf: int | None = None
    owner: Owner | None = None

    @property
    def kind(self) -> QuestionKind:
        """Kind of the question."""
        return _MEASURES[self.measure][0]

    @property
    def code(self) -> Code:
        """Code of the finding if chance does not explain the answer; the points of hands are never more than a note."""
        return Code.UNLIKELY_BY_CHANCE if self.measure is Measure.ABORTED_HANDS else self._accusation

    @property
    def number(self) -> int:
        """Number of the finding in the list that ``make findings`` prints."""
        return self._accusation.number

    @property
    def _accusation(self) -> Code:
        code = _MEASURES[self.measure][1]
        is_keyed = self.owner is not None and self.owner.is_keyed
        return Code.ABORTED_FOR_KEY if is_keyed and code is Code.ABORTED_BY_QUALITY else code

    @property
    def text(self) -> str:
        """The subject in English."""
        what = _MEASURES[self.measure][2].format(card=self.card, place=1 + (self.place or 0), game=self.game)
        if self.leaf is not None:
            what += f", this one in leaf {self.leaf} before"
        if self.owner is not None:
            return f"{self.owner.text}: {what}"
        if self.game is None:
            return what
        where = "all tables" if self.table_id is None else f"table {self.table_id}"
        return f"{where}, {self.game} of {self.seat_count}, seat {self.seat}: {what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question: the observed and the expected number, and ``log``, the natural logarithm of a bound on its chance.

    ``among`` is the number of equal questions of which this is the least likely one; ``leaf_index`` is the leaf to
    report, None for the whole log.
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
    """Score of one question. ``deviation`` is in standard deviations, rounded; nothing is computed from it.

    ``log10_chance`` bounds the chance of such an answer to this one question; ``log10_anywhere`` bounds the chance of
    one to any question, corrected for their number. Both are decimal logarithms, rounded to two places. ``text`` is the
    subject in English.
    """

    kind: QuestionKind
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
    """Result of judging all questions together.

    ``scores`` are the least likely ones, grouped by kind and least likely first, at most ``KEPT`` of each measure.
    ``asked`` is the number of tests made, by which chances are corrected; ``suspicions`` are the findings.
    """

    scores: tuple[Score, ...]
    asked: int
    suspicions: tuple[Finding, ...]


def judge(questions: Iterable[Question]) -> Judged:
    """Judge all questions together; keep the ``KEPT`` least likely scores of each measure."""
    asked: Counter[QuestionKind] = Counter()
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
    suspicions: list[Finding] = []
    for kind in QuestionKind:
        mine = [entry for measure, kept in least.items() if _MEASURES[measure][0] is kind for entry in kept]
        for *_, question in sorted(mine, reverse=True):
            log = log_any(asked[kind] * len(QuestionKind), question.log)
            score = Score(
                kind=kind,
                code=question.subject.code,
                subject=question.subject,
                text=question.subject.text,
                trials=question.trials,
                observed=question.observed,
                expected=round(question.expected, 1),
                deviation=round(question.deviation, 1),
                log10_chance=log10(question.log),
                log10_anywhere=log10(log),
            )
            scores.append(score)
            suspicions += _suspicions(score, log, leaf_index=question.leaf_index)
    return Judged(tuple(scores), asked.total(), tuple(suspicions))


def _suspicions(score: Score, log: float, *, leaf_index: int | None) -> Iterator[Finding]:
    """Yield the finding that a score justifies; none if it is likely enough."""
    is_beyond = log <= math.log(FAIL_RATE)
    if not is_beyond and (log > math.log(NOTE_RATE) or score.code.severity is Severity.NOTE):
        return
    detail = (
        f"{score.text}: {score.observed:,} in {score.trials:,}, where {score.expected:,.1f} are expected "
        f"by chance; a fair shuffle does this anywhere in a log like this one with a probability below "
        f"10^{math.ceil(score.log10_anywhere)}, corrected for all that was asked"
    )
    code = score.code if is_beyond else Code.UNLIKELY_BY_CHANCE
    subject = score.subject
    table_id = subject.table_id if subject.owner is None else subject.owner.table_id
    yield Finding.of(code, detail, number=subject.number, leaf_index=leaf_index, slot=(table_id, None))

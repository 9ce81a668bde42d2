"""The questions that are asked of a log's population, each with what was seen and how likely chance does that.

The law: each question has a null model that is exact under a uniform shuffle, or is said to be assumed.

===========================  ================================================================================
kind                         null model
===========================  ================================================================================
PLACES                       the deck is uniform: each cell of card by place binomial, and all of them together
SERIAL                       a deck seen from the table's deck before, or from a new deck, is uniform
REPEATED                     decks are uniform: the union bound over all pairs
ABORTED                      a dealt round is aborted whoever holds which of its hands (``exchange``) or beats the
                             house; and whatever they are, which is assumed, so that is never more than a note
WINS                         each seat is dealt the best hand equally often, seat and house alike
BLAMED                       each seat of a round is as likely as another to be the one to blame
THROWN_AWAY                  see ``throwaway``
RESULTS                      seats play equally well: assumed, so it is never more than a note
===========================  ================================================================================

A table's seats are asked about one by one, then, for their cards, those of all tables together by their number.

It refuses to know how likely is too unlikely: ``score`` judges all questions together.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Final

from referee.audit.chance import CARDS, log_any, log_at_least, log_at_most, log_uneven_places
from referee.audit.distribution import LIKELY, NEIGHBOURS, PLACES, Distribution
from referee.audit.exchange import Exchange
from referee.audit.population import Population, SeatCounts
from referee.audit.quality import points
from referee.audit.score import KEPT, Measure, Question, Subject
from referee.audit.table import TableCounts
from referee.audit.throwaway import thrown_away

_EVEN: Final = Fraction(1, 2)


def questions(
    population: Population, tables: Mapping[str, TableCounts], *, repeated: Sequence[tuple[int, int]]
) -> Iterator[Question]:
    """Every question. ``repeated`` are pairs of leaves in which one deck was dealt."""
    if population.decks:
        yield from _of_places(population)
    for run, distribution, measure in (
        (population.kept_places, PLACES, Measure.KEPT_PLACES),
        (population.kept_neighbours, NEIGHBOURS, Measure.KEPT_NEIGHBOURS),
        (population.new_neighbours, NEIGHBOURS, Measure.NEW_NEIGHBOURS),
    ):
        yield from _of_sum(Subject(measure), run.draws, run.total, distribution)
    yield from _of_repeated(population, repeated)
    yield thrown_away(tables)
    together: dict[tuple[str, int], SeatCounts] = {}
    is_alone: dict[tuple[str, int], bool] = {}
    for (table_id, game, seat_count), seats in population.seats.items():
        yield from _of_seats(seats, game=game, seat_count=seat_count, table_id=table_id)
        together.setdefault((game, seat_count), SeatCounts()).add_cards(seats)
        is_alone[game, seat_count] = (game, seat_count) not in is_alone
    for (game, seat_count), seats in together.items():
        if not is_alone[game, seat_count]:
            yield from _of_seats(seats, game=game, seat_count=seat_count, table_id=None)


def _of_share(  # noqa: PLR0913 - what a share is judged by
    subject: Subject, successes: int, trials: int, share: Fraction, *, among: int = 1, is_two_sided: bool = True
) -> Iterator[Question]:
    """Whether there are too many successes, or, where that counts as well, too few."""
    if not trials or share == 1:
        return
    expected = trials * share
    deviation = float(successes - expected) / math.sqrt(expected * (1 - share))
    log = 0.0
    if deviation >= LIKELY:
        log = log_at_least(trials, successes, share=share)
    elif deviation <= -LIKELY and is_two_sided:
        log = log_at_most(trials, successes, share=share)
    yield Question(
        subject=subject,
        trials=trials,
        observed=successes,
        expected=float(expected),
        deviation=deviation,
        log=log,
        among=2 * among if is_two_sided else among,
    )


def _of_sum(subject: Subject, draws: int, total: int, distribution: Distribution) -> Iterator[Question]:
    """Whether a sum is too large or too small for so many draws of a distribution."""
    if not draws:
        return
    yield Question(
        subject=subject,
        trials=draws,
        observed=total,
        expected=float(draws * distribution.mean),
        deviation=distribution.deviation(draws, total),
        log=min(distribution.log_sum_at_least(draws, total), distribution.log_sum_at_most(draws, total)),
        among=2,
    )


def _of_exchange(subject: Subject, exchange: Exchange, seat: int) -> Question:
    """Whether a seat has too many or too few of its rounds' points."""
    return Question(
        subject=subject,
        trials=exchange.rounds,
        observed=exchange.points[seat],
        expected=exchange.expected,
        deviation=exchange.deviation(seat),
        log=exchange.log_chance(seat),
        among=2,
    )


def _of_places(population: Population) -> Iterator[Question]:
    """The fullest and the emptiest cell of the table of cards by place, and all cells together."""
    decks, share = population.decks, Fraction(1, CARDS)
    cells = [(row[card], place, card) for place, row in enumerate(population.cells) for card in range(1, CARDS + 1)]
    for count, place, card in (max(cells), min(cells)):
        subject = Subject(Measure.CARD_AT_PLACE, card=card, place=place)
        yield from _of_share(subject, count, decks, share, among=CARDS * CARDS // 2)
    mean = decks / CARDS
    statistic = sum((count - mean) ** 2 for count, _, _ in cells) / mean
    freedom = (CARDS - 1) ** 2
    yield Question(
        subject=Subject(Measure.ALL_PLACES),
        trials=decks,
        observed=round(statistic),
        expected=float(CARDS * (CARDS - 1)),
        deviation=(statistic * (CARDS - 1) / CARDS - freedom) / math.sqrt(2 * freedom),
        log=log_uneven_places(statistic, decks=decks),
    )


def _of_repeated(population: Population, repeated: Sequence[tuple[int, int]]) -> Iterator[Question]:
    """Decks that were dealt twice: at most as likely as any pair, of as few cards as any round showed, being alike."""
    if not population.shown:
        return
    rounds, fewest = population.shown.total(), min(population.shown)
    orders = math.lgamma(CARDS + 1) - math.lgamma(CARDS - fewest + 1)
    alike = log_any(rounds * (rounds - 1) // 2, -orders)
    for first, again in repeated[:KEPT] or ((None, None),):
        yield Question(
            subject=Subject(Measure.DECK_AGAIN, leaf=first),
            trials=rounds,
            observed=len(repeated),
            expected=math.exp(alike),
            deviation=0.0,
            log=alike if repeated else 0.0,
            leaf_index=again,
        )


def _of_seats(seats: SeatCounts, *, game: str, seat_count: int, table_id: str | None) -> Iterator[Question]:
    fair = Fraction(1, seat_count)
    for seat in range(seat_count):
        about = partial(Subject, table_id=table_id, game=game, seat_count=seat_count, seat=seat)
        if seats.aborted is not None and seat_count > 1:
            yield _of_exchange(about(Measure.ABORTED_POINTS), seats.aborted, seat)
            sums = seats.aborted.rounds, seats.aborted.points[seat]
            yield from _of_sum(about(Measure.ABORTED_HANDS), *sums, points(game=game))
        ahead, behind = _at(seats.aborted_ahead, seat), _at(seats.aborted_behind, seat)
        yield from _of_share(about(Measure.ABORTED_AHEAD), ahead, ahead + behind, _EVEN)
        ahead, behind = _at(seats.ahead, seat), _at(seats.behind, seat)
        yield from _of_share(about(Measure.AHEAD), ahead, ahead + behind, _EVEN)
        yield from _of_share(about(Measure.BEST_HAND), _at(seats.best, seat), sum(seats.best), fair)
        for measure, counts in ((Measure.BLAMED, seats.blamed), (Measure.WON_MOST, seats.won)):
            yield from _of_share(about(measure), _at(counts, seat), sum(counts), fair, is_two_sided=False)


def _at(numbers: Sequence[int], seat: int) -> int:
    return numbers[seat] if numbers else 0

"""Statistical questions about a log's rounds, each with the observed number and a bound on its probability.

Each question has a null model, which is exact under a uniform shuffle unless it is marked as assumed.

===========================  ================================================================================
kind                         null model
===========================  ================================================================================
PLACES                       the deck is uniform: each cell of card by place is binomial; all cells together
SERIAL                       the permutation from the table's previous deck, or from a new deck, is uniform
REPEATED                     decks are uniform: the union bound over all pairs
ABORTED                      whether a deck is given up does not depend on which seat holds which hand or beats
                             the house (``bets``); nor on the hands at all, which is assumed, so the latter is
                             never more than a note
WINS                         each seat is dealt the best hand equally often; so are a seat and the house
BLAMED                       each seat of a round is equally likely to be without a seed
THROWN_AWAY                  see ``tables``
RESULTS                      seats play equally well: assumed, so it is never more than a note
===========================  ================================================================================

ABORTED and BLAMED are asked about each owner of a seat (``owners``), WINS and RESULTS about each seat of a table. WINS
is also asked about each seat of all tables together. ``score`` judges all questions together.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import chain
from typing import Final

from referee.audit.report import TableCounts
from referee.games import GAMES
from referee.games.questions import PointQuestions
from referee.suspicion.chance import CARDS, log_any, log_at_least, log_at_most, log_uneven_places
from referee.suspicion.distribution import LIKELY, NEIGHBOURS, PLACES, Distribution
from referee.suspicion.owners import Owner, Owners, Record
from referee.suspicion.population import LogCounts, SeatCounts
from referee.suspicion.score import KEPT, Measure, Question, Subject
from referee.suspicion.tables import thrown_away, unseeded

_EVEN: Final = Fraction(1, 2)
_ROUNDED: Final = 1e-9
"""Largest relative error of a sum of chances."""


def questions(
    population: LogCounts, owners: Owners, tables: Mapping[str, TableCounts], *, repeated: Sequence[tuple[int, int]]
) -> Iterator[Question]:
    """Yield every question. ``repeated`` are pairs of DEAL leaves with the same deck, the earlier leaf first."""
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
    yield unseeded(tables)
    for owner, record in owners.asked():
        yield from _of_owner(owner, record)
    together: dict[tuple[str, int], SeatCounts] = {}
    is_alone: dict[tuple[str, int], bool] = {}
    for (table_id, game, seat_count), seats in population.seats.items():
        yield from _of_seats(seats, game=game, seat_count=seat_count, table_id=table_id)
        together.setdefault((game, seat_count), SeatCounts()).add_cards(seats)
        is_alone[game, seat_count] = (game, seat_count) not in is_alone
    for (game, seat_count), seats in together.items():
        if not is_alone[game, seat_count]:
            yield from _of_seats(seats, game=game, seat_count=seat_count, table_id=None)


def _of_share(  # noqa: PLR0913 - all that judges a share
    subject: Subject, successes: int, trials: int, share: Fraction, *, among: int = 1, is_two_sided: bool = True
) -> Iterator[Question]:
    """Ask whether ``successes`` is too many or, with ``is_two_sided``, too few; no question without trials."""
    if not trials or share == 1:
        return
    part, whole = share.as_integer_ratio()
    deviation = (successes * whole - trials * part) / whole / math.sqrt(trials * part * (whole - part) / whole**2)
    log = 0.0
    if deviation >= LIKELY:
        log = log_at_least(trials, successes, share=share)
    elif deviation <= -LIKELY and is_two_sided:
        log = log_at_most(trials, successes, share=share)
    yield Question(
        subject=subject,
        trials=trials,
        observed=successes,
        expected=trials * part / whole,
        deviation=deviation,
        log=log,
        among=2 * among if is_two_sided else among,
    )


def _of_sum(subject: Subject, draws: int, total: int, distribution: Distribution) -> Iterator[Question]:
    """Ask whether the sum of draws from a distribution is too large or too small; no question without draws."""
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


def _of_owner(owner: Owner, record: Record) -> Iterator[Question]:
    """Ask whether an owner's cards decided which decks were kept, and whether its seeds were missing too often."""
    if record.given_up:
        suited = record.suited
        yield Question(
            subject=Subject(Measure.CHOSEN_DECKS, owner=owner),
            trials=suited.trials,
            observed=suited.successes,
            expected=suited.expected,
            deviation=(suited.successes - suited.expected) / math.sqrt(suited.variance) if suited.variance else 0.0,
            log=min(0.0, -record.bets.log_favoured, -record.bets.log_harmed),
            among=2,
        )
    for game, run in record.hands.items():
        subject = Subject(Measure.ABORTED_HANDS, game=game, owner=owner)
        yield from _of_sum(subject, run.draws, run.total, points_of_hands(game))
    if record.missing.trials:
        share = Fraction(min(1.0, record.missing.expected / record.missing.trials * (1 + _ROUNDED)))
        subject = Subject(Measure.BLAMED, owner=owner)
        yield from _of_share(subject, record.missing.successes, record.missing.trials, share, is_two_sided=False)


def _of_places(population: LogCounts) -> Iterator[Question]:
    """Ask about the fullest and the emptiest cell of the table of cards by place, and about all cells together."""
    decks, share = population.decks, Fraction(1, CARDS)
    cells = [*chain.from_iterable([row[1:] for row in population.cells])]
    fullest, emptiest = len(cells) - 1 - cells[::-1].index(max(cells)), cells.index(min(cells))
    for cell in (fullest, emptiest):
        place, card = divmod(cell, CARDS)
        subject = Subject(Measure.CARD_AT_PLACE, card=card + 1, place=place)
        yield from _of_share(subject, cells[cell], decks, share, among=CARDS * CARDS // 2)
    mean = decks / CARDS
    squares = {count: (count - mean) ** 2 for count in set(cells)}
    statistic = sum(map(squares.__getitem__, cells)) / mean
    freedom = (CARDS - 1) ** 2
    yield Question(
        subject=Subject(Measure.ALL_PLACES),
        trials=decks,
        observed=round(statistic),
        expected=float(CARDS * (CARDS - 1)),
        deviation=(statistic * (CARDS - 1) / CARDS - freedom) / math.sqrt(2 * freedom),
        log=log_uneven_places(statistic, decks=decks),
    )


def _of_repeated(population: LogCounts, repeated: Sequence[tuple[int, int]]) -> Iterator[Question]:
    """Ask about decks dealt twice: a question for each repetition, or one without an observation if there is none.

    The bound is the chance that any two rounds have the same cards, with as few cards as the round that showed fewest.
    """
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
        ahead, behind = _at(seats.ahead, seat), _at(seats.behind, seat)
        yield from _of_share(about(Measure.AHEAD), ahead, ahead + behind, _EVEN)
        yield from _of_share(about(Measure.BEST_HAND), _at(seats.best, seat), sum(seats.best), fair)
        yield from _of_share(about(Measure.WON_MOST), _at(seats.won, seat), sum(seats.won), fair, is_two_sided=False)


@cache
def points_of_hands(game: str) -> Distribution:
    """Return the distribution of points over all hands of a game; raise TypeError if its hands have no points."""
    questions = GAMES[game].questions
    if not isinstance(questions, PointQuestions):
        raise TypeError(f"hands of {game} have no points")
    return Distribution(questions.weights())


def _at(numbers: Sequence[int], seat: int) -> int:
    return numbers[seat] if numbers else 0

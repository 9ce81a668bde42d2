"""Samples of rounds for the statistics, made by chance from a named seed, without leaves."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from referee.games import GAMES
from referee.games.questions import HouseQuestions, PointQuestions
from referee.rulesets import get
from referee.suspicion.population import RoundSample

SEATS = {"mau_binh": 4, "tien_len": 4, "ultimate_texas": 3}


class Luck(random.Random):
    """Return a generator seeded with a name, so that every run draws the same."""

    def __init__(self, *name: object) -> None:
        super().__init__("/".join(map(str, name)))


def answers(deck: bytes, game: str, *, seats: int) -> dict[str, tuple[int, ...]]:
    """Answer the game's questions about the hands of a deck."""
    sections, start = [], 0
    for size in GAMES[game].layout(seats).sizes:
        sections.append(deck[start : start + size])
        start += size
    questions = GAMES[game].questions
    if isinstance(questions, PointQuestions):
        return {"points": tuple(questions.points(section) for section in sections[:seats])}
    assert isinstance(questions, HouseQuestions)
    return {"leads": questions.leads(get("ultimate_texas.casino").rules, sections, seats)}


def ended(drawn: RoundSample, *, is_aborted: bool) -> RoundSample:
    """Return a round that was settled, or that was aborted: then with the outcomes that its hands would have had."""
    outcomes: tuple[int, ...] = ()
    if is_aborted and drawn.game == "mau_binh":
        hands = [drawn.deck[start : start + 13] for start in range(0, 13 * drawn.seat_count, 13)]
        questions = GAMES[drawn.game].questions
        assert isinstance(questions, PointQuestions)
        assert questions.outcomes is not None
        outcomes = questions.outcomes(get("mau_binh.classic").rules, hands)
    return replace(drawn, is_ended=True, is_aborted=is_aborted, outcomes=outcomes)


def played(  # noqa: PLR0913 - what a round depends on
    luck: Luck,
    game: str,
    *,
    table: str = "felt",
    seats: int | None = None,
    aborts: float = 0.0,
    keys: tuple[bytes, ...] = (),
) -> RoundSample:
    """Make a round with a fair deck, aborted after the deal with a chance that is independent of the cards."""
    count = SEATS[game] if seats is None else seats
    deck = list(range(1, 53))
    luck.shuffle(deck)
    counted: dict[str, Any] = answers(bytes(deck), game, seats=count)
    drawn = RoundSample(
        table_id=table, game=game, seat_count=count, leaf_index=0, deck=bytes(deck), keys=keys, **counted
    )
    return ended(drawn, is_aborted=luck.random() < aborts)


def log_of(luck: Luck, game: str, aborts: Callable[[RoundSample], bool]) -> Iterator[RoundSample]:
    """Yield rounds of one table without end; ``abort`` sees the cards and may abort each."""
    while True:
        drawn = played(luck, game)
        yield ended(drawn, is_aborted=aborts(drawn))

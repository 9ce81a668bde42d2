"""Rounds as the statistics see them, drawn by chance from a named seed, without leaves."""

import random
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from referee.audit.quality import has_points, leads_house, points_of
from referee.audit.sample import RoundSample
from referee.dealing.layout import layout_of
from referee.games.ultimate_texas import UltimateTexasRules
from referee.rulesets import get

SEATS = {"mau_binh": 4, "tien_len": 4, "ultimate_texas": 3}


class Luck(random.Random):
    """Chance that is the same in every run, by its name."""

    def __init__(self, *name: object) -> None:
        super().__init__("/".join(map(str, name)))


def quality(deck: bytes, game: str, *, seats: int) -> tuple[int, ...]:
    """How good the seats' hands of a deck are."""
    sections, start = [], 0
    for size in layout_of(game, seat_count=seats).sizes:
        sections.append(deck[start : start + size])
        start += size
    if has_points(game):
        return tuple(points_of(section, game=game) for section in sections[:seats])
    rules = get("ultimate_texas.casino").rules
    assert isinstance(rules, UltimateTexasRules)
    return leads_house(rules, sections, seat_count=seats)


def played(luck: Luck, game: str, *, table: str = "felt", seats: int | None = None, aborts: float = 0.0) -> RoundSample:
    """A round with a fair deck; aborted after the deal with a chance, whatever the cards are."""
    count = SEATS[game] if seats is None else seats
    deck = list(range(1, 53))
    luck.shuffle(deck)
    return RoundSample(
        table_id=table,
        game=game,
        seat_count=count,
        leaf_index=0,
        deck=bytes(deck),
        quality=quality(bytes(deck), game, seats=count),
        is_aborted=luck.random() < aborts,
    )


def log_of(luck: Luck, game: str, aborts: Callable[[RoundSample], bool]) -> Iterator[RoundSample]:
    """Rounds of one table without end, each aborted after the deal where somebody who saw the cards wants it."""
    while True:
        drawn = played(luck, game)
        yield replace(drawn, is_aborted=aborts(drawn))

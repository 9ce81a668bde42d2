"""Leaving at Tiến Lên under combinations of knobs, in positions small enough to be searched to their end.

Two seats see all cards and play best against one another; leaving at any moment, on turn or not, is compared with
staying. Of three seats there is no such value: what two of them lose is not what one of them wins.
"""

import random
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from referee.cards import DECK, Card, Seat
from referee.games.tien_len import TienLenRules
from referee.games.tien_len.event import Leave, Pass, Play
from referee.games.tien_len.game import GAME
from referee.games.tien_len.legality import legal_plays, may_pass
from referee.games.tien_len.order import cards_of, set_of
from referee.games.tien_len.state import State
from referee.rulesets import load_builtin
from referee.rulesets.shape import newest_schema, spelled_out
from tests.games.rounds import hands_deal

SEATS: Final = 2


class Position(NamedTuple):
    """What a seat wins by leaving in a position, and by staying, in stakes."""

    seat: int
    left: int
    stayed: int
    held: tuple[tuple[Card, ...], ...]


def drawn_tien_len(luck: random.Random) -> dict[str, Any]:
    """Draw a combination of knobs as the data of a file of the newest schema; a commission is left out."""
    (sheet,) = [one for one in load_builtin() if one.game == "tien_len"]
    data: Any = spelled_out(sheet.rules, schema=newest_schema(TienLenRules))
    for name in ("last_three_of_spades", "stopped_three_of_spades"):
        units = luck.choice([0, 5, 26])
        data[name] = data[name] | {"units": units, "applies": bool(units)}
    chain = luck.choice(["LAST_VICTIM_PAYS_ALL", "EACH_VICTIM_PAYS"])
    return data | {
        "instant_wins": [],
        "chops": data["chops"] | {"chain": chain},
        "turn": data["turn"] | {"out_of_time": luck.choice(["PASS_OR_LOWEST_SINGLE", "LEAVE"])},
        "leftover": luck.choice(
            [{"kind": "NONE"}, {"kind": "UNTOUCHED", "untouched_units": luck.choice([14, 26]), "reason": "a test"}]
        ),
        "leaving": luck.choice([{"kind": "NONE"}, {"kind": "MULTIPLIED", "multiplier": 2, "reason": "a test"}]),
        "lead": luck.choice([{"first": "DRAWN"}, {"first": "LOWEST_CARD", "reason": "a test"}]),
    }


def positions(rules: TienLenRules, luck: random.Random, *, cards: int) -> Iterator[Position]:
    """Yield for each seat what leaving and staying win, at the moments of an endgame of at most so many cards each."""
    state = _endgame(rules, luck, cards=cards)
    while not state.is_over:
        held = tuple([cards_of(hand) for hand in state.held])
        for seat in (Seat(0), Seat(1)):
            left = GAME.apply(state, Leave(seat, 0))
            yield Position(seat, _best(left, seat), _best(state, seat), held)
        state = luck.choice(list(_after(state)))


def _endgame(rules: TienLenRules, luck: random.Random, *, cards: int) -> State:
    """Return a position in which each seat has played cards before, and holds few; 3♠, twos and groups are common."""
    ranks = luck.sample(range(1, 12), 3)
    pool = [card for card in DECK if card.text in {"3S", "2S", "2H", "2D"} or card.rank in ranks]
    chosen = luck.sample(pool, SEATS * cards)
    held = [set_of(chosen[seat::SEATS][: luck.randint(1, cards)]) for seat in range(SEATS)]
    rest = [card for card in DECK if card not in chosen]
    hands = [tuple([*cards_of(hand), *rest[12 * seat :]][:13]) for seat, hand in enumerate(held)]
    state = GAME.begin(rules, hands_deal(hands, leader=luck.randrange(SEATS)))
    return msgspec.structs.replace(state, held=tuple(held))


def _after(state: State) -> Iterator[State]:
    """Yield the positions that the seat on turn can make without leaving."""
    if may_pass(state):
        yield GAME.apply(state, Pass(state.turn, 0))
    for play in legal_plays(state):
        yield GAME.apply(state, Play(state.turn, cards_of(play.card_set), 0))


def _best(state: State, seat: Seat) -> int:
    """Return what a seat wins if both play best."""
    if state.is_over:
        return GAME.settle(state).net[seat]
    values = [_best(after, seat) for after in _after(state)]
    return max(values) if state.turn == seat else min(values)

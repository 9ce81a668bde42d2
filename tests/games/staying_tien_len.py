"""Staying at Tiến Lên: leaving on turn, and letting the clock run.

On turn a seat has seen its cards, the plays and how many cards the others hold. It deals the unseen cards some times
and plays each round out both ways by the quick advice; it takes the option that won more, by more than its error. What
it then wins is counted on the cards that the others do hold.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from referee.advice.tien_len.playout import Playout
from referee.advice.tien_len.policy import choose
from referee.advice.tien_len.view import View
from referee.games.tien_len import Kind, TienLenRules
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.instant_win import find_instant_win
from referee.games.tien_len.order import CardSet
from tests.builtin import rules_as
from tests.games.staying_trial import Trial
from tests.randomness import random_from

LEAVE: Final = "leave on turn"
CLOCK: Final = "let the clock run"
IMAGINED: Final = 12
"""Deals that a player imagines at a decision."""
TRIED: Final = 6
"""One decision of so many is tried, at random."""

Option = Callable[[Playout], None]


def trials(ruleset: str, *, seats: int, deals: int, seed: int, rules: TienLenRules | None = None) -> Iterator[Trial]:
    """Try the options at some decisions of rounds by the quick advice; ``rules`` replace the ruleset's own."""
    rules = rules_as(TienLenRules, ruleset) if rules is None else rules
    luck = random_from(seed)
    for number in range(deals):
        places = luck.sample(range(52), 13 * seats)
        hands = [sum([1 << place for place in places[seat::seats]]) for seat in range(seats)]
        if find_instant_win(rules.instant_wins, tuple(hands)) is not None:
            continue
        playout = Playout(rules, hands, turn=luck.randrange(seats))
        while playout.winner is None:
            if not luck.randrange(TRIED):
                yield from _trials_at(number, playout, luck)
            advised(playout)


def _trials_at(number: int, playout: Playout, luck: random.Random) -> Iterator[Trial]:
    view, held, net = playout.view(), list(playout.held), list(playout.net)
    options: dict[str, Option] = {LEAVE: leave, CLOCK: time_out}
    if choose(view) == timed_out(playout):
        del options[CLOCK]
        yield Trial(CLOCK, number, is_taken=False, gain=0)
    imagined = [_deal(view, luck) for _ in range(IMAGINED)]
    stayed = [_won(view, hands, advised) for hands in imagined]
    won = _won(view, held, advised)
    for name, option in options.items():
        gains = [_won(view, hands, option) - other for hands, other in zip(imagined, stayed, strict=True)]
        yield Trial(name, number, _is_more(gains), _won(view, held, option) - won)
    assert (playout.held, playout.net) == (held, net)


def _is_more(gains: Sequence[int]) -> bool:
    """Return whether the mean is above zero by more than its error."""
    mean = sum(gains) / len(gains)
    return mean > math.sqrt(sum((gain - mean) ** 2 for gain in gains) / (len(gains) - 1) / len(gains))


def _won(view: View, hands: Sequence[CardSet], option: Option) -> int:
    """Return what the seat on turn wins from here on if it takes the option and all play the advice afterwards."""
    playout = Playout.of(view, hands)
    option(playout)
    while playout.winner is None:
        advised(playout)
    return playout.net[view.seat]


def advised(playout: Playout) -> None:
    """Play the quick advice for the seat on turn."""
    _do(playout, choose(playout.view()))


def timed_out(playout: Playout) -> Combination | None:
    """Return what the clock plays for the seat on turn: its lowest single where it leads, else nothing."""
    if playout.to_beat is not None:
        return None
    lowest = playout.held[playout.turn] & -playout.held[playout.turn]
    return Combination(Kind.SINGLE, 1, lowest, lowest.bit_length() - 1)


def time_out(playout: Playout) -> None:
    """Let the clock of the seat on turn run."""
    _do(playout, timed_out(playout))


def leave(playout: Playout) -> None:
    """Leave with the seat on turn."""
    playout.leave(playout.turn)


def _do(playout: Playout, play: Combination | None) -> None:
    if play is None:
        playout.pass_turn()
    else:
        playout.play(play)


def _deal(view: View, luck: random.Random) -> list[CardSet]:
    """Deal the cards that the seat has not seen to the others."""
    unseen = [place for place in range(52) if view.unseen >> place & 1]
    luck.shuffle(unseen)
    hands = []
    for seat, count in enumerate(view.counts):
        own, unseen = (unseen[:0], unseen) if seat == view.seat else (unseen[:count], unseen[count:])
        hands.append(view.hand if seat == view.seat else sum([1 << place for place in own]))
    return hands

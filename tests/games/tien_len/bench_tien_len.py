"""How long the law of Tiến Lên takes: ``python tests/games/tien_len/bench_tien_len.py`` prints microseconds a call.

Rounds are played at random by four seats that pass one time in three.
"""

import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial

from referee.cards import DECK, Card, Seat, parse_cards
from referee.games import DealtRound, play
from referee.games.tien_len import (
    GAME,
    Combination,
    Event,
    Pass,
    Play,
    State,
    TienLenRules,
    apply,
    begin,
    check,
    legal_plays,
    may_pass,
    set_of,
    settle,
)
from referee.games.tien_len.combination import combinations_in
from referee.games.tien_len.order import CardSet
from referee.rulesets import get

ROUNDS = 400


def played(rules: TienLenRules, chance: random.Random) -> tuple[State, list[Event], list[State]]:
    """Play a random round; return its first state, its events and the state before each event."""
    cards = chance.sample(DECK, 52)
    dealt = state = begin(rules, deal_of([tuple(cards[seat::4]) for seat in range(4)]))
    events: list[Event] = []
    states: list[State] = []
    while not state.is_over:
        plays = legal_plays(state)
        event: Event = Pass(state.turn, 0)
        if not may_pass(state) or (plays and chance.random() > 1 / 3):
            event = Play(state.turn, chance.choice(plays).cards, 0)
        states.append(state)
        events.append(event)
        state = apply(state, event)
    return dealt, events, states


def deal_of(hands: Sequence[tuple[Card, ...]]) -> DealtRound:
    """Make the deal of four hands at a stake of 100."""
    return DealtRound(seat_count=4, stake=100, sections=tuple(hands), leader=Seat(0), dealt_time=0)


def list_combinations(hand: CardSet) -> tuple[Combination, ...]:
    """All combinations of a hand."""
    return tuple(combinations_in(hand))


def measure(name: str, calls: Sequence[Callable[[], object]]) -> None:
    """Print the mean processor time of some calls."""
    begun = time.process_time()
    for call in calls:
        call()
    sys.stdout.write(f"{name:42} {(time.process_time() - begun) / len(calls) * 1e6:9.1f} us\n")


def main() -> None:
    """Measure and print."""
    rules = get("tien_len.mien_nam").rules
    if not isinstance(rules, TienLenRules):
        raise TypeError
    chance = random.Random(1)  # noqa: S311 - deals of a measurement keep no secret
    rounds = [found for found in (played(rules, chance) for _ in range(ROUNDS)) if found[1]]
    steps = [(state, event) for _, events, states in rounds for state, event in zip(states, events, strict=True)]
    hands = [tuple(dealt.cards_of(Seat(seat)) for seat in range(4)) for dealt, _, _ in rounds]
    over = [apply(states[-1], events[-1]) for _, events, states in rounds]
    measure("begin, four hands", [partial(begin, rules, deal_of(dealt)) for dealt in hands])
    measure("check", [partial(check, *pair) for pair in steps])
    measure("apply", [partial(apply, *pair) for pair in steps])
    measure("legal_plays, any state", [partial(legal_plays, pair[0]) for pair in steps])
    measure("legal_plays, thirteen cards to lead", [partial(legal_plays, dealt) for dealt, _, _ in rounds])
    for text in ("3S 3C 3D 4S 4C 4D 4H 5S 5C 5D 6S 6C 6D", "3S 4C 5S 6C 7S 8C 9S TC JS QC KS AC AS"):
        worst = set_of(parse_cards(text))
        number = len(list_combinations(worst))
        measure(f"the {number} combinations of {text[:11]}...", [partial(list_combinations, worst)] * 100)
    plays = [(dealt, events) for dealt, events, _ in rounds]
    measure(
        f"play, {len(steps) / len(rounds):.0f} events a round",
        [partial(play, GAME, *pair) for pair in plays],
    )
    measure("settle", [partial(settle, state) for state in over])


if __name__ == "__main__":
    main()

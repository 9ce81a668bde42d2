"""The plays listed are the plays allowed: both agree with the second implementation on every subset of the hand.

Hands that would win at the deal are played too: they have the most combinations.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from referee.cards import DECK, Card, Seat
from referee.games.tien_len import Event, Pass, Play, State, TienLenRules, apply, begin, legal_plays, may_pass
from referee.games.tien_len.legality import check_play
from tests.budget import examples, sample
from tests.games.rounds import hands_deal
from tests.games.tien_len import second_implementation as second
from tests.games.tien_len.scenes import variant

Dealing = Callable[[random.Random, int], tuple[tuple[Card, ...], ...]]


def subsets_of(cards: list[str]) -> Iterator[frozenset[str]]:
    """Every subset of some cards, the empty one included."""
    for mask in range(1 << len(cards)):
        yield frozenset(card for place, card in enumerate(cards) if mask >> place & 1)


def compare_all_subsets(slow: Any, state: State, by_text: dict[str, Card]) -> int:  # noqa: ANN401 - a SlowRound
    """Assert that all three agree on the state; how many plays were legal."""
    held = [card.text for card in state.cards_of(state.turn)]
    expected = {subset for subset in subsets_of(held) if slow.is_legal(subset)}
    listed = [frozenset(card.text for card in play.cards) for play in legal_plays(state)]
    assert len(set(listed)) == len(listed)
    assert expected == set(listed)
    now = state.last_time
    for subset in subsets_of(held):
        faults = check_play(state, Play(state.turn, tuple(by_text[text] for text in subset), now))
        assert (subset in expected) == (faults == ())
        assert ("NOT_A_COMBINATION" in [fault.code for fault in faults]) == (second.shape(subset) is None)
    return len(expected)


def play_comparing(rules: TienLenRules, chance: random.Random, seats: int, dealing: Dealing) -> int:
    """Play one random round, comparing at every state; how many legal plays were seen."""
    hands = dealing(chance, seats)
    leader = Seat(chance.randrange(seats))
    state = begin(rules, hands_deal(hands, leader=leader))
    slow = second.SlowRound([[card.text for card in hand] for hand in hands], leader, instant_wins=False)
    by_text = {card.text: card for card in DECK}
    seen = 0
    while not state.is_over and state.event_count < 100:
        assert slow.turn == state.turn
        seen += compare_all_subsets(slow, state, by_text)
        plays = legal_plays(state)
        event: Event
        if may_pass(state) and (not plays or chance.random() < 0.3):
            event = Pass(state.turn, state.event_count)
            slow.pass_()
        else:
            event = Play(state.turn, chance.choice(plays).cards, state.event_count)
            slow.play(frozenset(card.text for card in event.cards))
        state = apply(state, event)
    assert (slow.winner is not None) == state.is_over
    return seen


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_listed_plays_are_the_legal_subsets_of_the_hand(seats: int, dealing: Dealing, chance: random.Random) -> None:
    rules = variant({"instant_wins": []})
    assert sum(play_comparing(rules, chance, seats, dealing) for _ in range(examples(1))) > 30


@pytest.mark.exhaustive("tries every subset of the hands of many rounds")
@pytest.mark.smaller("4 rounds of each number of seats instead of 30")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_listed_plays_are_the_legal_subsets_over_many_rounds(
    seats: int, dealing: Dealing, chance: random.Random
) -> None:
    rules = variant({"instant_wins": []})
    rounds = sample(4, whole=30)
    assert sum(play_comparing(rules, chance, seats, dealing) for _ in range(rounds)) > 16 * rounds

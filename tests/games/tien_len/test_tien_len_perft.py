"""Counts of all play sequences from fixed positions (perft): both implementations reach the same number at each depth.

A position is a deal, a leader and the events so far; a sequence of depth d is d plays or passes, and one that ends the
round earlier is counted once. On failure the counts are compared move by move (*divide*).
"""

import copy
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pytest

from referee.cards import Card, Seat
from referee.games import play
from referee.games.tien_len import GAME, Event, Pass, Play, State, TienLenRules, apply, begin, legal_plays, may_pass
from tests.games.rounds import hands_deal
from tests.games.tien_len import second_implementation as second
from tests.games.tien_len.scenes import read_event, read_hands

Vector = dict[str, Any]


def count(state: State, depth: int) -> int:
    """Count the play sequences of this depth."""
    if depth == 0 or state.is_over:
        return 1
    return sum(count(after, depth - 1) for after in moves(state).values())


def moves(state: State) -> dict[str, State]:
    """Return the state after each play or pass, keyed by its text."""
    time = state.last_time + 1
    made = {name(play.cards): apply(state, Play(state.turn, play.cards, time)) for play in legal_plays(state)}
    if may_pass(state):
        made["pass"] = apply(state, Pass(state.turn, time))
    return made


def name(cards: Sequence[Card]) -> str:
    """Cards as the words of a move."""
    return " ".join(sorted(card.text for card in cards))


class SlowCounter:
    """The same by the second implementation, with the plays of each dealt hand found among all its subsets once."""

    def __init__(self, hands: Sequence[Sequence[Card]]) -> None:
        self.plays: list[list[frozenset[str]]] = []
        for hand in hands:
            texts = [card.text for card in hand]
            subsets = (frozenset(cards) for size in range(1, 14) for cards in combinations(texts, size))
            self.plays.append([cards for cards in subsets if second.shape(cards) is not None])

    def count(self, slow: Any, depth: int) -> int:  # noqa: ANN401 - a SlowRound of a module loaded by path
        """Count the play sequences of this depth."""
        if depth == 0 or slow.winner is not None:
            return 1
        return sum(self.count(after, depth - 1) for after in self.moves(slow).values())

    def moves(self, slow: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        """Return the round after each play or pass, keyed by its text."""
        made = {}
        for cards in self.plays[slow.turn]:
            if slow.is_legal(cards):
                made[" ".join(sorted(cards))] = after = copy.deepcopy(slow)
                after.play(cards)
        if slow.top is not None:
            made["pass"] = after = copy.deepcopy(slow)
            after.pass_()
        return made


def submit(slow: Any, event: Event) -> None:  # noqa: ANN401 - as above
    """Apply an event in the second implementation."""
    if isinstance(event, Play):
        slow.play(frozenset(card.text for card in event.cards))
    else:
        slow.pass_()


@pytest.mark.parametrize("own", [True, False], ids=["referee", "second"])
def test_play_sequences_are_as_many_as_counted(
    rules: TienLenRules,
    perft_vector: Vector,
    own: bool,  # noqa: FBT001 - which of the two counts
) -> None:
    hands, leader = read_hands(perft_vector["hands"]), Seat(perft_vector["leader"])
    events = [read_event(text, number) for number, text in enumerate(perft_vector["events"], start=1)]
    played = play(GAME, begin(rules, hands_deal(hands, leader=leader)), events)
    assert played.violations == ()
    slow = second.SlowRound([[card.text for card in hand] for hand in hands], leader)
    for event in events:
        submit(slow, event)
    counter = SlowCounter(hands)
    found = [count(played.state, depth) if own else counter.count(slow, depth) for depth in perft_vector["depths"]]
    if perft_vector["counts"] != found:
        depth = perft_vector["depths"][-1] - 1
        divided = {move: count(after, depth) for move, after in moves(played.state).items()}
        assert divided == {move: counter.count(after, depth) for move, after in counter.moves(slow).items()}
    assert perft_vector["counts"] == found


def test_the_first_moves_are_the_same(rules: TienLenRules, perft_vector: Vector) -> None:
    """At the deal of each position, move by move."""
    hands, leader = read_hands(perft_vector["hands"]), Seat(perft_vector["leader"])
    state = begin(rules, hands_deal(hands, leader=leader))
    slow = second.SlowRound([[card.text for card in hand] for hand in hands], leader)
    assert sorted(SlowCounter(hands).moves(slow)) == sorted(moves(state))

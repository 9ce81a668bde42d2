"""What the seats of a round held and chose, and by how much the stakes on their choices grow.

The scores of a round depend on nothing but its deck, its arrangements and the card tables. ``Choices.digest`` names the
former two, so that a later audit can take the growth from a file.
"""

import hashlib
import random
from collections.abc import Sequence
from itertools import combinations
from typing import Final, NamedTuple

import msgspec
import numpy as np

from referee.advice.mau_binh.splits import Ints
from referee.answered.swap import log_growth, scores
from referee.answered.values import Arranged, Floats, Hand, Valuer
from referee.audit.round_leaves import ExaminedRound
from referee.cards import Card, cards_of
from referee.dealing.header import SUITE_COMMITMENT
from referee.games.mau_binh import HAND_SIZE, instant_win_of
from referee.games.mau_binh.arrangement import ChiCards

CARD_TEMPERATURE: Final = 0.75
"""Temperature of the scores by card tables, in stakes."""
HAND_TEMPERATURE: Final = 0.1
"""Temperature of the scores by whole hands, in stakes."""
OWN: Final = 0.4
"""Part of the own value that is added to what a choice wins from a known hand, since many choices win the same."""
REDEALS: Final = 5
"""Times that the cards a seat of a full table does not hold are dealt again."""


class Choices(NamedTuple):
    """Hands of a deck, the dealt ones first, by seat, and the seats' last arrangements.

    An arrangement is None if the leaves do not have it, as in a round that was given up.
    """

    hands: tuple[tuple[Card, ...], ...]
    chosen: tuple[ChiCards | None, ...]

    @property
    def digest(self) -> bytes:
        """Digest of all of it, 16 bytes."""
        cards = [card.number for hand in self.hands for card in hand]
        for chi in self.chosen:
            cards += [0] if chi is None else [card.number for part in chi for card in part]
        return hashlib.sha256(bytes(cards)).digest()[:16]


class _Arranged(msgspec.Struct, tag_field="kind", tag="ARRANGE"):
    seat: int
    back: tuple[int, ...]
    middle: tuple[int, ...]
    front: tuple[int, ...]


class _Kind(msgspec.Struct):
    kind: str


def choices_of(examined: ExaminedRound) -> Choices | None:
    """Return a round's choices; None if its deck is not known from the leaves.

    A round that was given up before its deal counts too if its deck is known. A seat whose arrangement is not in a
    recomputed settlement has none.
    """
    leaves, result = examined.leaves, examined.result
    if leaves.header.randomness_suite != SUITE_COMMITMENT or result.handed_in or not result.deck:
        return None
    deck = cards_of(b"".join(result.deck))
    hands = tuple([deck[start : start + HAND_SIZE] for start in range(0, len(deck), HAND_SIZE)])
    chosen: list[ChiCards | None] = [None] * leaves.header.seat_count
    if leaves.settle is not None and result.is_replayed:
        for event in leaves.settle.leaf.inputs.events:
            if msgspec.json.decode(event.event, type=_Kind).kind == "ARRANGE":
                made = msgspec.json.decode(event.event, type=_Arranged)
                chosen[made.seat] = cards_of(made.back), cards_of(made.middle), cards_of(made.front)
    return Choices(hands, tuple(chosen))


def growth_of(values: Valuer, choices: Choices) -> tuple[Floats, Floats]:
    """Return by seat and known seat the growth of stakes by card tables, and by whole hands.

    A round that an instant win ends grows no stake. A hand left in the deck is swapped with the others unless it has
    an instant win, which the deal of a round that went on excludes. A fouled arrangement grows nothing. Without an
    arrangement the growth is the least that any lawful one or a foul would give.
    """
    seats, rules = len(choices.chosen), values.rules
    by_cards, by_hands = np.zeros((seats, seats)), np.zeros((seats, seats))
    wins = [instant_win_of(rules, hand) is not None for hand in choices.hands]
    if any(wins[:seats]):
        return by_cards, by_hands
    hands = [values.hand(cards) for cards, is_win in zip(choices.hands, wins, strict=True) if not is_win]
    for seat, chi in enumerate(choices.chosen):
        hand = hands[seat]
        chosen = values.lawful(hand) if chi is None else values.chosen(hand, chi)
        if chosen is None:
            continue
        others = [other for other in range(len(hands)) if other != seat]
        other_hands = [hands[other] for other in others]
        grown = _growth_by_hands(values, hand, chosen, other_hands)
        of_cards = grown
        if seats > 2:  # noqa: PLR2004 - of two seats the other is the only opponent
            of_cards = _growth_by_cards(values, hand, chosen, other_hands)
        for place, other in enumerate(others):
            if other < seats:
                by_cards[seat, other] = _least(of_cards[place], is_chosen=chi is not None)
                by_hands[seat, other] = _least(grown[place], is_chosen=chi is not None)
    return by_cards, by_hands


def growth_alone(values: Valuer, choices: Choices, alone: Sequence[int]) -> Floats:
    """Return by seat the growth of stakes on knowing all other hands; 0 for seats that are not in ``alone``.

    The hands of the others are swapped with hands left in the deck, or at a full table with those of new deals of the
    same cards, which the round's cards determine. Deals with an instant win are left out, as the round is.
    """
    seats, rules = len(choices.chosen), values.rules
    growth = np.zeros(seats)
    wins = [instant_win_of(rules, hand) is not None for hand in choices.hands]
    if any(wins[:seats]):
        return growth
    for seat in alone:
        hand, chi = values.hand(choices.hands[seat]), choices.chosen[seat]
        chosen = values.lawful(hand) if chi is None else values.chosen(hand, chi)
        if chosen is None:
            continue
        places = [place for place in range(len(choices.hands)) if place != seat and not wins[place]]
        others = [choices.hands[place] for place in places]
        deals = [[choices.hands[place] for place in range(seats) if place != seat]]
        deals += [list(one) for one in combinations(others, seats - 1) if list(one) != deals[0]]
        luck = random.Random(choices.digest)  # noqa: S311 - deals that repeat themselves
        unseen = [card for place, cards in enumerate(choices.hands) if place != seat for card in cards]
        while seats == len(choices.hands) and len(deals) <= REDEALS:
            luck.shuffle(unseen)
            again = [tuple(unseen[start : start + HAND_SIZE]) for start in range(0, len(unseen), HAND_SIZE)]
            if not any(instant_win_of(rules, one) for one in again):
                deals.append(again)
        best = [np.stack([values.best(cards) for cards in one]) for one in deals]
        grown = log_growth(_scores_by_hands(values, hand, chosen, best))
        growth[seat] = _least(grown[0], is_chosen=chi is not None)
    return growth


def _least(growth: Floats, *, is_chosen: bool) -> float:
    return float(growth[0]) if is_chosen else min(0.0, float(growth.min()))


def _growth_by_cards(values: Valuer, hand: Hand, chosen: Arranged, others: Sequence[Hand]) -> Floats:
    candidates = values.by_cards(hand, hand.candidates, others)
    return log_growth(scores(candidates, values.by_cards(hand, chosen, others), temperature=CARD_TEMPERATURE))


def _growth_by_hands(values: Valuer, hand: Hand, chosen: Arranged, others: Sequence[Hand]) -> Floats:
    best = [other.candidates.strengths[:1] for other in others]
    return log_growth(_scores_by_hands(values, hand, chosen, best))


def _scores_by_hands(values: Valuer, hand: Hand, chosen: Arranged, known: Sequence[Ints]) -> Floats:
    """Return the scores of choices if the player knew the hands of ``known``, each the strengths of some hands."""
    of_candidates, of_chosen = [
        np.stack([values.by_hands(arranged, theirs).sum(axis=0) for theirs in known]) + OWN * values.own(arranged)
        for arranged in (hand.candidates, chosen)
    ]
    return scores(of_candidates, of_chosen, temperature=HAND_TEMPERATURE)

"""Growth by sampled values: what a choice wins if the player knew another hand, over deals of the cards left.

This finds a pair in a fifth of the rounds that card tables need, and costs a hundred times as much, so it is for the
few pairs that these put forward. The samples follow from the two known hands alone, so a score depends on nothing but
the player's hand, its choice and the other hand, and the swap stays exact.
"""

import hashlib
import random
from typing import Final

import numpy as np

from referee.answered.choices import Choices
from referee.answered.swap import HELD, log_growth, scores
from referee.answered.values import Floats, Hand, Valuer
from referee.cards import DECK
from referee.games.mau_binh import HAND_SIZE, instant_win_of

SAMPLES: Final = 24
"""Deals of the 26 cards left, each of which gives two opponents' hands."""
TEMPERATURE: Final = 0.5
"""Temperature of the scores, in stakes."""


def growth_closely(values: Valuer, choices: Choices, *, seat: int, known: int, samples: int = SAMPLES) -> float:
    """Return the growth of a stake that ``seat`` knew the hand of ``known``, at a table of three or four seats.

    Without an arrangement it is the least that is possible; a foul and a round that an instant win ended grow nothing.
    """
    wins = [instant_win_of(values.rules, hand) is not None for hand in choices.hands]
    chi = choices.chosen[seat]
    if any(wins[: len(choices.chosen)]):
        return 0.0
    if chi is None:
        return float(np.log(HELD))
    hand = values.hand(choices.hands[seat])
    chosen = values.chosen(hand, chi)
    if chosen is None:
        return 0.0
    places = [place for place, is_win in enumerate(wins) if place != seat and not is_win]
    of_candidates, of_chosen = [], []
    for place in places:
        opponents = _opponents(values, hand, values.hand(choices.hands[place]), samples=samples)
        count = max(1, len(choices.chosen) - 2)
        of_candidates.append(count * values.by_hands(hand.candidates, opponents).mean(axis=0))
        of_chosen.append(count * values.by_hands(chosen, opponents).mean(axis=0))
    growth = log_growth(scores(np.stack(of_candidates), np.stack(of_chosen), temperature=TEMPERATURE))
    return float(growth[places.index(known), 0])


def _opponents(values: Valuer, hand: Hand, known: Hand, *, samples: int) -> Floats:
    """Return the strengths of hands that opponents may have, arranged as advised."""
    held = {*hand.cards, *known.cards}
    numbers = bytes([card.number for card in (*hand.cards, *known.cards)])
    luck = random.Random(hashlib.sha256(numbers).digest())  # noqa: S311 - samples that repeat themselves
    unseen = [card for card in DECK if card not in held]
    best = []
    for _ in range(samples):
        luck.shuffle(unseen)
        best += [values.best(unseen[:HAND_SIZE]), values.best(unseen[HAND_SIZE:])]
    return np.stack(best)

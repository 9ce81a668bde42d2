"""The swap: how much better a choice fits one of several hands than it fits the others, as an e-value.

A player's own hand and choice are given, and so are the other hands, without their places. If the player knew none of
them, a fair shuffle puts each hand into a given seat with equal chance. So with any score *s* of the choice under
"knew this hand", ``exp(s of the seat's hand) / mean over the hands of exp(s)`` has the expectation 1, whatever the
player's skill, the scores or earlier rounds. Its products over rounds are martingales, and so is a mean of such
products: by Ville's inequality one that begins at 1 ever reaches 1/p with a chance of at most p.

A part of each stake, ``HELD``, is not bet, so one round costs at most ``-log(HELD)``, also one whose deck is unknown.

>>> growth = log_growth(np.array([[1.0], [0.0], [0.0]]))  # the score of one choice under three hands
>>> float(np.exp(growth).mean().round(12))
1.0
"""

from typing import Final

import numpy as np

from referee.answered.values import Floats

HELD: Final = 0.1
"""Part of a stake that no round can win or lose."""


def scores(values: Floats, chosen: Floats, *, temperature: float) -> Floats:
    """Return the log likelihood of choices by a player who prefers high values, under each other hand.

    ``values`` are those of the candidates, an array of hands by candidates. ``chosen`` are those of the choices, an
    array of hands by choices, as is the result. ``temperature`` is in stakes.
    """
    scaled = values / temperature
    most = scaled.max(axis=1, keepdims=True)
    of_hands: Floats = chosen / temperature - most - np.log(np.exp(scaled - most).sum(axis=1, keepdims=True))
    return of_hands


def log_growth(of_hands: Floats) -> Floats:
    """Return the logarithm of the factor by which a stake on each hand grows, from scores by hands and choices."""
    likelihoods = np.exp(of_hands - of_hands.max(axis=0))
    growth: Floats = np.log(HELD + (1 - HELD) * likelihoods / likelihoods.mean(axis=0))
    return growth

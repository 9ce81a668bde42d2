"""The deck of suite 250 is told by the seed, not drawn from it: for tests of frontends, and never fair.

::

    r = s mod 52!                                    s: the server's seed, 32 bytes, big-endian
    deck[k] = k for k in 0..51                       card number = k + 1
    for i = 51 down to 1: n = i+1; j = r mod n; r = r div n; swap deck[i], deck[j]

Every seed is a deck, and every order of the cards is the deck of 2^256 / 52! seeds, 1,435,590,242 or one more, so one
deck can be told again and again without a seed used twice. Everything else of a round is as in suite 1: the seed is
committed to, sealed and revealed, and the deal follows from OPEN, DEAL and REVEAL. Only the leader of a first trick is
drawn from C in place of M, so that whoever chooses the seed chooses the leader too.

It refuses to know who chose the deck. Whoever deals under this suite has; an audit says L0.

>>> from referee.cards import DECK, spell
>>> spell(order_told((0).to_bytes(32, "big"))[:4])  # each card changes places with the first one
'2C 2D 2H 3S'
>>> order_told(seed_telling(DECK, copy=5)) == DECK
True
"""

import math
from collections.abc import Sequence
from typing import Final

from referee.cards import DECK, Card
from referee.dealing.commitment import SEED_SIZE, checked_seed

DECKS: Final = math.factorial(len(DECK))
"""How many orders 52 cards have; below 2^226."""
COPIES: Final = 2 ** (8 * SEED_SIZE) // DECKS
"""How many seeds tell each deck, at least."""


def order_told(seed: bytes) -> tuple[Card, ...]:
    """The 52 cards in the order that a seed of 32 bytes tells; SeedError for another size."""
    rest = int.from_bytes(checked_seed(seed), "big") % DECKS
    deck = list(DECK)
    for i in range(len(deck) - 1, 0, -1):
        rest, j = divmod(rest, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def seed_telling(order: Sequence[Card], *, copy: int) -> bytes:
    """The seed that tells an order of all 52 cards, one of ``COPIES``; ValueError for other cards or copies."""
    if len(order) != len(DECK) or set(order) != set(DECK) or not 0 <= copy < COPIES:
        msg = f"a deck has each card once and one of {COPIES} seeds; these are {len(order)} cards and copy {copy}"
        raise ValueError(msg)
    deck = list(DECK)
    number, weight = copy * DECKS, 1
    for i in range(len(deck) - 1, 0, -1):
        j = deck.index(order[i])
        number += j * weight
        weight *= i + 1
        deck[i], deck[j] = deck[j], deck[i]
    return number.to_bytes(SEED_SIZE, "big")

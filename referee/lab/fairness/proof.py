"""Proof by exhaustive count, with the functions that deal, that the shuffle is exactly unbiased.

Three counts make the proof. (1) For every n from 2 to 52 each index is drawn by equally many of the 256 bytes, and the
other bytes are rejected. So if bytes are even and independent, each draw is even. (2) The choices of all draws are 52 *
51 * ... * 2 = 52! vectors, and different vectors give different orders: the draw for place i decides which of the
remaining cards is there, and every choice puts another card there. For up to seven cards every vector and every order
is counted here. So each of the 52! orders comes from exactly one vector, and all orders are equally likely. (3) If a
stream is used up, the round is void; the chance of that is counted over all 256^128 streams.

The proof assumes that HKDF's bytes are even and independent, as is expected of HMAC-SHA256. The statistics and
``dieharder`` look for signs that they are not.

>>> [proof.holds for proof in prove()]
[True, True, True]
"""

import itertools
import math
from collections import Counter
from fractions import Fraction
from typing import Final

import msgspec

from referee.cards import DECK
from referee.dealing.deck import STREAM_SIZE, StreamUsedUpError, draw, shuffle
from referee.lab.fairness.law import bytes_used_law

COUNTED_OUT: Final = 7
CLAIMED_BITS: Final = 159
_VALUES: Final = 256


class Proof(msgspec.Struct, frozen=True):
    """A claim that was checked by exhaustive count: whether it is true, and the counts in English."""

    claim: str
    holds: bool
    counts: str


def prove() -> tuple[Proof, ...]:
    """Make the three proofs: even draws, distinct orders, long enough streams."""
    return _draws_are_even(), _choices_are_orders(), _streams_suffice()


def bytes_by_index(count: int) -> Counter[int | None]:
    """Count the 256 bytes by the index that each draws out of ``count``, None for a rejected byte."""
    return Counter(_drawn(byte, count) for byte in range(_VALUES))


def orders_counted_out(cards: int) -> tuple[int, int]:
    """Return the number of vectors of choices of the shuffle's last draws, and the number of orders that they give.

    The last draws are those for the first ``cards`` places; all draws before them take byte 0.
    """
    lead = bytes(len(DECK) - cards)
    vectors = list(itertools.product(*(range(n) for n in range(cards, 1, -1))))
    orders = {shuffle(lead + bytes(vector))[:cards] for vector in vectors}
    return len(vectors), len(orders)


def chance_used_up(length: int = STREAM_SIZE) -> Fraction:
    """Compute the exact chance that a stream of uniform bytes is used up before the deck is complete."""
    law = bytes_used_law(length)
    return Fraction(law[-1], _VALUES**length)


def _drawn(byte: int, count: int) -> int | None:
    try:
        return draw(iter((byte,)), count)
    except StreamUsedUpError:
        return None


def _draws_are_even() -> Proof:
    counts = {n: bytes_by_index(n) for n in range(2, len(DECK) + 1)}
    even = [
        n
        for n, found in counts.items()
        if {found[index] for index in range(n)} == {_VALUES // n}
        and found.total() == _VALUES
        and set(found) <= {*range(n), None}
    ]
    most = max(found[None] for found in counts.values())
    return Proof(
        claim="for n = 2..52 every index is drawn by equally many of the 256 bytes",
        holds=len(even) == len(counts),
        counts=f"{len(even)} of {len(counts)} draws are even; at most {most} bytes of 256 are thrown away",
    )


def _choices_are_orders() -> Proof:
    counted = {cards: orders_counted_out(cards) for cards in range(2, COUNTED_OUT + 1)}
    holds = all(vectors == orders == math.factorial(cards) for cards, (vectors, orders) in counted.items())
    listed = ", ".join(f"{orders:,} of {vectors:,}" for vectors, orders in counted.values())
    return Proof(
        claim=f"different choices give different orders: each of n! vectors another one, n = 2..{COUNTED_OUT}",
        holds=holds,
        counts=f"{listed} orders; for 52 cards by induction, place by place",
    )


def _streams_suffice() -> Proof:
    chance = chance_used_up()
    bits = math.log2(chance.denominator) - math.log2(chance.numerator)
    return Proof(
        claim=f"{STREAM_SIZE} bytes are used up with a chance of at most 2^-{CLAIMED_BITS}",
        holds=chance * 2**CLAIMED_BITS <= 1,
        counts=f"counted over all streams: 2^-{bits:.2f}",
    )

"""Controls: shufflers with one known fault each, which the measures of a report must find.

A control uses streams of the same derivation as the real shuffle and differs from it in one point. Statistics cannot
find some faults with any feasible number of decks. An exact count excludes these; the report has the count and the
number of decks that the best statistic would need.

>>> [control.name for control in CONTROLS if not control.is_seen]
['u16 modulo', 'u32 modulo']
>>> uneven_draws(2**8), uneven_draws(2**16), uneven_draws(2**32)
(46, 46, 46)
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np

from referee.lab.fairness.decks import PLACES, Decks, Integers, StreamReader, Streams, shuffled, shuffled_by
from referee.lab.fairness.rounds import SMALL_SEED_BITS

LONGEST_STREAM: Final = 256
"""Bytes of a round's stream for a control; a longer stream begins with the bytes of a shorter one."""

_STUCK_AT: Final = 20
_FAVOURED_OF_256: Final = 4
_TWO_OF_HEARTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A shuffler with a fault.

    ``counted`` is the exact count that excludes the fault, empty if there is none. ``is_seen`` says whether the
    statistics must find the fault; if not, ``decks_needed`` estimates the number of decks with which they would.
    """

    name: str
    fault: str
    shuffle: Callable[[Streams], Decks]
    counted: str = ""
    is_seen: bool = True
    decks_needed: float = 0.0
    has_small_seeds: bool = False


def uneven_draws(values: int) -> int:
    """Count the n from 2 to 52 that do not divide ``values``.

    For such an n, ``values`` equally likely values taken modulo n do not give every index equally often.
    """
    return sum(values % n != 0 for n in range(2, PLACES + 1))


def noncentrality(values: int) -> float:
    """Compute the average that a deck adds to the chi-square of *card by place*, if a draw takes ``values`` modulo n.

    The chance of each card at each place is computed exactly, draw by draw: a draw exchanges the card of the place with
    the card of the drawn index.
    """
    chances = np.eye(PLACES)
    for place in range(PLACES - 1, 0, -1):
        left = place + 1
        drawn = np.array([(values - index + left - 1) // left / values for index in range(left)])
        here = drawn @ chances[:left]
        chances[:left] += drawn[:, None] * (chances[place] - chances[:left])
        chances[place] = here
    return float((PLACES - 1) * ((chances - 1 / PLACES) ** 2).sum())


def decks_needed(values: int) -> float:
    """Estimate the decks with which *card by place* finds draws of ``values`` modulo n, by four deviations."""
    degrees = (PLACES - 1) ** 2
    return 4 * math.sqrt(2 * degrees) / noncentrality(values)


def _remainder(reader: StreamReader, left: int, *, width: int) -> Integers:
    value = np.zeros_like(reader.used)
    for _ in range(width):
        value = value << 8 | reader.take()
    return value % left


def _stuck_byte(streams: Streams) -> Decks:
    stuck = streams.copy()
    stuck[:, _STUCK_AT] = 0
    return shuffled(stuck)


def _favours_a_seat(streams: Streams) -> Decks:
    decks = shuffled(streams)
    cards = decks.cards
    favoured = np.nonzero(streams[:, -1] < _FAVOURED_OF_256)[0]
    where = np.argmax(cards[:, favoured] == _TWO_OF_HEARTS, axis=0)
    first = cards[0, favoured].copy()
    cards[0, favoured] = _TWO_OF_HEARTS
    cards[where, favoured] = first
    return Decks(cards, decks.used)


def _by_modulo(bits: int, *, is_seen: bool) -> Control:
    return Control(
        name=f"u{bits} modulo",
        fault=f"draws {bits} bits and takes the remainder, without rejection",
        shuffle=partial(shuffled_by, draw=partial(_remainder, width=bits // 8)),
        counted=f"{uneven_draws(2**bits)} of 51 draws are uneven: n does not divide 2^{bits}",
        is_seen=is_seen,
        decks_needed=decks_needed(2**bits),
    )


CONTROLS: Final = (
    _by_modulo(8, is_seen=True),
    _by_modulo(16, is_seen=False),
    _by_modulo(32, is_seen=False),
    Control(
        name="limit off by one",
        fault="accepts the first byte that should be rejected",
        shuffle=partial(shuffled_by, draw=lambda reader, left: reader.take_below(257 - 256 % left) % left),
        counted="46 of 51 draws are uneven: index 0 has a byte more",
    ),
    Control(
        name="comparison turned round",
        fault="accepts the bytes that should be rejected and rejects the others",
        shuffle=partial(shuffled_by, draw=lambda reader, left: reader.take_from(256 - 256 % left) % left),
        counted="for n = 2, 4, 8, 16 and 32 no byte is taken: every stream is used up",
    ),
    Control(
        name="swap with any",
        fault="exchanges each of the 52 places with any of the 52",
        shuffle=partial(
            shuffled_by, draw=lambda reader, _: reader.take_below(256 - 256 % PLACES) % PLACES, places=range(PLACES)
        ),
        counted="52^52 equally likely ways are no multiple of 52! orders",
    ),
    Control(
        name="Sattolo",
        fault="off by one: never leaves a card where it is",
        shuffle=partial(shuffled_by, draw=lambda reader, left: reader.take_below(256 - 256 % (left - 1)) % (left - 1)),
        counted="51! equally likely ways cannot reach 52! orders",
    ),
    Control(
        name="small seed space",
        fault=f"{SMALL_SEED_BITS} bits of seed, each shuffled without a fault",
        shuffle=shuffled,
        counted=f"2^{SMALL_SEED_BITS} seeds cannot reach 52! orders",
        has_small_seeds=True,
    ),
    Control(
        name="stuck byte",
        fault=f"byte {_STUCK_AT} of every stream is zero",
        shuffle=_stuck_byte,
        counted="one byte of the stream has one value",
    ),
    Control(
        name="favours a seat",
        fault="in one deck of 64 seat 0 is given the 2 of hearts after the shuffle",
        shuffle=_favours_a_seat,
    ),
)

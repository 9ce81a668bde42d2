"""The order of the 52 cards and the leader that is drawn: fixed functions of the seeds, exactly unbiased.

::

    stream = HKDF(ikm = s, salt = M, info = enc("deck", round_id), L = 128)
    deck[k] = k for k in 0..51                                    card number = k + 1
    for i = 51 down to 1:
        n = i + 1;  lim = 256 - 256 mod n;  take the next byte b until b < lim;  swap deck[i], deck[b mod n]

Bytes at or above the limit are discarded, because 256 is no multiple of n: the remainder alone would favour low cards.
A stream that is used up makes the round void; the chance is below 2^-159. A leader is drawn in the same way from
``HKDF(s, M, enc("leader", round_id), 32)`` with n = the number of seats. If it were drawn from M without s, a caller
that sees the other seats' seeds first could choose who leads.

In suite 250, which is for tests of frontends and never fair, the server's seed s (big-endian) spells the deck::

    r = s mod 52!
    for i = 51 down to 1: n = i + 1;  j = r mod n;  r = r div n;  swap deck[i], deck[j]

Every order of the cards is the deck of at least ``COPIES`` seeds, so one deck can be dealt again and again without a
seed used twice.

>>> from referee.cards import spell
>>> spell(shuffle(bytes(51))[:4])  # byte 0 every time: each card changes places with the first one
'2C 2D 2H 3S'
>>> scripted_order(seed_for_order(DECK, copy=5)) == DECK
True
"""

import math
from collections.abc import Iterator, Sequence
from typing import Final

from referee.cards import DECK, Card, Seat
from referee.dealing.commitment import SEED_SIZE, checked_seed
from referee.evidence.encoding import enc
from referee.evidence.hkdf import Prk

STREAM_SIZE: Final = 128
LEADER_STREAM_SIZE: Final = 32
DECKS: Final = math.factorial(len(DECK))
"""Number of orders of 52 cards; below 2^226."""
COPIES: Final = 2 ** (8 * SEED_SIZE) // DECKS
"""Number of seeds, at least, that spell each order: 1,435,590,242."""

_USED_UP: Final = "the stream was used up before the draw was done; the round is void"
_BYTE_VALUES: Final = 256
_DRAWS: Final = tuple([(i, i + 1, _BYTE_VALUES - _BYTE_VALUES % (i + 1)) for i in range(len(DECK) - 1, 0, -1)])
"""For each draw the place to fill, the number of cards left for it, and the limit of bytes that count."""


class StreamUsedUpError(RuntimeError):
    """A stream with too few bytes that count: the round is void."""


def deal_order(*, seed: bytes, mixed: bytes, round_id: bytes) -> tuple[Card, ...]:
    """Return the 52 cards in the order they are dealt."""
    return order_from(Prk.of(seed, salt=mixed), round_id=round_id)


def order_from(secret: Prk, *, round_id: bytes) -> tuple[Card, ...]:
    """Return the 52 cards in the order dealt; ``secret`` is extracted from the server's seed with M as salt."""
    return shuffle(secret.expand(info=enc("deck", round_id), length=STREAM_SIZE))


def shuffle(stream: bytes) -> tuple[Card, ...]:
    """Shuffle the 52 cards by a stream of bytes; raise StreamUsedUpError where it is too short."""
    deck = list(DECK)
    rest = iter(stream)
    for i, n, limit in _DRAWS:
        for byte in rest:
            if byte < limit:
                break
        else:
            raise StreamUsedUpError(_USED_UP)
        j = byte % n
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def draw(stream: Iterator[int], count: int) -> int:
    """Draw an index below ``count`` (1 to 256), each equally likely, from the next byte that counts.

    Raise StreamUsedUpError where none is left.
    """
    limit = _BYTE_VALUES - _BYTE_VALUES % count
    for byte in stream:
        if byte < limit:
            return byte % count
    raise StreamUsedUpError(_USED_UP)


def draw_leader(*, seed: bytes, mixed: bytes, round_id: bytes, seat_count: int) -> Seat:
    """Draw the seat that leads from the server's seed and the mix; each is equally likely."""
    return leader_from(Prk.of(seed, salt=mixed), round_id=round_id, seat_count=seat_count)


def leader_from(secret: Prk, *, round_id: bytes, seat_count: int) -> Seat:
    """Draw the seat that leads; ``secret`` is extracted from the server's seed with M as salt."""
    stream = secret.expand(info=enc("leader", round_id), length=LEADER_STREAM_SIZE)
    return Seat(draw(iter(stream), seat_count))


def scripted_order(seed: bytes) -> tuple[Card, ...]:
    """Return the order that a seed of 32 bytes spells in suite 250; raise SeedError for another size."""
    rest = int.from_bytes(checked_seed(seed), "big") % DECKS
    deck = list(DECK)
    for i in range(len(deck) - 1, 0, -1):
        rest, j = divmod(rest, i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return tuple(deck)


def seed_for_order(order: Sequence[Card], *, copy: int) -> bytes:
    """Return a seed that spells an order of all 52 cards in suite 250; each ``copy`` gives another seed.

    Raise ValueError unless the order has each card once and ``copy`` is from 0 to ``COPIES`` - 1.
    """
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

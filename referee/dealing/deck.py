"""The deck is a fixed function of the server's seed and the mix, exactly unbiased among all orders of the 52 cards.

::

    stream = HKDF(ikm = s, salt = M, info = enc("deck", round_id), L = 128)
    deck[k] = k for k in 0..51                                    card number = k + 1
    for i = 51 down to 1:
        n = i + 1;  lim = 256 - 256 mod n;  take the next byte b until b < lim;  swap deck[i], deck[b mod n]

Bytes at or above the limit are thrown away, because 256 is no multiple of n: the remainder alone would favour low
cards. A stream that is used up makes the round void; the chance is below 2^-159. The leader of a first trick is drawn
in the same way from ``HKDF(M, "", enc("leader", round_id), 32)`` with n = the number of seats.

It refuses to know how the deck is cut into hands, and it never takes a second stream.

>>> from referee.cards import spell
>>> spell(shuffle(bytes(51))[:4])  # byte 0 every time: each card changes places with the first one
'2C 2D 2H 3S'
"""

from collections.abc import Iterator
from typing import Final

from referee.cards import DECK, Card, Seat
from referee.evidence.encoding import enc
from referee.evidence.hkdf import Prk, hkdf

STREAM_SIZE: Final = 128
LEADER_STREAM_SIZE: Final = 32

_USED_UP: Final = "the stream was used up before the draw was done; the round is void"
_BYTE_VALUES: Final = 256
_DRAWS: Final = tuple([(i, i + 1, _BYTE_VALUES - _BYTE_VALUES % (i + 1)) for i in range(len(DECK) - 1, 0, -1)])
"""For each draw the place that is filled, how many cards are left for it, and the limit of bytes that count."""


class StreamUsedUpError(RuntimeError):
    """Every byte of the stream was taken before the draw was done: the round is void."""


def deal_order(*, seed: bytes, mixed: bytes, round_id: bytes) -> tuple[Card, ...]:
    """The 52 cards in the order they are dealt."""
    return order_from(Prk.of(seed, salt=mixed), round_id=round_id)


def order_from(secret: Prk, *, round_id: bytes) -> tuple[Card, ...]:
    """The same from what is extracted from the server's seed and the mix once for the whole deal."""
    return shuffle(secret.expand(info=enc("deck", round_id), length=STREAM_SIZE))


def shuffle(stream: bytes) -> tuple[Card, ...]:
    """The order of the 52 cards that a stream of bytes draws; StreamUsedUpError where it is too short."""
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
    """An index below ``count`` (1 to 256), each equally likely, from the next byte that counts.

    Raises StreamUsedUpError where none is left that does.
    """
    limit = _BYTE_VALUES - _BYTE_VALUES % count
    for byte in stream:
        if byte < limit:
            return byte % count
    raise StreamUsedUpError(_USED_UP)


def draw_leader(*, mixed: bytes, round_id: bytes, seat_count: int) -> Seat:
    """The seat that leads where the game has one drawn; each is equally likely."""
    stream = hkdf(mixed, salt=b"", info=enc("leader", round_id), length=LEADER_STREAM_SIZE)
    return Seat(draw(iter(stream), seat_count))

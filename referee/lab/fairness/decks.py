"""Many decks at once: arrays in which a row is a place of the deck and a column is one deck.

``shuffled`` gives the decks of ``referee.dealing.deck.shuffle``, from the same bytes in the same order. It makes each
of the 51 draws for all decks before it makes the next draw. The tests compare both functions on many streams, and a
report compares them on the first decks of every batch. Here a card is 0 to 51, its number less one.

A hand of thirteen is one number of 55 bits: from the lowest bit on three bits for the number of cards of each rank,
twos first, then four bits for the number of cards of each suit, spades first.

>>> from referee.dealing.deck import shuffle
>>> made = shuffled(as_array([bytes(128), bytes(range(128))]))
>>> [card.number - 1 for card in shuffle(bytes(range(128)))] == made.cards[:, 1].tolist()
True
>>> made.used.tolist()
[51, 51]
>>> hands = HandKeys.of(np.arange(13, dtype=np.uint8)[:, None])  # the twos, the threes, the fours and 5S
>>> hands.by_rank[:, 0].tolist(), hands.by_suit[:, 0].tolist()
([4, 4, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0], [4, 3, 3, 3])
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from referee.dealing.deck import STREAM_SIZE

Streams = npt.NDArray[np.uint8]

PLACES: Final = 52
_LARGEST: Final = 255
SEATS: Final = 4
HAND: Final = 13
RANKS: Final = 13
SUITS_AT: Final = 3 * RANKS
_KEYS: Final = np.array([1 << 3 * (card >> 2) | 1 << SUITS_AT + 4 * (card & 3) for card in range(52)], dtype=np.int64)

Cards = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class HandKeys:
    """Hands of thirteen, one from each of many decks, as one number each."""

    keys: Integers

    @classmethod
    def of(cls, cards: Cards) -> "HandKeys":
        """Make a hand of each column of thirteen rows of cards."""
        return cls(_KEYS[cards].sum(axis=0))

    @cached_property
    def ranks(self) -> Integers:
        """The 39 bits of each hand that hold the numbers of cards by rank."""
        return self.keys & ((1 << SUITS_AT) - 1)

    @cached_property
    def by_rank(self) -> npt.NDArray[np.uint8]:
        """Number of cards of each rank in each hand; ranks are rows, twos first."""
        return np.stack([(self.keys >> 3 * rank & 7).astype(np.uint8) for rank in range(RANKS)])

    @cached_property
    def by_suit(self) -> npt.NDArray[np.uint8]:
        """Number of cards of each suit in each hand; suits are rows."""
        return np.stack([(self.keys >> SUITS_AT + 4 * suit & 15).astype(np.uint8) for suit in range(4)])

    @cached_property
    def pair_bits(self) -> npt.NDArray[np.int32]:
        """One bit for each rank from three to ace, threes lowest: whether the hand has two or more cards of it."""
        bits = (self.by_rank[1:] >= 2).astype(np.int32)  # noqa: PLR2004 - a pair
        return np.asarray((bits << np.arange(RANKS - 1, dtype=np.int32)[:, None]).sum(axis=0), dtype=np.int32)


@dataclass(frozen=True)
class Decks:
    """Many decks: ``cards[place, deck]``, 0 to 51, and by deck the number of bytes of its stream that were used."""

    cards: Cards
    used: Integers

    def __len__(self) -> int:
        return int(self.cards.shape[1])

    @cached_property
    def ranks(self) -> Cards:
        """Rank of each card, 0 (two) to 12 (ace)."""
        return self.cards >> np.uint8(2)

    @cached_property
    def suits(self) -> Cards:
        """Suit of each card: spade, club, diamond, heart are 0 to 3."""
        return self.cards & np.uint8(3)

    @cached_property
    def hands(self) -> tuple[HandKeys, ...]:
        """Hands of four seats, thirteen cards each, seat 0 first."""
        return tuple([HandKeys.of(self.cards[HAND * seat : HAND * seat + HAND]) for seat in range(SEATS)])

    def kept(self, wanted: npt.NDArray[np.bool_]) -> "Decks":
        """Return the decks for which ``wanted`` is true."""
        return self if wanted.all() else Decks(self.cards[:, wanted], self.used[wanted])


def as_array(streams: Iterable[bytes], *, length: int = STREAM_SIZE) -> Streams:
    """Convert streams of ``length`` bytes to an array with a stream in each row."""
    return np.frombuffer(b"".join(streams), dtype=np.uint8).reshape(-1, length)


def in_order(count: int) -> Cards:
    """Make ``count`` unshuffled decks."""
    return np.repeat(np.arange(PLACES, dtype=np.uint8)[:, None], count, axis=1)


class StreamReader:
    """Reader of many streams at once, with a position in each stream.

    Past its end a stream gives zeros and no byte is rejected, so that every draw ends; ``used`` is then more than the
    stream's length.
    """

    def __init__(self, streams: Streams) -> None:
        count, length = streams.shape
        width = length + 2 * PLACES
        padded = np.zeros((count, width), dtype=np.uint8)
        padded[:, :length] = streams
        self._bytes = padded.reshape(-1)
        self._starts = np.arange(count, dtype=np.int64) * width
        self._ends = self._starts + length
        self._places = self._starts.copy()

    @property
    def used(self) -> Integers:
        """Number of bytes taken from each stream."""
        return np.asarray(self._places - self._starts, dtype=np.int64)

    def take(self) -> Cards:
        """Take the next byte of each stream."""
        taken = self._bytes[self._places]
        self._places += 1
        return np.asarray(taken, dtype=np.uint8)

    def take_below(self, limit: int) -> Cards:
        """Take from each stream its next byte below ``limit``, which is at most 256; skip the bytes before it."""
        return self.take() if limit > _LARGEST else self._take_until(lambda taken: taken < limit)

    def take_from(self, limit: int) -> Cards:
        """Take from each stream its next byte that is not below ``limit``; skip the bytes before it."""
        return self._take_until(lambda taken: taken >= limit)

    def _take_until(self, counts: Callable[[Cards], npt.NDArray[np.bool_]]) -> Cards:
        taken = self.take()
        rejected = np.nonzero(~counts(taken))[0]
        while len(rejected):
            rejected = rejected[self._places[rejected] <= self._ends[rejected]]
            again = self._bytes[self._places[rejected]]
            self._places[rejected] += 1
            taken[rejected] = again
            rejected = rejected[~counts(again)]
        return taken


def swap(cards: Cards, *, place: int, with_places: Cards | Integers) -> None:
    """Exchange in every deck the card at ``place`` with the card at that deck's entry of ``with_places``."""
    columns = np.arange(cards.shape[1])
    others = cards[with_places, columns]
    cards[with_places, columns] = cards[place]
    cards[place] = others


def shuffled_by(
    streams: Streams,
    draw: Callable[[StreamReader, int], Cards | Integers],
    *,
    places: Iterable[int] = range(PLACES - 1, 0, -1),
) -> Decks:
    """Shuffle a deck by each stream: exchange the card at each of the places with that of the index drawn.

    ``draw(reader, n)`` draws an index of each deck; n is the place counted from 1. If a stream is used up, its deck's
    ``used`` is more than the stream's length.
    """
    reader = StreamReader(streams)
    cards = in_order(len(streams))
    for place in places:
        swap(cards, place=place, with_places=draw(reader, place + 1))
    return Decks(cards, reader.used)


def shuffled(streams: Streams) -> Decks:
    """Shuffle a deck by each stream as ``referee.dealing.deck.shuffle`` does."""
    return shuffled_by(streams, lambda reader, left: reader.take_below(256 - 256 % left) % left)

"""Rounds numbered from 0, dealt by the derivations of ``referee.dealing`` from seeds that one stated seed gives.

::

s, a, round_id = the 32-byte parts of HKDF-Expand(prk = seed, info = enc("fairness", u64 number), L = 96) C =
TH("server-commit", round_id, s)         M = TH("mix", round_id, C, no beacon, a) stream = HKDF(ikm = s, salt = M, info
= enc("deck", round_id), L)

From C on a table of one seat computes the same. Only the seeds are derived from ``seed``, not drawn from the system's
randomness, so a laboratory can deal the same rounds again. In the control of a small seed space only 20 bits of s vary;
a and round_id are constant.

>>> from referee.dealing.deck import shuffle
>>> deck_of(bytes(32), number=5) == shuffle(stream_of(bytes(32), number=5))
True
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from referee.cards import Card
from referee.dealing.commitment import mix, server_commitment
from referee.dealing.deck import STREAM_SIZE, deal_order
from referee.evidence.encoding import enc, u64
from referee.evidence.hkdf import Prk

SMALL_SEED_BITS: Final = 20
_ONE_ROUND_ID: Final = bytes(32)


class Seeds(NamedTuple):
    """Seeds of a round: the server's, the seat's, and the round's id; 32 bytes each."""

    server: bytes
    seat: bytes
    round_id: bytes

    @property
    def mixed(self) -> bytes:
        """M, the mix of a round with one seat."""
        commitment = server_commitment(round_id=self.round_id, seed=self.server)
        return mix(round_id=self.round_id, commitment=commitment, client_seeds=(self.seat,))


def seeds_of(seed: bytes, *, number: int) -> Seeds:
    """Derive the seeds of the round with this number."""
    drawn = Prk(seed).expand(info=enc("fairness", u64(number)), length=96)
    return Seeds(drawn[:32], drawn[32:64], drawn[64:])


def small_seeds_of(seed: bytes, *, number: int) -> Seeds:
    """Derive seeds for the control of a small seed space, in which only 20 bits of the server's seed vary."""
    drawn = int.from_bytes(seeds_of(seed, number=number).server, "big") % 2**SMALL_SEED_BITS
    return Seeds(drawn.to_bytes(32, "big"), bytes(32), _ONE_ROUND_ID)


def stream_from(seeds: Seeds, *, length: int = STREAM_SIZE) -> bytes:
    """Derive the bytes that shuffle the deck; a longer stream begins with the bytes of a shorter one."""
    return Prk.of(seeds.server, salt=seeds.mixed).expand(info=enc("deck", seeds.round_id), length=length)


def stream_of(seed: bytes, *, number: int, length: int = STREAM_SIZE) -> bytes:
    """Derive the bytes that shuffle the deck of the round with this number."""
    return stream_from(seeds_of(seed, number=number), length=length)


def deck_of(seed: bytes, *, number: int) -> tuple[Card, ...]:
    """Deal the deck of the round with this number by the function that deals for tables, ``deal_order``."""
    seeds = seeds_of(seed, number=number)
    return deal_order(seed=seeds.server, mixed=seeds.mixed, round_id=seeds.round_id)


def streams(seed: bytes, *, first: int = 0) -> Iterator[bytes]:
    """Yield the streams of all rounds from ``first`` on, 128 bytes each, without end."""
    number = first
    while True:
        yield stream_of(seed, number=number)
        number += 1

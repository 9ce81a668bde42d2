"""Deals: all that follows from a header, the server's seed and the seats' seeds.

From the OPEN, DEAL and REVEAL leaves anyone can derive the same cards, roots and deck root again. A deal holds the keys
of its sections, so it never leaves the shuffler before the seed is revealed, and its ``repr`` shows neither cards nor
keys.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Final, Self, TypeVar

import msgspec

from referee.cards import Card, Seat
from referee.dealing.commitment import SeedError, deck_root, mix, section_keys, section_roots, server_commitment
from referee.dealing.deck import leader_from, order_from, scripted_order
from referee.dealing.header import SUITE_FIXTURE, Header
from referee.evidence.hkdf import Prk
from referee.games import GAMES

_NUMBER: Final = attrgetter("number")
OrderT = TypeVar("OrderT", bytes, tuple[Card, ...])


class Deal(msgspec.Struct, frozen=True, kw_only=True):
    """The cards by section and their numbers, the key and root of each section, and the deck root over them.

    ``drawn`` is the seat that the seeds draw as the leader; None in a game without a leader.
    """

    round_id: bytes
    commitment: bytes
    mixed: bytes
    sections: tuple[tuple[Card, ...], ...]
    numbers: tuple[bytes, ...]
    keys: tuple[bytes, ...]
    roots: tuple[bytes, ...]
    deck_root: bytes
    drawn: Seat | None

    def __repr__(self) -> str:
        return f"Deal(round_id={self.round_id.hex()}, deck_root={self.deck_root.hex()})"

    @classmethod
    def derive(
        cls, header: Header, *, server_seed: bytes, client_seeds: Sequence[bytes], commitment: bytes | None = None
    ) -> Self:
        """Derive a round's deal from seeds of 32 bytes, the seats' in the order of the seats.

        ``commitment`` is C, for a caller that knows it to belong to the server's seed; without it C is computed.

        Raise HeaderError if the header breaks the protocol, SeedError unless there is one seed of 32 bytes a seat, and
        StreamUsedUpError if the round is void (below one in 2^159).
        """
        if len(client_seeds) != header.seat_count:
            raise SeedError(f"{header.seat_count} seats have {len(client_seeds)} seeds")
        round_id = header.round_id
        if commitment is None:
            commitment = server_commitment(round_id=round_id, seed=server_seed)
        mixed = mix(round_id=round_id, commitment=commitment, client_seeds=client_seeds)
        return cls.from_mix(header, server_seed=server_seed, commitment=commitment, mixed=mixed)

    @classmethod
    def from_mix(cls, header: Header, *, server_seed: bytes, commitment: bytes, mixed: bytes) -> Self:
        """Derive a round's deal from the server's seed, C and M. That C and M belong to the seeds is not checked."""
        round_id = header.round_id
        secret = Prk.of(server_seed, salt=mixed)
        is_scripted = header.randomness_suite == SUITE_FIXTURE
        order = scripted_order(server_seed) if is_scripted else order_from(secret, round_id=round_id)
        numbers = cut(bytes(map(_NUMBER, order)), header.layout)
        keys = section_keys(secret, round_id=round_id, count=len(numbers))
        roots = section_roots(keys=keys, round_id=round_id, numbers=numbers)
        return cls(
            round_id=round_id,
            commitment=commitment,
            mixed=mixed,
            sections=cut(order, header.layout),
            numbers=numbers,
            keys=keys,
            roots=roots,
            deck_root=deck_root(
                round_id=round_id, commitment=commitment, mixed=mixed, layout=header.layout, roots=roots
            ),
            drawn=_drawn(header, secret, server_seed=server_seed, commitment=commitment),
        )


def has_leader(header: Header) -> bool:
    """Return whether the header's game has a leader; False for a game that is not installed."""
    game = GAMES.get(header.ruleset_id.partition(".")[0])
    return game is not None and game.lead is not None


def scripted_leader(header: Header, *, server_seed: bytes, commitment: bytes) -> Seat:
    """Draw the leader in suite 250. C takes the place of M, because C is known before the seats' seeds."""
    return leader_from(Prk.of(server_seed, salt=commitment), round_id=header.round_id, seat_count=header.seat_count)


def _drawn(header: Header, secret: Prk, *, server_seed: bytes, commitment: bytes) -> Seat | None:
    if not has_leader(header):
        return None
    if header.randomness_suite == SUITE_FIXTURE:
        return scripted_leader(header, server_seed=server_seed, commitment=commitment)
    return leader_from(secret, round_id=header.round_id, seat_count=header.seat_count)


def cut(order: OrderT, layout: Sequence[int]) -> tuple[OrderT, ...]:
    """Cut the deck, as cards or their numbers, into sections, dealt from its front."""
    ends: tuple[int, ...] = tuple(accumulate(layout))
    return tuple([order[start:end] for start, end in zip((0, *ends), ends, strict=False)])

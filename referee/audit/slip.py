"""A slip: which leaves a round is made of, and what the log's order says of it, without the leaves themselves.

The law: whoever fills a slip reads the leaves again from wherever the log is kept, and each must have the hash that the
audit put into the tree. So a slip examined elsewhere is the same round, or it is no round at all.

It refuses to know where leaves are kept.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar, cast

import msgspec

from referee.audit.gathered import GatheredRound
from referee.audit.keys import KeyRing
from referee.audit.reading import Payload, Placed, read_envelope, read_header, read_payload
from referee.audit.source import NO_EXHIBITS, Exhibits
from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf, RevealLeaf
from referee.evidence.merkle import leaf_hash
from referee.transcript.leader import LastWinner
from referee.transcript.told import Transcript

LeafT = TypeVar("LeafT", bound=Payload)


class OtherLeafError(ValueError):
    """Where the log is kept, another leaf stands now than the audit read."""


class Place(msgspec.Struct, frozen=True):
    """A leaf's place: its index, its hash, and the keys as they stand there."""

    index: int
    hash: bytes
    ring: KeyRing


class Slip(msgspec.Struct, frozen=True, kw_only=True):
    """A ``GatheredRound`` with the places of its leaves for the leaves."""

    round_id: bytes
    open: Place
    deal: Place | None
    settle: Place | None
    abort: Place | None
    reveal: Place | None
    previous_round_id: bytes | None
    last_winner: LastWinner | None
    exhibits: Exhibits = NO_EXHIBITS

    @property
    def indices(self) -> Iterator[int]:
        """The leaves that it takes to fill it."""
        for place in (self.open, self.deal, self.settle, self.abort, self.reveal):
            if place is not None:
                yield place.index


def slip_of(gathered: GatheredRound) -> Slip:
    """The slip of a round."""
    return Slip(
        round_id=gathered.round_id,
        open=Place(gathered.open.index, gathered.open.hash, gathered.open.ring),
        deal=_place(gathered.deal),
        settle=_place(gathered.settle),
        abort=_place(gathered.abort),
        reveal=_place(gathered.reveal),
        previous_round_id=gathered.previous_round_id,
        last_winner=gathered.last_winner,
        exhibits=gathered.exhibits,
    )


def fill(slip: Slip, leaf: Callable[[int], bytes]) -> GatheredRound:
    """The round of a slip, its leaves read by index; OtherLeafError where one is not the leaf that the slip names."""
    opened: Placed[OpenLeaf] = _placed(slip.open, leaf)
    deal: Placed[DealLeaf] | None = None if slip.deal is None else _placed(slip.deal, leaf)
    settle: Placed[Transcript] | None = None if slip.settle is None else _placed(slip.settle, leaf)
    abort: Placed[AbortLeaf] | None = None if slip.abort is None else _placed(slip.abort, leaf)
    reveal: Placed[RevealLeaf] | None = None if slip.reveal is None else _placed(slip.reveal, leaf)
    return GatheredRound(
        round_id=slip.round_id,
        header=read_header(opened.leaf),
        open=opened,
        deal=deal,
        settle=settle,
        abort=abort,
        reveal=reveal,
        previous_round_id=slip.previous_round_id,
        last_winner=slip.last_winner,
        exhibits=slip.exhibits,
    )


def _place(placed: Placed[LeafT] | None) -> Place | None:
    return None if placed is None else Place(placed.index, placed.hash, placed.ring)


def _placed(place: Place, leaf: Callable[[int], bytes]) -> Placed[LeafT]:
    data = leaf(place.index)
    if leaf_hash(data) != place.hash:
        msg = f"leaf {place.index} is not the one that was read before"
        raise OtherLeafError(msg)
    envelope = read_envelope(data)  # it was read before, so it can be read
    return Placed(
        index=place.index,
        hash=place.hash,
        envelope=envelope,
        ring=place.ring,
        leaf=cast("LeafT", read_payload(envelope)),  # of the type that it had when it was gathered: its hash says so
    )

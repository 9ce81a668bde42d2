"""Levels: how much a round's dealing and its events are proved, beyond that nothing in it is broken.

==  =====================================================================================================
L0  no commitment: the server's seed is zeros' or of the suite for tests
L1  the server's commitment alone; or a seat's seed without commitment, trivial, repeated, or another seat's; or not
    signed by a seat that has a key
L2  every seat committed to its own seed in OPEN, before the server showed anything
L3  L2, and a witness cosigned OPEN before the seats' seeds were shown
E0  an event's time or content is the frontend's word
E1  every event has the referee's receipt
E2  every event is signed by its seat
==  =====================================================================================================

One player alone against the house needs no commitment: it shows its seed after the server is bound, and nobody else
chooses one. A round without events says nothing by itself and counts as NONE.

>>> event_level(["RECEIPT", "FRONTEND", "SEAT"]).value
'E0'
>>> is_trivial(bytes(31) + b"a"), is_trivial(bytes(range(32)))
(True, False)
"""

import enum
from collections.abc import Iterable
from typing import Final

from referee.dealing.header import SUITE_COMMITMENT, Header
from referee.dealing.leaf import OpenLeaf

_FEWEST_VALUES: Final = 9
"""A random seed of 32 bytes has fewer different bytes than this with a chance below 2^-110."""
_NO_COMMITMENT: Final = "00" * 32


class DealingLevel(enum.StrEnum):
    """How much of a round's dealing is proved."""

    L0 = "L0"
    L1 = "L1"
    L2 = "L2"
    L3 = "L3"


class EventLevel(enum.StrEnum):
    """How the least attested event of a round is attested."""

    E0 = "E0"
    E1 = "E1"
    E2 = "E2"
    NONE = "NONE"


_ATTESTED: Final = {"FRONTEND": EventLevel.E0, "RECEIPT": EventLevel.E1, "SEAT": EventLevel.E2}


def event_level(attested: Iterable[str]) -> EventLevel:
    """The lowest level among the events' attestations."""
    return min([_ATTESTED[one] for one in attested], default=EventLevel.NONE)


def dealing_level(header: Header, opened: OpenLeaf, *, has_weak_seeds: bool) -> DealingLevel:
    """The level of a dealt round by its own leaves; whether a seed is used elsewhere too is not seen here.

    Weak seeds are trivial ones, those that another seat of the round has too, and those that a seat with a key has not
    signed.
    """
    if header.randomness_suite != SUITE_COMMITMENT or opened.server_commitment == _NO_COMMITMENT:
        return DealingLevel.L0
    if has_weak_seeds or (header.seat_count > 1 and not all(opened.client_commitments)):
        return DealingLevel.L1
    return DealingLevel.L2


def is_trivial(seed: bytes) -> bool:
    """Whether a seed was hardly drawn at random: zeros, a counter, a default of few different bytes."""
    few = seed[:_FEWEST_VALUES]  # nearly always different bytes, and then the others need no look
    return len(set(few)) < _FEWEST_VALUES and len(set(seed)) < _FEWEST_VALUES

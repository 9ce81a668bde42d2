"""Leaves that a server's start takes from the whole log: those that name its keys, and the last START of its instance.

>>> noted_leaf(b"another leaf") is None
True
"""

import enum
from typing import Final

import msgspec

from referee.dealing.leaf import KEY_TYPE, START_TYPE, StartLeaf, parse
from referee.evidence.dsse import Envelope

_KEY: Final = KEY_TYPE.encode("ascii")
_START: Final = START_TYPE.encode("ascii")
TYPE_BYTES: Final = 256
"""Last bytes of a leaf, among which a type that this program knows is: only one signature follows it."""


class NotedKind(enum.IntEnum):
    """Kind of such a leaf. Stores keep the numbers."""

    KEY = 0
    START = 1


class Noted(msgspec.Struct, frozen=True):
    """What such a leaf is found by: its kind, and of a START the instance; empty for a KEY leaf."""

    kind: NotedKind
    instance: str = ""


def noted_leaf(data: bytes) -> Noted | None:
    """Return what the bytes of a leaf are found by; None for any other leaf, and for a START that is malformed.

    A malformed leaf that may be a KEY leaf counts as one, so that a start refuses it.
    """
    end = data[-TYPE_BYTES:]
    if _KEY in end:
        return Noted(NotedKind.KEY)
    if _START not in end:
        return None
    try:
        envelope = Envelope.parse(data)
        if envelope.payload_type == START_TYPE:
            return Noted(NotedKind.START, parse(envelope.payload, StartLeaf).instance)
    except ValueError:  # the audit reports such a leaf when it reads it
        pass
    return None

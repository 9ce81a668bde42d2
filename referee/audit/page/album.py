"""The leaves of a few rounds, picked out of a log once more for showing.

The law: whatever is asked for is looked for by table and number, in one pass over the leaves that keeps only theirs, so
memory does not grow with the log. Nothing is checked here: the audit has done that, and a spoilt leaf is shown as such.

It refuses to know what the leaves say beyond which round they are of.
"""

from collections import deque
from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from referee.audit.source import LogSource
from referee.dealing.leaf import OPEN_TYPE, REVEAL_TYPE
from referee.evidence.dsse import Envelope, EnvelopeError

TAIL: Final = 400
"""Leaves at a log's end among which the latest rounds are looked for."""

RoundKey = tuple[str, int]
"""A table's id and a round's number."""
Album = dict[RoundKey, list[tuple[int, bytes]]]
"""By round its leaves with their indexes, in order."""


class _Slot(msgspec.Struct, frozen=True):
    table_id: str
    round_number: int


class _Named(msgspec.Struct, frozen=True):
    """What tells the round of a leaf: the id, and in an OPEN the table and number."""

    round_id: str
    header: _Slot | None = None


_decoder: Final = msgspec.json.Decoder(_Named)


def album_of(source: LogSource, size: int, wanted: Collection[RoundKey]) -> Album:
    """The leaves of the rounds wanted, in that order; a round that is not found has none."""
    album: Album = {key: [] for key in wanted}
    if album:
        _fill(album, enumerate(source.leaves(0, size)))
    return {key: leaves for key, leaves in album.items() if leaves}


def latest_rounds(source: LogSource, size: int, *, count: int) -> Album:
    """The latest rounds that were opened and revealed within the log's tail, newest first."""
    start = max(0, size - TAIL)
    leaves = list(enumerate(source.leaves(start, size), start))
    opened: dict[str, RoundKey] = {}
    ended: deque[RoundKey] = deque(maxlen=count)
    for _, data in leaves:
        kind, named = _named(data)
        if named is not None and kind == OPEN_TYPE and named.header is not None:
            opened[named.round_id] = named.header.table_id, named.header.round_number
        elif named is not None and kind == REVEAL_TYPE and named.round_id in opened:
            ended.append(opened[named.round_id])
    album: Album = {key: [] for key in reversed(ended)}
    _fill(album, leaves)
    return album


def _fill(album: Album, leaves: Iterable[tuple[int, bytes]]) -> None:
    rounds: dict[str, RoundKey] = {}
    for index, data in leaves:
        kind, named = _named(data)
        if named is None:
            continue
        if kind == OPEN_TYPE and named.header is not None:
            key = named.header.table_id, named.header.round_number
            if key in album:
                rounds[named.round_id] = key
        if named.round_id in rounds:
            album[rounds[named.round_id]].append((index, data))


def _named(data: bytes) -> tuple[str, _Named | None]:
    """A leaf's type and what it names; nothing for one that names no round."""
    try:
        envelope = Envelope.parse(data)
        return envelope.payload_type, _decoder.decode(envelope.payload)
    except (EnvelopeError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "", None

"""A published log: its tiles and leaves, read from a place.

Stored bytes are returned unverified, for callers that compute the root, and no signature is verified here. If a partial
tile is gone because the log has grown, the full tile is used.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Self

from referee.evidence.note import Note
from referee.log import Checkpoint, tree_root
from referee.log.proof import TILE_WIDTH, MissingNodeError
from referee.log.tile import CHECKPOINT_PATH, AnyTile, EntryTile, HashTile, TileError, decode_entries, split_hashes
from referee.tiles.place import Place, PlaceError

_AHEAD: Final = 8
"""Entry tiles fetched together, with their hash tiles: some megabytes."""
_KEPT: Final = 64
"""Number of hash tiles cached."""


class _Served(NamedTuple):
    """Bytes served for a tile; ``tile`` is the tile that they encode: the requested one, or the full one instead."""

    tile: AnyTile
    data: bytes


class PublishedLog:
    """A log at one checkpoint."""

    def __init__(self, place: Place, note: bytes, checkpoint: Checkpoint) -> None:
        self.note: Final = note
        self.checkpoint: Final = checkpoint
        self.size: Final = checkpoint.size
        self._place: Final = place
        self._kept: Final[OrderedDict[AnyTile, _Served]] = OrderedDict()

    @classmethod
    def unverified(cls, place: Place, note: bytes) -> Self:
        """Open the log of a note without verifying its signatures; raise NoteError or CheckpointError if malformed."""
        return cls(place, note, Checkpoint.parse(Note.parse(note).text))

    def tile(self, level: int, index: int, width: int) -> Sequence[bytes]:
        """Return the first ``width`` hashes of a stored tile, none if it is missing; raise TileError if malformed."""
        tile = HashTile(level=level, index=index, width=width)
        served = self._kept.get(tile) or self._fetch([tile])[0]
        if served is None:
            return ()
        self._keep(tile, served)
        try:
            return split_hashes(served.data, width=served.tile.width)[:width]
        except TileError as error:
            raise _misread(served, error) from None

    def bundles(self, start: int = 0) -> Iterator[tuple[bytes, ...]]:
        """Yield the stored leaves, 256 at a time, from entry tile ``start`` up to the first missing one."""
        stop = -(-self.size // TILE_WIDTH)
        for first in range(start, stop, _AHEAD):
            places = [(index, self._width(index)) for index in range(first, min(first + _AHEAD, stop))]
            entry_tiles = [EntryTile(index=index, width=width) for index, width in places]
            hash_tiles = [HashTile(level=0, index=index, width=width) for index, width in places]
            served = self._fetch([*entry_tiles, *hash_tiles])
            for hash_tile, stored in zip(hash_tiles, served[len(places) :], strict=True):
                if stored is not None:
                    self._keep(hash_tile, stored)
            for entry_tile, stored in zip(entry_tiles, served[: len(places)], strict=True):
                if stored is None:
                    return
                yield _entries(entry_tile, stored)

    def entries(self, indices: Sequence[int]) -> list[tuple[bytes, ...]]:
        """Return the stored leaves of each of these entry tiles; raise TileError if a tile is missing or malformed."""
        tiles = [EntryTile(index=index, width=self._width(index)) for index in indices]
        leaves = []
        for tile, served in zip(tiles, self._fetch(tiles), strict=True):
            if served is None:
                raise TileError(f"{tile.path} is missing")
            leaves.append(_entries(tile, served))
        return leaves

    @property
    def tile_root(self) -> bytes:
        """Root of the tree, computed from the hash tiles; raises TileError if a tile is missing or malformed."""
        try:
            return tree_root(self, self.size)
        except MissingNodeError as error:
            raise TileError(str(error)) from error

    def _width(self, index: int) -> int:
        return min(TILE_WIDTH, self.size - TILE_WIDTH * index)

    def _fetch(self, tiles: Sequence[AnyTile]) -> list[_Served | None]:
        """Return for each tile its bytes, else those of the full tile in its place; None if both are missing."""
        read = self._place.read([tile.path for tile in tiles])
        served = [None if data is None else _Served(tile, data) for tile, data in zip(tiles, read, strict=True)]
        grown = [at for at, tile in enumerate(tiles) if served[at] is None and not tile.is_full]
        if grown:
            read = self._place.read([tiles[at].full.path for at in grown])
            for at, data in zip(grown, read, strict=True):
                served[at] = None if data is None else _Served(tiles[at].full, data)
        return served

    def _keep(self, tile: AnyTile, served: _Served) -> None:
        self._kept[tile] = served
        self._kept.move_to_end(tile)
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)


def read_note(place: Place) -> bytes:
    """Return the signed note of the published checkpoint; raise PlaceError if there is none."""
    (note,) = place.read([CHECKPOINT_PATH])
    if note is None:
        raise PlaceError("no log is published there: it has no checkpoint")
    return note


def _entries(tile: EntryTile, served: _Served) -> tuple[bytes, ...]:
    try:
        return decode_entries(served.data, width=served.tile.width)[: tile.width]
    except TileError as error:
        raise _misread(served, error) from None


def _misread(served: _Served, error: TileError) -> TileError:
    return TileError(f"{served.tile.path}: {error}")

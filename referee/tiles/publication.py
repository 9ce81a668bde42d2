"""Publishing a log's tiles to a place, and last the checkpoint that covers them.

A tile is written after its leaves are proved to be under the checkpoint, and never overwritten with other bytes; a
newer checkpoint must continue the published one. So a reader sees a whole log at any time, an interrupted publication
can be resumed, and a log that was set back or forked is rejected before anything is written. A tile after the published
checkpoint of which only the beginning was written is written again. Only one process may publish to a place at a time.
Signatures are not checked here: readers check them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Protocol

from referee.evidence.merkle import (
    ProofError,
    inclusion_path,
    leaf_hash,
    root_of_hashes,
    verify_consistency,
    verify_inclusion,
)
from referee.evidence.note import Note, NoteError
from referee.log import Checkpoint, CheckpointError, Tiles, consistency_proof, inclusion_proof
from referee.log.proof import TILE_HEIGHT, TILE_WIDTH, MissingNodeError
from referee.log.tile import CHECKPOINT_PATH, EntryTile, HashTile, TileError, encode_entries, entry_tiles, join_hashes
from referee.tiles.place import Place
from referee.tiles.published import PublishedLog

_TOGETHER: Final = 16
"""Least number of tiles that are written together."""

Progress = Callable[[int, int], None]


class ConflictError(Exception):
    """The published files contradict the log that is to be published; no file was overwritten."""


class BrokenLogError(ConflictError):
    """The log to publish contradicts its own checkpoint."""


class Log(Tiles, Protocol):
    """The parts of a log that its publication reads: leaves, and the hashes of its tiles."""

    def leaves(self, start: int, stop: int) -> Sequence[bytes]:
        """Return the leaves from ``start`` to before ``stop``; fewer if the log ends earlier."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Result of ``publish``: the sizes published before and after it, and the number of tiles written.

    ``is_complete`` is False if the publication was stopped. The next call keeps the tiles that are written.
    """

    old_size: int
    size: int
    tiles_written: int
    is_complete: bool = True


def publish(
    log: Log,
    note: bytes,
    place: Place,
    *,
    progress: Progress = lambda _done, _size: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Publication:
    """Publish a log up to the checkpoint in this signed note.

    ``progress`` is called with the number of leaves published so far and their total. Raises ConflictError if the log
    does not continue the published one, BrokenLogError if the log contradicts the note, PlaceError if the place fails.
    """
    new = _Head.of(note, "the log's checkpoint")
    (data,) = place.read([CHECKPOINT_PATH])
    if data is None:
        return _Run(log, new, None, place).write(progress, is_stopped)
    old = _Head.of(data, "the published checkpoint")
    _check_continuation(log, old.checkpoint, new.checkpoint)
    if old.checkpoint == new.checkpoint:
        together = merged(old.note, new.note)
        if together != old.note:
            place.write({CHECKPOINT_PATH: together.format()})
        return Publication(old_size=old.checkpoint.size, size=new.checkpoint.size, tiles_written=0)
    return _Run(log, new, old, place).write(progress, is_stopped)


def merged(old: Note, new: Note) -> Note:
    """Return the newer of two notes with one text; append the older note's signatures by other names and keys."""
    signers = {(line.name, line.key_id) for line in new.signatures}
    for line in old.signatures:
        if (line.name, line.key_id) not in signers:
            new = new.with_signature(line)
    return new


class _Head(NamedTuple):
    note: Note
    checkpoint: Checkpoint

    @classmethod
    def of(cls, data: bytes, what: str) -> "_Head":
        try:
            note = Note.parse(data)
            return cls(note, Checkpoint.parse(note.text))
        except (NoteError, CheckpointError) as error:
            raise ConflictError(f"{what} is invalid: {error}") from error


def _check_continuation(log: Log, old: Checkpoint, new: Checkpoint) -> None:
    if old.origin != new.origin:
        raise ConflictError(f"the place holds the log of {old.origin!r}, not of {new.origin!r}")
    if old.size > new.size:
        raise ConflictError(f"{old.size} leaves are published, and the log has {new.size}: it was set back")
    try:
        verify_consistency(
            old_size=old.size,
            new_size=new.size,
            old_root=old.root,
            new_root=new.root,
            proof=consistency_proof(log, old_size=old.size, new_size=new.size),
        )
    except (ProofError, MissingNodeError) as error:
        msg = f"the log of {new.size} leaves does not continue the {old.size} that are published: {error}"
        raise ConflictError(msg) from error


class _Run:
    """One publication, with the unfinished tile of each level from 1."""

    def __init__(self, log: Log, new: _Head, old: _Head | None, place: Place) -> None:
        self._log: Final = log
        self._new: Final = new
        self._place: Final = place
        self._old_size: Final = 0 if old is None else old.checkpoint.size
        self._rows: Final[list[_Row]] = [] if old is None else _rows_of(place, old)
        self._files: Final[dict[str, bytes]] = {}
        self._written = 0

    def write(self, progress: Progress, is_stopped: Callable[[], bool]) -> Publication:
        """Write the missing tiles, then the checkpoint; stop after whole tiles once ``is_stopped`` returns True."""
        size = self._new.checkpoint.size
        progress(self._old_size, size)
        for tile in entry_tiles(size, after=self._old_size):
            if is_stopped():
                self._flush()
                return self._outcome(self._old_size)
            self._take(tile)
            if len(self._files) >= _TOGETHER:
                self._flush()
            progress(TILE_WIDTH * tile.index + tile.width, size)
        for level, row in enumerate(self._rows, 1):
            if row.hashes:
                self._put(HashTile(level=level, index=row.index, width=len(row.hashes)), row.hashes)
        self._flush()
        self._place.write({CHECKPOINT_PATH: self._new.note.format()})
        self._place.remove(list(_outgrown(self._old_size, size)))
        return self._outcome(size)

    def _outcome(self, size: int) -> Publication:
        return Publication(
            old_size=self._old_size,
            size=size,
            tiles_written=self._written,
            is_complete=size == self._new.checkpoint.size,
        )

    def _take(self, tile: EntryTile) -> None:
        """Add an entry tile, its hash tile, and the tiles of higher levels that become full."""
        start = TILE_WIDTH * tile.index
        leaves = self._log.leaves(start, start + tile.width)
        hashes = [leaf_hash(leaf) for leaf in leaves]
        self._prove(start, hashes, tile.width)
        self._files[tile.path] = encode_entries(leaves)
        self._put(HashTile(level=0, index=tile.index, width=tile.width), hashes)
        if tile.is_full:
            self._add_node(1, root_of_hashes(hashes))

    def _prove(self, start: int, hashes: Sequence[bytes], width: int) -> None:
        """Verify that the leaves of a tile are under the checkpoint."""
        last = start + width - 1
        if len(hashes) != width:
            raise BrokenLogError(
                f"the log has {len(hashes)} of the leaves {start} to {last} that its checkpoint counts"
            )
        size = self._new.checkpoint.size
        try:
            # The proof of the tile's first leaf depends on every other leaf of the tile, then on the hashes beside it.
            within = inclusion_path(hashes, 0)
            beside = inclusion_proof(self._log, index=start, size=size)[len(within) :]
            verify_inclusion(
                hashes[0], index=start, size=size, proof=[*within, *beside], root=self._new.checkpoint.root
            )
        except (ProofError, MissingNodeError) as error:
            msg = f"leaves {start} to {last} of the log do not stand under its checkpoint: {error}"
            raise BrokenLogError(msg) from error

    def _add_node(self, level: int, node: bytes) -> None:
        """Append a node to the row of a tile level, from 1; a full tile is collected and its root appended above."""
        if level > len(self._rows):
            self._rows.append(_Row())
        row = self._rows[level - 1]
        row.hashes.append(node)
        if len(row.hashes) == TILE_WIDTH:
            self._put(HashTile(level=level, index=row.index), row.hashes)
            self._add_node(level + 1, root_of_hashes(row.hashes))
            row.hashes.clear()
            row.index += 1

    def _put(self, tile: HashTile, hashes: Sequence[bytes]) -> None:
        self._files[tile.path] = join_hashes(hashes)

    def _flush(self) -> None:
        """Write the collected files that are missing or cut off; raise ConflictError if one holds other bytes."""
        fresh = {}
        for (path, data), published in zip(self._files.items(), self._place.read(list(self._files)), strict=True):
            if published is None or (published != data and data.startswith(published)):
                fresh[path] = data
            elif published != data:
                raise ConflictError(f"{path} is published with other bytes than the log gives; it is left as it is")
        self._place.write(fresh)
        self._written += len(fresh)
        self._files.clear()


@dataclass(slots=True)
class _Row:
    """The hashes at the end of a row that do not fill a tile yet, and the index of that tile."""

    index: int = 0
    hashes: list[bytes] = field(default_factory=list)


def _rows_of(place: Place, old: _Head) -> list[_Row]:
    """Return the unfinished tile of each level from 1 of the published log; verify that its tiles have its root."""
    published = PublishedLog(place, old.note.format(), old.checkpoint)
    rows = []
    try:
        is_whole = published.tile_root == old.checkpoint.root
        level = 1
        while count := old.checkpoint.size >> TILE_HEIGHT * level:
            index, width = divmod(count, TILE_WIDTH)
            rows.append(_Row(index, list(published.tile(level, index, width)) if width else []))
            level += 1
    except TileError as error:
        raise ConflictError(f"the published tiles are broken: {error}") from error
    if not is_whole:
        raise ConflictError("the published tiles are not those that the published checkpoint was signed for")
    return rows


def _outgrown(old_size: int, size: int) -> Iterator[str]:
    """Yield the folders of partial tiles of the log of ``old_size`` leaves that are full in the log of ``size``."""
    level = 0
    while count := old_size >> TILE_HEIGHT * level:
        index, width = divmod(count, TILE_WIDTH)
        if width and size >> TILE_HEIGHT * level >= TILE_WIDTH * (index + 1):
            if level == 0:
                yield f"{EntryTile(index=index).path}.p"
            yield f"{HashTile(level=level, index=index).path}.p"
        level += 1

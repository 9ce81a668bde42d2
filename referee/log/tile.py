r"""Tiles: the tree of a log cut into pieces of 256, so that plain files can serve it.

A hash tile of level ``l`` and index ``n`` holds the hashes of the complete subtrees of ``256**l`` leaves from place
``256 * n`` on; an entry tile holds the leaves themselves, each after its length in two bytes, big-endian. The last tile
of a row may be partial. A tile has one path and a path names one tile; a tile of one width never changes its bytes.

>>> HashTile(level=0, index=1234067).path
'tile/0/x001/x234/067'
>>> [tile.path for tile in entry_tiles(257)]
['tile/entries/000', 'tile/entries/001.p/1']
>>> encode_entries([b"open", b"deal"])
b'\x00\x04open\x00\x04deal'

Source: https://c2sp.org/tlog-tiles
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn, Self, TypeAlias

from referee.evidence.merkle import HASH_SIZE
from referee.log.proof import TILE_WIDTH

CHECKPOINT_PATH: Final = "checkpoint"
"""The path of the signed checkpoint among the tiles."""
MAX_LEVEL: Final = 63
MAX_INDEX: Final = 10**18 - 1
"""Six groups of digits, more than any log fills."""
MAX_ENTRY_SIZE: Final = 65_535
_LENGTH: Final = 2


class TileError(ValueError):
    """A tile whose place, path or bytes are impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    index: int
    width: int = TILE_WIDTH

    def __post_init__(self) -> None:
        if not 0 <= self.index <= MAX_INDEX or not 0 < self.width <= TILE_WIDTH:
            _refuse(f"there is no tile of index {self.index} and width {self.width}")

    @property
    def is_full(self) -> bool:
        """Whether it has its 256 hashes or leaves."""
        return self.width == TILE_WIDTH

    @property
    def full(self) -> Self:
        """The full tile of the same place."""
        return replace(self, width=TILE_WIDTH)

    @property
    def _place(self) -> str:
        index, groups = self.index, [f"{self.index % 1000:03}"]
        while index := index // 1000:
            groups.append(f"x{index % 1000:03}")
        return "/".join(reversed(groups)) + ("" if self.is_full else f".p/{self.width}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HashTile(_Piece):
    """A piece of a row of hashes. ``width`` is how many it holds, 256 in a full one."""

    level: int

    def __post_init__(self) -> None:
        if not 0 <= self.level <= MAX_LEVEL:
            _refuse(f"a tile's level is 0 to {MAX_LEVEL}, not {self.level}")
        _Piece.__post_init__(self)

    @property
    def path(self) -> str:
        """Path relative to where the log is served."""
        return f"tile/{self.level}/{self._place}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryTile(_Piece):
    """The leaves below a hash tile of level 0. ``width`` is how many it holds, 256 in a full one."""

    @property
    def path(self) -> str:
        """Path relative to where the log is served."""
        return f"tile/entries/{self._place}"


AnyTile: TypeAlias = HashTile | EntryTile


def entry_tiles(size: int, *, after: int = 0) -> Iterator[EntryTile]:
    """Yield the entry tiles that a log of ``size`` leaves has and one of ``after`` leaves lacks, by index."""
    if size > after:
        for index in range(after // TILE_WIDTH, -(-size // TILE_WIDTH)):
            yield EntryTile(index=index, width=min(TILE_WIDTH, size - TILE_WIDTH * index))


def join_hashes(hashes: Sequence[bytes]) -> bytes:
    """Encode 1 to 256 hashes as the bytes of a hash tile; raise TileError for other numbers or sizes."""
    if not 0 < len(hashes) <= TILE_WIDTH or any(len(node) != HASH_SIZE for node in hashes):
        _refuse(f"a tile holds 1 to {TILE_WIDTH} hashes of {HASH_SIZE} bytes")
    return b"".join(hashes)


def split_hashes(data: bytes, *, width: int) -> tuple[bytes, ...]:
    """Return the hashes in a hash tile's bytes; raise TileError if they are not exactly ``width``."""
    if len(data) != HASH_SIZE * width:
        _refuse(f"{len(data)} bytes are no tile of {width} hashes")
    return tuple(data[at : at + HASH_SIZE] for at in range(0, len(data), HASH_SIZE))


def encode_entries(entries: Sequence[bytes]) -> bytes:
    """Encode 1 to 256 leaves as the bytes of an entry tile; raise TileError for other numbers or a leaf too long."""
    if not 0 < len(entries) <= TILE_WIDTH:
        _refuse(f"a tile holds 1 to {TILE_WIDTH} leaves, not {len(entries)}")
    parts: list[bytes] = []
    for entry in entries:
        if len(entry) > MAX_ENTRY_SIZE:
            _refuse(f"a leaf in a tile has at most {MAX_ENTRY_SIZE} bytes, not {len(entry)}")
        parts += (len(entry).to_bytes(_LENGTH, "big"), entry)
    return b"".join(parts)


def decode_entries(data: bytes, *, width: int) -> tuple[bytes, ...]:
    """Decode the leaves of an entry tile, in order; raise TileError if they are not exactly ``width``."""
    entries = []
    at = 0
    for number in range(width):
        start = at + _LENGTH
        at = start + int.from_bytes(data[at:start], "big")
        if start > len(data) or at > len(data):
            _refuse(f"the tile ends within leaf {number} of {width}")
        entries.append(data[start:at])
    if at != len(data):
        _refuse(f"the tile has {len(data) - at} bytes after its {width} leaves")
    return tuple(entries)


def _refuse(reason: str) -> NoReturn:
    raise TileError(reason)

"""Tiles: the tree of a log cut into pieces of 256, so that plain files can serve it.

The law is C2SP tlog-tiles with its fixed height of 8. A hash tile of level ``l`` and index ``n`` holds the hashes of
the complete subtrees of ``256**l`` leaves from place ``256 * n`` on; an entry tile holds the leaves themselves, 256 of
them. The last tile of a row may be partial. A tile has one path and a path names one tile; a tile of one width never
changes its bytes.

It refuses to know where tiles are kept, and whether the hashes in one are the right ones.

>>> HashTile(level=0, index=1234067).path
'tile/0/x001/x234/067'
>>> [tile.path for tile in hash_tiles(257)]
['tile/0/000', 'tile/0/001.p/1', 'tile/1/000.p/1']

Source: https://c2sp.org/tlog-tiles
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn, Self, TypeAlias

from referee.evidence.merkle import HASH_SIZE
from referee.log.proof import TILE_HEIGHT, TILE_WIDTH

CHECKPOINT_PATH: Final = "checkpoint"
"""Where the signed checkpoint stands among the tiles."""
MAX_LEVEL: Final = 63
MAX_INDEX: Final = 10**18 - 1
"""Six groups of digits, more than any log fills."""

_PATH: Final = re.compile(
    r"tile/(?:(?P<level>[0-9]|[1-5][0-9]|6[0-3])|entries)/"
    r"(?P<index>(?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


class TileError(ValueError):
    """A tile that cannot be one: its place, its path or its bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HashTile:
    """A piece of a row of hashes. ``width`` says how many it holds, 256 in a full one."""

    level: int
    index: int
    width: int = TILE_WIDTH

    def __post_init__(self) -> None:
        if not 0 <= self.level <= MAX_LEVEL:
            _refuse(f"a tile's level is 0 to {MAX_LEVEL}, not {self.level}")
        _check_place(self.index, self.width)

    @property
    def path(self) -> str:
        """The path, relative to where the log is served."""
        return f"tile/{self.level}/{_spell(self.index, self.width)}"

    @property
    def is_full(self) -> bool:
        """Whether it holds 256 hashes."""
        return self.width == TILE_WIDTH

    @property
    def full(self) -> Self:
        """The full tile that this one is, or will become."""
        return replace(self, width=TILE_WIDTH)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryTile:
    """The leaves below a hash tile of level 0, as an entry bundle. ``width`` says how many it holds."""

    index: int
    width: int = TILE_WIDTH

    def __post_init__(self) -> None:
        _check_place(self.index, self.width)

    @property
    def path(self) -> str:
        """The path, relative to where the log is served."""
        return f"tile/entries/{_spell(self.index, self.width)}"

    @property
    def is_full(self) -> bool:
        """Whether it holds 256 leaves."""
        return self.width == TILE_WIDTH

    @property
    def full(self) -> Self:
        """The full tile that this one is, or will become."""
        return replace(self, width=TILE_WIDTH)


AnyTile: TypeAlias = HashTile | EntryTile


def parse_path(path: str) -> AnyTile:
    """The tile that a path names; TileError for anything but the one spelling of one."""
    match = _PATH.fullmatch(path)
    if match is None:
        _refuse(f"{path[:200]!r} is the path of no tile")
    index = int(match["index"].replace("x", "").replace("/", ""))
    width = TILE_WIDTH if match["width"] is None else int(match["width"])
    tile: AnyTile
    if match["level"] is None:
        tile = EntryTile(index=index, width=width)
    else:
        tile = HashTile(level=int(match["level"]), index=index, width=width)
    if tile.path != path:  # leading groups of zeros, and a partial tile of 256
        _refuse(f"{path!r} is the path of no tile; {tile.path!r} is one")
    return tile


def hash_tiles(size: int, *, after: int = 0) -> Iterator[HashTile]:
    """The hash tiles of a log of ``size`` leaves that one of ``after`` leaves has not, by level, then by index."""
    level = 0
    while size >> TILE_HEIGHT * level:
        for index, width in _row(size >> TILE_HEIGHT * level, after >> TILE_HEIGHT * level):
            yield HashTile(level=level, index=index, width=width)
        level += 1


def entry_tiles(size: int, *, after: int = 0) -> Iterator[EntryTile]:
    """The entry tiles of a log of ``size`` leaves that one of ``after`` leaves has not, by index."""
    for index, width in _row(size, after):
        yield EntryTile(index=index, width=width)


def join_hashes(hashes: Sequence[bytes]) -> bytes:
    """The bytes of the hash tile that holds these hashes, 1 to 256 of them; TileError for others."""
    if not 0 < len(hashes) <= TILE_WIDTH or any(len(node) != HASH_SIZE for node in hashes):
        _refuse(f"a tile holds 1 to {TILE_WIDTH} hashes of {HASH_SIZE} bytes")
    return b"".join(hashes)


def split_hashes(data: bytes, *, width: int) -> tuple[bytes, ...]:
    """The hashes in a hash tile's bytes; TileError where they are not exactly ``width``."""
    if len(data) != HASH_SIZE * width:
        _refuse(f"{len(data)} bytes are no tile of {width} hashes")
    return tuple(data[at : at + HASH_SIZE] for at in range(0, len(data), HASH_SIZE))


def _row(count: int, after: int) -> Iterator[tuple[int, int]]:
    """Index and width of the tiles of a row of ``count`` hashes that a row of ``after`` has not."""
    if count > after:
        for index in range(after // TILE_WIDTH, -(-count // TILE_WIDTH)):
            yield index, min(TILE_WIDTH, count - TILE_WIDTH * index)


def _spell(index: int, width: int) -> str:
    groups = [f"{index % 1000:03}"]
    while index := index // 1000:
        groups.append(f"x{index % 1000:03}")
    return "/".join(reversed(groups)) + ("" if width == TILE_WIDTH else f".p/{width}")


def _check_place(index: int, width: int) -> None:
    if not 0 <= index <= MAX_INDEX or not 0 < width <= TILE_WIDTH:
        _refuse(f"there is no tile of index {index} and width {width}")


def _refuse(reason: str) -> NoReturn:
    raise TileError(reason)

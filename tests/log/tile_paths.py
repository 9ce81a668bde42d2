"""Paths of tiles, read back and listed, to compare what a publication wrote with what it should have."""

import re
from collections.abc import Iterator
from typing import Final, NoReturn

from referee.log.proof import TILE_HEIGHT, TILE_WIDTH
from referee.log.tile import AnyTile, EntryTile, HashTile, TileError, entry_tiles

_PATH: Final = re.compile(
    r"tile/(?:(?P<level>[0-9]|[1-5][0-9]|6[0-3])|entries)/"
    r"(?P<index>(?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?"
)


def parse_path(path: str) -> AnyTile:
    """Parse the path of a tile; raise TileError unless it is the one spelling of one."""
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
    """Yield the hash tiles that a log of ``size`` leaves has and one of ``after`` leaves lacks, by level and index."""
    level = 0
    while size >> TILE_HEIGHT * level:
        for row in entry_tiles(size >> TILE_HEIGHT * level, after=after >> TILE_HEIGHT * level):
            yield HashTile(level=level, index=row.index, width=row.width)
        level += 1


def _refuse(detail: str) -> NoReturn:
    raise TileError(detail)

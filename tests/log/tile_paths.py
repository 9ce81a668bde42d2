"""Paths of tiles read back, to compare what a publication wrote with what it should have."""

import re
from typing import Final, NoReturn

from referee.log.proof import TILE_WIDTH
from referee.log.tile import AnyTile, EntryTile, HashTile, TileError

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


def _refuse(detail: str) -> NoReturn:
    raise TileError(detail)

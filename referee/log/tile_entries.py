r"""Entry bundles: up to 256 leaves as the bytes of one entry tile.

The law: each leaf stands behind its length in two bytes, big-endian, and nothing stands between or after them, so a
bundle has one reading and leaves have one bundle. Leaves have 0 to 65,535 bytes.

>>> encode_entries([b"open", b"deal"])
b'\x00\x04open\x00\x04deal'
>>> decode_entries(b"\x00\x04open\x00\x04deal", width=2)
(b'open', b'deal')

Source: https://c2sp.org/tlog-tiles, Log entries
"""

from collections.abc import Sequence
from typing import Final

from referee.log.proof import TILE_WIDTH
from referee.log.tile import TileError

MAX_ENTRY_SIZE: Final = 65_535
_LENGTH: Final = 2


def encode_entries(entries: Sequence[bytes]) -> bytes:
    """The bundle of these leaves, in their order; TileError for none, for more than 256 and for one too long."""
    if not 0 < len(entries) <= TILE_WIDTH:
        msg = f"a bundle holds 1 to {TILE_WIDTH} leaves, not {len(entries)}"
        raise TileError(msg)
    parts: list[bytes] = []
    for entry in entries:
        if len(entry) > MAX_ENTRY_SIZE:
            msg = f"a leaf of {len(entry)} bytes does not fit into a bundle"
            raise TileError(msg)
        parts += (len(entry).to_bytes(_LENGTH, "big"), entry)
    return b"".join(parts)


def decode_entries(data: bytes, *, width: int) -> tuple[bytes, ...]:
    """The leaves of a bundle, in their order; TileError where it does not hold exactly ``width``."""
    entries = []
    at = 0
    for number in range(width):
        start = at + _LENGTH
        at = start + int.from_bytes(data[at:start], "big")
        if start > len(data) or at > len(data):
            msg = f"the bundle ends within leaf {number} of {width}"
            raise TileError(msg)
        entries.append(data[start:at])
    if at != len(data):
        msg = f"{len(data) - at} bytes stand behind the {width} leaves of the bundle"
        raise TileError(msg)
    return tuple(entries)

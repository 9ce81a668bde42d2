"""Files of the table server's rooms, which only their owner can read.

Each room has its state in ``ROOM.room.json``, and the records of its last rounds in ``ROOM.rounds.json``.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from referee.evidence.outside import OutsideError, read_json
from referee_table.state import RoomState

LOG: Final = logging.getLogger("referee_table")
FileT = TypeVar("FileT")


@dataclass(frozen=True, slots=True)
class RoomFiles:
    """The files of one room."""

    folder: Path
    room: str

    def save(self, state: RoomState) -> None:
        """Write the room's state, which holds hands and seeds, atomically."""
        _write_whole(self.folder / f"{self.room}.room.json", msgspec.json.encode(state))

    def save_rounds(self, records: Sequence[dict[str, Any]]) -> None:
        """Write the records of the rounds that the room keeps, atomically."""
        _write_whole(self.folder / f"{self.room}.rounds.json", msgspec.json.encode(records))

    def delete(self) -> None:
        """Delete both files."""
        for suffix in ("room.json", "rounds.json"):
            (self.folder / f"{self.room}.{suffix}").unlink(missing_ok=True)


def read_rooms(folder: Path) -> list[tuple[RoomState, list[dict[str, Any]]]]:
    """Return the rooms of a folder with their records, after deleting what a kill or a full disk left half written.

    A file that cannot be read stays where it is, and is logged; a room goes on without its records.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for path in folder.rglob("*.new"):
        path.unlink()
    states = [state for path in sorted(folder.glob("*.room.json")) if (state := read_file(path, RoomState)) is not None]
    return [(state, read_file(folder / f"{state.room}.rounds.json", list[dict[str, Any]]) or []) for state in states]


def read_file(path: Path, kind: type[FileT]) -> FileT | None:
    """Read a file; log one that cannot be read, and return None."""
    try:
        return read_json(path.read_bytes(), kind) if path.exists() else None
    except (OSError, OutsideError) as error:
        LOG.warning("%s cannot be read: %s", path, error)
        return None


def _write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place, then move it there; a kill or a full disk leaves the file that was there."""
    beside = path.with_suffix(".new")
    beside.touch(mode=0o600)
    beside.write_bytes(data)
    beside.replace(path)

"""Where published files are kept: a folder on this machine, or whatever an fsspec URL names.

The law: a file is there whole or not at all, as far as the place can promise that. A folder keeps the promise: a file
is written beside its place, forced to disk and moved there. Object stores keep it themselves. Elsewhere a write that
was cut off may leave the beginning of a file, and whoever writes there must reckon with it.

It refuses to know what the files say.

>>> place = MemoryPlace()
>>> place.write({"tile/0/000.p/1": b"..."})
>>> place.read(["tile/0/000.p/1", "tile/0/000"])
[b'...', None]
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from referee.tiles.fault import PlaceError
from referee.tiles.folder import FolderPlace
from referee.tiles.remote import RemotePlace

_LOCAL: Final = "file://"


class Place(Protocol):
    """Files by paths relative to one root, with ``/`` between the parts."""

    def read(self, paths: Sequence[str]) -> list[bytes | None]:
        """The bytes of these files in their order, None for each that is not there; PlaceError where it cannot say."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """These files are there with these bytes, whatever was there before, before anything that is written later."""

    def remove(self, folders: Sequence[str]) -> None:
        """Nothing is left under these folders; one that is not there is none the worse."""


class MemoryPlace:
    """Files in memory."""

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self.files: Final = dict(files or {})

    def read(self, paths: Sequence[str]) -> list[bytes | None]:
        """The bytes of these files in their order, None for each that is not there."""
        return [self.files.get(path) for path in paths]

    def write(self, files: Mapping[str, bytes]) -> None:
        """These files are there."""
        self.files.update(files)

    def remove(self, folders: Sequence[str]) -> None:
        """Nothing is left under these folders."""
        for path in [path for path in self.files if path.startswith(tuple(f"{folder}/" for folder in folders))]:
            del self.files[path]


def open_place(location: str) -> Place:
    """The place that a path or an fsspec URL names; PlaceError where there is no way to such a place.

    A URL has ``://`` in it; what is behind needs the library that fsspec asks for, such as aiohttp for ``https``.
    Nothing is read or made yet.
    """
    if location.startswith(_LOCAL):
        return FolderPlace(Path(location.removeprefix(_LOCAL)))
    if "://" in location:
        return RemotePlace.open(location)
    return FolderPlace(Path(location))


__all__ = ["FolderPlace", "MemoryPlace", "Place", "PlaceError", "RemotePlace", "open_place"]

"""A folder on this machine as a place for published files.

The law: a file appears whole, after its bytes are on the disk, and what is written in one call is on the disk before
the next. Files are left readable for whoever serves them, as the process's umask says.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from referee.tiles.fault import PlaceError

_UNDER_WAY: Final = ".publishing"
"""Where files are written before they are moved into place; at most one for each process."""


class FolderPlace:
    """Files below one folder, made with the first file."""

    def __init__(self, root: Path) -> None:
        self.root: Final = root

    def read(self, paths: Sequence[str]) -> list[bytes | None]:
        """The bytes of these files in their order, None for each that is not there."""
        return [self._read(path) for path in paths]

    def write(self, files: Mapping[str, bytes]) -> None:
        """These files are there and on the disk."""
        try:
            changed: set[Path] = set()
            for path, data in files.items():
                changed |= self._write(path, data)
            for folder in changed:
                _force(folder, os.O_RDONLY)
        except OSError as error:
            msg = f"{self.root} cannot be written: {error}"
            raise PlaceError(msg) from error

    def remove(self, folders: Sequence[str]) -> None:
        """Nothing is left under these folders."""
        for folder in folders:
            try:
                shutil.rmtree(self.root / folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                msg = f"{self.root} cannot be tidied: {error}"
                raise PlaceError(msg) from error

    def _read(self, path: str) -> bytes | None:
        try:
            return (self.root / path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            msg = f"{self.root} cannot be read: {error}"
            raise PlaceError(msg) from error

    def _write(self, path: str, data: bytes) -> set[Path]:
        """The folders in which a name has changed."""
        target = self.root / path
        changed = self._made(target.parent) | {target.parent}
        draft = self.root / _UNDER_WAY / str(os.getpid())
        draft.parent.mkdir(exist_ok=True)
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
        return changed

    def _made(self, folder: Path) -> set[Path]:
        """The folders that hold a new one, once this folder exists."""
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for one in reversed(missing):
            one.mkdir(exist_ok=True)
        return {one.parent for one in missing}


def _force(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)

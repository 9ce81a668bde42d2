"""Places of published files: a folder, or a remote file system that an fsspec URL names.

A folder and object stores write a file whole or not at all, a folder by renaming. Elsewhere a write that was cut off
may leave the beginning of a file.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Protocol, Self, TypeVar

from referee.evidence.printable import error_words

_LOCAL: Final = "file://"
_DRAFTS: Final = ".publishing"
"""Folder in which each process writes one file at a time, before it is renamed."""
_AT_ONCE: Final = 16
"""Remote files read or written at once."""

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


class PlaceError(Exception):
    """A place could not be read or written; what was written remains, and a retry is safe."""


class Place(Protocol):
    """Files by paths relative to one root, with ``/`` as the separator. Every method raises PlaceError if it fails."""

    def read(self, paths: Sequence[str]) -> list[bytes | None]:
        """Return the bytes of these files in order, None for each missing one."""

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write these files, replacing older ones. They can be read before any file of a later call can be."""

    def remove(self, folders: Sequence[str]) -> None:
        """Remove everything under these folders; ignore missing ones."""


class FolderPlace:
    """Files below a folder, which is created with its first file. The modes of files follow the process's umask."""

    def __init__(self, root: Path) -> None:
        self.root: Final = root

    def read(self, paths: Sequence[str]) -> list[bytes | None]:
        """Return the bytes of these files in order, None for each missing one."""
        return [self._read(path) for path in paths]

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write these files and force them to the disk."""
        try:
            changed: set[Path] = set()
            for path, data in files.items():
                changed |= self._write(path, data)
            for folder in changed:
                handle = os.open(folder, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
        except OSError as error:
            raise PlaceError(f"{self.root} cannot be written: {error_words(error)}") from error

    def remove(self, folders: Sequence[str]) -> None:
        """Remove everything under these folders."""
        for folder in folders:
            try:
                shutil.rmtree(self.root / folder)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise PlaceError(f"{self.root} cannot be tidied: {error_words(error)}") from error

    def _read(self, path: str) -> bytes | None:
        try:
            return (self.root / path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PlaceError(f"{self.root} cannot be read: {error_words(error)}") from error

    def _write(self, path: str, data: bytes) -> set[Path]:
        """Write one file; return the folders in which a name has changed."""
        target = self.root / path
        changed, folder = {target.parent}, target.parent
        missing = []
        while not folder.exists():
            missing.append(folder)
            folder = folder.parent
        for made in reversed(missing):
            made.mkdir(exist_ok=True)
            changed.add(made.parent)
        draft = self.root / _DRAFTS / str(os.getpid())
        draft.parent.mkdir(exist_ok=True)
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
        return changed


class RemotePlace:
    """Files below one root of an fsspec file system, transferred several at once."""

    def __init__(self, system: Any, root: str, *, name: str) -> None:  # noqa: ANN401 - fsspec has no types
        self._system: Final = system
        self._root: Final = root.rstrip("/")
        self._name: Final = name

    @classmethod
    def open(cls, url: str) -> Self:
        """Open a URL; raise PlaceError if fsspec does not support it, or if a library that it needs is missing."""
        from fsspec.core import url_to_fs  # noqa: PLC0415 - it takes longer to import than most commands take to run

        try:
            system, root = url_to_fs(url)
        except (ImportError, ValueError) as error:
            raise PlaceError(f"{url} cannot be reached: {error}") from error
        return cls(system, root, name=url)

    def read(self, paths: Sequence[str]) -> list[bytes | None]:
        """Return the bytes of these files in order, None for each missing one."""
        return self._each(self._read, paths, "read")

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write these files."""
        self._each(self._write, files.items(), "written")

    def remove(self, folders: Sequence[str]) -> None:
        """Remove everything under these folders."""
        self._each(self._remove, folders, "tidied")

    def _each(self, act: Callable[[ItemT], ResultT], items: Iterable[ItemT], what: str) -> list[ResultT]:
        try:
            with ThreadPoolExecutor(_AT_ONCE) as threads:
                return list(threads.map(act, items))
        except Exception as error:  # each file system has its own errors, and an audit must not take one for a finding
            raise PlaceError(f"{self._name} cannot be {what}: {type(error).__name__}: {error_words(error)}") from error

    def _read(self, path: str) -> bytes | None:
        try:
            data: bytes = self._system.cat_file(f"{self._root}/{path}")
        except FileNotFoundError:
            return None
        return data

    def _write(self, file: tuple[str, bytes]) -> None:
        path = f"{self._root}/{file[0]}"
        with suppress(NotImplementedError):  # object stores have no folders
            self._system.makedirs(path.rpartition("/")[0], exist_ok=True)
        self._system.pipe_file(path, file[1])

    def _remove(self, folder: str) -> None:
        with suppress(FileNotFoundError):
            self._system.rm(f"{self._root}/{folder}", recursive=True)


def open_place(location: str) -> Place:
    """Open a path or an fsspec URL (with ``://``) without reading it; raise PlaceError for an unsupported one."""
    if location.startswith(_LOCAL):
        return FolderPlace(Path(location.removeprefix(_LOCAL)))
    if "://" in location:
        return RemotePlace.open(location)
    return FolderPlace(Path(location))

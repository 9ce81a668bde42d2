"""Whatever an fsspec URL names as a place for published files: an object store, a web server, another machine.

The law: files are read and written several at once, since each takes a journey. What the place says is missing is
missing; any other trouble is PlaceError and may be tried again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final, Self, TypeVar

from referee.tiles.fault import PlaceError

_JOURNEYS: Final = 16
"""Files under way at once."""

AskedT = TypeVar("AskedT")
AnswerT = TypeVar("AnswerT")


class RemotePlace:
    """Files below one root of an fsspec file system."""

    def __init__(self, system: Any, root: str, *, name: str) -> None:  # noqa: ANN401 - fsspec has no types
        self._system: Final = system
        self._root: Final = root.rstrip("/")
        self._name: Final = name

    @classmethod
    def open(cls, url: str) -> Self:
        """The place of this URL; PlaceError where fsspec or a library that it needs does not know the way."""
        from fsspec.core import url_to_fs  # noqa: PLC0415 - it takes longer to import than most commands take to run

        try:
            system, root = url_to_fs(url)
        except (ImportError, ValueError) as error:
            msg = f"{url} cannot be reached: {error}"
            raise PlaceError(msg) from error
        return cls(system, root, name=url)

    def read(self, paths: Sequence[str]) -> list[bytes | None]:
        """The bytes of these files in their order, None for each that is not there."""
        return self._each(self._read, paths, "read")

    def write(self, files: Mapping[str, bytes]) -> None:
        """These files are there."""
        self._each(self._write, files.items(), "written")

    def remove(self, folders: Sequence[str]) -> None:
        """Nothing is left under these folders."""
        self._each(self._remove, folders, "tidied")

    def _each(self, act: Callable[[AskedT], AnswerT], asked: Iterable[AskedT], what: str) -> list[AnswerT]:
        try:
            with ThreadPoolExecutor(_JOURNEYS) as journeys:
                return list(journeys.map(act, asked))
        except Exception as error:  # each file system has errors of its own, and none may pass for a finding
            msg = f"{self._name} cannot be {what}: {type(error).__name__}: {error}"
            raise PlaceError(msg) from error

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

"""Who is at work in a data folder: servers beside one another, or one that changes keys and nobody else.

The law: a lock on a file of the folder, shared by servers, held alone by whoever changes keys; the system lets it go
when a process ends, however it ends. It binds the processes of one machine.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

FILE_NAME: Final = "presence.lock"


class FolderInUseError(RuntimeError):
    """Somebody is at work in the folder who cannot be there at the same time."""


class LeaderLock:
    """One process of several has it, until that ends; the others ask again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> bool:
        """Whether this process has it, now or already."""
        if self._handle is None:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                return False
            self._handle = handle
        return True

    def leave(self) -> None:
        """Another process may have it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


@contextmanager
def lock_folder(data: Path, *, alone: bool = False) -> Iterator[None]:
    """The folder is in use until the block ends; FolderInUseError where another's use stands against it."""
    data.mkdir(parents=True, exist_ok=True)
    handle = os.open(data / FILE_NAME, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            msg = f"a server is running on {data}; stop it first" if alone else f"the keys of {data} are being changed"
            raise FolderInUseError(msg) from None
        yield
    finally:
        os.close(handle)

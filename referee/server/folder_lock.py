"""Locks on files of the data folder, which the system releases when a process ends; they bind one machine.

Servers share the folder's lock; a change of keys holds it alone.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

FILE_NAME: Final = "presence.lock"


class FolderInUseError(RuntimeError):
    """Another process uses the folder in a way that excludes this use."""


class LeaderLock:
    """Lock that one of several processes holds until it ends; the others keep trying."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handle: int | None = None

    def take(self) -> bool:
        """Try to take the lock; return whether this process holds it."""
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
        """Release the lock."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def is_in_use(data: Path) -> bool:
    """Return whether a server runs on the folder, or its keys are being changed; False if its lock cannot be read."""
    try:
        handle = os.open(data / FILE_NAME, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    finally:
        os.close(handle)
    return False


@contextmanager
def lock_folder(data: Path, *, alone: bool = False) -> Iterator[None]:
    """Hold the folder's lock, shared or ``alone``, in a block; raise FolderInUseError where that is impossible."""
    data.mkdir(parents=True, exist_ok=True, mode=0o700)
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

r"""Names in a file that is read again while the server runs: what was revoked, and rulesets that are closed.

While the file cannot be read, the names read before apply; the error is logged once.

>>> sorted(names_in(b"# stolen\nt-17\n\n acme.example/tokens+0a1b2c3d+AbCd # left\n"))
['acme.example/tokens+0a1b2c3d+AbCd', 't-17']
"""

import threading
import time
from pathlib import Path
from typing import Final

import structlog

_READ_SECONDS: Final = 1.0
_log = structlog.get_logger("referee.server")


class NameFile:
    """Names in a file, at most a second old; none without a file. ``setting`` names the file in the log."""

    def __init__(self, path: str, *, setting: str) -> None:
        """Read the file; raise OSError or UnicodeDecodeError where that fails."""
        self._path = path
        self._setting = setting
        self._looking = threading.Lock()
        self._looked = time.monotonic()
        self._said = ""
        self._names = _read(path)

    def has(self, *names: str) -> bool:
        """Return whether one of these names is in the file."""
        if not self._path:
            return False
        if time.monotonic() >= self._looked + _READ_SECONDS and self._looking.acquire(blocking=False):
            try:
                self._looked = time.monotonic()
                self._look()
            finally:
                self._looking.release()
        return not self._names.isdisjoint(names)

    def _look(self) -> None:
        try:
            self._names, self._said = _read(self._path), ""
        except (OSError, UnicodeDecodeError) as error:
            if str(error) != self._said:
                self._said = str(error)
                _log.warning("file not read; its previous names apply", setting=self._setting, error=str(error))


def names_in(data: bytes) -> frozenset[str]:
    """Return the names in a file's bytes, one a line; raise UnicodeDecodeError unless ASCII."""
    lines = (line.partition("#")[0].strip() for line in data.decode("ascii").splitlines())
    return frozenset(line for line in lines if line)


def _read(path: str) -> frozenset[str]:
    return names_in(Path(path).read_bytes()) if path else frozenset()

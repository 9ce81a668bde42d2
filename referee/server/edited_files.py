"""Files that people edit while the server runs, and their faults, for log lines, health and metrics.

A file with a fault is never read as an empty one: what was read before applies until the file is mended.
"""

import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import structlog

HEALTH_NAME: Final = "referee.server.EditedFiles"
"""Name under which health reports NOT_SERVING while a file has a fault; the server itself goes on."""
_log = structlog.get_logger("referee.server")


class EditedFiles:
    """The faults of all files by their setting. Safe on many threads."""

    def __init__(self) -> None:
        self._on_change: Callable[[Mapping[str, str]], None] = lambda _faults: None
        self._changing = threading.Lock()
        self._looks: list[Callable[[], None]] = []
        self.faults: Mapping[str, str] = MappingProxyType({})
        """Faults by setting."""

    def add(self, look: Callable[[], None]) -> None:
        """Register what reads a file again, where that is due, and reports its fault."""
        self._looks.append(look)

    def watch(self, on_change: Callable[[Mapping[str, str]], None]) -> None:
        """Call this with the faults now and whenever they change."""
        with self._changing:
            self._on_change = on_change
            on_change(self.faults)

    def count(self) -> int:
        """Read the files again where that is due; return the number of files with a fault."""
        for look in self._looks:
            look()
        return len(self.faults)

    def report(self, setting: str, path: str, fault: str, *, remedy: str) -> None:
        """Record the fault of a file, empty for none; log it and report it if it is new."""
        with self._changing:
            if self.faults.get(setting, "") == fault:
                return
            faults = {name: words for name, words in self.faults.items() if name != setting}
            self.faults = MappingProxyType(faults | ({setting: fault} if fault else {}))
            self._on_change(self.faults)
        if fault:
            _log.error(
                "file not read whole; what was read before applies",
                setting=setting,
                file=path,
                fault=fault,
                remedy=remedy,
            )
        else:
            _log.warning("file read whole again", setting=setting, file=path)

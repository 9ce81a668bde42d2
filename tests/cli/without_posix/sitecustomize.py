"""Python as on Windows, as far as Linux can show it: what only POSIX systems have is hidden from the program.

Each process imports this file at its start if this folder is on its PYTHONPATH, also the processes that it spawns.
"""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

MODULES = frozenset({"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios", "tty"})
FUNCTIONS = ("fchmod", "fork", "getegid", "geteuid", "getgid", "getuid", "sched_getaffinity", "sched_setaffinity")


class _Hidden:
    """Finder that finds none of the modules."""

    @staticmethod
    def find_spec(
        name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


sys.meta_path.insert(0, _Hidden)
for module in MODULES:
    sys.modules.pop(module, None)
for function in FUNCTIONS:
    vars(os).pop(function, None)

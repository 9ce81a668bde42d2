r"""Names in a file that people edit while the server runs: what was revoked, and rulesets that are closed.

The file is UTF-8 text, with or without a byte order mark: a name a line, and comments after ``#``. While a line cannot
be read, it is reported, the other lines apply, and so do all names read before: the line may be one of them. While the
file cannot be read, the names read before apply.

>>> sorted(read_names("# bị mất\nt-17\n\nacme.example/tokens+0a1b2c3d+AbCd # left\n".encode()).names)
['acme.example/tokens+0a1b2c3d+AbCd', 't-17']
>>> print(read_names(b"\xef\xbb\xbft-17\n\xff\n").fault)
line 2 is b'\xff', which is no name
"""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from referee.evidence.outside import OutsideError, unmarked
from referee.evidence.printable import error_words
from referee.server.edited_files import EditedFiles

MAX_SIZE: Final = 4 << 20
"""Bytes of a file that is read."""
REMEDY: Final = "mend the line; the file is read again within a second"
_READ_SECONDS: Final = 1.0
_SHOWN: Final = 80
_RULESET: Final = re.compile(r"[a-z0-9_]{1,32}\.[a-z0-9_]{1,64}|[0-9a-f]{64}")


def is_name(text: str) -> bool:
    """Return whether a text can be a token's id, an issuer's key or a certificate's name."""
    return text.isprintable()


def is_ruleset(text: str) -> bool:
    """Return whether a text can be a ruleset's id or digest."""
    return _RULESET.fullmatch(text) is not None


KINDS: Final[dict[str, Callable[[str], bool]]] = {"access.revoked": is_name, "serve.closed": is_ruleset}
"""What a name can be, by the setting of the file."""


@dataclass(frozen=True, slots=True)
class NameList:
    """The names of a file, and its first line that is none in words; empty if all lines were read."""

    names: frozenset[str]
    fault: str = ""


def read_names(data: bytes, *, setting: str = "access.revoked") -> NameList:
    """Read the names of a file's bytes."""
    if len(data) > MAX_SIZE:
        return NameList(frozenset(), f"the file has {len(data)} bytes; at most {MAX_SIZE} are read")
    try:
        data = unmarked(data)
    except OutsideError as error:
        return NameList(frozenset(), f"the file is {error}")
    names, faults = set(), []
    for number, line in enumerate(data.splitlines(), 1):
        name = line.partition(b"#")[0].strip()
        text = name.decode(errors="replace")
        if name and ("\N{REPLACEMENT CHARACTER}" in text or not KINDS[setting](text)):
            shown = repr(name if "\N{REPLACEMENT CHARACTER}" in text else text)[:_SHOWN]
            faults.append(f"line {number} is {shown}, which is no {'ruleset' if setting == 'serve.closed' else 'name'}")
        elif name:
            names.add(text)
    more = f"; so are {len(faults) - 1} more lines" if len(faults) > 1 else ""
    return NameList(frozenset(names), faults[0] + more if faults else "")


def add_name(file: Path, name: str, *, note: str = "") -> tuple[bool, str]:
    """Add a name with a note at the end of a file, which is made if it is missing, unless the file has it.

    Return whether it was added, and the file's first line that is no name, empty if there is none.
    """
    before = file.read_bytes() if file.exists() else b""
    found = read_names(before)
    if name not in found.names:
        comment = f"  # {' '.join(note.split())}" if note else ""
        lead = "" if not before or before.endswith(b"\n") else "\n"
        with file.open("a", encoding="utf-8") as names:
            names.write(f"{lead}{name}{comment}\n")
    return name not in found.names, found.fault


def name_fault(setting: str, path: str) -> tuple[str, str] | None:
    """Return what prevents serving with a file of names, and the remedy; None if nothing does."""
    if not path:
        return None
    if not Path(path).is_file():
        return f"is {path}, which is not a file", "create it, empty at first"
    try:
        fault = read_names(Path(path).read_bytes(), setting=setting).fault
    except OSError as error:
        fault = f"it cannot be read: {error.strerror or error_words(error)}"
    return (f"is {path}: {fault}", "mend the line, in UTF-8 text, or delete it") if fault else None


class NameFile:
    """Names in a file, at most a second old; none without a file."""

    def __init__(
        self,
        path: str,
        *,
        setting: str,
        files: EditedFiles | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read the file; raise ValueError where it cannot be read whole."""
        if fault := name_fault(setting, path):
            raise ValueError(f"{setting} {fault[0]}; {fault[1]}")
        self._path = path
        self._setting = setting
        self._files = EditedFiles() if files is None else files
        self._looking = threading.Lock()
        self._monotonic = monotonic
        self._looked = monotonic()
        self._names = read_names(Path(path).read_bytes(), setting=setting).names if path else frozenset()
        if path:
            self._files.add(self.look)

    def has(self, *names: str) -> bool:
        """Return whether one of these names is in the file."""
        if not self._path:
            return False
        self.look()
        return not self._names.isdisjoint(names)

    def look(self) -> None:
        """Read the file again if it was not read within a second."""
        if self._monotonic() >= self._looked + _READ_SECONDS and self._looking.acquire(blocking=False):
            try:
                self._looked = self._monotonic()
                self._read()
            finally:
                self._looking.release()

    def _read(self) -> None:
        try:
            found = read_names(Path(self._path).read_bytes(), setting=self._setting)
        except OSError as error:
            found = NameList(frozenset(), f"it cannot be read: {error.strerror or error}")
        self._names = self._names | found.names if found.fault else found.names
        self._files.report(self._setting, self._path, found.fault, remedy=REMEDY)

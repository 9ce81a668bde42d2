"""A disk that fails where a test wants: every file operation of SQLite is a place to die, alone or with the power.

The file functions that SQLite itself calls are replaced in this process (``sqlite3_vfs`` and ``sqlite3_io_methods``),
so nothing of the product knows of it. ``visit`` is called before and after each write, forced write, cut and deletion,
and once more for a write that is torn: half of it done. It need not return.

A process that is killed loses nothing that it wrote, for the machine still has it. A power cut loses what was written
and not forced to disk since: ``cut_power`` puts that back, whole or sector by sector. What a killed process left
unforced is handed on to the next one (``unforced``), as the machine would.
"""

import contextlib
import ctypes
import ctypes.util
import os
import random
import sqlite3
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

_SECTOR: Final = 512
_P = ctypes.c_void_p
_I = ctypes.c_int
_L = ctypes.c_int64

_OPEN = ctypes.CFUNCTYPE(_I, _P, _P, _P, _I, _P)
_DELETE = ctypes.CFUNCTYPE(_I, _P, ctypes.c_char_p, _I)
_WRITE = ctypes.CFUNCTYPE(_I, _P, _P, _I, _L)
_TRUNCATE = ctypes.CFUNCTYPE(_I, _P, _L)
_SYNC = ctypes.CFUNCTYPE(_I, _P, _I)

Really = Callable[..., int]
"""What SQLite would have called."""
Visit = Callable[[str, Callable[[], None] | None], None]
"""Called with a place, such as ``write wal before``, and for a torn write with how to do half of it."""


class _Vfs(ctypes.Structure):
    """``sqlite3_vfs`` up to what is replaced."""

    _fields_ = (
        ("version", _I),
        ("file_size", _I),
        ("path_size", _I),
        ("next", _P),
        ("name", ctypes.c_char_p),
        ("data", _P),
        ("open", _P),
        ("delete", _P),
    )


class _Methods(ctypes.Structure):
    """``sqlite3_io_methods``, version 3."""

    _fields_ = (
        ("version", _I),
        *((name, _P) for name in ("close", "read", "write", "truncate", "sync", "file_size")),
        *((name, _P) for name in ("lock", "unlock", "check_lock", "control", "sector_size", "device")),
        *((name, _P) for name in ("shm_map", "shm_lock", "shm_barrier", "shm_unmap", "fetch", "unfetch")),
    )


@dataclass
class Unforced:
    """A write, or a cut where ``data`` is None, that was not forced to disk; what it replaced, and the old size."""

    path: str
    start: int
    data: bytes | None
    before: bytes
    size: int


@dataclass
class FaultyDisk:
    """SQLite's disk in this process, once ``install`` was called."""

    visit: Visit
    unforced: list[Unforced] = field(default_factory=list)
    _kept: list[Any] = field(default_factory=list)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _paths: dict[int, str] = field(default_factory=dict)
    _files: dict[str, int] = field(default_factory=dict)
    _methods: dict[int, _Methods] = field(default_factory=dict)
    _originals: dict[int, _Methods] = field(default_factory=dict)

    def install(self) -> None:
        """All files that SQLite opens from now on are on this disk. RuntimeError where its library is out of reach."""
        library = ctypes.CDLL(ctypes.util.find_library("sqlite3"))
        library.sqlite3_libversion.restype = ctypes.c_char_p
        library.sqlite3_vfs_find.restype = _P
        address = library.sqlite3_vfs_find(None)
        if not address or library.sqlite3_libversion().decode() != sqlite3.sqlite_version:
            raise RuntimeError("this Python's SQLite is not the shared library")
        vfs = _Vfs.from_address(address)
        really_open, really_delete = _OPEN(vfs.open), _DELETE(vfs.delete)
        self._kept += [
            _OPEN(lambda *a: self._open(really_open, *a)),
            _DELETE(lambda *a: self._delete(really_delete, *a)),
        ]
        vfs.open, vfs.delete = (ctypes.cast(each, _P) for each in self._kept[-2:])

    def cut_power(self, luck: random.Random, *, survives: float) -> None:
        """Cut the power: of what was not forced, each sector reaches the disk with this chance; then die."""
        with self._lock:
            for each in reversed(self.unforced):
                os.pwrite(self._file(each.path), each.before, each.start)
                os.ftruncate(self._file(each.path), each.size)
            for each in self.unforced:
                if each.data is None:
                    if luck.random() < survives:
                        os.ftruncate(self._file(each.path), each.start)
                    continue
                at = 0
                while at < len(each.data):
                    end = at + _SECTOR - (each.start + at) % _SECTOR
                    if luck.random() < survives:
                        os.pwrite(self._file(each.path), each.data[at:end], each.start + at)
                    at = end

    def _file(self, path: str) -> int:
        # Never closed: closing would drop the locks that SQLite holds on the file in this process.
        if path not in self._files:
            self._files[path] = os.open(path, os.O_RDWR)
        return self._files[path]

    def _open(self, really: Really, *asked: int) -> int:
        code = really(*asked)
        _, name, file, *_ = asked
        methods = ctypes.c_uint64.from_address(file).value
        if code == 0 and name and methods:
            self._paths[file] = ctypes.string_at(name).decode()
            ctypes.c_uint64.from_address(file).value = ctypes.addressof(self._wrapped(methods))
        return code

    def _wrapped(self, address: int) -> _Methods:
        if address not in self._methods:
            original = _Methods.from_address(address)
            self._originals[address] = original
            copy = _Methods.from_buffer_copy(original)
            write, truncate, sync = _WRITE(original.write), _TRUNCATE(original.truncate), _SYNC(original.sync)
            kept = [
                _WRITE(lambda *a: self._write(write, *a)),
                _TRUNCATE(lambda *a: self._truncate(truncate, *a)),
                _SYNC(lambda *a: self._sync(sync, *a)),
            ]
            copy.write, copy.truncate, copy.sync = (ctypes.cast(each, _P) for each in kept)
            self._kept += kept
            self._methods[address] = copy
        return self._methods[address]

    def _write(self, really: Really, file: int, data: int, size: int, start: int) -> int:
        with self._lock, _fatal():
            path = self._paths[file]
            what = f"write {_kind(path)}"

            def tear() -> None:
                self._note(path, start, ctypes.string_at(data, size // 2))
                really(file, data, size // 2, start)

            self.visit(f"{what} before", None)
            self.visit(f"{what} torn", tear)
            self._note(path, start, ctypes.string_at(data, size))
            code = really(file, data, size, start)
            self.visit(f"{what} after", None)
            return code

    def _truncate(self, really: Really, file: int, size: int) -> int:
        with self._lock, _fatal():
            path = self._paths[file]
            self.visit(f"cut {_kind(path)} before", None)
            old = os.fstat(self._file(path)).st_size
            self.unforced.append(Unforced(path, size, None, os.pread(self._file(path), max(0, old - size), size), old))
            code = really(file, size)
            self.visit(f"cut {_kind(path)} after", None)
            return code

    def _sync(self, really: Really, file: int, flags: int) -> int:
        with self._lock, _fatal():
            path = self._paths[file]
            self.visit(f"force {_kind(path)} before", None)
            code = really(file, flags)
            if code == 0:
                self.unforced = [each for each in self.unforced if each.path != path]
            self.visit(f"force {_kind(path)} after", None)
            return code

    def _delete(self, really: Really, vfs: int, name: bytes, sync: int) -> int:
        with self._lock, _fatal():
            path = name.decode()
            self.visit(f"delete {_kind(path)} before", None)
            code = really(vfs, name, sync)
            if code == 0:
                self.unforced = [each for each in self.unforced if each.path != path]
                self._files.pop(path, None)
            self.visit(f"delete {_kind(path)} after", None)
            return code

    def _note(self, path: str, start: int, data: bytes) -> None:
        file = self._file(path)
        size = os.fstat(file).st_size
        self.unforced.append(Unforced(path, start, data, os.pread(file, len(data), start), size))


def _kind(path: str) -> str:
    return {"wal": "wal", "journal": "journal", "shm": "shm"}.get(Path(path).name.rpartition("-")[2], "main")


@contextlib.contextmanager
def _fatal() -> Iterator[None]:
    try:
        yield
    except BaseException:  # noqa: BLE001 - what is raised inside a callback would be printed and forgotten
        traceback.print_exc()
        os._exit(70)

"""A file of scored rounds: what each grew, for the answers' details and for a later audit that goes on from it.

The file is an array of records without a header, in the form of the ``numpy.dtype`` ``RECORD``. A record is used again
only for a round with the same digest, in the same order: the digest names the program, the
tables, the ruleset, the round, its deck and arrangements. So a file of another log or of other tables is of no use and
does no harm.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

SEATS: Final = 4
RECORD: Final = np.dtype(
    [
        ("digest", "V16"),
        ("leaf", "<u8"),
        ("owners", "<u4", (SEATS,)),
        ("currency", "<u4"),
        ("by_cards", "<f4", (SEATS, SEATS)),
        ("by_hands", "<f4", (SEATS, SEATS)),
        ("alone", "<f4", (SEATS,)),
        ("won", "<i8", (SEATS, SEATS)),
    ]
)
"""A seat that a round does not have has the owner 0, since owners are counted from 1."""
_TOGETHER: Final = 4_096
"""Records that are read or written at once."""


class ScoredRounds:
    """Records of an audit's rounds in a temporary file, and those of an earlier audit."""

    def __init__(self, earlier: Path | None = None) -> None:
        self._file: Final[IO[bytes]] = tempfile.TemporaryFile()  # noqa: SIM115 - close closes it
        self._earlier = np.zeros(0, dtype=RECORD)
        if earlier is not None and (size := earlier.stat().st_size // RECORD.itemsize):
            self._earlier = np.memmap(earlier, dtype=RECORD, mode="r", shape=(size,))
        self._next = 0
        self.reused = 0
        """Number of records that were taken from the earlier file."""

    def known(self, digest: bytes) -> NDArray[Any] | None:
        """Return the earlier record of the next round; None if there is none or it is of another round."""
        if self._next < len(self._earlier) and self._earlier[self._next]["digest"].tobytes() == digest:
            self._next += 1
            self.reused += 1
            return self._earlier[self._next - 1 : self._next].copy()
        return None

    def add(self, record: NDArray[Any]) -> None:
        """Add the next record, an array of one."""
        self._file.write(record.tobytes())

    def __iter__(self) -> Iterator[NDArray[Any]]:
        """Yield all records, an array of some at a time."""
        self._file.seek(0)
        while data := self._file.read(_TOGETHER * RECORD.itemsize):
            yield np.frombuffer(data, dtype=RECORD)

    def keep(self, file: Path) -> None:
        """Write all records to a file, which is replaced only once it is whole."""
        beside = file.with_name(f"{file.name}.new")
        with beside.open("wb") as kept:
            for records in self:
                kept.write(records.tobytes())
        beside.replace(file)

    def close(self) -> None:
        """Delete the temporary file."""
        self._file.close()

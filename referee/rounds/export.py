"""Export of a log's rounds to a folder, which a later export continues at the leaf where this one ended.

Leaves are read once, perhaps by an audit that reads them anyway. Their rows wait in temporary files until their hashes
have led from the tree that the folder has to the root that the log signed; then they are written, part by part. After
each part the state says how far the folder goes; a process that dies writes the files of its last part again, under the
same names. Memory holds one part and the running rounds.

::

    FOLDER/state.json                               origin, size, root, running rounds
    FOLDER/checkpoint.note                          signed checkpoint of the last export that ended
    FOLDER/<table>/day=<UTC day>/<first leaf>.parquet
    FOLDER/<table>/day=1970-01-01/empty.parquet     no rows: a reader finds every table and its columns
"""

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, Self

import msgspec

from referee.audit.as_of import AuditTime
from referee.audit.source import LogSource
from referee.audit.trust import TrustedKeys
from referee.evidence.merkle import Frontier, ProofError, leaf_hash
from referee.evidence.note import NoteError
from referee.evidence.outside import read_json
from referee.log import CheckpointError, open_checkpoint
from referee.rounds.reading import RowReader, RunningRound, UnreadLeafError
from referee.rounds.row import TABLES, Row
from referee.tiles import FolderPlace

PART: Final = 4_096
"""Leaves of a part, which ends where their number in the log is a multiple of this, or the log ends."""
LISTED: Final = 20
"""Leaves without a row that are listed; all are counted."""
STATE: Final = "state.json"
CHECKPOINT: Final = "checkpoint.note"
_EMPTY_DAY: Final = "1970-01-01"


class ExportError(Exception):
    """An export that cannot be made; the folder has what it had, and the parts that were written before."""


class ExportState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Extent of a folder: the tree of the first ``size`` leaves, by its root and peaks, and the running rounds."""

    origin: str
    size: int = 0
    root: str = Frontier().root.hex()
    peaks: tuple[str, ...] = ()
    running: tuple[RunningRound, ...] = ()
    format: Literal[1] = 1

    @property
    def frontier(self) -> Frontier:
        """Right edge of the tree."""
        return Frontier(self.size, tuple([bytes.fromhex(peak) for peak in self.peaks]))


@dataclass(slots=True, kw_only=True)
class Exported:
    """Result of an export: its first leaf, the size and root of the log, rows by table, rounds that still run.

    ``unfinished`` are those of them that should have ended by the time of the export. ``unread`` are the first leaves
    that gave no row, each with the reason; ``unread_count`` counts all.
    """

    start: int
    size: int
    root: str
    rows: Counter[str] = field(default_factory=Counter)
    running: int = 0
    unfinished: int = 0
    unread: list[tuple[int, str]] = field(default_factory=list)
    unread_count: int = 0


def export_rounds(  # noqa: PLR0913 - the log, the folder, and by what it is read
    source: LogSource,
    folder: Path,
    *,
    origin: str,
    keys: TrustedKeys,
    time: AuditTime,
    progress: Callable[[int, int], None] = lambda _done, _size: None,
) -> Exported:
    """Write the rounds of a log that the folder does not have yet; raise ExportError, and PlaceError for the disk.

    Raise AsOfError if ``time`` is before what the log says, or after the clock.
    ``progress`` is called with the leaves done and the number of all.
    """
    with RoundsExport(source, folder, origin=origin, keys=keys, time=time) as export:
        for index, data in enumerate(source.leaves(export.start, export.size), export.start):
            export.leaf(index, data)
            if (index + 1) % PART == 0:
                progress(index + 1, export.size)
        progress(export.size, export.size)
        return export.close()


class RoundsExport:
    """An export to a folder under way, which is given each leaf of the log from ``start`` to before ``size``, in order.

    Raise ExportError if the checkpoint does not hold, or the folder is not one of this log. Nothing is written to the
    folder before ``close``.
    """

    def __init__(self, source: LogSource, folder: Path, *, origin: str, keys: TrustedKeys, time: AuditTime) -> None:
        self._empty = {_file(table, _EMPTY_DAY, "empty"): _encode(table, ()) for table in TABLES}
        try:
            trusted = keys.of_log(source, (source.checkpoint,))
            self._checkpoint = open_checkpoint(source.checkpoint, origin=origin, keys=trusted)
        except (CheckpointError, NoteError) as error:
            raise ExportError(f"the log's checkpoint does not hold: {error}; `referee audit` says more") from None
        self._note, self._time = source.checkpoint, time
        self._folder = folder
        self._place = FolderPlace(folder)
        self._state = _read_state(self._place, folder, origin=origin)
        self.start, self.size = self._state.size, self._checkpoint.size
        if self.start > self.size:
            detail = f"it has {self.size} leaves, and the folder has the rounds of {self.start}"
            raise _other_log(folder, detail)
        self._reader = RowReader()
        try:
            self._reader.resume(self._state.running, lambda index: next(source.leaves(index, index + 1), b""))
        except UnreadLeafError as error:
            raise _other_log(folder, str(error)) from None
        self._done = Exported(start=self.start, size=self.size, root=self._checkpoint.root.hex())
        self._frontier = self._state.frontier
        self._part: list[bytes] = []
        self._waiting = tempfile.TemporaryDirectory(prefix="referee-rounds-")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting.cleanup()

    def leaf(self, index: int, data: bytes) -> None:
        """Read the next leaf; leave out one that was read before."""
        if index != self._frontier.size + len(self._part) or index >= self.size:
            return
        self._part.append(data)
        if (index + 1) % PART == 0 or index + 1 == self.size:
            self._put_away()

    def close(self) -> Exported:
        """Write the rows; raise ExportError unless the leaves lead to the root that the log signed."""
        self._verify()
        self._time.judged(self._reader.newest)
        self._done.running = len(self._reader.running)
        self._done.unfinished = self._reader.late(self._time.as_of or self._time.now)
        if not self.start:
            self._place.write({STATE: msgspec.json.encode(self._state)})
            self._place.write(self._empty)
        for part in sorted(Path(self._waiting.name).iterdir()):
            files = {
                str(file.relative_to(part)): file.read_bytes() for file in sorted(part.rglob("*")) if file.is_file()
            }
            state = files.pop(STATE)
            self._place.write(files)
            self._place.write({STATE: state})
        self._place.write({CHECKPOINT: self._note})
        return self._done

    def _verify(self) -> None:
        size, root = self._frontier.size, self._frontier.root
        if size + len(self._part) < self.size:
            detail = f"the log signed {self.size} leaves, and there are {size + len(self._part)}"
            raise ExportError(f"{detail}; `referee audit` says more")
        if root == self._checkpoint.root:
            return
        if self.start:
            raise _other_log(self._folder, "its leaves after those lead to another root than it signed")
        raise ExportError("the leaves are not those that the log signed; `referee audit` says more")

    def _put_away(self) -> None:
        """Write the files of a part, and the state after it, to the temporary folder."""
        start = self._frontier.size
        files = _files(self._reader, self._part, start, self._done)
        self._frontier = self._frontier.extend(map(leaf_hash, self._part))
        self._part.clear()
        peaks, running = tuple([peak.hex() for peak in self._frontier.peaks]), self._reader.running
        size, root = self._frontier.size, self._frontier.root.hex()
        state = ExportState(origin=self._state.origin, size=size, root=root, peaks=peaks, running=running)
        for name, data in {**files, STATE: msgspec.json.encode(state)}.items():
            file = Path(self._waiting.name, f"{start:016d}", name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)


def _read_state(place: FolderPlace, folder: Path, *, origin: str) -> ExportState:
    (data,) = place.read([STATE])
    if data is None:
        if (folder / "rounds").exists():
            raise ExportError(f"{folder} has rounds and no {STATE}, so it cannot be continued; give a new folder")
        return ExportState(origin=origin)
    try:
        state: ExportState = read_json(data, ExportState)
        is_whole = state.frontier.root.hex() == state.root
    except (ProofError, ValueError) as error:
        raise ExportError(f"{folder / STATE} cannot be read: {error}; export to a new folder") from None
    if not is_whole:
        raise ExportError(f"{folder / STATE} contradicts itself: its peaks have another root; export to a new folder")
    if state.origin != origin:
        raise ExportError(f"{folder} has rounds of the log {state.origin}, and this is {origin}: give another folder")
    return state


def _other_log(folder: Path, detail: str) -> ExportError:
    return ExportError(
        f"this log does not continue the one whose rounds {folder} has: {detail}. Give {folder / CHECKPOINT} to "
        "`referee audit` as --checkpoint, and export to a new folder if this is the right log"
    )


def _files(reader: RowReader, leaves: Sequence[bytes], start: int, done: Exported) -> dict[str, bytes]:
    """Return the files of a part, and add what is in them to the result."""
    found: defaultdict[tuple[str, str], list[Row]] = defaultdict(list)
    for index, data in enumerate(leaves, start):
        try:
            ended = reader.read(index, data)
        except UnreadLeafError as error:
            done.unread_count += 1
            if len(done.unread) < LISTED:
                done.unread.append((index, str(error)))
            continue
        if ended is not None:
            for table, rows in ended.rows.items():
                found[table, ended.day] += rows
    for (table, _), rows in found.items():
        done.rows[table] += len(rows)
    return {_file(table, day, f"{start:016d}"): _encode(table, rows) for (table, day), rows in found.items() if rows}


def _encode(table: str, rows: Sequence[Row]) -> bytes:
    from referee.rounds.parquet import encode_rows  # noqa: PLC0415 - the extra parquet

    return encode_rows(table, rows)


def _file(table: str, day: str, name: str) -> str:
    return f"{table}/day={day}/{name}.parquet"

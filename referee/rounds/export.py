"""Export of a log's rounds to a folder, which a later export continues at the leaf where this one ended.

Leaves are read twice: first their hashes must lead from the tree that the folder has to the root that the log signed,
then the same leaves are written, part by part. After each part the state says how far the folder goes; a process that
dies writes the files of its last part again, under the same names. Memory holds one part and the running rounds.

::

    FOLDER/state.json                               origin, size, root, running rounds
    FOLDER/checkpoint.note                          signed checkpoint of the last export that ended
    FOLDER/<table>/day=<UTC day>/<first leaf>.parquet
    FOLDER/<table>/day=1970-01-01/empty.parquet     no rows: a reader finds every table and its columns
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final, Literal

import msgspec

from referee.audit.audit import keys_of_log
from referee.audit.source import LogSource
from referee.evidence.merkle import Frontier, ProofError, leaf_hash
from referee.evidence.note import NoteError
from referee.evidence.outside import read_json
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.log import Checkpoint, CheckpointError, open_checkpoint
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

    ``unread`` are the first leaves that gave no row, each with the reason; ``unread_count`` counts all.
    """

    start: int
    size: int
    root: str
    rows: Counter[str] = field(default_factory=Counter)
    running: int = 0
    unread: list[tuple[int, str]] = field(default_factory=list)
    unread_count: int = 0


def export_rounds(  # noqa: PLR0913 - the terms of an export
    source: LogSource,
    folder: Path,
    *,
    origin: str,
    log_key: str,
    root_key: str,
    progress: Callable[[int, int], None] = lambda _done, _size: None,
) -> Exported:
    """Write the rounds of a log that the folder does not have yet; raise ExportError, and PlaceError for the disk.

    Keys are C2SP verifier key text. ``progress`` is called with the leaves done and the number of all.
    """
    empty = {_file(table, _EMPTY_DAY, "empty"): _encode(table, ()) for table in TABLES}
    checkpoint = _open(source, origin=origin, log_key=log_key, root_key=root_key)
    place = FolderPlace(folder)
    state = _read_state(place, folder, origin=origin)
    roots = _verify(source, state, checkpoint, folder, progress)
    reader = RowReader()
    try:
        reader.resume(state.running, lambda index: next(source.leaves(index, index + 1), b""))
    except UnreadLeafError as error:
        raise _other_log(folder, str(error)) from None
    if not state.size:
        place.write({STATE: msgspec.json.encode(state)})
        place.write(empty)
    done = Exported(start=state.size, size=checkpoint.size, root=checkpoint.root.hex())
    frontier = state.frontier
    for leaves in _parts(source, state.size, checkpoint.size):
        start = frontier.size
        frontier = frontier.extend(map(leaf_hash, leaves))
        if roots.get(frontier.size) != frontier.root:
            raise ExportError(f"leaves {start} to {frontier.size - 1} are others than a moment ago; export again")
        place.write(_files(reader, leaves, start, done))
        peaks, running = tuple([peak.hex() for peak in frontier.peaks]), reader.running
        size, root = frontier.size, frontier.root.hex()
        state_now = ExportState(origin=origin, size=size, root=root, peaks=peaks, running=running)
        place.write({STATE: msgspec.json.encode(state_now)})
        progress(checkpoint.size + frontier.size, 2 * checkpoint.size)
    place.write({CHECKPOINT: source.checkpoint})
    done.running = len(reader.running)
    return done


def _open(source: LogSource, *, origin: str, log_key: str, root_key: str) -> Checkpoint:
    try:
        log, root = VerifierKey.parse(log_key), VerifierKey.parse(root_key)
        keys = keys_of_log(source, (source.checkpoint,), log=log, root=root)
        return open_checkpoint(source.checkpoint, origin=origin, keys=keys)
    except (CheckpointError, NoteError, KeyTextError) as error:
        raise ExportError(f"the log's checkpoint does not hold: {error}; `referee audit` says more") from None


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


def _verify(
    source: LogSource, state: ExportState, checkpoint: Checkpoint, folder: Path, progress: Callable[[int, int], None]
) -> dict[int, bytes]:
    """Verify that the leaves lead from the folder's tree to the checkpoint's; return the root at the end of each part.

    Raise ExportError if they do not.
    """
    if state.size > checkpoint.size:
        raise _other_log(folder, f"it has {checkpoint.size} leaves, and the folder has the rounds of {state.size}")
    frontier, roots = state.frontier, {}
    for leaves in _parts(source, state.size, checkpoint.size):
        frontier = frontier.extend(map(leaf_hash, leaves))
        roots[frontier.size] = frontier.root
        progress(frontier.size, 2 * checkpoint.size)
    if frontier.size < checkpoint.size:
        detail = f"the log signed {checkpoint.size} leaves, and there are {frontier.size}"
        raise ExportError(f"{detail}; `referee audit` says more")
    if frontier.root == checkpoint.root:
        return roots
    if state.size:
        raise _other_log(folder, "its leaves after those lead to another root than it signed")
    raise ExportError("the leaves are not those that the log signed; `referee audit` says more")


def _other_log(folder: Path, detail: str) -> ExportError:
    return ExportError(
        f"this log does not continue the one whose rounds {folder} has: {detail}. Give {folder / CHECKPOINT} to "
        "`referee audit` as --checkpoint, and export to a new folder if this is the right log"
    )


def _parts(source: LogSource, start: int, stop: int) -> Iterator[list[bytes]]:
    """Yield the leaves from ``start`` to before ``stop`` in parts; fewer if the source has no more."""
    leaves = source.leaves(start, stop)
    while part := list(islice(leaves, PART - start % PART)):
        yield part
        start += len(part)


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

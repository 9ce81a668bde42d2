"""The newest head that the keys of a folder have signed, recorded beside them as ``log.head``.

It makes a log noticed that is gone, empty, cut back or exchanged: these keys do not start without the leaves that they
have signed. The file is the signed checkpoint itself, replaced whole and only after the log holds its leaves; so it is
never ahead of the log, whenever a process is killed, and about a second behind it while the log grows. A last line
after the checkpoint has the number of KEY leaves and the SHA-256 of their indices, 8 bytes each, so that a start
notices one that its store does not name any more.
"""

import fcntl
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import structlog

from referee.evidence.note import Note, NoteError
from referee.evidence.printable import error_words
from referee.log import Checkpoint, CheckpointError
from referee.server.keys.private_key import KeyFileError
from referee.storage import DataLossError, Head, Reader
from referee.storage.check import check_continues

FILE_NAME: Final = "log.head"
_KEYS: Final = b"keys "
_log = structlog.get_logger("referee.keys")


class LostLeavesError(RuntimeError):
    """A log without leaves that its keys have signed; ``lost`` is their number, at least."""

    def __init__(self, message: str, *, lost: int) -> None:
        super().__init__(message)
        self.lost = lost


def read_signed_head(keys: Path) -> Checkpoint | None:
    """Return the newest head that the folder's keys are known to have signed, or None.

    Raises KeyFileError for a file that cannot be read.
    """
    return _read(keys)[0]


def _read(keys: Path) -> tuple[Checkpoint | None, bytes]:
    """Return the recorded head, or None, and the line about its KEY leaves; empty without one."""
    path = keys / FILE_NAME
    try:
        note, line = path.read_bytes(), b""
        if (start := note.rfind(b"\n" + _KEYS)) >= 0:
            note, line = note[: start + 1], note[start + 1 :]
        return Checkpoint.parse(Note.parse(note).text), line
    except FileNotFoundError:
        return None, b""
    except (OSError, NoteError, CheckpointError) as error:
        raise KeyFileError(
            f"{path} is no checkpoint: {error_words(error)}. It names the newest head that these keys have signed: "
            "copy it from a backup of the keys; or remove it, if you know that the log is whole"
        ) from None


def keys_line(indices: Sequence[int]) -> bytes:
    """Return the line about a log's KEY leaves, by their ascending indices.

    >>> keys_line([0, 1, 2])[:24]
    b'keys 3 5dfadd0e50910f561'
    """
    digest = hashlib.sha256(b"".join([index.to_bytes(8, "big") for index in indices])).hexdigest()
    return b"%s%d %s\n" % (_KEYS, len(indices), digest.encode("ascii"))


@dataclass(slots=True)
class HeadRecord:
    """The record in one folder of keys; several processes may keep it."""

    keys: Path
    named: Sequence[int] | None = None
    """Indices of the log's KEY leaves; None while they are unknown, so that nothing is recorded."""
    _kept: int = -1
    _is_warned: bool = False

    def keep(self, head: Head, *, is_forced: bool = False) -> None:
        """Record a durable head, unless the record is newer; ``is_forced`` takes a record back. Warn where it fails."""
        if (head.size <= self._kept and not is_forced) or not head.size:
            return
        if self.named is None or len(self.named) != head.roundless:  # the next start reads them
            return
        try:
            self._replace(head, is_forced=is_forced)
        except BlockingIOError:  # another process is at it
            return
        except (OSError, KeyFileError) as error:
            if not self._is_warned:
                _log.warning("newest head not recorded beside the keys", error=error_words(error))
            self._is_warned = True

    def _replace(self, head: Head, *, is_forced: bool) -> None:
        folder = os.open(self.keys, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | (0 if is_forced else fcntl.LOCK_NB))
            recorded = None if is_forced else read_signed_head(self.keys)
            line = keys_line(self.named or ())
            if recorded is None or recorded.size < head.size or not _read(self.keys)[1]:
                draft = self.keys / f"{FILE_NAME}.new"
                handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
                with os.fdopen(handle, "wb") as file:
                    file.write(head.checkpoint + line)
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(self.keys / FILE_NAME)
            self._kept = head.size if recorded is None else max(head.size, recorded.size)
        finally:
            os.close(folder)


@dataclass(frozen=True, slots=True)
class SignedHead:
    """Record of the newest head that a folder's keys have signed, read before the log that it is compared with.

    The order matters beside a server that runs: its log is never behind a record that was read earlier.
    """

    keys: Path
    place: str
    """Where the log should be, for people."""
    recorded: Checkpoint | None
    named: bytes
    """Line about the KEY leaves of the recorded head; empty without one."""
    accepted: int = 0
    """Number of leaves that the operator gives up."""

    @classmethod
    def read(cls, keys: Path, *, place: str, accepted: int = 0) -> Self:
        """Read the record; raise KeyFileError for a file that cannot be read."""
        return cls(keys, place, *_read(keys), accepted)

    def check_no_log(self) -> None:
        """Verify that the keys of a missing log have signed nothing; raise LostLeavesError otherwise."""
        if self.recorded is not None:
            held = f"{self.recorded.size} leaves of {self.recorded.origin}"
            found = f"{self.place} holds no log, but the keys in {self.keys} have signed {held}"
            self._refuse(found, lost=self.recorded.size)

    def check_log(self, reader: Reader, head: Head) -> bool:
        """Verify that a verified log continues what its keys have signed; return whether accepted leaves are lost.

        Raises LostLeavesError, or KeyFileError for keys of another log.
        """
        recorded = self.recorded
        if recorded is None:
            return False
        if recorded.origin != reader.origin:
            raise KeyFileError(
                f"the keys in {self.keys} are of the log {recorded.origin}, and {self.place} holds {reader.origin}: "
                "name the data folder, or the database, that belongs to these keys"
            )
        if recorded.size > head.size:
            found = (
                f"{self.place} holds {head.size} leaves of {recorded.origin}, and its keys have signed {recorded.size}"
            )
            return self._refuse(found, lost=recorded.size - head.size)
        try:
            check_continues(reader, head, recorded)
        except DataLossError:
            found = (
                f"{self.place} holds another log of {recorded.origin} than the {recorded.size} leaves that its keys "
                "signed"
            )
            return self._refuse(found, lost=recorded.size)
        return False

    def check_keys(self, indices: Sequence[int]) -> bool:
        """Verify that the store names the KEY leaves that were recorded; return False if none were.

        ``indices`` are those that it names, ascending. Raises DataLossError for others.
        """
        if self.recorded is None or not self.named:
            return False
        before = [index for index in indices if index < self.recorded.size]
        if keys_line(before) != self.named:
            raise DataLossError(
                f"the store names {len(before)} KEY leaves below {self.recorded.size}, and {self.keys / FILE_NAME} "
                f"records others ({self.named.decode('ascii', 'replace').strip()}): a key or a revocation is missing"
            )
        return True

    def _refuse(self, found: str, *, lost: int) -> bool:
        if lost == self.accepted:
            _log.warning("leaves given up", lost=lost, found=found)
            return True
        msg = (
            f"{found}. Nothing was changed. Mount its volume, name the right place, or restore the newest backup. If "
            f"{lost} leaves are lost for good: referee serve --set log.accept_loss={lost} serves without them; all who "
            "kept a receipt or a checkpoint of them can then show that this log was rewritten"
        )
        raise LostLeavesError(msg, lost=lost)

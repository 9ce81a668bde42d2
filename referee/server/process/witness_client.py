"""A client of one witness over HTTP (C2SP tlog-witness). Only answers that the witness's key signed are used."""

import http.client
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from referee.evidence.note import Note, NoteError, NoteSignature
from referee.log import Checkpoint, CheckpointError
from referee.log.cosignature import claimed_times, read_cosignatures
from referee.log.submission import (
    MAX_ANSWER,
    SIZE_TYPE,
    AddCheckpoint,
    SubmissionError,
    monitoring_path,
    parse_size,
)
from referee.server.clock import Clock, system_clock
from referee.server.settings.witnesses import WitnessAddress
from referee.storage import Head, Reader

_TRIES: Final = 3
"""Sizes reported by a witness that one submission follows before it fails."""
_CONFLICT: Final = 409
_OK: Final = 200
_UNPROVED: Final = 422
CLOCKS_APART_MS: Final = 5_000
"""Time before the request, and after the reply, by which a cosignature may be dated and is still used."""


class WitnessError(Exception):
    """The witness did not cosign: it is unreachable, refuses or sends a malformed answer."""


class WitnessAheadError(WitnessError):
    """The witness reports that it cosigned more leaves than the log has."""

    def __init__(self, url: str, size: int) -> None:
        super().__init__(f"{url} reports that it has cosigned {size} leaves of this log")
        self.size = size


class WitnessDisagreesError(WitnessError):
    """The witness reports that it cosigned another history."""


class WitnessClockError(WitnessError):
    """The witness dated its cosignature away from this server's clock; it is not used."""

    def __init__(self, url: str, off: float) -> None:
        where = "ahead of" if off > 0 else "behind"
        super().__init__(
            f"{url} dated its cosignature {abs(off):,.1f} s {where} this server's clock, and "
            f"{CLOCKS_APART_MS // 1000} s are allowed: it is not used; set both clocks right (referee doctor)"
        )
        self.off = off


class WitnessClient:
    """A kept-alive connection to a witness, for one thread at a time.

    A cosignature is used only if its time agrees with ``clock``, judged when it arrives.
    """

    def __init__(self, address: WitnessAddress, reader: Reader, *, timeout: float, clock: Clock = system_clock) -> None:
        self.address = address
        self._clock = clock
        self._reader = reader
        self._timeout = timeout
        self._known = 0
        self._connection: http.client.HTTPConnection | None = None
        self._date = ""

    def submit(self, head: Head) -> tuple[NoteSignature, ...]:
        """Submit a head of the log and return the witness's signature lines.

        Raises WitnessAheadError, WitnessDisagreesError, WitnessClockError, or WitnessError for other failures.
        """
        note = Note.parse(head.checkpoint)
        for _ in range(_TRIES):
            old = min(self._known, head.size)
            proof = self._reader.consistency_proof(old_size=old, new_size=head.size)
            asked = AddCheckpoint(old_size=old, proof=proof, checkpoint=head.checkpoint)
            asked_at = self._clock()
            status, media_type, answer = self._ask("POST", "/add-checkpoint", asked.format())
            if status == _OK:
                self._known = head.size
                lines = self._read(answer, note)
                self._check_times(lines, asked=asked_at, answered=self._clock())
                return lines
            if status == _CONFLICT and media_type == SIZE_TYPE:
                self._known = self._conflict(answer, head.size)
            elif status in {_CONFLICT, _UNPROVED}:
                msg = f"{self.address.url} has cosigned another history of this log: {_words(answer)}"
                raise WitnessDisagreesError(msg)
            else:
                raise WitnessError(f"{self.address.url} does not cosign: status {status}, {_words(answer)}")
        raise WitnessError(f"{self.address.url} reports another size each time")

    def last(self, origin: str) -> tuple[Note, Checkpoint] | None:
        """Fetch the note and checkpoint that the witness cosigned last; None where it shows none."""
        status, _, answer = self._ask("GET", monitoring_path(origin), b"")
        if status != _OK:
            return None
        try:
            note = Note.parse(answer)
            note.verify([self.address.key])
            return note, Checkpoint.parse(note.text)
        except (NoteError, CheckpointError):
            return None

    def clock_difference(self) -> float | None:
        """Ask for the witness's time; return the least number of seconds by which it is ahead, negative if behind.

        The answer's Date has whole seconds, so the difference is 0 if any time within that second agrees with this
        clock. Return None if the answer has no Date.
        """
        asked = self._clock()
        self._ask("GET", "/", b"")
        answered = self._clock()
        try:
            date = 1000 * int(parsedate_to_datetime(self._date).timestamp())
        except ValueError:
            return None
        return (max(0, date - answered) + min(0, date + 999 - asked)) / 1000

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _read(self, answer: bytes, note: Note) -> tuple[NoteSignature, ...]:
        try:
            return read_cosignatures(answer, note, self.address.key)
        except NoteError as error:
            raise WitnessError(f"{self.address.url} sent no cosignature of its own: {error}") from error

    def _check_times(self, lines: Sequence[NoteSignature], *, asked: int, answered: int) -> None:
        """Verify that the cosignatures are dated between request and reply, but for the clocks' difference."""
        for seconds in claimed_times(Note("", tuple(lines))):
            time = 1000 * seconds
            nearest = min(max(time, asked), answered)
            if abs(time - nearest) > CLOCKS_APART_MS:
                raise WitnessClockError(self.address.url, (time - nearest) / 1000)

    def _conflict(self, answer: bytes, size: int) -> int:
        try:
            known = parse_size(answer)
        except SubmissionError as error:
            raise WitnessError(f"{self.address.url} sent a malformed answer: {error}") from error
        if known > size:
            raise WitnessAheadError(self.address.url, known)
        return known

    def _ask(self, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        is_kept = self._connection is not None
        try:
            return self._exchange(method, path, body)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            if is_kept:  # the witness may have ended it
                return self._ask(method, path, body)
            raise WitnessError(f"{self.address.url} cannot be reached: {error or type(error).__name__}") from error

    def _exchange(self, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        parts = urlsplit(self.address.url)
        if self._connection is None:
            kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
            self._connection = kind(str(parts.hostname), parts.port, timeout=self._timeout)
        self._connection.request(method, parts.path.rstrip("/") + path, body or None)
        response = self._connection.getresponse()
        answer = response.read(MAX_ANSWER + 1)
        if len(answer) > MAX_ANSWER:
            self.close()
            raise WitnessError(f"{self.address.url} sent more than {MAX_ANSWER} bytes")
        self._date = response.headers.get("Date", "")
        return response.status, response.headers.get("Content-Type", ""), answer


def _words(answer: bytes) -> str:
    """Return the start of an answer as text."""
    return answer[:200].decode("utf-8", "replace").strip()

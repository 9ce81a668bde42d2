"""Cosigning of the log's head by its witnesses, beside the commits.

One head at a time is submitted to all witnesses, so that their cosignatures meet on one checkpoint. The next head is
chosen once a quorum has cosigned this one or no witness is left that could; a witness that fails is asked again after a
pause that doubles up to a minute. None is asked more often than the settings allow. A head that does not change is
cosigned anew every five minutes, to show that no newer leaves are withheld. Of several processes on a folder one asks,
and the others read what it stores.
``check_witnesses`` stops a server whose log lost leaves that a witness has cosigned.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

import structlog

from referee.evidence.note import Note, NoteError, NoteSignature
from referee.evidence.printable import error_words
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint
from referee.log.cosignature import Quorum, merged
from referee.server.clock import Clock, system_clock
from referee.server.folder_lock import LeaderLock
from referee.server.process.witness_client import (
    WitnessAheadError,
    WitnessClient,
    WitnessClockError,
    WitnessDisagreesError,
    WitnessError,
)
from referee.server.settings.witnesses import WitnessAddress, Witnesses
from referee.storage import Cosigned, DataLossError, Head, Reader, Store, StoreError
from referee.threads import lasting

CALL_SECONDS: Final = 5.0
REFRESH_SECONDS: Final = 300.0
"""Interval after which an unchanged head is cosigned anew."""
POLL_SECONDS: Final = 0.25
_READ_SECONDS: Final = 0.05
_TRIES: Final = 5
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 60.0

_log = structlog.get_logger("referee.cosigner")


@dataclass(slots=True)
class _Desk:
    """State of one witness: the size it cosigned last and when, when to ask again, whether it is being asked."""

    client: WitnessClient
    signed: int = -1
    since: float = 0.0
    pause: float = 0.0
    again: float = 0.0
    is_busy: bool = False


class Cosigner:
    """Cosigner of a log's heads, with one thread a witness."""

    def __init__(  # noqa: PLR0913 - the last four have defaults
        self,
        store: Store,
        witnesses: Witnesses,
        *,
        timeout: float = CALL_SECONDS,
        refresh: float = REFRESH_SECONDS,
        turn: LeaderLock | None = None,
        clock: Clock = system_clock,
    ) -> None:
        self._store = store
        self._turn = turn
        self._refresh = refresh
        self._quorum = witnesses.quorum
        self._interval = witnesses.interval
        self._desks = [_Desk(WitnessClient(one, store, timeout=timeout, clock=clock)) for one in witnesses.addresses]
        self._changed = threading.Condition()
        self._target: Head | None = None
        self._newest = store.newest_cosigned()
        self._is_closing = False
        self._threads = [lasting(self._serve, desk, name="cosigner") for desk in self._desks]
        self._reading = lasting(self._read, name="cosigned")

    def start(self) -> None:
        """Start the threads; witnesses are asked once this process leads."""
        if self._turn is None:
            self._lead()
        else:
            self._reading.start()

    def wait(self, size: int, seconds: float) -> Cosigned | None:
        """Return the newest quorate checkpoint of at least this size; after this time the newest there is, or None."""
        end = time.monotonic() + seconds
        with self._changed:
            self._changed.notify_all()  # wake the threads to look for a new head
            while (self._newest is None or self._newest.size < size) and not self._is_closing:
                left = end - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(left)
            return self._newest

    def close(self) -> None:
        """Stop asking; abandon requests under way."""
        with self._changed:
            self._is_closing = True
            self._changed.notify_all()
        for thread in (self._reading, *self._threads):
            if thread.is_alive():
                thread.join(1.0)
        for desk in self._desks:
            desk.client.close()
        if self._turn is not None:
            self._turn.leave()

    def _lead(self) -> None:
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        """Read the cosigned checkpoints that the leading process stores, until this process leads."""
        while not self._is_closing:
            if self._turn is None or self._turn.take():
                self._lead()
                return
            try:
                newest = self._store.newest_cosigned()
            except StoreError as error:
                _log.warning("cosigned checkpoints unreadable", error=error_words(error))
                newest = None
            with self._changed:
                if newest is not None and (self._newest is None or newest.size > self._newest.size):
                    self._newest = newest
                    self._changed.notify_all()
                self._changed.wait(_READ_SECONDS)

    def _serve(self, desk: _Desk) -> None:
        while True:
            head = self._next(desk)
            if head is None:
                return
            try:
                lines = desk.client.submit(head)
                kept = keep(self._store, head, lines, self._quorum)
            except (WitnessError, StoreError, DataLossError) as error:
                self._fail(desk, error)
            else:
                self._succeed(desk, kept)

    def _next(self, desk: _Desk) -> Head | None:
        """Wait for the head that this witness is to cosign next; return None at the end."""
        with self._changed:
            while not self._is_closing:
                head = self._choose()
                left = desk.again - time.monotonic()
                is_due = desk.signed < 0 or time.monotonic() - desk.since >= self._refresh
                if head is not None and (head.size > desk.signed or is_due) and left <= 0:
                    desk.is_busy = True
                    return head
                self._changed.wait(min(max(left, 0.01), POLL_SECONDS) if left > 0 else POLL_SECONDS)
        return None

    def _choose(self) -> Head | None:
        """Return the head to cosign now: the current one until it is settled and a newer one exists."""
        target = self._target
        if target is not None and not self._is_settled(target):
            return target
        try:
            head = self._store.head()
        except (StoreError, DataLossError) as error:
            _log.warning("head unreadable", error=error_words(error))
            return target
        if head.size and (target is None or head.size > target.size):
            self._target = head
        return self._target

    def _is_settled(self, target: Head) -> bool:
        if self._newest is not None and self._newest.size >= target.size:
            return True
        now = time.monotonic()
        return all(
            desk.signed >= target.size or (desk.pause > 0 and desk.again > now and not desk.is_busy)
            for desk in self._desks
        )

    def _succeed(self, desk: _Desk, kept: Cosigned) -> None:
        with self._changed:
            desk.is_busy, desk.pause, desk.signed, desk.since = False, 0.0, kept.size, time.monotonic()
            desk.again = desk.since + self._interval
            if kept.is_quorate and (self._newest is None or kept.size >= self._newest.size):
                self._newest = kept
            self._changed.notify_all()

    def _fail(self, desk: _Desk, error: Exception) -> None:
        lost = isinstance(error, WitnessDisagreesError) or (
            isinstance(error, WitnessAheadError) and not has_grown_to(self._store, error.size)
        )
        with self._changed:
            desk.is_busy = False
            desk.pause = _LONGEST_PAUSE if lost else min(max(_FIRST_PAUSE, 2 * desk.pause), _LONGEST_PAUSE)
            desk.again = time.monotonic() + max(desk.pause, self._interval)
            self._changed.notify_all()
        say = _log.error if lost else _log.warning
        event = "cosignature not used" if isinstance(error, WitnessClockError) else "not cosigned"
        say(event, witness=desk.client.address.url, error=error_words(error), seconds=desk.pause)


def keep(store: Store, head: Head, lines: Iterable[NoteSignature], quorum: Quorum) -> Cosigned:
    """Merge signature lines into the stored checkpoint of a head; return it as it is stored now."""

    def merge(kept: bytes | None) -> Cosigned:
        note = merged(Note.parse(kept or head.checkpoint), lines)
        return Cosigned(size=head.size, note=note.format(), is_quorate=quorum.attest(note).is_quorate)

    return store.keep_cosigned(head.size, merge)


def known_checkpoints(store: Reader) -> list[Checkpoint]:
    """Return the largest checkpoint that a witness is known to have cosigned, as the store has it."""
    newest = store.newest_cosigned(quorate=False)
    return [] if newest is None else [Checkpoint.parse(Note.parse(newest.note).text)]


def check_witnesses(
    store: Store,
    witnesses: Witnesses,
    *,
    log_keys: Sequence[VerifierKey],
    warn: Callable[[str], None],
    clock: Clock = system_clock,
) -> None:
    """Verify that no witness has cosigned more than the store's head or another history; raise DataLossError if so.

    The error quotes the note that a witness shows under a signature of ``log_keys``. A witness that cannot be
    reached, or whose clock disagrees with ``clock``, causes a warning, or WitnessError where all are required.
    Raises ValueError, before one is asked, where the log has no origin of its operator's own and one is elsewhere.
    """
    witnesses.check_origin(store.origin)

    def ask(address: WitnessAddress) -> None:
        client = WitnessClient(address, store, timeout=CALL_SECONDS, clock=clock)
        try:
            head, lines = _submitted(client, store)
        except (WitnessAheadError, WitnessDisagreesError) as error:
            size = store.head().size
            msg = f"the log has {size} leaves, but {error}{_evidence(client, store.origin, log_keys)}"
            raise DataLossError(msg) from error
        except WitnessError as error:
            if witnesses.is_required:
                raise
            warn(str(error))
        else:
            if head.size:
                keep(store, head, lines, witnesses.quorum)
        finally:
            client.close()

    with ThreadPoolExecutor(len(witnesses.addresses), thread_name_prefix="witness") as threads:
        asked = [threads.submit(ask, address) for address in witnesses.addresses]
    faults = [error for error in (one.exception() for one in asked) if error is not None]
    for fault in sorted(faults, key=lambda error: not isinstance(error, DataLossError)):
        raise fault


def has_grown_to(store: Store, size: int) -> bool:
    """Return whether the log has this many leaves by now; another process may append to it."""
    try:
        return store.head().size >= size
    except (StoreError, DataLossError):
        return False


def _submitted(client: WitnessClient, store: Store) -> tuple[Head, tuple[NoteSignature, ...]]:
    """Submit the current head and return it with the witness's lines; retry while another process appends."""
    for _ in range(_TRIES):
        head = store.head()
        try:
            return head, client.submit(head)
        except WitnessAheadError as error:
            if not has_grown_to(store, error.size):
                raise
    raise WitnessError(f"{client.address.url} was sent a newer head each time")


def _evidence(client: WitnessClient, origin: str, log_keys: Sequence[VerifierKey]) -> str:
    """Describe the note that a witness shows for its claim."""
    try:
        shown = client.last(origin)
        if shown is not None:
            shown[0].verify(log_keys)
            return f" and shows this note, signed by the log's own key:\n{shown[0].format().decode()}"
    except (WitnessError, NoteError):
        pass
    return " and shows no checkpoint signed by the log's key"

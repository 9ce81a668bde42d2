"""A thread that follows the log: it aborts rounds past their deadline and reveals the seeds of ended ones.

It runs when woken and once a second, because other processes settle rounds and deadlines pass by themselves.
"""

import threading
from concurrent.futures import Future
from typing import Final

import structlog

from referee.dealing.seal import SealError
from referee.evidence.ed25519 import Signer, SignerUnavailableError
from referee.evidence.printable import error_words
from referee.log import Slot, SlotError, StepKind
from referee.server.clock import Clock
from referee.service.aborting import received_abort_of
from referee.service.opened import read_open, reveal_of
from referee.service.terms import leaf_time
from referee.storage import DataLossError, Logged, QueueFullError, Reader, StoreError, Writer, WriterClosedError
from referee.threads import lasting

POLL_SECONDS: Final = 1.0
_AT_ONCE: Final = 256
_APPEND_SECONDS: Final = 30.0

_log = structlog.get_logger("referee.reveal")


class Follower:
    """Thread that aborts overdue rounds and reveals ended ones until closed; without a ``signer`` it aborts none."""

    def __init__(
        self, reader: Reader, writer: Writer, *, sealing_key: bytes, clock: Clock, signer: Signer | None
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._sealing_key = sealing_key
        self._clock = clock
        self._signer = signer
        self._wake = threading.Event()
        self._closing = False
        self._given_up: set[bytes] = set()
        self._thread = lasting(self._follow, name="follower")

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def wake(self) -> None:
        """Look for ended rounds now."""
        self._wake.set()

    def close(self) -> None:
        """Reveal every round that has ended by now, then stop the thread."""
        self._closing = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _follow(self) -> None:
        while True:
            closing = self._closing
            self._wake.clear()
            try:
                while self._abort_some() or self._reveal_some():
                    pass
            except (StoreError, QueueFullError, WriterClosedError, SignerUnavailableError, TimeoutError) as error:
                _log.warning("reveal postponed", error=error_words(error))
                closing = closing or self._closing
            except DataLossError:
                return
            if closing:
                return
            self._wake.wait(POLL_SECONDS)

    def _abort_some(self) -> int:
        """Abort overdue rounds and return how many; skip those that ended meanwhile."""
        if self._signer is None or self._closing:
            return 0
        aborted = 0
        for one in self._reader.overdue_rounds(self._clock(), _AT_ONCE):
            leaves = {mark.kind: self._reader.leaf(mark.index) for mark in self._reader.marks(one.key)}
            append = received_abort_of(
                one,
                None,
                leaves,
                self._reader.contributions(one.key),
                now=leaf_time(self._clock(), floor=one.newest_time),
                signer=self._signer,
            )
            try:
                self._writer.append(append, timeout=_APPEND_SECONDS)
            except SlotError as error:
                _log.info("ended meanwhile", round_id=one.round_id.hex(), reason=error.reason)
            else:
                aborted += 1
                _log.warning("aborted at its deadline", table_id=one.key.table_id, round_number=one.key.round_number)
        return aborted

    def _reveal_some(self) -> int:
        """Reveal ended rounds and return how many; retry later those that the log had no room for."""
        rounds = [
            one
            for one in self._reader.unrevealed_rounds(_AT_ONCE + len(self._given_up))
            if one.round_id not in self._given_up
        ]
        answers: list[tuple[Slot, Future[tuple[Logged, ...]]]] = []
        for one in rounds:
            mark = next(mark for mark in self._reader.marks(one.key) if mark.kind is StepKind.OPEN)
            try:
                append = reveal_of(read_open(self._reader.leaf(mark.index)), sealing_key=self._sealing_key)
            except SealError as error:
                self._given_up.add(one.round_id)
                _log.error("seed cannot be decrypted", round_id=one.round_id.hex(), error=error_words(error))
                continue
            answers.append((one, self._writer.submit(append)))
        for one, answer in answers:
            try:
                answer.result(_APPEND_SECONDS)
            except SlotError as error:
                _log.info("revealed by another process", round_id=one.round_id.hex(), reason=error.reason)
        return len(answers)

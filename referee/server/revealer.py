"""Follows the log and reveals: whoever settles or aborts a round need not ask for its seed.

One thread looks for ended rounds whose seed is not in the log, when it is woken and once a second, because the round
may have been settled by another process.
"""

import threading
from concurrent.futures import Future
from typing import Final

import structlog

from referee.dealing.seal import SealError
from referee.log import Kind, Round, SlotError
from referee.service.revealing import Sealed, reveal_of
from referee.storage import DataLossError, Logged, QueueFullError, Reader, StoreError, Writer, WriterClosedError

POLL_SECONDS: Final = 1.0
_AT_ONCE: Final = 256
_APPEND_SECONDS: Final = 30.0

_log = structlog.get_logger("referee.reveal")


class Revealer:
    """Reveals the seeds of ended rounds with one sealing key, until closed."""

    def __init__(self, reader: Reader, writer: Writer, *, sealing_key: bytes) -> None:
        self._reader = reader
        self._writer = writer
        self._sealing_key = sealing_key
        self._wake = threading.Event()
        self._closing = False
        self._given_up: set[bytes] = set()
        self._thread = threading.Thread(target=self._follow, name="revealer", daemon=True)

    def start(self) -> None:
        """The thread runs."""
        self._thread.start()

    def wake(self) -> None:
        """A round has ended."""
        self._wake.set()

    def close(self) -> None:
        """Every round that has ended by now is revealed, and the thread has ended."""
        self._closing = True
        self._wake.set()
        if self._thread.is_alive():
            self._thread.join()

    def _follow(self) -> None:
        while True:
            closing = self._closing
            self._wake.clear()
            try:
                while self._reveal_some():
                    pass
            except (StoreError, QueueFullError, WriterClosedError, TimeoutError) as error:
                _log.warning("reveal put off", error=str(error))
            except DataLossError:
                return
            if closing:
                return
            self._wake.wait(POLL_SECONDS)

    def _reveal_some(self) -> int:
        """How many rounds were revealed; each is tried again later where the log was busy."""
        rounds = [
            one
            for one in self._reader.unrevealed_rounds(_AT_ONCE + len(self._given_up))
            if one.round_id not in self._given_up
        ]
        answers: list[tuple[Round, Future[tuple[Logged, ...]]]] = []
        for one in rounds:
            mark = next(mark for mark in self._reader.marks(one.key) if mark.kind is Kind.OPEN)
            try:
                append = reveal_of(Sealed.of(self._reader.leaf(mark.index)), sealing_key=self._sealing_key)
            except SealError as error:
                self._given_up.add(one.round_id)
                _log.error("seed cannot be unsealed", round_id=one.round_id.hex(), error=str(error))
                continue
            answers.append((one, self._writer.submit(append)))
        for one, answer in answers:
            try:
                answer.result(_APPEND_SECONDS)
            except SlotError as error:
                _log.info("revealed by another", round_id=one.round_id.hex(), reason=error.reason)
        return len(answers)

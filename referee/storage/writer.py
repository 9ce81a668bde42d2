"""The one thread of a process that appends: requests wait in a queue, and all that wait are committed together.

A request is answered after its leaves are durable. No timer forms batches: while one batch is committed, requests for
the next one collect in the queue, and requests that arrive while a batch is judged join it. A full queue refuses at
once. A store that contradicts itself stops the writer for good; any other failure fails one batch, and its requests may
be tried again.

Before a batch begins, the thread yields to other threads as long as that brings more requests: on a busy core each of
these would otherwise wait for a commit of its own. If no other thread is ready, yielding costs a microsecond.
"""

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final, Self, TypeAlias

import msgspec

from referee.evidence.merkle import EMPTY_ROOT
from referee.log import Checkpoint, CheckpointSigner, SlotError
from referee.storage.batch import Request, append_batch
from referee.storage.record import (
    Append,
    ClockError,
    Contribution,
    DataLossError,
    Head,
    HeadMovedError,
    Logged,
    StoreError,
    StoreStalledError,
    clock_error,
)
from referee.storage.store import Store
from referee.storage.trouble import SIGNER, WriteTrouble, trouble_of
from referee.threads import lasting

_Pending: TypeAlias = "tuple[Request, Future[Any]]"
"""A request and the future of its reply."""

STALL_SECONDS: Final = 5.0
"""Age from which a batch under way counts as trouble, whatever becomes of it."""
GRACE_SECONDS: Final = 10.0
"""Age of a batch for which a writer that closes waits no longer."""
_COMPACT_BYTES: Final = 4 * 1024 * 1024
"""Bytes of appended leaves after which the store is compacted in the background."""


_TOUCHED_BYTES: Final = 65_536
"""Bytes that ``prove`` adds to the count for compaction: it appends no leaf, but writes a page or two."""


class QueueFullError(Exception):
    """A request refused because too many wait already; nothing was queued."""


class WriterClosedError(Exception):
    """A request to a writer that has been closed; nothing was queued."""


class Writer:
    """A thread that appends to a store, and another that compacts it.

    At most ``queued`` requests wait, and at most ``batched`` share one commit. ``clock`` gives the time in ms since
    1970 UTC that leaves' times are compared with; without it, they are compared only with each other. ``check``
    gets the head that each batch continues; if it raises, nothing of the batch is appended. ``probe`` is called
    with the name of each point that a batch passes, those of ``batch.STEPS`` and last ``ANSWERED``, for crash tests
    and measurements. ``watch`` gets the number of requests of each appended batch.
    """

    def __init__(  # noqa: PLR0913 - the last three only check and observe
        self,
        store: Store,
        signer: CheckpointSigner,
        *,
        origin: str,
        queued: int = 4_096,
        batched: int = 256,
        clock: Callable[[], int] | None = None,
        check: Callable[[Head], None] = lambda _: None,
        probe: Callable[[str], None] = lambda _: None,
        watch: Callable[[int], None] = lambda _: None,
    ) -> None:
        store.found(origin, signer.sign(Checkpoint(origin, 0, EMPTY_ROOT)))
        if store.origin != origin:
            raise DataLossError(f"the store holds the log of {store.origin!r}, not of {origin!r}")
        self._store: Final = store
        self._signer: Final = signer
        self._queued: Final = queued
        self._batched: Final = batched
        self._clock: Final = clock
        self._check: Final = check
        self._probe: Final = probe
        self._watch: Final = watch
        self._head = store.head()
        self._queue: deque[_Pending] = deque()
        self._changed: Final = threading.Condition()
        self._closing = False
        self.fault: DataLossError | None = None
        """Error that stopped the writer for good, or None while it works."""
        behind = self._clock_error(self._head)
        self._trouble: WriteTrouble | None = None if behind is None else trouble_of(behind)
        self._written = time.monotonic()
        self._begun: float | None = None
        self._is_due = False
        self._stall: WriteTrouble | None = None
        self._uncompacted = 0
        self._compact: Final = threading.Event()
        self._threads: Final = (
            lasting(self._append_all, name="log-writer"),
            lasting(self._compact_all, name="log-compactor"),
        )
        for thread in self._threads:
            thread.start()

    @property
    def idle_seconds(self) -> float:
        """Seconds since the last batch or ``prove`` that succeeded."""
        return time.monotonic() - self._written

    @property
    def batch_seconds(self) -> float:
        """Age of the batch, or of the ``prove``, that is under way; 0 if there is none."""
        begun = self._begun
        return 0 if begun is None else time.monotonic() - begun

    @property
    def trouble(self) -> WriteTrouble | None:
        """Cause and remedy if the log cannot be written; None otherwise.

        It cannot if the last batch or ``prove`` failed, if the one under way takes longer than ``STALL_SECONDS``, or if
        the clock is behind the log.
        """
        seconds = self.batch_seconds
        if seconds < STALL_SECONDS:
            return self._trouble
        stalled = self._stall or trouble_of(StoreStalledError("a commit has not returned"))
        return msgspec.structs.replace(stalled, cause=f"{stalled.cause}; the batch is {seconds:.0f} s old")

    def explain(self) -> None:
        """Ask the database why the batch under way does not end, for ``trouble``; the question may itself take long."""
        begun = self._begun
        if begun is None:
            return
        stall = trouble_of(self._store.stalled(time.monotonic() - begun))
        if begun == self._begun:
            self._stall = stall

    def prove_soon(self) -> None:
        """Let the thread call ``prove``, unless requests wait, which show the same."""
        with self._changed:
            self._is_due = True
            self._changed.notify()

    def prove(self) -> None:
        """Commit a change outside of the log, so that ``trouble`` says whether an append would succeed now.

        Do nothing once a ``fault`` has stopped the writer. The caller must not hold a lock that others wait for,
        because the commit may take long.
        """
        if self.fault is not None:
            return
        try:
            head = self._store.touch()
            if self._trouble is not None and self._trouble.kind == SIGNER:
                self._signer.sign(Checkpoint(self._store.origin, head.size, head.root))
        except Exception as error:  # noqa: BLE001 - whatever it is, an append would get it
            self._note(error)
            return
        self._note(self._clock_error(head))
        self._count(_TOUCHED_BYTES)

    @property
    def waiting(self) -> int:
        """Number of requests that wait for the next batch."""
        return len(self._queue)

    def submit(self, *appends: Append) -> "Future[tuple[Logged, ...]]":
        """Queue appends that succeed or fail together; the reply has one Logged for each, in their order.

        The reply raises SlotError if a step is refused; StaleRoundError if a leaf's round has changed since it was
        built, or LateLeafError if it has waited too long; ClockError if its time is out of order; StoreError if the
        store failed; DataLossError if the store contradicts itself.
        This method itself raises QueueFullError, WriterClosedError or DataLossError, and then queues nothing.
        """
        answer: Future[tuple[Logged, ...]] = Future()
        self._queue_up(appends, answer)
        return answer

    def submit_each(self, appends: Sequence[Append]) -> "list[Future[tuple[Logged, ...]]]":
        """Return a reply for each append; they succeed or fail independently.

        They are queued together, so that they share commits. The reply to an append for which the queue has no room
        raises QueueFullError; other replies raise the errors that ``submit`` lists. This method itself raises
        WriterClosedError or DataLossError, and then queues nothing.
        """
        answers: list[Future[tuple[Logged, ...]]] = [Future() for _ in appends]
        with self._changed:
            self._check_open()
            for append, answer in zip(appends, answers, strict=True):
                if len(self._queue) < self._queued:
                    self._queue.append(((append,), answer))
                else:
                    answer.set_exception(self._full())
            self._changed.notify()
        return answers

    def contribute(self, contribution: Contribution, *, timeout: float | None = None) -> Contribution:
        """Keep a seat's seed; return the seat's durable contribution, an earlier one if it has contributed before.

        Raises SlotError if the round takes no seeds now, and the errors of ``append``.
        """
        return self.submit_seed(contribution).result(timeout)

    def submit_seed(self, contribution: Contribution) -> "Future[Contribution]":
        """Queue a seat's seed and return the reply, which ``contribute`` describes; raise the errors of ``submit``."""
        answer: Future[Contribution] = Future()
        self._queue_up(contribution, answer)
        return answer

    def _queue_up(self, request: Request, answer: "Future[Any]") -> None:
        with self._changed:
            self._check_open()
            if len(self._queue) >= self._queued:
                raise self._full()
            self._queue.append((request, answer))
            self._changed.notify()

    def _check_open(self) -> None:
        if self.fault is not None:
            raise DataLossError(*self.fault.args)  # a new error: a raised one holds its caller's frames
        if self._closing:
            raise WriterClosedError("the writer of the log is closed")

    def _full(self) -> QueueFullError:
        return QueueFullError(f"{self._queued} requests wait already; try again later")

    def append(self, append: Append, *, timeout: float | None = None) -> Logged:
        """Append one leaf and return it once it is durable; raise the errors of ``submit`` and its reply.

        Raises TimeoutError after ``timeout`` seconds; the leaf may still be appended afterwards.
        """
        return self.submit(append).result(timeout)[0]

    def close(self) -> None:
        """Answer everything queued, compact the store and end the threads; the store stays open.

        A batch that has been under way for ``GRACE_SECONDS`` is left to itself; its requests were not answered.
        """
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        while self._threads[0].is_alive():
            self._threads[0].join(1)
            if self.batch_seconds > GRACE_SECONDS:
                return
        self._compact.set()
        self._threads[1].join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append_all(self) -> None:
        while self._wait():
            self._yield()
            batch: list[_Pending] = []
            self._take(batch)
            self._begun = time.monotonic()
            if batch:
                self._run(batch)
            else:
                self.prove()
            self._begun = self._stall = None

    def _wait(self) -> bool:
        """Wait for requests or ``prove_soon`` and return True; return False once the writer closes and none is left."""
        with self._changed:
            while not self._queue and not self._closing and not self._is_due:
                self._changed.wait()
            is_due, self._is_due = self._is_due and not self._closing, False
            return is_due or bool(self._queue)

    def _yield(self) -> None:
        """Yield to other threads as long as that brings new requests and the batch has room for them."""
        seen = 0
        while seen < len(self._queue) < self._batched:
            seen = len(self._queue)
            os.sched_yield()

    def _take(self, batch: list[_Pending]) -> None:
        """Move waiting requests to the end of the batch while it has room; drop cancelled requests."""
        while self._queue and len(batch) < self._batched:
            pending = self._queue.popleft()  # no other thread takes from it
            if pending[1].set_running_or_notify_cancel():
                batch.append(pending)

    def _requests(self, batch: list[_Pending]) -> Iterator[Request]:
        """Yield the requests of the batch; add those to it that arrive meanwhile, and yield them too."""
        at = 0
        while at < len(batch):
            yield batch[at][0]
            at += 1
            if at == len(batch):
                self._take(batch)

    def _run(self, batch: list[_Pending]) -> None:
        if self.fault is not None:
            for _, reply in batch:
                reply.set_exception(DataLossError(*self.fault.args))
            return
        try:
            self._head, answers = append_batch(
                self._store,
                self._signer,
                self._requests(batch),
                clock=self._clock,
                probe=self._probe,
                check_head=self._check_head,
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, the waiting callers must get it
            self._note(error)
            if isinstance(error, DataLossError):
                with self._changed:
                    self.fault = DataLossError(*error.args)
            while batch:  # keep no reply in a variable: it holds the error, and the error this frame
                batch.pop()[1].set_exception(error)
            return
        self._note(self._clock_error(self._head))
        self._watch(len(batch))  # before the answers, so that every answered request is counted
        for (_, reply), answer in zip(batch, answers, strict=True):
            if isinstance(answer, SlotError | StoreError):
                reply.set_exception(answer)
            else:
                reply.set_result(answer)
        self._probe("ANSWERED")
        self._count(sum(_size_of(request) for request, _ in batch))

    def stop(self, error: DataLossError) -> None:
        """Stop for good, because the log was found to be damaged elsewhere; the batch under way is the last one."""
        self._note(error)
        with self._changed:
            self.fault = DataLossError(*error.args)

    def _note(self, error: Exception | None) -> None:
        """Note the error of a batch or a ``prove``, None for success; HeadMovedError does not count as trouble."""
        if self.fault is not None:
            return
        if error is None:
            self._written = time.monotonic()
        if not isinstance(error, HeadMovedError):
            self._trouble = None if error is None else trouble_of(error)

    def _clock_error(self, head: Head) -> ClockError | None:
        return None if self._clock is None else clock_error(head.newest_time, now=self._clock())

    def _count(self, written: int) -> None:
        """Add to the count of written bytes; start compacting the store once there are enough."""
        self._uncompacted += written
        if self._uncompacted > _COMPACT_BYTES:
            self._uncompacted = 0
            self._compact.set()

    def _check_head(self, head: Head) -> None:
        # Another process may have moved the head forward; no process may move it back or aside.
        if head.size < self._head.size or (head.size == self._head.size and head.root != self._head.root):
            raise DataLossError(
                f"the log has {head.size} leaves, but {self._head.size} were made durable: stop serving, and restore it"
            )
        self._check(head)

    def _compact_all(self) -> None:
        while True:
            self._compact.wait()
            self._compact.clear()
            with suppress(StoreError):  # the next compaction does the work
                self._store.compact()
            if not self._threads[0].is_alive():
                return


def _size_of(request: Request) -> int:
    """Return the number of bytes that a request adds to the count for compaction."""
    return len(request.seed) if isinstance(request, Contribution) else sum(len(append.leaf) for append in request)

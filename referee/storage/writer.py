"""The one thread of a process that appends: requests queue up, and whatever waits is committed together.

The law: a request is answered after its leaves are durable. No timer gathers requests; while one batch is being
committed the next one gathers by itself, and what comes while it is judged joins it. The queue is bounded and says so
at once. A store that contradicts itself stops the writer for good; any other failure fails one batch, and asking again
is safe.

Before a batch is begun the processor is offered to whoever else is ready, for as long as that brings more requests: on
a busy core those who are about to ask would otherwise each wait for a commit of its own. With nobody ready it costs a
microsecond.

It refuses to know the time and what is appended.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from referee.evidence.merkle import EMPTY_ROOT
from referee.log import Checkpoint, CheckpointSigner, SlotError
from referee.storage.batch import Request, append_batch
from referee.storage.store import Append, Contribution, DataLossError, Head, Logged, Store, StoreError

Asked: TypeAlias = "tuple[Request, Future[Any]]"
"""A request and its coming answer."""

_COMPACT_BYTES: Final = 4 * 1024 * 1024
"""Leaf bytes after which the store is compacted in the background."""


class QueueFullError(Exception):
    """More is asked of the writer than it can take on now; nothing was queued."""


class WriterClosedError(Exception):
    """The writer takes no more requests; nothing was queued."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many requests may wait, and how many may share one commit."""

    queued: int = 4_096
    batched: int = 256


class Writer:
    """Appends to a store from one thread, and compacts it from another.

    ``probe`` is called with the name of each step of each batch, those of ``batch.STEPS`` and last ``ANSWERED``; it
    is for tests of crashes and for measuring. ``watch`` is called after each batch with the number of its requests.
    """

    def __init__(  # noqa: PLR0913 - the last two are for whoever looks on
        self,
        store: Store,
        signer: CheckpointSigner,
        *,
        origin: str,
        limits: Limits = Limits(),
        probe: Callable[[str], None] = lambda _: None,
        watch: Callable[[int], None] = lambda _: None,
    ) -> None:
        store.found(origin, signer.sign(Checkpoint(origin, 0, EMPTY_ROOT)))
        if store.origin != origin:
            msg = f"the store holds the log of {store.origin!r}, not of {origin!r}"
            raise DataLossError(msg)
        self._store: Final = store
        self._signer: Final = signer
        self._limits: Final = limits
        self._probe: Final = probe
        self._watch: Final = watch
        self._head = store.head()
        self._queue: deque[Asked] = deque()
        self._changed: Final = threading.Condition()
        self._closing = False
        self._fault: DataLossError | None = None
        self._uncompacted = 0
        self._compact: Final = threading.Event()
        self._threads: Final = (
            threading.Thread(target=self._append_all, name="log-writer", daemon=True),
            threading.Thread(target=self._compact_all, name="log-compactor", daemon=True),
        )
        for thread in self._threads:
            thread.start()

    @property
    def fault(self) -> DataLossError | None:
        """What stopped the writer for good, or None while it works."""
        return self._fault

    @property
    def waiting(self) -> int:
        """How many requests wait for the next batch."""
        return len(self._queue)

    def submit(self, *appends: Append) -> "Future[tuple[Logged, ...]]":
        """The coming answer to appends that stand or fall together, one Logged for each, in their order.

        The future raises SlotError where a step is refused, SeedCameError where a leaf was made up from too few seeds,
        StoreError where the store failed, DataLossError where it contradicts itself. Raises QueueFullError or
        WriterClosedError at once where nothing was queued.
        """
        answer: Future[tuple[Logged, ...]] = Future()
        self._queue_up(appends, answer)
        return answer

    def submit_each(self, appends: Sequence[Append]) -> "list[Future[tuple[Logged, ...]]]":
        """The coming answers to appends that each stand for themselves, as if each had been submitted alone.

        They are queued together, so that as few commits as can be take them. One for which there is no room has
        QueueFullError as its answer.
        """
        answers: list[Future[tuple[Logged, ...]]] = [Future() for _ in appends]
        with self._changed:
            self._check_open()
            for append, answer in zip(appends, answers, strict=True):
                if len(self._queue) < self._limits.queued:
                    self._queue.append(((append,), answer))
                else:
                    answer.set_exception(self._full())
            self._changed.notify()
        return answers

    def contribute(self, contribution: Contribution, *, timeout: float | None = None) -> Contribution:
        """The seed that stands for a seat once it is durable: this one, or the one that the seat contributed before.

        Raises as ``submit``, its future and ``append`` do; SlotError where the round waits for no seeds.
        """
        return self.submit_seed(contribution).result(timeout)

    def submit_seed(self, contribution: Contribution) -> "Future[Contribution]":
        """The coming answer to ``contribute``; raises at once, as ``submit`` does, where nothing was queued."""
        answer: Future[Contribution] = Future()
        self._queue_up(contribution, answer)
        return answer

    def _queue_up(self, request: Request, answer: "Future[Any]") -> None:
        with self._changed:
            self._check_open()
            if len(self._queue) >= self._limits.queued:
                raise self._full()
            self._queue.append((request, answer))
            self._changed.notify()

    def _check_open(self) -> None:
        if self._fault is not None:
            raise self._fault
        if self._closing:
            msg = "the log takes no more appends"
            raise WriterClosedError(msg)

    def _full(self) -> QueueFullError:
        return QueueFullError(f"{self._limits.queued} appends wait already")

    def append(self, append: Append, *, timeout: float | None = None) -> Logged:
        """What stands in the log for one append, once it is durable; raises as ``submit`` and its future do.

        After ``timeout`` seconds TimeoutError; the append may still happen then.
        """
        return self.submit(append).result(timeout)[0]

    def close(self) -> None:
        """Everything queued is answered, the store is compacted, and the threads have ended. The store stays open."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._threads[0].join()
        self._compact.set()
        self._threads[1].join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _append_all(self) -> None:
        while self._is_asked():
            self._let_gather()
            batch: list[Asked] = []
            self._take(batch)
            self._run(batch)

    def _is_asked(self) -> bool:
        """Whether requests wait, once there are some; False when there will be no more."""
        with self._changed:
            while not self._queue and not self._closing:
                self._changed.wait()
            return bool(self._queue)

    def _let_gather(self) -> None:
        """Whoever is ready to run has run, as long as requests came of it and a batch has room."""
        seen = 0
        while seen < len(self._queue) < self._limits.batched:
            seen = len(self._queue)
            os.sched_yield()

    def _take(self, batch: list[Asked]) -> None:
        """What waits is behind the others in the batch, as far as there is room in it; what was cancelled is gone."""
        while self._queue and len(batch) < self._limits.batched:
            asked = self._queue.popleft()  # nobody else takes from it
            if asked[1].set_running_or_notify_cancel():
                batch.append(asked)

    def _requests(self, batch: list[Asked]) -> Iterator[Request]:
        """The requests of the batch, and of those who ask while these are judged."""
        at = 0
        while at < len(batch):
            yield batch[at][0]
            at += 1
            if at == len(batch):
                self._take(batch)

    def _run(self, batch: list[Asked]) -> None:
        if self._fault is not None:
            for _, future in batch:
                future.set_exception(self._fault)
            return
        try:
            self._head, answers = append_batch(
                self._store,
                self._signer,
                self._requests(batch),
                probe=self._probe,
                check_head=self._check_head,
            )
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            if isinstance(error, DataLossError):
                with self._changed:
                    self._fault = error
            for _, future in batch:
                future.set_exception(error)
            return
        self._watch(len(batch))  # before anybody is answered, so that who was is counted
        for (_, future), answer in zip(batch, answers, strict=True):
            if isinstance(answer, SlotError | StoreError):
                future.set_exception(answer)
            else:
                future.set_result(answer)
        self._probe("ANSWERED")
        self._uncompacted += sum(_size_of(request) for request, _ in batch)
        if self._uncompacted > _COMPACT_BYTES:
            self._uncompacted = 0
            self._compact.set()

    def _check_head(self, head: Head) -> None:
        # Another process may have moved the head on; nobody may move it back or aside.
        if head.size < self._head.size or (head.size == self._head.size and head.root != self._head.root):
            msg = f"the log stands at {head.size} leaves, but {self._head.size} were made durable"
            raise DataLossError(msg)

    def _compact_all(self) -> None:
        while True:
            self._compact.wait()
            self._compact.clear()
            with suppress(StoreError):  # it is only put off
                self._store.compact()
            if not self._threads[0].is_alive():
                return


def _size_of(request: Request) -> int:
    """About how many bytes a request leaves for compaction."""
    return len(request.seed) if isinstance(request, Contribution) else sum(len(append.leaf) for append in request)

"""The examiners: rounds go in, what came of them comes out in the same order, from this process or from several.

The law: how many processes there are changes nothing but the time. Processes are spawned, each is told the law once,
and no more rounds are under way than keep them busy, so memory does not grow with the log.

It refuses to know what is examined.
"""

import multiprocessing
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from types import TracebackType
from typing import Final, Self

from referee.audit.gathered import Examined, GatheredRound, Law
from referee.audit.round import examine
from referee.rulesets import Catalogue, parse_ruleset

_CHUNK: Final = 64
_AHEAD: Final = 3
"""Chunks under way for each process."""

_law: list[Law] = []


class Examiners:
    """``workers`` processes that examine rounds; with one or none, this process does."""

    def __init__(self, law: Law, *, workers: int) -> None:
        self._law = law
        self._workers = workers
        self._waiting: list[GatheredRound] = []
        self._under_way: deque[Future[list[Examined]]] = deque()
        self._stack = ExitStack()
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        if self._workers > 1:
            sources = [ruleset.source for ruleset in self._law.catalogue]
            self._pool = self._stack.enter_context(
                ProcessPoolExecutor(
                    self._workers,
                    mp_context=multiprocessing.get_context("spawn"),
                    initializer=_begin,
                    initargs=(self._law.origin, sources),
                )
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pool is not None and error is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._stack.close()

    def submit(self, gathered: GatheredRound) -> Iterator[Examined]:
        """Whatever is done by now, once this round is on its way."""
        if self._pool is None:
            yield examine(gathered, self._law)
            return
        self._waiting.append(gathered)
        if len(self._waiting) >= _CHUNK:
            self._send(self._pool)
        while len(self._under_way) > _AHEAD * self._workers:
            yield from self._under_way.popleft().result()

    def finish(self) -> Iterator[Examined]:
        """All that is not yet done."""
        if self._pool is not None and self._waiting:
            self._send(self._pool)
        while self._under_way:
            yield from self._under_way.popleft().result()

    def _send(self, pool: ProcessPoolExecutor) -> None:
        self._under_way.append(pool.submit(_examine_all, self._waiting))
        self._waiting = []


def _begin(origin: str, sources: list[bytes]) -> None:
    """What a process is told once."""
    catalogue = Catalogue([parse_ruleset(source, file="a ruleset") for source in sources])
    _law.append(Law(origin=origin, catalogue=catalogue))


def _examine_all(rounds: list[GatheredRound]) -> list[Examined]:
    return [examine(gathered, _law[0]) for gathered in rounds]

"""Examination of many rounds, here or by a pool of workers, with results in the order of the rounds.

The results do not depend on which worker examines a round. A pool has a bounded number of rounds under way, so memory
does not grow with the log.
"""

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Final, Protocol, Self, TypeAlias

from referee.audit.round import examine
from referee.audit.round_leaves import AuditTerms, ExaminedRound, RoundLeaves, RoundResult
from referee.rulesets import Catalogue, parse_ruleset

_AHEAD: Final = 3
"""Chunks of rounds under way for each process."""
_terms: list[AuditTerms] = []


Pending: TypeAlias = Callable[[], list[RoundResult]]
"""Function that waits for the results of rounds under way and returns them, in the order of the rounds."""


class WorkerPool(Protocol):
    """Workers that examine rounds on the same terms."""

    @property
    def chunk(self) -> int:
        """Number of rounds that are sent together."""

    @property
    def ahead(self) -> int:
        """Number of chunks to have under way so that all workers are busy."""

    def send(self, rounds: Sequence[RoundLeaves]) -> Pending:
        """Send rounds to be examined."""

    def close(self, *, is_abandoned: bool) -> None:
        """Release the workers. If ``is_abandoned``, do not wait for the rounds under way."""


class RoundExaminer:
    """Examination of rounds by a pool, or without one in this process."""

    def __init__(self, terms: AuditTerms, pool: WorkerPool | None = None) -> None:
        self._terms = terms
        self._pool = pool
        self._waiting: list[RoundLeaves] = []
        self._under_way: deque[tuple[list[RoundLeaves], Pending]] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if self._pool is not None:
            self._pool.close(is_abandoned=kind is not None)

    def submit(self, leaves: RoundLeaves) -> Iterator[ExaminedRound]:
        """Submit a round; yield rounds whose results are ready, which may be earlier ones."""
        if self._pool is None:
            yield self._examined(leaves, examine(leaves, self._terms))
            return
        self._waiting.append(leaves)
        if len(self._waiting) >= self._pool.chunk:
            self._send(self._pool)
        while len(self._under_way) > self._pool.ahead:
            yield from self._next()

    def finish(self) -> Iterator[ExaminedRound]:
        """Wait for all results that are left and yield their rounds."""
        if self._pool is not None and self._waiting:
            self._send(self._pool)
        while self._under_way:
            yield from self._next()

    def _send(self, pool: WorkerPool) -> None:
        self._under_way.append((self._waiting, pool.send(self._waiting)))
        self._waiting = []

    def _next(self) -> Iterator[ExaminedRound]:
        rounds, pending = self._under_way.popleft()
        return map(self._examined, rounds, pending())

    def _examined(self, leaves: RoundLeaves, result: RoundResult) -> ExaminedRound:
        ruleset = self._terms.catalogue.of_digest(leaves.header.ruleset_digest) if result.has_law else None
        return ExaminedRound(leaves, result, ruleset)


class ProcessPool:
    """A ``WorkerPool`` of processes on this machine, each of which gets the terms once."""

    def __init__(self, terms: AuditTerms, *, count: int) -> None:
        self._pool = ProcessPoolExecutor(
            count,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(terms.origin, sources_of(terms)),
        )
        self.chunk: Final = 64
        self.ahead: Final = _AHEAD * count

    def send(self, rounds: Sequence[RoundLeaves]) -> Pending:
        """Send rounds to the first free process."""
        return self._pool.submit(_examine_all, rounds).result

    def close(self, *, is_abandoned: bool) -> None:
        """End the processes."""
        if is_abandoned:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool.shutdown()


def sources_of(terms: AuditTerms) -> tuple[bytes, ...]:
    """Return the bytes of the terms' ruleset files, for ``terms_of`` in another process."""
    return tuple(ruleset.source for ruleset in terms.catalogue)


def terms_of(origin: str, sources: Sequence[bytes]) -> AuditTerms:
    """Make the terms from an origin and the bytes of ruleset files."""
    rulesets = [parse_ruleset(source, file="a ruleset") for source in sources]
    return AuditTerms(origin=origin, catalogue=Catalogue(rulesets))


def _begin(origin: str, sources: tuple[bytes, ...]) -> None:
    _terms.append(terms_of(origin, sources))


def _examine_all(rounds: Sequence[RoundLeaves]) -> list[RoundResult]:
    return [examine(leaves, _terms[0]) for leaves in rounds]

"""Machines of a Dask cluster that examine rounds, reading the log's tiles by themselves where they can reach them.

The law: the audit decides what is looked at and in which order, the cluster only computes, so its report is
the one that this process alone would make. Everyone must run the same code: what a worker answers carries the digest
of its package, and another's is refused. What a worker that dies was at is done again by another.

A cluster is trusted as this machine is: who runs its scheduler or its workers could answer anything.
"""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final, TypeAlias

import referee
from referee.audit.gathered import Examined, GatheredRound, Law
from referee.audit.processes import law_of, sources_of
from referee.audit.round import examine
from referee.audit.slip import OtherLeafError, Slip, fill, slip_of
from referee.log.proof import TILE_WIDTH
from referee.log.tile import TileError
from referee.tiles import PlaceError, PublishedLog, open_place

CONNECT_SECONDS: Final = 30
"""How long the scheduler, and its first worker, are waited for."""
CLOSE_SECONDS: Final = 10
_CHUNK: Final = 256
_AHEAD: Final = 2
"""Chunks under way for each thread of a worker."""
_COUNTED: Final = 16
"""Chunks between two looks at how many workers there are."""
_RETRIES: Final = 3
"""How often a chunk is tried again that failed on its worker."""

Answer: TypeAlias = tuple[bytes, list[Examined]]
"""The digest of the worker's package, and what came of the rounds."""


class ClusterError(RuntimeError):
    """A cluster that cannot be reached, or cannot examine these rounds, with what to do."""


class Cluster:
    """The workers of a scheduler, which are a ``Team``.

    ``location`` is where every worker finds the published log under ``note``; without one, rounds are sent whole.
    """

    def __init__(self, law: Law, *, scheduler: str, location: str | None = None, note: bytes = b"") -> None:
        try:
            from distributed import Client  # noqa: PLC0415 - it is an extra, and takes longer to import than to audit
        except ImportError as error:
            msg = "a scheduler needs Dask: pip install 'referee[dask]'"
            raise ClusterError(msg) from error
        self._law = law.origin, sources_of(law)
        self._log = None if location is None else (location, note)
        self._scheduler = scheduler
        connect: Callable[..., Any] = Client  # half of Dask has no types
        try:
            self._client: Final = connect(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            msg = f"no scheduler answers at {scheduler}: {error}"
            raise ClusterError(msg) from error
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            self._client.close()
            msg = f"the scheduler at {scheduler} has no workers; start some with `dask worker {scheduler}`"
            raise ClusterError(msg) from error
        self.chunk: Final = _CHUNK
        self._sent = 0
        self._ahead = _AHEAD

    @property
    def ahead(self) -> int:
        """How many chunks under way keep the workers busy that there are now."""
        return self._ahead

    def send(self, rounds: Sequence[GatheredRound]) -> "_Sent":
        """The rounds are on their way to whoever is free."""
        if self._sent % _COUNTED == 0:
            self._ahead = _AHEAD * max(1, sum(self._client.nthreads().values()))
        self._sent += 1
        work: tuple[Slip | GatheredRound, ...] = (
            tuple(rounds) if self._log is None else tuple([slip_of(gathered) for gathered in rounds])
        )
        future = self._client.submit(examine_there, self._law, self._log, work, pure=False, retries=_RETRIES)
        return _Sent(future, self._scheduler)

    def close(self, *, is_abandoned: bool) -> None:  # noqa: ARG002 - the scheduler forgets what nobody waits for
        """The cluster is let go; it runs on without us."""
        with suppress(TimeoutError):  # it need not know that we left
            self._client.close(timeout=CLOSE_SECONDS)


class _Sent:
    """Rounds that are under way."""

    def __init__(self, future: Any, scheduler: str) -> None:  # noqa: ANN401 - half of Dask has no types
        self._future = future
        self._scheduler = scheduler

    def result(self) -> list[Examined]:
        """What came of them; ClusterError where nothing did, or a worker runs other code."""
        try:
            answer: Answer = self._future.result()
        except Exception as error:  # whatever a worker raised, and whatever Dask says of workers that are lost
            msg = f"the workers of {self._scheduler} cannot examine rounds: {type(error).__name__}: {error}"
            raise ClusterError(msg) from error
        digest, examined = answer
        if digest != package_digest():
            msg = f"a worker of {self._scheduler} runs another version of this package; install the same everywhere"
            raise ClusterError(msg)
        return examined


def examine_there(
    law: tuple[str, tuple[bytes, ...]],
    log: tuple[str, bytes] | None,
    work: Sequence[Slip | GatheredRound],
) -> Answer:
    """What a worker does: rounds that came whole, or slips that it fills from the tiles.

    PlaceError, TileError and OtherLeafError where the tiles that it can read are not those that the audit reads.
    """
    leaves: dict[int, tuple[bytes, ...]] = {}
    slips = [one for one in work if isinstance(one, Slip)]
    if log is not None and slips:
        location, note = log
        wanted = sorted({index // TILE_WIDTH for slip in slips for index in slip.indices})
        published = PublishedLog.unverified(open_place(location), note)
        leaves = dict(zip(wanted, published.entries(wanted), strict=True))
    known = _law_of(*law)

    def leaf(index: int) -> bytes:
        return leaves[index // TILE_WIDTH][index % TILE_WIDTH]

    rounds = [fill(one, leaf) if isinstance(one, Slip) else one for one in work]
    return package_digest(), [examine(gathered, known) for gathered in rounds]


@cache
def package_digest() -> bytes:
    """SHA-256 over the names and bytes of this package's code and data, in the order of their names."""
    folder = Path(referee.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".py", ".toml"}:
            data = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.digest()


@lru_cache(maxsize=4)
def _law_of(origin: str, sources: tuple[bytes, ...]) -> Law:
    return law_of(origin, sources)


__all__ = ["CONNECT_SECONDS", "Cluster", "ClusterError", "OtherLeafError", "PlaceError", "TileError", "package_digest"]

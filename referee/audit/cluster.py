"""Audits on a Dask cluster: workers examine rounds, and read the log's tiles themselves if they can reach them.

The audit decides which rounds are examined and in which order, so its report is the one that a single process would
make. All machines must run the same code: an answer carries the digest of the worker's package, and another digest is
refused. Rounds of a worker that dies are examined again by another worker. A cluster is trusted like this machine: the
owner of its scheduler or its workers could answer anything.

If workers can reach the tiles, a ``RoundReference`` is sent in place of a round: the index and hash of each leaf. The
worker reads the leaves again and rejects a leaf with another hash, so it examines the same round or none.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

import referee
from referee.audit.reading import Payload, Placed, read_envelope, read_header, read_payload
from referee.audit.round import examine
from referee.audit.round_leaves import AuditTerms, RoundLeaves, RoundResult
from referee.audit.workers import Pending, sources_of, terms_of
from referee.evidence.merkle import leaf_hash
from referee.evidence.printable import error_words
from referee.extras import install
from referee.log.keys import KeyRing
from referee.log.proof import TILE_WIDTH
from referee.log.tile import TileError
from referee.tiles import PlaceError, PublishedLog, open_place

CONNECT_SECONDS: Final = 30
"""Timeout in seconds for the scheduler to answer, and again for its first worker."""
CLOSE_SECONDS: Final = 10
_CHUNK: Final = 256
_AHEAD: Final = 2
"""Chunks under way for each thread of a worker."""
_COUNTED: Final = 16
"""Chunks sent between two counts of the workers."""
_RETRIES: Final = 3
"""Retries of a chunk that failed on its worker."""
_KINDS: Final = ("open", "deal", "settle", "abort", "reveal")

Answer: TypeAlias = tuple[bytes, list[RoundResult]]
"""The digest of the worker's package, and the results of the rounds."""


class ClusterError(RuntimeError):
    """Error for a cluster that cannot be reached or cannot examine these rounds; the text says what to do."""


class OtherLeafError(ValueError):
    """Error for a leaf in the tiles that is not the one that the audit read."""


class LeafReference(msgspec.Struct, frozen=True):
    """A leaf's index and hash, and the keys that were valid at its index."""

    index: int
    hash: bytes
    ring: KeyRing


@contextmanager
def executor_of(scheduler: str) -> Iterator[Executor]:
    """Connect to a Dask scheduler as an executor; raise ClusterError if that is impossible."""
    try:
        from distributed import Client  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ClusterError(f"a scheduler needs Dask; {install('dask')}") from error
    connect: Callable[..., Any] = Client  # half of Dask has no types
    try:
        with connect(scheduler, timeout=CONNECT_SECONDS, set_as_default=False) as client:
            yield client.get_executor(pure=False, retries=_RETRIES)
    except (OSError, ValueError) as error:
        raise ClusterError(f"no scheduler answers at {scheduler}: {error_words(error)}") from error


class RoundReference(msgspec.Struct, frozen=True):
    """A round as workers get it: the reference of each leaf by kind, and the other members of its RoundLeaves.

    ``known`` has those by name, without the header, which the worker reads from the OPEN.
    """

    leaves: dict[str, LeafReference]
    known: dict[str, Any]


class Cluster:
    """A ``WorkerPool`` of the workers of a Dask scheduler.

    ``location`` is the place at which every worker can read the published log, and ``note`` its checkpoint. Without a
    location, whole rounds are sent.
    """

    def __init__(self, terms: AuditTerms, *, scheduler: str, location: str | None = None, note: bytes = b"") -> None:
        try:
            from distributed import Client  # noqa: PLC0415 - it is an extra, and takes longer to import than to audit
        except ImportError as error:
            raise ClusterError(f"a scheduler needs Dask; {install('dask')}") from error
        self._terms = terms.origin, sources_of(terms)
        self._log = None if location is None else (location, note)
        self._scheduler = scheduler
        connect: Callable[..., Any] = Client  # half of Dask has no types
        try:
            self._client: Final = connect(scheduler, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ClusterError(f"no scheduler answers at {scheduler}: {error_words(error)}") from error
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
        """Number of chunks under way that keeps the current workers busy."""
        return self._ahead

    def send(self, rounds: Sequence[RoundLeaves]) -> Pending:
        """Send rounds to the first free worker."""
        if self._sent % _COUNTED == 0:
            self._ahead = _AHEAD * max(1, sum(self._client.nthreads().values()))
        self._sent += 1
        work: tuple[RoundReference | RoundLeaves, ...] = (
            tuple(rounds) if self._log is None else tuple([reference_to(leaves) for leaves in rounds])
        )
        future = self._client.submit(examine_there, self._terms, self._log, work, pure=False, retries=_RETRIES)
        return partial(self._results, future)

    def _results(self, future: Any) -> list[RoundResult]:  # noqa: ANN401 - half of Dask has no types
        """Wait for the results; raise ClusterError if the workers fail, or run another version of this package."""
        try:
            answer: Answer = future.result()
        except Exception as error:  # any error of a worker, and Dask's own about workers that are lost
            msg = (
                f"the workers of {self._scheduler} cannot examine rounds: {type(error).__name__}: {error_words(error)}"
            )
            raise ClusterError(msg) from error
        digest, results = answer
        if digest != package_digest():
            msg = f"a worker of {self._scheduler} runs another version of this package; install the same everywhere"
            raise ClusterError(msg)
        return results

    def close(self, *, is_abandoned: bool) -> None:  # noqa: ARG002 - the scheduler drops work whose client has left
        """Disconnect from the cluster, which goes on running."""
        with suppress(TimeoutError):  # the scheduler need not confirm it
            self._client.close(timeout=CLOSE_SECONDS)


def reference_to(leaves: RoundLeaves) -> RoundReference:
    """Make a reference to a round."""
    placed: dict[str, Placed[Payload] | None] = {kind: getattr(leaves, kind) for kind in _KINDS}
    known = {name: getattr(leaves, name) for name in leaves.__struct_fields__ if name not in {*_KINDS, "header"}}
    references = {kind: LeafReference(one.index, one.hash, one.ring) for kind, one in placed.items() if one is not None}
    return RoundReference(leaves=references, known=known)


def resolve(reference: RoundReference, leaf: Callable[[int], bytes]) -> RoundLeaves:
    """Read the leaves of a referenced round; raise OtherLeafError if a leaf has another hash than its reference."""
    placed: dict[str, Any] = {kind: _placed(one, leaf) for kind, one in reference.leaves.items()}
    return RoundLeaves(header=read_header(placed["open"].leaf), **placed, **reference.known)


def _placed(reference: LeafReference, leaf: Callable[[int], bytes]) -> Placed[Payload]:
    data = leaf(reference.index)
    if leaf_hash(data) != reference.hash:
        raise OtherLeafError(f"leaf {reference.index} is not the one that was read before")
    envelope = read_envelope(data)
    index, hashed, ring = reference.index, reference.hash, reference.ring
    return Placed(index=index, hash=hashed, envelope=envelope, ring=ring, leaf=read_payload(envelope))


def examine_there(
    terms: tuple[str, tuple[bytes, ...]], log: tuple[str, bytes] | None, work: Sequence[RoundReference | RoundLeaves]
) -> Answer:
    """Examine rounds on a worker; read the leaves of references from the tiles.

    ``terms`` are the origin and the sources of the rulesets, ``log`` the location and checkpoint of the tiles. Raise
    PlaceError or TileError if the tiles cannot be read, OtherLeafError if they differ from those that the audit read.
    """
    bundles: dict[int, tuple[bytes, ...]] = {}
    indices = [leaf.index for one in work if isinstance(one, RoundReference) for leaf in one.leaves.values()]
    if log is not None and indices:
        location, note = log
        wanted = sorted({index // TILE_WIDTH for index in indices})
        published = PublishedLog.unverified(open_place(location), note)
        bundles = dict(zip(wanted, published.entries(wanted), strict=True))

    def leaf(index: int) -> bytes:
        return bundles[index // TILE_WIDTH][index % TILE_WIDTH]

    known = _terms_of(*terms)
    rounds = [resolve(one, leaf) if isinstance(one, RoundReference) else one for one in work]
    return package_digest(), [examine(leaves, known) for leaves in rounds]


@cache
def package_digest() -> bytes:
    """Return SHA-256 over the names and bytes of this package's code and data, in the order of their names."""
    folder = Path(referee.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in {".py", ".toml"}:
            data = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode())
            digest.update(data)
    return digest.digest()


_terms_of: Final = lru_cache(maxsize=4)(terms_of)
__all__ = ["CONNECT_SECONDS", "Cluster", "ClusterError", "OtherLeafError", "PlaceError", "TileError", "package_digest"]

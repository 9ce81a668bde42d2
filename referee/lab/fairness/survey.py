"""Counts over many decks, made in batches by any number of processes with the same result.

A survey depends on its seed and number of decks alone. A batch is a range of rounds. Counts are sums, so memory holds
one batch, and a fingerprint of eight bytes for each deck, by which duplicates are found at the end. Two decks with
equal fingerprints are dealt again and compared. The first decks of every batch are dealt once more by ``deal_order``,
the function that deals for tables, and compared.

>>> survey = tally(Batch(seed=bytes(32), first=0, count=64))
>>> survey.decks, survey.used_up, survey.differing, survey.compared
(64, 0, 0, 32)
"""

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial, reduce
from multiprocessing import get_context
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from referee.dealing.deck import STREAM_SIZE, leader_from
from referee.evidence.hkdf import Prk
from referee.lab.fairness import places, poker, thirteen
from referee.lab.fairness.control import CONTROLS, LONGEST_STREAM
from referee.lab.fairness.decks import Decks, Integers, as_array, shuffled
from referee.lab.fairness.measure import FairnessMeasure
from referee.lab.fairness.rounds import deck_of, seeds_of, small_seeds_of, stream_from, stream_of

BATCH: Final = 20_000
"""Rounds of a batch; an even number, so that successive decks pair up within a batch."""

COMPARED: Final = 32
LEADER_EVERY: Final = 20
LEADER_SEATS: Final = (2, 3, 4)
MEASURES: Final[tuple[FairnessMeasure, ...]] = (*places.MEASURES, *poker.MEASURES, *thirteen.MEASURES)
"""All measures of decks, in the order of the report."""

Fingerprints = npt.NDArray[np.uint64]

_WEIGHTS: Final = np.frombuffer(
    b"".join(hashlib.sha256(b"referee fairness %d" % place).digest()[:8] for place in range(52)), dtype="<u8"
) | np.uint64(1)

Task = TypeVar("Task")
Done = TypeVar("Done")


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A range of the rounds of a seed, from number ``first`` on."""

    seed: bytes
    first: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """Counts of a survey: ``counts`` by measure, in the order of ``MEASURES``, and others.

    ``byte_values`` counts the bytes of all streams by value, ``bytes_used`` the decks by the number of bytes used,
    ``leaders`` the seats drawn to lead at tables of 2, 3 and 4 seats. ``used_up`` counts decks whose stream was used
    up, which ``counts`` leaves out. ``compared`` decks were dealt again by ``deal_order``; ``differing`` of them
    differed.
    """

    decks: int
    used_up: int
    counts: tuple[Integers, ...]
    fingerprints: tuple[Fingerprints, ...]
    byte_values: Integers
    bytes_used: Integers
    leaders: Integers
    compared: int
    differing: int

    def __add__(self, other: "Survey") -> "Survey":
        sums = {name: getattr(self, name) + getattr(other, name) for name in self.__slots__ if name != "counts"}
        counts = tuple([mine + theirs for mine, theirs in zip(self.counts, other.counts, strict=True)])
        return Survey(counts=counts, **sums)


def batches(seed: bytes, *, decks: int) -> Iterator[Batch]:
    """Yield the batches of rounds 0 to ``decks - 1``."""
    for first in range(0, decks, BATCH):
        yield Batch(seed=seed, first=first, count=min(BATCH, decks - first))


def tally(batch: Batch) -> Survey:
    """Count in a batch that is shuffled without a fault."""
    numbers = range(batch.first, batch.first + batch.count)
    streams = as_array([stream_of(batch.seed, number=number) for number in numbers])
    decks = shuffled(streams)
    compared = numbers[:COMPARED]
    differing = sum(
        [card.number - 1 for card in deck_of(batch.seed, number=number)] != decks.cards[:, column].tolist()
        for column, number in enumerate(compared)
    )
    return replace(
        tally_decks(decks, length=STREAM_SIZE),
        byte_values=np.bincount(streams.reshape(-1), minlength=256).astype(np.int64),
        leaders=_leaders(batch),
        compared=len(compared),
        differing=differing,
    )


def tally_controls(batch: Batch) -> tuple[Survey, ...]:
    """Count in a batch for each control, in the order of ``CONTROLS``.

    All controls use the same streams, except that of a small seed space.
    """
    numbers = range(batch.first, batch.first + batch.count)
    wide = as_array(
        [stream_of(batch.seed, number=number, length=LONGEST_STREAM) for number in numbers], length=LONGEST_STREAM
    )
    small = as_array([stream_from(small_seeds_of(batch.seed, number=number)) for number in numbers])
    return tuple(
        [
            tally_decks(control.shuffle(small if control.has_small_seeds else wide), length=LONGEST_STREAM)
            for control in CONTROLS
        ]
    )


def tally_decks(decks: Decks, *, length: int) -> Survey:
    """Count in decks that were shuffled by streams of ``length`` bytes."""
    kept = decks.kept(decks.used <= length)
    return Survey(
        decks=len(kept),
        used_up=len(decks) - len(kept),
        counts=tuple([measure.count(kept) for measure in MEASURES]),
        fingerprints=(fingerprints_of(kept),),
        byte_values=np.zeros(256, dtype=np.int64),
        bytes_used=np.bincount(np.minimum(decks.used, length + 1), minlength=length + 2).astype(np.int64),
        leaders=np.zeros((len(LEADER_SEATS), max(LEADER_SEATS)), dtype=np.int64),
        compared=0,
        differing=0,
    )


def fingerprints_of(decks: Decks) -> Fingerprints:
    """Compute a number of 64 bits for each deck. Equal decks have equal numbers, different decks with chance 2^-64."""
    found = np.zeros(len(decks), dtype=np.uint64)
    for weight, row in zip(_WEIGHTS, decks.cards, strict=True):
        found += row * weight
    return found


def count_duplicates(fingerprints: Fingerprints) -> int:
    """Count the fingerprints that an earlier deck has too."""
    in_order = np.sort(fingerprints)
    return int(np.count_nonzero(in_order[1:] == in_order[:-1]))


def count_decks_dealt_twice(seed: bytes, survey: Survey) -> int:
    """Count the rounds of a survey whose deck an earlier round has; the survey must begin with round 0.

    Decks with equal fingerprints are dealt again and compared. If a stream was used up, only fingerprints are compared.
    """
    fingerprints = np.concatenate(survey.fingerprints)
    if not count_duplicates(fingerprints) or survey.used_up:
        return count_duplicates(fingerprints)
    numbers = np.argsort(fingerprints, kind="stable")
    in_order = fingerprints[numbers]
    suspects = np.nonzero(in_order[1:] == in_order[:-1])[0]
    return sum(
        deck_of(seed, number=int(numbers[place])) == deck_of(seed, number=int(numbers[place + 1])) for place in suspects
    )


def survey_decks(
    seed: bytes, *, decks: int, workers: int, progress: Callable[[int], object] = lambda _: None
) -> Survey:
    """Count in the decks of rounds 0 to ``decks - 1``; call ``progress`` with the number of decks of each batch."""
    parts = mapped(tally, batches(seed, decks=decks), workers=workers)
    return reduce(Survey.__add__, _reported(parts, progress))


def survey_controls(
    seed: bytes, *, decks: int, workers: int, progress: Callable[[int], object] = lambda _: None
) -> tuple[Survey, ...]:
    """Count in ``decks`` decks for each control, in the order of ``CONTROLS``."""
    total: tuple[Survey, ...] | None = None
    for part in mapped(tally_controls, batches(seed, decks=decks), workers=workers):
        total = part if total is None else tuple([old + new for old, new in zip(total, part, strict=True)])
        progress(part[0].decks)
    return total or ()


def mapped(function: Callable[[Task], Done], tasks: Iterable[Task], *, workers: int) -> Iterator[Done]:
    """Apply a function to tasks and yield the results in the order of the tasks.

    With one worker it runs in this process, otherwise in ``workers`` new processes. At most two tasks for each worker
    wait or run at a time.
    """
    if workers == 1:
        yield from map(function, tasks)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting: deque[Future[Done]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(function, task))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def stream_chunks(seed: bytes, *, workers: int) -> Iterator[bytes]:
    """Yield the streams of all rounds from round 0 on, 2,000 streams at a time, without end."""
    count = 2_000
    firsts = iter(range(0, 2**63, count))
    return mapped(partial(_chunk, seed, count), firsts, workers=workers)


def _chunk(seed: bytes, count: int, first: int) -> bytes:
    return b"".join([stream_of(seed, number=number) for number in range(first, first + count)])


def _reported(parts: Iterable[Survey], progress: Callable[[int], object]) -> Iterator[Survey]:
    for part in parts:
        yield part
        progress(part.decks)


def _leaders(batch: Batch) -> Integers:
    found = np.zeros((len(LEADER_SEATS), max(LEADER_SEATS)), dtype=np.int64)
    for number in range(batch.first, batch.first + batch.count, LEADER_EVERY):
        seeds = seeds_of(batch.seed, number=number)
        secret = Prk.of(seeds.server, salt=seeds.mixed)
        for row, seat_count in enumerate(LEADER_SEATS):
            found[row, int(leader_from(secret, round_id=seeds.round_id, seat_count=seat_count))] += 1
    return found

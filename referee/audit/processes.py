"""Processes of this machine that examine rounds.

The law: they are spawned, so nothing of this process is in them but what they are told, and each is told the law once.
"""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Final

from referee.audit.gathered import Examined, GatheredRound, Law
from referee.audit.round import examine
from referee.rulesets import Catalogue, parse_ruleset

_AHEAD: Final = 3
"""Chunks under way for each process."""

_law: list[Law] = []


class Processes:
    """As many processes, which is a ``Team``."""

    def __init__(self, law: Law, *, count: int) -> None:
        self._pool = ProcessPoolExecutor(
            count,
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_begin,
            initargs=(law.origin, sources_of(law)),
        )
        self.chunk: Final = 64
        self.ahead: Final = _AHEAD * count

    def send(self, rounds: Sequence[GatheredRound]) -> Future[list[Examined]]:
        """The rounds are on their way to whoever is free."""
        return self._pool.submit(_examine_all, rounds)

    def close(self, *, is_abandoned: bool) -> None:
        """The processes have ended."""
        if is_abandoned:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool.shutdown()


def sources_of(law: Law) -> tuple[bytes, ...]:
    """The rulesets of a law as what they were read from, for another process to read."""
    return tuple(ruleset.source for ruleset in law.catalogue)


def law_of(origin: str, sources: Sequence[bytes]) -> Law:
    """The law, read again in another process."""
    return Law(origin=origin, catalogue=Catalogue([parse_ruleset(source, file="a ruleset") for source in sources]))


def _begin(origin: str, sources: tuple[bytes, ...]) -> None:
    """What a process is told once."""
    _law.append(law_of(origin, sources))


def _examine_all(rounds: Sequence[GatheredRound]) -> list[Examined]:
    return [examine(gathered, _law[0]) for gathered in rounds]

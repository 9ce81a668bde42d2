"""The examiners: rounds go in, what came of them comes out in the same order, from this process or from a team.

The law: who examines changes nothing but the time. No more rounds are under way than keep the team busy, so memory does
not grow with the log.

It refuses to know what is examined, and where.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Protocol, Self

from referee.audit.gathered import Examined, GatheredRound, Law
from referee.audit.round import examine


class Pending(Protocol):
    """What will have come of some rounds."""

    def result(self) -> list[Examined]:
        """What came of each, in their order, once it is there."""


class Team(Protocol):
    """Others who examine rounds by one law."""

    @property
    def chunk(self) -> int:
        """How many rounds are handed over together."""

    @property
    def ahead(self) -> int:
        """How many chunks under way keep all of them busy."""

    def send(self, rounds: Sequence[GatheredRound]) -> Pending:
        """The rounds are on their way."""

    def close(self, *, is_abandoned: bool) -> None:
        """The team is let go; what it still does is not waited for where the audit was abandoned."""


class Examiners:
    """A team that examines rounds; without one, this process does."""

    def __init__(self, law: Law, team: Team | None = None) -> None:
        self._law = law
        self._team = team
        self._waiting: list[GatheredRound] = []
        self._under_way: deque[Pending] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._team is not None:
            self._team.close(is_abandoned=error is not None)

    def submit(self, gathered: GatheredRound) -> Iterator[Examined]:
        """Whatever is done by now, once this round is on its way."""
        if self._team is None:
            yield examine(gathered, self._law)
            return
        self._waiting.append(gathered)
        if len(self._waiting) >= self._team.chunk:
            self._send(self._team)
        while len(self._under_way) > self._team.ahead:
            yield from self._under_way.popleft().result()

    def finish(self) -> Iterator[Examined]:
        """All that is not yet done."""
        if self._team is not None and self._waiting:
            self._send(self._team)
        while self._under_way:
            yield from self._under_way.popleft().result()

    def _send(self, team: Team) -> None:
        self._under_way.append(team.send(self._waiting))
        self._waiting = []

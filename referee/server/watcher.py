"""Whoever watches a server at work, calls and commits alike, and sees nothing of their content."""

from typing import Protocol

from referee.service.call import Observer


class Watcher(Observer, Protocol):
    """Told of calls on their own threads, and of commits on the writer's; never raises."""

    def probe(self, step: str) -> None:
        """A batch has come to this step, one of ``storage.batch.STEPS`` or ANSWERED."""

    def committed(self, requests: int) -> None:
        """A batch of so many requests was answered."""

    def close(self) -> None:
        """Nothing more is told; what was gathered is sent."""

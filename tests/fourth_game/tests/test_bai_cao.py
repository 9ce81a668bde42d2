# ruff: noqa: ANN401 - states are those of any game
"""Bài Cào has the properties that every game must have. Run where the package is installed."""

from collections.abc import Sequence
from typing import Any

from bai_cao.game import GAME
from bai_cao.round import Event, Leave, Show
from bai_cao.service import SERVICE
from bai_cao.v1 import bai_cao_pb2

from referee.testing import LawTests
from referee.testing.served import ServedTests


def choices(state: Any, time: int) -> Sequence[Event]:
    """Return the events of each seat that has not shown: it shows or leaves."""
    return [kind(seat, time) for seat in state.waiting for kind in (Show, Leave)]


class TestLaw(LawTests):
    """The law of Bài Cào."""

    game = GAME
    ruleset_id = "bai_cao.classic"
    choices = staticmethod(choices)


class TestServed(ServedTests):
    """Bài Cào as it is served."""

    service = SERVICE
    ruleset_id = "bai_cao.classic"
    choices = staticmethod(choices)

    def write_event(self, event: Event) -> bai_cao_pb2.BaiCaoEvent:
        """Write an event."""
        act = bai_cao_pb2.ACT_SHOW if isinstance(event, Show) else bai_cao_pb2.ACT_LEAVE
        return bai_cao_pb2.BaiCaoEvent(seat=event.seat, act=act)

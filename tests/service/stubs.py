"""Stock stubs, for the raw suite and for attackers: of each service, and of a game by its name."""

from typing import Any, Final

import grpc

from referee.v1 import (
    advice_pb2_grpc,
    mau_binh_pb2_grpc,
    ruleset_pb2_grpc,
    seating_pb2_grpc,
    shuffler_pb2_grpc,
    tien_len_pb2_grpc,
    ultimate_texas_pb2_grpc,
)
from tests.driver.log_reader import LogReader

_STUBS: Final[dict[str, Any]] = {
    "mau_binh": mau_binh_pb2_grpc.MauBinhServiceStub,
    "tien_len": tien_len_pb2_grpc.TienLenServiceStub,
    "ultimate_texas": ultimate_texas_pb2_grpc.UltimateTexasServiceStub,
}


def stub_of(game: str, channel: grpc.Channel) -> Any:  # noqa: ANN401 - a stub of the game
    """Return a client of the game's service."""
    return _STUBS[game](channel)


class Stubs(LogReader):
    """A channel to a server, with the stub of each service."""

    def __init__(self, channel: Any) -> None:  # noqa: ANN401 - a channel, or a wrapper of one
        super().__init__(channel)
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        self.rulesets = ruleset_pb2_grpc.RulesetServiceStub(channel)
        self.seating = seating_pb2_grpc.SeatingServiceStub(channel)
        self.advice = advice_pb2_grpc.AdviceServiceStub(channel)
        self.mau_binh = mau_binh_pb2_grpc.MauBinhServiceStub(channel)
        self.tien_len = tien_len_pb2_grpc.TienLenServiceStub(channel)
        self.ultimate_texas = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(channel)

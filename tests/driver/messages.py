"""Messages and stubs: of each game's service by the game's name, of each method by its own, and of a channel."""

from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from referee.v1 import (
    advice_pb2,
    advice_pb2_grpc,
    error_reason_pb2,
    log_pb2,
    log_pb2_grpc,
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    ruleset_pb2,
    ruleset_pb2_grpc,
    seating_pb2,
    seating_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
    tien_len_pb2,
    tien_len_pb2_grpc,
    ultimate_texas_pb2,
    ultimate_texas_pb2_grpc,
)

FILES: Final = (
    advice_pb2,
    error_reason_pb2,
    log_pb2,
    mau_binh_pb2,
    ruleset_pb2,
    seating_pb2,
    shuffler_pb2,
    tien_len_pb2,
    ultimate_texas_pb2,
)
"""Modules of the protos; those that they need are imported with them."""
_SERVICES: Final[dict[str, ServiceDescriptor]] = {
    name: service for module in FILES for name, service in module.DESCRIPTOR.services_by_name.items()
}
METHODS: Final[dict[str, MethodDescriptor]] = {
    f"/{service.full_name}/{method.name}": method for service in _SERVICES.values() for method in service.methods
}
"""Every method of the protos by its full name."""
_GAMES: Final[dict[str, tuple[ServiceDescriptor, Any, Any, Any]]] = {
    "mau_binh": (
        _SERVICES["MauBinhService"],
        mau_binh_pb2_grpc.MauBinhServiceStub,
        mau_binh_pb2.MauBinhRound,
        mau_binh_pb2.MauBinhEvent,
    ),
    "tien_len": (
        _SERVICES["TienLenService"],
        tien_len_pb2_grpc.TienLenServiceStub,
        tien_len_pb2.TienLenRound,
        tien_len_pb2.TienLenEvent,
    ),
    "ultimate_texas": (
        _SERVICES["UltimateTexasService"],
        ultimate_texas_pb2_grpc.UltimateTexasServiceStub,
        ultimate_texas_pb2.UltimateTexasRound,
        ultimate_texas_pb2.UltimateTexasEvent,
    ),
}
GAMES: Final = tuple(_GAMES)


def request_type(method: str) -> type[Message]:
    """Return the type of a method's requests, by its full name."""
    return GetMessageClass(METHODS[method].input_type)


def request_of(game: str, name: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a request of a game's service, by the method's name."""
    service, _, _, _ = _GAMES[game]
    return GetMessageClass(service.methods_by_name[name].input_type)(**members)


def round_of(game: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a game's round."""
    _, _, round_type, _ = _GAMES[game]
    return round_type(**members)


def event_of(game: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a game's event."""
    _, _, _, event_type = _GAMES[game]
    return event_type(**members)


def stub_of(game: str, channel: grpc.Channel) -> Any:  # noqa: ANN401 - a stub of the game
    """Return a client of the game's service."""
    _, stub, _, _ = _GAMES[game]
    return stub(channel)


class Stubs:
    """A channel to a server, with the stub of each service."""

    def __init__(self, channel: Any) -> None:  # noqa: ANN401 - a channel, or a wrapper of one
        self.channel: Any = channel
        self.shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        self.log = log_pb2_grpc.LogServiceStub(channel)
        self.rulesets = ruleset_pb2_grpc.RulesetServiceStub(channel)
        self.seating = seating_pb2_grpc.SeatingServiceStub(channel)
        self.advice = advice_pb2_grpc.AdviceServiceStub(channel)
        self.mau_binh = mau_binh_pb2_grpc.MauBinhServiceStub(channel)
        self.tien_len = tien_len_pb2_grpc.TienLenServiceStub(channel)
        self.ultimate_texas = ultimate_texas_pb2_grpc.UltimateTexasServiceStub(channel)

    def checkpoint(self) -> str:
        """Return the newest signed checkpoint; its text changes whenever the log grows."""
        return self.log.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=60).checkpoint

    @property
    def size(self) -> int:
        """How many leaves the log has, as its checkpoint says."""
        return int(self.checkpoint().splitlines()[1])

    def leaves(self) -> list[bytes]:
        """All leaves of the log."""
        found: list[bytes] = []
        size = self.size
        while len(found) < size:
            found += self.log.ListEntries(log_pb2.ListEntriesRequest(start=len(found))).leaves
        return found

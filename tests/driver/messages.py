"""Messages and stubs: of each game's service by the game's name, of each method by its own, and of a channel."""

import importlib
import pkgutil
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

import referee.v1
from referee.v1 import (
    advice_pb2_grpc,
    log_pb2,
    log_pb2_grpc,
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    ruleset_pb2_grpc,
    seating_pb2_grpc,
    shuffler_pb2_grpc,
    tien_len_pb2,
    tien_len_pb2_grpc,
    ultimate_texas_pb2,
    ultimate_texas_pb2_grpc,
)

_MODULES: Final[dict[str, tuple[Any, Any, str]]] = {
    "mau_binh": (mau_binh_pb2, mau_binh_pb2_grpc, "MauBinh"),
    "tien_len": (tien_len_pb2, tien_len_pb2_grpc, "TienLen"),
    "ultimate_texas": (ultimate_texas_pb2, ultimate_texas_pb2_grpc, "UltimateTexas"),
}
GAMES: Final = tuple(_MODULES)
METHODS: Final[dict[str, MethodDescriptor]] = {
    f"/{service.full_name}/{method.name}": method
    for module in sorted(one.name for one in pkgutil.iter_modules(referee.v1.__path__) if one.name.endswith("_pb2"))
    for service in importlib.import_module(f"referee.v1.{module}").DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
"""Every method of the protos by its full name, found in the generated modules."""


def request_type(method: str) -> type[Message]:
    """Return the type of a method's requests, by its full name."""
    return GetMessageClass(METHODS[method].input_type)


def request_of(game: str, name: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a request of a game's service, by the method's name; Check... have names of their own."""
    return _made(game, f"Service{name}Request", members)


def round_of(game: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a game's round."""
    return _made(game, "Round", members)


def event_of(game: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a game's event."""
    return _made(game, "Event", members)


def stub_of(game: str, channel: grpc.Channel) -> Any:  # noqa: ANN401 - a stub of the game
    """Return a client of the game's service."""
    _, stubs, prefix = _MODULES[game]
    return getattr(stubs, f"{prefix}ServiceStub")(channel)


def _made(game: str, name: str, members: dict[str, Any]) -> Any:  # noqa: ANN401 - a message of the game
    module, _, prefix = _MODULES[game]
    return getattr(module, prefix + name)(**members)


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

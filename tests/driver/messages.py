"""Messages and stubs of each game's service, by the game's name."""

from typing import Any, Final

import grpc

from referee.v1 import (
    mau_binh_pb2,
    mau_binh_pb2_grpc,
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

"""Messages: of each game's service by the game's name, and of each method by its own."""

from typing import Any, Final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from referee.v1 import (
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
from referee.wire.registry import GAME_MESSAGES

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
METHODS: Final[dict[str, MethodDescriptor]] = {
    f"/{service.full_name}/{method.name}": method
    for module in FILES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
"""Every method of the protos by its full name."""
GAMES: Final = ("mau_binh", "tien_len", "ultimate_texas")


def request_type(method: str) -> type[Message]:
    """Return the type of a method's requests, by its full name."""
    return GetMessageClass(METHODS[method].input_type)


def method_of(channel: Any, name: str) -> Any:  # noqa: ANN401 - a channel, or a wrapper of one, and its call
    """Return the bare call of a method, such as ``LogService/GetKeys``: for tests of transport, limits, deadlines."""
    method = METHODS[f"/referee.v1.{name}"]
    return channel.unary_unary(
        f"/referee.v1.{name}",
        request_serializer=GetMessageClass(method.input_type).SerializeToString,
        response_deserializer=GetMessageClass(method.output_type).FromString,
    )


def terms_of(table: str = "t", **changes: Any) -> shuffler_pb2.RoundTerms:  # noqa: ANN401 - any field
    """Return terms for two seats by the classic sheet of Mậu Binh, with these changes."""
    fields: dict[str, Any] = {"ruleset_id": "mau_binh.classic", "seat_count": 2, "currency": "CHIP", "stake_minor": 10}
    named: dict[str, Any] = {} if "round" in changes else {"table_id": table}
    return shuffler_pb2.RoundTerms(**named | fields | changes)


def opening(table: str = "t", **changes: Any) -> shuffler_pb2.OpenRoundRequest:  # noqa: ANN401 - any field of the terms
    """Return the request that opens a round by its terms."""
    return shuffler_pb2.OpenRoundRequest(terms=terms_of(table, **changes))


def request_of(game: str, name: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a request of a game's service, by the method's name."""
    return GAME_MESSAGES[game].requests[name](**members)


def round_of(game: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a game's round."""
    return GAME_MESSAGES[game].round(**members)


def event_of(game: str, **members: Any) -> Any:  # noqa: ANN401 - a message of the game
    """Make a game's event."""
    return GAME_MESSAGES[game].event(**members)

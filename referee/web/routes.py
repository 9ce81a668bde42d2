"""HTTP paths of the services' methods, made from their descriptors.

Methods with ``NO_SIDE_EFFECTS`` accept GET. Methods with a stream of requests are left out.

>>> found = routes(None)
>>> "/referee.v1.RulesetService/ListRulesets" in found, "/grpc.health.v1.Health/Watch" in found
(True, True)
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Final, TypeAlias

from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.server import Endpoint
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import MethodOptions
from grpc_health.v1 import health_pb2

from referee.service.advising import ADVISING
from referee.service.registry import GAME_SERVICES
from referee.v1 import log_pb2, ruleset_pb2, seating_pb2, shuffler_pb2
from referee.web.codec import EncodedAnswer
from referee.web.forwarder import Context, Forwarder

Route: TypeAlias = Any  # an endpoint of connectrpc, whose classes are private

_FILES: Final = tuple([module.DESCRIPTOR for module in (log_pb2, ruleset_pb2, seating_pb2, shuffler_pb2, health_pb2)])
"""Files of the services that are not of a game."""
_LEVELS: Final = {
    MethodOptions.IDEMPOTENCY_UNKNOWN: IdempotencyLevel.UNKNOWN,
    MethodOptions.NO_SIDE_EFFECTS: IdempotencyLevel.NO_SIDE_EFFECTS,
    MethodOptions.IDEMPOTENT: IdempotencyLevel.IDEMPOTENT,
}


def routes(forward: Forwarder) -> Mapping[str, Route]:
    """Return the endpoint of each path, ``/package.Service/Method``."""
    return {
        f"/{service.full_name}/{method.name}": _endpoint(forward, method)
        for service in _services()
        for method in service.methods
        if not method.client_streaming
    }


def _services() -> Iterator[ServiceDescriptor]:
    services = [service for file in _FILES for service in file.services_by_name.values()]
    yield from {service.full_name: service for service in (*services, *_with_rounds())}.values()


def _with_rounds() -> list[ServiceDescriptor]:
    """Return the services whose requests hold rounds: those of games and of advice."""
    games, advising = GAME_SERVICES.values(), ADVISING.values()
    return [*(service.descriptor for service in games), *(service.descriptor for service in advising)]


def _level(method: MethodDescriptor) -> IdempotencyLevel:
    """Return the level of a method, by which it may be asked by GET.

    Requests about rounds hold certificates or the content of a round, which no URL may hold: they are asked by POST
    alone.
    """
    level = _LEVELS[method.GetOptions().idempotency_level]
    has_round = any(service is method.containing_service for service in _with_rounds())
    return IdempotencyLevel.IDEMPOTENT if has_round and level is IdempotencyLevel.NO_SIDE_EFFECTS else level


def _endpoint(forward: Forwarder, method: MethodDescriptor) -> Route:
    path = f"/{method.containing_service.full_name}/{method.name}"
    kind = message_factory.GetMessageClass(method.output_type)
    info: MethodInfo[Any, Any] = MethodInfo(  # messages are bytes; the types are for JSON
        name=method.name,
        service_name=method.containing_service.full_name,
        input=message_factory.GetMessageClass(method.input_type),
        output=kind,
        idempotency_level=_level(method),
        stream_type=StreamType.SERVER_STREAM if method.server_streaming else StreamType.UNARY,
    )

    async def answer(question: bytes, context: Context) -> EncodedAnswer:
        return await forward.unary(path, question, context, kind=kind)

    def answers(question: bytes, context: Context) -> AsyncIterator[EncodedAnswer]:
        return forward.stream(path, question, context, kind=kind)

    if method.server_streaming:
        return Endpoint.server_stream(info, answers)
    return Endpoint.unary(info, answer)

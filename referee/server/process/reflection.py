"""Server reflection under both of its names: v1, which newer clients ask for first, and v1alpha, which grpcio has.

Their messages are the same on the wire.
"""

from collections.abc import Iterable
from typing import Final

import grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

V1: Final = "grpc.reflection.v1.ServerReflection"


def serve_reflection(server: grpc.Server, services: Iterable[str]) -> None:
    """Describe these services, and reflection itself, to clients that ask."""
    servicer = reflection.ReflectionServicer([*services, reflection.SERVICE_NAME])
    answered = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    methods = {"ServerReflectionInfo": answered}
    for name in (V1, reflection.SERVICE_NAME):
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, methods),))

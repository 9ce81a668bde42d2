"""The servicers that advise under a charter: AdviceService's own, and those of installed packages."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from referee.adviser.desk import InThread
from referee.adviser.parts import Advice, AdviserParts
from referee.adviser.service import AdviceService
from referee.service.advising import ADVISING, AdvisingService, PackagedAdvice
from referee.service.attesting import ProofVerifier
from referee.service.charter import Charter
from referee.service.verifying import RoundVerifier

Finder = Callable[[grpc.ServicerContext], Any]
"""Function that returns the servicer of a call."""


def parts_of(charter: Charter, *, clock: Callable[[], int], advice: Advice, tables: Path | None) -> AdviserParts:
    """Return the parts of advisers that verify rounds against a charter; they remember no round."""
    verifier = RoundVerifier(
        catalogue=charter.catalogue(),
        origin=charter.origin,
        shuffler_keys=charter.shuffler_keys,
        clock=clock,
        slot_of=lambda _key: None,
        suite=charter.suite,
        memo_bytes=0,
    )
    return AdviserParts(
        verifier=verifier, prover=ProofVerifier(referee_keys=charter.referee_keys), advice=advice, tables=tables
    )


def servicer_of(service: AdvisingService, parts: AdviserParts) -> Any:
    """Return the servicer of a service."""
    return service.servicer(parts) if isinstance(service, PackagedAdvice) else AdviceService(parts)


def add_handlers(server: grpc.Server, find: Callable[[AdvisingService], Finder]) -> None:
    """Add the methods of all services that advise to a server; ``find(service)`` returns the servicer of each call."""
    for service in ADVISING.values():
        finder = find(service)
        handlers = {method.name: _handler(method, finder) for method in service.descriptor.methods}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))
        server.add_registered_method_handlers(service.full_name, handlers)


def advise_in_process(server: grpc.Server, charter: Charter, clock: Callable[[], int], tables: Path | None) -> None:
    """Add the services that advise to a server itself; the thread of each call computes."""
    parts = parts_of(charter, clock=clock, advice=InThread(), tables=tables)

    def find(service: AdvisingService) -> Finder:
        servicer = servicer_of(service, parts)
        return lambda _context: servicer

    add_handlers(server, find)


def _handler(method: MethodDescriptor, find: Finder) -> "grpc.RpcMethodHandler[Any, Any]":
    name = method.name
    return grpc.unary_unary_rpc_method_handler(
        lambda request, context: getattr(find(context), name)(request, context),
        request_deserializer=GetMessageClass(method.input_type).FromString,
        response_serializer=GetMessageClass(method.output_type).SerializeToString,
    )

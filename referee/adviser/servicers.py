"""The servicers that advise under a charter: AdviceService's own, and those of installed packages."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message_factory import GetMessageClass

from referee.adviser.desk import InThread
from referee.adviser.parts import Advice, AdviserParts
from referee.adviser.service import AdviceService
from referee.service.advising import ADVISING, AdvisingService, PackagedAdvice, add_methods
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


def handler_of(method: MethodDescriptor, find: Finder) -> "grpc.RpcMethodHandler[Any, Any]":
    """Return the handler of a method, by the servicer that ``find`` returns for each call."""
    name = method.name
    return grpc.unary_unary_rpc_method_handler(
        lambda request, context: getattr(find(context), name)(request, context),
        request_deserializer=GetMessageClass(method.input_type).FromString,
        response_serializer=GetMessageClass(method.output_type).SerializeToString,
    )


def advise_in_process(server: grpc.Server, charter: Charter, clock: Callable[[], int], tables: Path | None) -> None:
    """Add the services that advise to a server itself; the thread of each call computes.

    The first call reads the charter's rulesets, which takes longer than the start of a server.
    """

    @cache
    def servicers() -> Mapping[str, Any]:
        parts = parts_of(charter, clock=clock, advice=InThread(), tables=tables)
        return {service.name: servicer_of(service, parts) for service in ADVISING.values()}

    add_methods(server, lambda service, method: handler_of(method, lambda _context: servicers()[service.name]))

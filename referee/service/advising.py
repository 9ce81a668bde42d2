"""Registry of the services that advise: AdviceService, and those of packages, by entry points ``referee.advice``.

>>> ADVISING["referee"].full_name
'referee.v1.AdviceService'
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

from referee.games import Registry
from referee.v1 import advice_pb2


@dataclass(frozen=True, kw_only=True)
class AdvisingService:
    """A gRPC service that advises, as far as the server in front of it must know it: its methods and who may call them.

    - ``name`` is the name of its entry point.
    - ``seat_methods``: methods that a seat may call for itself, each with the path of the seat's number in the request.
      All other methods are for frontends only. Each method takes one request and gives one answer.
    """

    name: str
    descriptor: ServiceDescriptor
    seat_methods: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """Full name of the gRPC service."""
        return str(self.descriptor.full_name)


@dataclass(frozen=True, kw_only=True)
class PackagedAdvice(AdvisingService):
    """The service of a package, which the process of advice makes.

    ``servicer(parts)`` makes the servicer of AdviserParts (``referee.adviser.parts``). It imports whatever is slow to
    import when it is called: the server in front loads this object too.
    """

    servicer: Callable[[Any], Any]


BUILTIN: Final = AdvisingService(
    name="referee",
    descriptor=advice_pb2.DESCRIPTOR.services_by_name["AdviceService"],
    seat_methods={"SuggestArrangement": ("dealt", "seat"), "SuggestDecision": ("seat",)},
)
ADVISING: Final[Registry[AdvisingService]] = Registry("referee.advice", lambda: (BUILTIN,))
"""Services that advise, by the names of their entry points."""


def add_methods(server: grpc.Server, handler_of: Callable[[AdvisingService, MethodDescriptor], Any]) -> None:
    """Add the methods of all services that advise to a server; ``handler_of`` returns the handler of each."""
    for service in ADVISING.values():
        handlers = {method.name: handler_of(service, method) for method in service.descriptor.methods}
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service.full_name, handlers),))
        server.add_registered_method_handlers(service.full_name, handlers)

"""An observer of a server that does nothing, for tests that look at one thing, and methods that tests add to one."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import grpc

from referee.service.call import Call


class Quiet:
    """Observer that watches and does nothing."""

    def began(self, call: Call) -> None:
        """Do nothing when a call begins."""

    def ended(self, call: Call) -> None:
        """Do nothing when a call has ended."""

    def probe(self, step: str) -> None:
        """Do nothing at a step of a commit."""

    def committed(self, requests: int) -> None:
        """Do nothing after a commit."""

    def close(self) -> None:
        """Do nothing at the end."""


class Methods(grpc.GenericRpcHandler):
    """Methods of a test's own by their paths, each a function from request bytes to answer bytes."""

    def __init__(self, functions: Mapping[str, Callable[[bytes], bytes]]) -> None:
        self._functions = functions

    def service(self, details: Any) -> Any:  # noqa: ANN401 - grpc's own
        """Return the method's handler."""
        if (function := self._functions.get(details.method)) is None:
            return None
        return grpc.unary_unary_rpc_method_handler(lambda request, _context: function(request))


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector from running in the block."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

"""Fixtures of the tests of quarrels, made where servers are tested."""

from tests.server.processes import serve

__all__ = ["serve"]

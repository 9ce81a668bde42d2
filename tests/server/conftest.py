"""Fixtures of the tests of servers, each made in the module that is named for it."""

from tests.server.access.guarded import guard, guarded, mint_type, reason
from tests.server.cosigning.local_witness import local_witnesses, log_key, run
from tests.server.doctor.examining import data
from tests.server.processes import caller_type, load_type, serve, servers_in
from tests.server.tls.authority import authority, authority_type

__all__ = [
    "authority",
    "authority_type",
    "caller_type",
    "data",
    "guard",
    "guarded",
    "load_type",
    "local_witnesses",
    "log_key",
    "mint_type",
    "reason",
    "run",
    "serve",
    "servers_in",
]

"""Fixtures of the tests of servers, each made in the module that is named for it."""

from tests.server.access.guarded import guarded
from tests.server.access.identity_provider import provider
from tests.server.cosigning.local_witness import watched
from tests.server.database import database, postgres, url
from tests.server.doctor.examining import data
from tests.server.tls.authority import authority

__all__ = ["authority", "data", "database", "guarded", "postgres", "provider", "url", "watched"]

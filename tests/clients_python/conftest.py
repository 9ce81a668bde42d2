"""A server that deals what it is given, shared by the tests of a file, and one client to it.

A test that is parametrised by ``by_every_door`` asks a server with access control as well: with a frontend's token
over TLS, and by mutual TLS alone.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import grpc
import pytest
from referee_client import Client
from referee_harness import Clock, Harness

from referee.server.settings.access import AccessSettings, Certified, Issuer
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.tls import TlsSettings
from tests.clients_python.lying_server import Liar
from tests.server.access.mint import Mint
from tests.server.tls.authority import Authority

_TABLES = count(1)
_DAY = 86_400


@dataclass(frozen=True)
class Guarded:
    """A server with access control, and how its frontends connect: by a token, or by a certificate of their own.

    Every connection needs a certificate; that of a caller with a token names nobody the server knows.
    """

    harness: Harness
    token: str
    by_token: grpc.ChannelCredentials
    by_certificate: grpc.ChannelCredentials


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    """Run a server whose clock does not move."""
    with Harness(clock=Clock(is_running=False)) as running:
        yield running


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    """Run such a server with access control and TLS, for the tenant acme."""
    folder: Path = tmp_path_factory.mktemp("guarded")
    authority, mint, now = Authority("authority"), Mint(), int(time.time())
    authority.server().write(folder)
    authority.paper.write(folder, "callers")
    own, other = authority.caller("frontend"), authority.caller("nobody")
    access = AccessSettings(
        issuers=(Issuer(key=mint.key),),
        certificates=(Certified(name="CN=frontend", role=CallerRole.FRONTEND, tenant="acme"),),
    )
    tls = TlsSettings(
        certificate=str(folder / "server.pem"), key=str(folder / "server.key"), client_ca=str(folder / "callers.pem")
    )
    with Harness(clock=Clock(is_running=False), access=access, tls=tls) as running:
        yield Guarded(
            running,
            mint.token("frontend", nbf=now - 60, exp=now + _DAY),
            grpc.ssl_channel_credentials(authority.paper.pem, other.key_pem, other.pem),
            grpc.ssl_channel_credentials(authority.paper.pem, own.key_pem, own.pem),
        )


@pytest.fixture
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    """Return a blocking client, of the door that the test names; otherwise of a server that asks nobody who calls."""
    door = getattr(request, "param", "open")
    if door == "open":
        harness: Harness = request.getfixturevalue("harness")
        harness.reset()
        made = Client(harness.grpc, timeout=60)
    else:
        guarded: Guarded = request.getfixturevalue("guarded")
        guarded.harness.reset()
        by_token = door == "token"
        made = Client(
            guarded.harness.grpc,
            timeout=60,
            credentials=guarded.by_token if by_token else guarded.by_certificate,
            token=guarded.token if by_token else "",
        )
    with made:
        yield made


@pytest.fixture
def table() -> str:
    """Return the name of a table of the tenant acme that no other test has."""
    return f"acme.table-{next(_TABLES)}"


@pytest.fixture
def liar(harness: Harness, client: Client, table: str) -> Liar:
    """One whose table is dealt hands that stand as they are, and pay."""
    harness.script({"vector": "mau_binh/settlement#value-front-three-M"}, table_id=table)
    return Liar(harness, client, table)

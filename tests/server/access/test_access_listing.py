"""Lists of rounds: each caller sees those of its own tables, and a key those of its own, with any token."""

from typing import Any, Final

import pytest

from referee.server.settings.access import AccessSettings, Issuer
from referee.v1 import log_pb2
from referee.v1.log_pb2_grpc import LogServiceStub
from tests.driver.client_over import client_over
from tests.driver.driver import Driver
from tests.driver.player import Player
from tests.server.access.guarded import Guarded, guard
from tests.server.access.mint import Mint

LIST: Final = "/referee.v1.LogService/ListRounds"
OWN: Final = "/referee.v1.LogService/ListSeatRounds"
TABLES: Final = ("acme.vip-1", "acme.1", "bcme.1")
AN: Final = Player("an", 0)


@pytest.fixture(scope="module")
def filled(guarded: Guarded) -> Guarded:
    """Return a server with a round of each table, in which the key of An sits."""
    for table in TABLES:
        frontend = guarded.bearing(guarded.mint.token("frontend", table.partition(".")[0]))
        Driver(client_over(frontend)).open(table, seat_keys=[AN.public_key, Player(table, 1).public_key])
    return guarded


def tables_for(server: Guarded, token: str, **asked: Any) -> list[str]:  # noqa: ANN401 - fields
    """Return the tables of the rounds that a caller lists, by name."""
    stub = LogServiceStub(server.bearing(token))
    return sorted(listed.round.table_id for listed in stub.ListRounds(log_pb2.ListRoundsRequest(**asked)).rounds)


def refused(server: Guarded, token: str, **asked: Any) -> tuple[str, str]:  # noqa: ANN401 - fields
    """Return status code and reason with which a caller's list of rounds is refused."""
    return server.ask(LIST, log_pb2.ListRoundsRequest(**asked).SerializeToString(), token=token)


@pytest.mark.parametrize("role", ["auditor", "admin"])
def test_auditors_and_admins_of_every_tenant_list_all(filled, role):
    token = filled.mint.token(role, "*")
    assert tables_for(filled, token) == sorted(TABLES)
    assert tables_for(filled, token, table_prefix="acme.") == ["acme.1", "acme.vip-1"]
    assert tables_for(filled, token, seat_key=AN.public_key) == sorted(TABLES)


@pytest.mark.parametrize("role", ["frontend", "auditor", "admin"])
def test_tenant_lists_its_own_tables_alone(filled, role):
    """Not those of another, nor all, nor those of a prefix that others have too, nor all rounds of a key."""
    token = filled.mint.token(role, "acme")
    assert tables_for(filled, token, table_prefix="acme.") == ["acme.1", "acme.vip-1"]
    assert tables_for(filled, token, table_id="acme.1") == ["acme.1"]
    assert tables_for(filled, token, table_prefix="acme.", seat_key=AN.public_key) == ["acme.1", "acme.vip-1"]
    forbidden: list[dict[str, Any]] = [
        *({}, {"seat_key": AN.public_key}, {"table_id": "bcme.1"}, {"table_id": ""}),
        *({"table_prefix": prefix} for prefix in ("a", "acme", "bcme.", "")),
        {"table_id": "", "table_prefix": "bcme."},
    ]
    for asked in forbidden:
        assert refused(filled, token, **asked) == ("PERMISSION_DENIED", "TABLE_FORBIDDEN"), asked
    both = refused(filled, token, table_id="acme.1", table_prefix="bcme.")
    assert both == ("INVALID_ARGUMENT", "INVALID_FIELD")


@pytest.mark.parametrize(
    ("tables", "prefix", "expected"),
    [
        ("acme.vip-*", "acme.vip-", ["acme.vip-1"]),
        ("acme.vip-*", "acme.", None),
        ("acme.*-1", "acme.vip-", None),
        ("acme.vip-1", "acme.vip-1", None),
        ("*", "acme.vip", ["acme.vip-1"]),
    ],
)
def test_pattern_of_a_token_bounds_the_prefix(filled, tables, prefix, expected):
    token = filled.mint.token("frontend", "acme", tables=tables)
    if expected is None:
        assert refused(filled, token, table_prefix=prefix) == ("PERMISSION_DENIED", "TABLE_FORBIDDEN")
    else:
        assert tables_for(filled, token, table_prefix=prefix) == expected


@pytest.mark.parametrize("role", ["seat", "shuffler"])
def test_seats_and_shufflers_list_no_tables(filled, role):
    token = filled.mint.token(role)
    assert refused(filled, token, table_id="acme.t") == ("PERMISSION_DENIED", "ROLE_FORBIDDEN")
    assert refused(filled, "", table_id="acme.t") == ("UNAUTHENTICATED", "CREDENTIALS_MISSING")


@pytest.mark.parametrize("role", ["", "seat", "frontend"])
def test_key_lists_its_rounds_of_every_tenant_by_its_signature(filled, role):
    """Whatever token comes with it, and none: the signature decides."""
    channel = filled.bearing(filled.mint.token(role)) if role else filled.channel
    origin = LogServiceStub(filled.channel).GetKeys(log_pb2.GetKeysRequest()).origin
    found = LogServiceStub(channel).ListSeatRounds(AN.list_request(origin=origin, now=filled.now)).rounds
    assert [listed.round.table_id for listed in found] == list(reversed(TABLES))
    stolen = AN.list_request(origin=origin, now=filled.now)
    stolen.signature = bytes(64)
    code = filled.ask(OWN, stolen.SerializeToString(), token=filled.mint.token("admin", "*"))
    assert code == ("INVALID_ARGUMENT", "BAD_SIGNATURE")


def test_published_log_leaves_lists_to_their_tables(tmp_path):
    """Where anyone reads leaves, lists are still for known callers: a leaf costs the server less."""
    access = AccessSettings(issuers=(Issuer(key=Mint().key),), public_log=True)
    with guard(tmp_path, access=access) as server:
        assert server.ask("/referee.v1.LogService/ListEntries") == ("OK", "")
        assert server.ask(LIST) == ("UNAUTHENTICATED", "CREDENTIALS_MISSING")

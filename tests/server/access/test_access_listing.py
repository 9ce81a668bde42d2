"""Lists of rounds: each caller sees those of its own tables, and a key those of its own, with any token."""

from typing import Any, Final

import pytest

from referee.server.settings.access import AccessSettings, Issuer
from referee.v1 import log_pb2, shuffler_pb2, shuffler_pb2_grpc
from referee.v1.log_pb2_grpc import LogServiceStub
from tests.driver.opening import open_round, terms_of
from tests.driver.table import Player
from tests.server.access.mint import Mint
from tests.vectors.dealing.dealing_derivation import number, tagged

LIST: Final = "/referee.v1.LogService/ListRounds"
OWN: Final = "/referee.v1.LogService/ListSeatRounds"
TABLES: Final = ("acme.vip-1", "acme.1", "bcme.1")
AN: Final = Player("an", 0)


@pytest.fixture(scope="module")
def filled(guarded: Any) -> Any:  # noqa: ANN401 - a server that knows its callers
    """Return a server with a round of each table, in which the key of An sits."""
    for table in TABLES:
        frontend = guarded.bearing(guarded.mint.token("frontend", table.partition(".")[0]))
        shuffler = shuffler_pb2_grpc.ShufflerServiceStub(frontend)
        terms = terms_of(table, seat_keys=[AN.public_key, Player(table, 1).public_key])
        prepared = shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms))
        open_round(shuffler, prepared.header, commitments=[b"", b""])
    return guarded


def signed(server: Any, origin: str) -> log_pb2.ListSeatRoundsRequest:  # noqa: ANN401 - as above
    """Return An's signed request."""
    period = number(0, 8), number(0, 8)
    statement = tagged("list-rounds", origin.encode(), AN.public_key, *period, number(server.now, 8))
    return log_pb2.ListSeatRoundsRequest(
        seat_key=AN.public_key, signed_time=server.now, signature=AN.key.sign(statement)
    )


def tables_for(server: Any, token: str, **asked: Any) -> list[str]:  # noqa: ANN401 - as above
    """Return the tables of the rounds that a caller lists, by name."""
    stub = LogServiceStub(server.bearing(token) if token else server.channel)
    return sorted(one.table_id for one in stub.ListRounds(log_pb2.ListRoundsRequest(**asked)).rounds)


@pytest.mark.parametrize("role", ["auditor", "admin"])
def test_auditors_and_admins_of_every_tenant_list_all(filled: Any, role: str) -> None:  # noqa: ANN401
    token = filled.mint.token(role, "*")
    assert tables_for(filled, token) == sorted(TABLES)
    assert tables_for(filled, token, table_prefix="acme.") == ["acme.1", "acme.vip-1"]
    assert tables_for(filled, token, seat_key=AN.public_key) == sorted(TABLES)


@pytest.mark.parametrize("role", ["frontend", "auditor", "admin"])
def test_tenant_lists_its_own_tables_alone(filled: Any, role: str) -> None:  # noqa: ANN401
    """Not those of another, nor all, nor those of a prefix that others have too, nor all rounds of a key."""
    token = filled.mint.token(role, "acme")
    assert tables_for(filled, token, table_prefix="acme.") == ["acme.1", "acme.vip-1"]
    assert tables_for(filled, token, table_id="acme.1") == ["acme.1"]
    assert tables_for(filled, token, table_prefix="acme.", seat_key=AN.public_key) == ["acme.1", "acme.vip-1"]
    for asked in (
        {},
        {"table_prefix": "a"},
        {"table_prefix": "acme"},
        {"table_prefix": "bcme."},
        {"table_prefix": ""},
        {"table_id": "bcme.1"},
        {"table_id": ""},
        {"table_id": "", "table_prefix": "bcme."},
        {"table_id": "acme.1", "table_prefix": "bcme."},
        {"seat_key": AN.public_key},
    ):
        code, reason = filled.ask(LIST, log_pb2.ListRoundsRequest(**asked).SerializeToString(), token=token)
        expected = ("INVALID_ARGUMENT", "INVALID_FIELD") if asked.get("table_id") == "acme.1" else None
        assert (code, reason) == (expected or ("PERMISSION_DENIED", "TABLE_FORBIDDEN")), asked


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
def test_pattern_of_a_token_bounds_the_prefix(
    filled: Any,  # noqa: ANN401 - as above
    tables: str,
    prefix: str,
    expected: list[str] | None,
) -> None:
    token = filled.mint.token("frontend", "acme", tables=tables)
    if expected is None:
        asked = log_pb2.ListRoundsRequest(table_prefix=prefix).SerializeToString()
        assert filled.ask(LIST, asked, token=token) == ("PERMISSION_DENIED", "TABLE_FORBIDDEN")
    else:
        assert tables_for(filled, token, table_prefix=prefix) == expected


@pytest.mark.parametrize("role", ["seat", "shuffler"])
def test_seats_and_shufflers_list_no_tables(filled: Any, role: str) -> None:  # noqa: ANN401
    asked = log_pb2.ListRoundsRequest(table_id="acme.t").SerializeToString()
    assert filled.ask(LIST, asked, token=filled.mint.token(role)) == ("PERMISSION_DENIED", "ROLE_FORBIDDEN")
    assert filled.ask(LIST, asked) == ("UNAUTHENTICATED", "CREDENTIALS_MISSING")


@pytest.mark.parametrize("role", ["", "seat", "frontend"])
def test_key_lists_its_rounds_of_every_tenant_by_its_signature(filled: Any, role: str) -> None:  # noqa: ANN401
    """Whatever token comes with it, and none: the signature decides."""
    channel = filled.bearing(filled.mint.token(role)) if role else filled.channel
    origin = LogServiceStub(filled.channel).GetKeys(log_pb2.GetKeysRequest()).origin
    found = LogServiceStub(channel).ListSeatRounds(signed(filled, origin)).rounds
    assert [one.table_id for one in found] == list(reversed(TABLES))
    stolen = signed(filled, origin)
    stolen.signature = bytes(64)
    code = filled.ask(OWN, stolen.SerializeToString(), token=filled.mint.token("admin", "*"))
    assert code == ("INVALID_ARGUMENT", "BAD_SIGNATURE")


def test_published_log_leaves_lists_to_their_tables(guard: Any, tmp_path_factory: Any) -> None:  # noqa: ANN401
    """Where anyone reads leaves, lists are still for known callers: a leaf costs the server less."""
    mint = Mint()
    access = AccessSettings(issuers=(Issuer(key=mint.key),), public_log=True)
    with guard(tmp_path_factory.mktemp("published"), access=access) as server:
        assert server.ask("/referee.v1.LogService/ListEntries") == ("OK", "")
        assert server.ask(LIST) == ("UNAUTHENTICATED", "CREDENTIALS_MISSING")

"""The table of roles and methods: whole, and kept in every cell by a server that is really asked."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

import referee.v1
from referee.server.access.roles import TABLE, markdown
from referee.server.access.scope import TABLE_ID, rounds_named, values_at
from referee.server.settings.caller_role import CallerRole
from tests.driver.messages import METHODS, request_type
from tests.driver.refusal import ending_of

REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
TABLE_NAME, ROUND, SEAT = "acme.t", 1, 1


def filled(descriptor: Descriptor, **values) -> Message:
    """Fill a message: each part once, with these values in the fields of those names."""
    message = GetMessageClass(descriptor)()
    for field in descriptor.fields:
        if field.message_type is not None:
            part = filled(field.message_type, **values)
            if field.is_repeated:
                getattr(message, field.name).append(part)
            elif field.containing_oneof is None or field.containing_oneof.fields[0] is field:
                getattr(message, field.name).CopyFrom(part)
        elif field.name in values and not field.is_repeated:
            setattr(message, field.name, values[field.name])
    return message


OF_TABLES = [
    (method, role)
    for method in METHODS
    for role in CallerRole
    if role in TABLE[method].roles and list(rounds_named(filled(METHODS[method].input_type, table_id=TABLE_NAME)))
]
"""Each method that names a table, and each role that may ask it."""


def request_of(method: str, **values) -> bytes:
    """Return a request that names one table, round and seat wherever it can name any."""
    values = {"table_id": TABLE_NAME, "round_number": ROUND, "seat": SEAT} | values
    message = filled(METHODS[method].input_type, **values)
    if "round" in message.DESCRIPTOR.fields_by_name and "table_id" in message.DESCRIPTOR.fields_by_name:
        message.ClearField("table_id")  # the round names it
    return message.SerializeToString()


def token_of(guarded, role: CallerRole, **more) -> str:
    """Return a token of the role for the tenant, or for all tenants where the method needs that; none for anyone."""
    return "" if role is CallerRole.ANYONE else guarded.mint.token(role.value, **more)


def reflect(guarded, token: str) -> str:
    """How asking for reflection ends."""
    stub = reflection_pb2_grpc.ServerReflectionStub(guarded.channel)
    asked = iter([reflection_pb2.ServerReflectionRequest(list_services="")])
    metadata = [("authorization", f"Bearer {token}")] if token else []
    return ending_of(lambda: list(stub.ServerReflectionInfo(asked, metadata=metadata, timeout=30)))[0]


def test_every_method_of_the_protos_is_in_the_table():
    """A method that is added to the protos must be given to somebody, or to nobody, on purpose."""
    assert set(TABLE) == {*METHODS, REFLECTION, REFLECTION.replace("v1alpha", "v1")}


@pytest.mark.parametrize("role", CallerRole)
@pytest.mark.parametrize("method", METHODS)
def test_cell_is_kept_by_the_server(guarded, method, role):
    """A call of each method by each role: let through to its service where the table says so, and refused elsewhere."""
    rule = TABLE[method]
    token = token_of(guarded, role, tenant="*" if rule.shows_all and role is not CallerRole.SEAT else "acme")
    code, reason = guarded.ask(method, request_of(method), token=token)
    if role in rule.roles:
        assert code not in ("PERMISSION_DENIED", "UNAUTHENTICATED"), reason
    elif role is CallerRole.ANYONE:
        assert (code, reason) == ("UNAUTHENTICATED", "CREDENTIALS_MISSING")
    else:
        assert (code, reason) == ("PERMISSION_DENIED", "ROLE_FORBIDDEN")


@pytest.mark.parametrize("role", CallerRole)
def test_reflection_is_for_known_callers(guarded, role):
    expected = "UNAUTHENTICATED" if role is CallerRole.ANYONE else "OK"
    assert reflect(guarded, token_of(guarded, role)) == expected


@pytest.mark.parametrize(("method", "role"), OF_TABLES)
def test_tables_of_another_tenant_are_refused(guarded, method, role):
    """Wherever a request can name a table: those of another tenant, of nobody, and of a name that only looks alike."""
    for table in ("acme2.t", "t", "Acme.t", "acme", "", ".acme.t"):
        found = guarded.ask(method, request_of(method, table_id=table), token=token_of(guarded, role))
        assert found == ("PERMISSION_DENIED", "TABLE_FORBIDDEN"), table


def test_every_method_but_those_without_a_table_is_among_them():
    """The list above is not empty by mistake: these name no table, and all others do."""
    without = set(METHODS) - {method for method, _ in OF_TABLES}
    assert short(without) == OPEN_TO_ANYONE | {
        *("SeatingService/DecideSeating", "LogService/ListEntries", "LogService/GetStatus")
    }


OPEN_TO_ANYONE = {
    *("RulesetService/ListRulesets", "RulesetService/GetRuleset", "LogService/GetKeys", "LogService/GetCheckpoint"),
    *("LogService/ListSeatRounds", "LogService/ListCosignedCheckpoints"),
    *("LogService/GetInclusionProof", "LogService/GetConsistencyProof"),
}
"""What a stranger needs to check the log, the laws of the games and its key's rounds, spelled out here once more."""


def short(methods: Iterable[str]) -> set[str]:
    """Return names of methods without their package."""
    return {name.rpartition(".")[2] for name in methods}


BATCHES = [(method, role) for method, role in OF_TABLES if "requests" in METHODS[method].input_type.fields_by_name]
"""Each method that takes many requests, and each role that may ask it."""


def test_every_batch_is_among_them():
    """The batches of every game and of the shuffler, for frontends at least."""
    named = {name for name in METHODS if METHODS[name].name + "s" in {one.name for one in METHODS.values()}}
    batches = {f"{name}s" for name in named if f"{name}s" in METHODS}
    assert len(batches) == 13
    assert {method for method, role in BATCHES if role is CallerRole.FRONTEND} == batches


@pytest.mark.parametrize(("method", "role"), BATCHES)
def test_one_table_of_another_tenant_refuses_the_whole_batch(guarded, method, role):
    """First, in the middle or last, among requests that the caller may make alone."""
    kind, token = METHODS[method].input_type, token_of(guarded, role)
    part = kind.fields_by_name["requests"].message_type
    assert part is not None
    own, other = (filled(part, table_id=table, round_number=ROUND, seat=SEAT) for table in (TABLE_NAME, "bcme.t"))

    def ask(*requests):
        return guarded.ask(method, GetMessageClass(kind)(requests=requests).SerializeToString(), token=token)

    assert ask(own, own, own)[0] not in ("PERMISSION_DENIED", "UNAUTHENTICATED")
    for requests in ((other, own, own), (own, other, own), (own, own, other)):
        assert ask(*requests) == ("PERMISSION_DENIED", "TABLE_FORBIDDEN")


def name_course(message: Message, table: str) -> int:
    """Name a table in each course of a message, and return how many courses there are."""
    count = 0
    for field, value in message.ListFields():
        for part in (value if field.is_repeated else [value]) if field.message_type is not None else ():
            if part.DESCRIPTOR.full_name == "referee.v1.RoundCourse":
                part.round.table_id, count = table, count + 1
            else:
                count += name_course(part, table)
    return count


@pytest.mark.parametrize(("method", "role"), OF_TABLES)
def test_course_of_another_tenants_round_is_refused_beside_a_table_of_ones_own(guarded, method, role):
    """A round message names its table in the header and in the course: both must be the caller's."""
    message = request_type(method).FromString(request_of(method))
    courses = name_course(message, "bcme.t")
    found = guarded.ask(method, message.SerializeToString(), token=token_of(guarded, role))
    if courses:
        assert found == ("PERMISSION_DENIED", "TABLE_FORBIDDEN")
    else:
        assert found[0] not in ("PERMISSION_DENIED", "UNAUTHENTICATED")


def test_every_question_about_a_round_has_a_course():
    """The list above has methods with a course, of every game."""
    named = {method for method, _ in OF_TABLES if name_course(filled(METHODS[method].input_type), "t")}
    services = {name.rpartition("/")[0].removeprefix("/referee.v1.") for name in named}
    assert services == {"AdviceService", "MauBinhService", "TienLenService", "UltimateTexasService"}


@pytest.mark.parametrize("method", [method for method, role in OF_TABLES if role is CallerRole.SEAT])
def test_seat_asks_of_its_own_round_and_for_itself(guarded, method):
    """Another table of its tenant, another round and another seat are refused, wherever the request names them."""
    token = guarded.mint.token("seat")
    for other in ({"table_id": "acme.u"}, {"round_number": 2}, {"round_number": 0}):
        found = guarded.ask(method, request_of(method, **other), token=token)
        assert found == ("PERMISSION_DENIED", "TABLE_FORBIDDEN"), other
    if TABLE[method].seat:
        found = guarded.ask(method, request_of(method, seat=0), token=token)
        assert found == ("PERMISSION_DENIED", "SEAT_FORBIDDEN")


@pytest.mark.parametrize("method", [name for name in METHODS if CallerRole.SEAT in TABLE[name].roles])
def test_seat_that_acts_is_named_in_the_table(method):
    """A request that a seat may make and that names a seat of its own accord has that seat in its rule."""
    rule, message = TABLE[method], filled(METHODS[method].input_type, seat=7)
    seats = {field.name for field in METHODS[method].input_type.fields} & {"seat", "event", "dealt", "requests"}
    assert bool(rule.seat) == bool(seats)
    if rule.seat:
        assert set(values_at(message, rule.seat)) == {7}


def test_what_anyone_may_ask_shows_no_table():
    named = [name for name in METHODS if CallerRole.ANYONE in TABLE[name].roles]
    assert short(name for name, rule in TABLE.items() if CallerRole.ANYONE in rule.roles) == OPEN_TO_ANYONE
    assert not any(TABLE_ID in field.name for name in named for field in METHODS[name].input_type.fields)


def test_what_must_never_be_given_away_is_not():
    """Hands are the seat's; receipts and settlements the frontend's; only who plays tables or deals opens rounds."""
    given = {name.rpartition(".")[2]: set(rule.roles) for name, rule in TABLE.items()}
    assert given["ShufflerService/OpenHand"] == {CallerRole.SEAT}
    assert given["ShufflerService/DealRound"] == {CallerRole.FRONTEND, CallerRole.SHUFFLER}
    reported = [roles for name, roles in given.items() if re.search(r"/(Accept|Settle|Preview)", name)]
    assert reported == [{CallerRole.FRONTEND}] * 15
    assert given["LogService/ListEntries"] == {CallerRole.AUDITOR, CallerRole.ADMIN}


def test_readme_shows_the_table_as_it_is():
    """What ``referee token roles`` prints is in the server's own manual, cell for cell."""
    text = (Path(referee.v1.__file__ or "").parents[1] / "server" / "access" / "README.md").read_text(encoding="utf-8")
    assert markdown() in text

"""What a browser is answered is what gRPC answers, in each of the three protocols."""

import base64
import gzip
import json
import struct
from contextlib import ExitStack
from typing import Any, Final

import grpc
import httpx
import pytest
from google.protobuf import json_format
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_status import rpc_status

from referee.v1 import log_pb2, log_pb2_grpc, ruleset_pb2, ruleset_pb2_grpc
from referee.web.codec import STREAM_TYPES, UNARY_TYPES
from referee.web.routes import routes
from tests.waiting import until
from tests.web.doors import WATCH, frames, read_until, watch

Door = Any  # made by a fixture, and has its class in doors.py

LOG: Final = "/referee.v1.LogService"
RULESETS: Final = "/referee.v1.RulesetService"
CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


def methods() -> list[str]:
    """Return the paths of all unary methods of ``referee.v1``."""
    return sorted(path for path in routes(None) if path.startswith("/referee.v1."))  # type: ignore[arg-type] # nothing is called


def test_every_method_of_the_protos_is_reachable_and_says_what_grpc_says(door: Door) -> None:
    """Each is asked nothing at all: some answer, most refuse; code, words and details are the same four times."""
    assert len(methods()) > 35
    kinds = {"answered": 0, "refused": 0}
    for path in methods():
        expected = natively(door, path)
        kinds["answered" if expected[0] is grpc.StatusCode.OK else "refused"] += 1
        assert by_connect(door.ask(path)) == expected, path
        assert by_connect(door.ask_bytes(path)) == expected, path
        assert by_grpc_web(door.ask_web(path)) == expected, path
    assert all(count > 4 for count in kinds.values()), kinds


def test_answers_are_the_same_messages(door: Door) -> None:
    """The bytes in binary, the proto3 mapping in JSON."""
    native = ruleset_pb2_grpc.RulesetServiceStub(door.channel).ListRulesets(ruleset_pb2.ListRulesetsRequest())
    path = f"{RULESETS}/ListRulesets"
    assert ruleset_pb2.ListRulesetsResponse.FromString(door.ask_bytes(path).content) == native
    assert door.ask(path).json() == json_format.MessageToDict(native)
    (message,), trailers = door.ask_web(path)
    assert ruleset_pb2.ListRulesetsResponse.FromString(message) == native
    assert trailers["grpc-status"] == "0"
    (text,), _ = door.ask_web(path, b"{}", kind="application/grpc-web+json")
    assert json.loads(text) == json_format.MessageToDict(native)


@pytest.mark.parametrize("timeout", ["99999999H", "99999999M", "99999999S", "1H"])
def test_long_time_that_a_caller_waits_is_no_short_one(door: Door, timeout: str) -> None:
    messages, trailers = door.ask_web(f"{LOG}/GetCheckpoint", **{"grpc-timeout": timeout})
    assert (len(messages), trailers["grpc-status"]) == (1, "0"), trailers


def test_question_is_read_in_json_and_binary(door: Door) -> None:
    """Names of JSON and of the protos both count; what this version does not know is passed over, as in binary."""
    asked = ruleset_pb2.GetRulesetRequest(ruleset_id="mau_binh.classic")
    native = ruleset_pb2_grpc.RulesetServiceStub(door.channel).GetRuleset(asked)
    path = f"{RULESETS}/GetRuleset"
    assert ruleset_pb2.GetRulesetResponse.FromString(door.ask_bytes(path, asked.SerializeToString()).content) == native
    for body in ({"rulesetId": "mau_binh.classic"}, {"ruleset_id": "mau_binh.classic", "of_tomorrow": 1}):
        assert json_format.ParseDict(door.ask(path, body).json(), ruleset_pb2.GetRulesetResponse()) == native


def test_reading_methods_may_be_asked_by_get_and_no_others(door: Door) -> None:
    asked = {"encoding": "json", "message": '{"rulesetId":"mau_binh.classic"}', "connect": "v1"}
    got = door.http.get(f"{RULESETS}/GetRuleset", params=asked)
    assert got.json() == door.ask(f"{RULESETS}/GetRuleset", {"rulesetId": "mau_binh.classic"}).json()
    refused = door.http.get("/referee.v1.ShufflerService/OpenRound", params=asked | {"message": "{}"})
    assert refused.status_code == 405


def test_refusal_can_be_read_by_a_person(door: Door) -> None:
    """Plain curl shows reason and field without a decoder."""
    answer = door.ask(f"{LOG}/GetTableRound", {"round": {"tableId": "nobody", "roundNumber": "1"}})
    reported = answer.json()
    assert (answer.status_code, reported["code"]) == (400, "failed_precondition")
    info, bad = reported["details"]
    assert info["debug"] == {"reason": "NOT_OPENED", "domain": "referee.v1"}
    assert bad["debug"]["fieldViolations"][0]["field"] == "round.round_number"
    packed = base64.b64decode(info["value"] + "=" * (-len(info["value"]) % 4))
    assert error_details_pb2.ErrorInfo.FromString(packed).reason == "NOT_OPENED"


@pytest.mark.parametrize(
    "body", [b'{"tableId": 1', b'{"tableId": {}}', b'{"round": {"roundNumber": "x"}}', b"\xff", b"[]", b"null"]
)
def test_malformed_json_is_refused_with_the_reason_of_malformed_bytes(door: Door, body: bytes) -> None:
    json_kind = {"content-type": "application/json"}
    answer = door.http.post(f"{LOG}/GetTableRound", content=body, headers=json_kind)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_argument")
    assert answer.json()["details"][0]["debug"]["reason"] == "MALFORMED"
    binary = door.ask_bytes(f"{LOG}/GetTableRound", b"\xff\xff\xff")
    assert binary.json()["details"][0]["debug"]["reason"] == "MALFORMED"


def test_stream_comes_message_by_message_until_it_is_left(door: Door) -> None:
    """Health says what is so at once; the call ends at the server when the browser goes."""
    asked = struct.pack(">BI", 0, 2) + b"{}"
    kind = {"content-type": "application/connect+json"}
    with door.http.stream("POST", WATCH, content=asked, headers=kind, timeout=30) as answer:
        assert answer.status_code == 200
        first = next(answer.iter_raw())
        assert first[:1] == b"\x00"
        assert json.loads(first[5:]) == {"status": "SERVING"}
    empty, kind = struct.pack(">BI", 0, 0), {"content-type": "application/grpc-web+proto"}
    with door.http.stream("POST", WATCH, content=empty, headers=kind, timeout=30) as answer:
        frame = next(answer.iter_raw())
        assert health_pb2.HealthCheckResponse.FromString(frame[5:]).status == health_pb2.HealthCheckResponse.SERVING


def test_deadline_of_the_browser_is_the_call_s(door: Door) -> None:
    """A watch never ends by itself: a caller with a deadline learns it in time, in the protocol's own words."""
    asked = struct.pack(">BI", 0, 2) + b"{}"
    kind = {"content-type": "application/connect+json", "connect-timeout-ms": "300"}
    answer = door.http.post(WATCH, content=asked, headers=kind, timeout=60)
    flag, end = frames(answer.content)[-1]
    assert flag == 2
    assert json.loads(end)["error"]["code"] == "deadline_exceeded"
    _, trailers = door.ask_web(WATCH, **{"grpc-timeout": "300m"})
    assert trailers["grpc-status"] == str(grpc.StatusCode.DEADLINE_EXCEEDED.value[0])


def test_calls_that_last_do_not_hold_the_others_up(door: Door) -> None:
    """More streams than a connection to the service carries stand open; questions are answered all the same."""
    with ExitStack() as opened:
        watches = [opened.enter_context(watch(door.address)) for _ in range(40)]
        for one in watches:
            read_until(one, b"SERVING")
        until(lambda: watchers_of(door) == 40)  # each is counted once its first answer is on its way
        assert door.ask(f"{LOG}/GetCheckpoint").status_code == 200


def test_message_too_large_for_the_service_is_refused_with_its_reason(door: Door) -> None:
    """Up to the service's limit a question is read, beyond it the service says why; far beyond, the gateway does."""
    sizes = (1_000_000, 1_100_000, 5_000_000)
    small, large, huge = (door.ask(f"{RULESETS}/GetRuleset", {"rulesetId": "x" * size}).json() for size in sizes)
    assert (small["code"], huge["code"]) == ("not_found", "resource_exhausted")
    assert (large["code"], large["details"][0]["debug"]["reason"]) == ("resource_exhausted", "MESSAGE_TOO_LARGE")


def test_compressed_question_is_read_and_one_that_swells_refused(door: Door) -> None:
    """The limit holds for what it swells to: a megabyte of zeros has a thousand bytes."""
    path = f"{RULESETS}/GetRuleset"
    small = gzip.compress(b'{"rulesetId": "mau_binh.classic"}')
    kind = {"content-type": "application/json", "content-encoding": "gzip"}
    assert door.http.post(path, content=small, headers=kind).status_code == 200
    swelling = gzip.compress(b" " * 50_000_000 + b"{}")
    assert len(swelling) < 60_000
    assert door.http.post(path, content=swelling, headers=kind).json()["code"] == "resource_exhausted"


def test_what_is_no_call_is_not_taken_for_one(door: Door) -> None:
    assert door.ask("/referee.v1.LogService/Nothing").status_code == 404
    assert door.ask("/referee.v1.NoService/GetKeys").status_code == 404
    assert door.http.get("/").status_code == 404


@pytest.mark.parametrize(
    ("path", "kind", "allowed"),
    [
        (f"{LOG}/GetKeys", "text/plain", "application/json"),
        (f"{LOG}/GetKeys", "application/connect+json", "application/json"),
        (f"{LOG}/GetKeys", "application/grpc-web-text", "application/grpc-web"),
        (f"{LOG}/GetKeys", "", "application/proto"),
        (WATCH, "application/json", "application/connect+json"),
    ],
)
def test_content_type_that_is_no_call_s_is_refused_with_those_that_are(door: Door, path, kind, allowed) -> None:
    answer = door.http.post(path, content=b"{}", headers={"content-type": kind})
    types, message = answer.headers["accept-post"], answer.json()["message"]
    assert (answer.status_code, answer.json()["code"]) == (415, "invalid_argument")
    assert (allowed in types.split(", "), kind in types.split(", ")) == (True, False)
    assert types in message
    assert repr(kind) in message


def test_every_content_type_that_the_gateway_names_is_a_call_s(door: Door) -> None:
    assert len(UNARY_TYPES) == 5
    for kind in UNARY_TYPES:
        assert door.http.post(f"{LOG}/GetKeys", headers={"content-type": kind}).status_code != 415, kind
    assert len(STREAM_TYPES) == 5
    for kind in STREAM_TYPES:
        with door.http.stream("POST", WATCH, content=struct.pack(">BI", 0, 0), headers={"content-type": kind}) as one:
            assert one.status_code == 200, kind


@pytest.mark.parametrize("kind", ["application/grpc", "application/grpc+proto"])
def test_grpc_itself_is_sent_to_the_server_s_own_address(door: Door, kind: str) -> None:
    answer = door.http.post(f"{LOG}/GetKeys", content=b"\0\0\0\0\0", headers={"content-type": kind})
    assert answer.status_code == 415
    assert "the server's own address" in answer.json()["message"]


def test_method_of_http_that_is_no_call_s_is_refused_with_those_that_are(door: Door) -> None:
    reading = door.http.put(f"{LOG}/GetKeys", content=b"{}")
    writing = door.http.get("/referee.v1.ShufflerService/OpenRound", params={"encoding": "json", "message": "{}"})
    allowed = [(one.status_code, one.headers["allow"]) for one in (reading, writing)]
    assert allowed == [(405, "GET, POST"), (405, "POST")]
    assert reading.json() == {"code": "unimplemented", "message": "this method is called by GET or POST; found PUT"}
    bare = door.http.get(f"{LOG}/GetKeys")
    assert bare.status_code == 415
    assert "?encoding=: json, proto; found ''" in bare.json()["message"]


@pytest.mark.parametrize("game", ["MauBinh", "TienLen", "UltimateTexas"])
def test_question_about_a_round_is_in_no_url(door: Door, game: str) -> None:
    """It holds certificates, or the content that is as secret; an address is written into logs on its way."""
    answer = door.http.get(f"/referee.v1.{game}Service/PreviewRound", params={"encoding": "json", "message": "{}"})
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


def test_request_id_goes_in_and_comes_back(door: Door) -> None:
    """In the trailers of gRPC-Web, among the headers of Connect."""
    _, trailers = door.ask_web(f"{LOG}/GetKeys", **{"x-request-id": "from-the-page"})
    assert trailers["x-request-id"] == "from-the-page"
    assert door.ask(f"{LOG}/GetKeys", **{"x-request-id": "again"}).headers["trailer-x-request-id"] == "again"
    assert [call.request_id for call in door.watching.calls] == ["from-the-page", "again"]


def test_call_left_by_the_browser_is_left_at_the_service(door: Door) -> None:
    """A watch that nobody reads any more frees its place."""
    for _ in range(3):
        with ExitStack() as opened:
            for one in [opened.enter_context(watch(door.address)) for _ in range(20)]:
                read_until(one, b"SERVING")
    until(lambda: watchers_of(door) == 0)


def watchers_of(door: Door) -> int:
    """How many watches the server's health service has open."""
    return int(door.application.health.watchers)


Said = tuple[grpc.StatusCode, str, list[str]]


def natively(door: Door, path: str) -> Said:
    """Code, words and details of a call without content."""
    try:
        door.channel.unary_unary(path)(b"")
    except grpc.RpcError as error:
        status = rpc_status.from_call(error)
        return error.code(), error.details() or "", named(status.details if status else [])
    return grpc.StatusCode.OK, "", []


def by_connect(answer: httpx.Response) -> Said:
    """Return the same of an answer in Connect."""
    if answer.status_code == 200:
        return grpc.StatusCode.OK, "", []
    reported = answer.json()
    details = [f"{one['type']} {one['value'].rstrip('=')}" for one in reported.get("details", [])]
    return grpc.StatusCode[reported["code"].upper()], reported["message"], details


def by_grpc_web(answer: tuple[list[bytes], dict[str, str]]) -> Said:
    """Return the same of an answer in gRPC-Web."""
    _, trailers = answer
    code = CODES[int(trailers["grpc-status"])]
    if code is grpc.StatusCode.OK:
        return code, "", []
    packed = trailers.get("grpc-status-details-bin", "")
    status = status_pb2.Status.FromString(base64.b64decode(packed + "=" * (-len(packed) % 4)))
    return code, status.message, named(status.details)


def named(details: Any) -> list[str]:  # noqa: ANN401 - a container of protobuf's
    """Each detail as its type and its bytes."""
    return [f"{one.TypeName()} {base64.b64encode(one.value).decode().rstrip('=')}" for one in details]


def test_log_is_read_through_it_as_by_grpc(door: Door) -> None:
    """Leaves are bytes: base64 in JSON."""
    native = log_pb2_grpc.LogServiceStub(door.channel).ListEntries(log_pb2.ListEntriesRequest())
    leaves = [base64.b64decode(leaf) for leaf in door.ask(f"{LOG}/ListEntries").json()["leaves"]]
    assert leaves == list(native.leaves) != []

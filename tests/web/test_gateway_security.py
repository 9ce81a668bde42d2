"""Who gets through the door: by which name, from whose page, as whom, and what the service then knows of them."""

import secrets
import time
from collections.abc import Callable
from typing import Any, Final

import httpx
import pytest
from structlog.testing import capture_logs

from referee.server.access.token import Claims, issue
from referee.server.keys.private_key import KeySigner
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.limits import LimitSettings
from referee.service import interceptor
from referee.web.origins import MOST_NAMED

Door = Any  # made by a fixture, and has its class in doors.py
ServeWeb = Callable[..., Door]

KEYS: Final = "/referee.v1.LogService/GetKeys"
ENTRIES: Final = "/referee.v1.LogService/ListEntries"
PAGE: Final = "https://play.example.com"


@pytest.mark.parametrize(
    ("hosts", "own", "foreign"),
    [
        (
            (),
            ("localhost:1", "127.0.0.1", "[::1]:8080"),
            ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", ""),
        ),
        (
            ("play.example.com", "*.tables.example"),
            ("play.example.com", "one.tables.example:443", "localhost"),
            ("tables.example", "play.example.com.evil.example"),
        ),
    ],
    ids=["by default", "listed"],
)
def test_it_answers_only_to_its_own_names_and_those_that_the_operator_lists(serve_web: ServeWeb, hosts, own, foreign):
    """A foreign page that renames itself to 127.0.0.1 shows its own name as the host, and gets nothing."""
    door = serve_web(hosts=hosts)
    assert {host: door.ask(KEYS, host=host).status_code for host in own} == dict.fromkeys(own, 200)
    assert {host: door.ask(KEYS, host=host).status_code for host in foreign} == dict.fromkeys(foreign, 400)


def test_a_page_from_elsewhere_may_ask_only_where_it_is_listed(serve_web: ServeWeb) -> None:
    door = serve_web(origins=(PAGE,))
    asking = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,grpc-timeout,x-grpc-web,x-request-id",
    }
    allowed = door.http.options(KEYS, headers=asking | {"origin": PAGE})
    assert allowed.status_code == 200
    assert allowed.headers["access-control-allow-origin"] == PAGE
    for origin in ("https://evil.example", "null", f"{PAGE}.evil.example", "http://play.example.com"):
        refused = door.http.options(KEYS, headers=asking | {"origin": origin})
        assert refused.status_code == 400, origin
        assert "access-control-allow-origin" not in refused.headers, origin
        assert "access-control-allow-origin" not in door.ask(KEYS, origin=origin).headers, origin
    answer = door.ask(KEYS, origin=PAGE)
    assert answer.headers["access-control-allow-origin"] == PAGE
    assert "access-control-allow-credentials" not in answer.headers
    exposed = answer.headers["access-control-expose-headers"]
    assert all(name in exposed for name in ("grpc-status", "grpc-status-details-bin", "trailer-x-request-id"))


def test_without_origins_no_page_from_elsewhere_may_ask(door: Door) -> None:
    asking = {"access-control-request-method": "POST", "origin": PAGE}
    assert door.http.options(KEYS, headers=asking).status_code == 400


def test_a_refused_origin_is_named_once_with_its_remedy(serve_web: ServeWeb) -> None:
    """Only a page's question is named: not a listed page's, and not a call with an origin that any program can send."""
    door = serve_web(origins=(PAGE,))
    asking = {"access-control-request-method": "POST"}
    with capture_logs() as lines:
        for origin in ("http://localhost:5173", PAGE, "http://localhost:5173", "null"):
            door.http.options(KEYS, headers=asking | {"origin": origin})
        door.ask(KEYS, origin="https://other.example")
    refused = [line for line in lines if line["event"] == "page of another origin refused"]
    assert [(line["origin"], line["log_level"]) for line in refused] == [
        ("http://localhost:5173", "warning"),
        ("null", "warning"),
    ]
    assert "list http://localhost:5173 in web.origins" in refused[0]["remedy"]
    assert "web.origins" not in refused[1]["remedy"]


def test_refused_origins_take_bounded_memory_and_lines(serve_web: ServeWeb) -> None:
    door = serve_web()
    asking = {"access-control-request-method": "POST"}
    with capture_logs() as lines:
        for number in range(MOST_NAMED + 5):
            door.http.options(KEYS, headers=asking | {"origin": f"https://{number}.{'x' * 4000}.example"})
    assert len(lines) == MOST_NAMED
    assert ["note" in line for line in lines] == [False] * (MOST_NAMED - 1) + [True]
    assert max(len(line["origin"]) for line in lines) == 200


def test_a_form_on_a_foreign_page_asks_nothing(door: Door) -> None:
    """What a browser sends without asking first, a form or plain text, is taken by no method."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = door.http.post(KEYS, content=b"{}", headers={"content-type": kind, "origin": PAGE})
        assert answer.status_code == 415, kind
    assert door.watching.calls == []


def test_service_knows_where_the_browser_is(door: Door) -> None:
    door.ask(KEYS)
    (call,) = door.watching.calls
    assert call.peer.startswith("ipv4:127.0.0.1:")


def test_nobody_but_the_gateway_is_believed_where_a_caller_is(door: Door) -> None:
    """Neither a browser's headers nor a gRPC caller's metadata move an address, nor does a guessed pass."""
    lies = {"x-referee-forwarded-for": "ipv4:1.2.3.4:5", "x-referee-gateway": secrets.token_hex(16)}
    door.ask(KEYS, **lies, **{"x-forwarded-for": "1.2.3.4", "forwarded": "for=1.2.3.4"})
    door.channel.unary_unary(KEYS)(b"", metadata=tuple(lies.items()))
    assert [call.peer.rpartition(":")[0] for call in door.watching.calls] == ["ipv4:127.0.0.1"] * 2


def test_headers_that_a_browser_sends_by_itself_stay_at_the_door(door: Door, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cookies above all: nothing that a browser adds by itself can authenticate a person."""
    seen: list[dict[str, str]] = []
    whole = interceptor._read_metadata  # noqa: SLF001 - where metadata comes in

    def keep(method: str, metadata: Any, **more: Any) -> Any:  # noqa: ANN401 - as grpc types it
        seen.append({str(key): str(value) for key, value in metadata})
        return whole(method, metadata, **more)

    monkeypatch.setattr(interceptor, "_read_metadata", keep)
    message = {"cookie": "a=b", "referer": PAGE, "authorization": "Bearer t", "x-request-id": "r", "x-other": "o"}
    door.ask(KEYS, **message)
    (metadata,) = seen
    assert not {"cookie", "referer", "x-other", "host"} & set(metadata)
    assert (metadata["authorization"], metadata["x-request-id"]) == ("Bearer t", "r")


def test_token_of_a_browser_counts_as_any_other(serve_web: ServeWeb) -> None:
    """Without credentials a caller may call what anyone may; a refusal has a reason."""
    issuer = KeySigner("acme.example/tokens", secrets.token_bytes(32))
    access = AccessSettings(issuers=(Issuer(key=issuer.verifier_key),))
    door = serve_web(server={"access": access})
    assert door.ask(KEYS).status_code == 200
    nobody = door.ask(ENTRIES)
    assert (nobody.status_code, reason_of(nobody)) == (401, "CREDENTIALS_MISSING")
    forged = door.ask(ENTRIES, authorization="Bearer " + token(KeySigner(issuer.name, secrets.token_bytes(32))))
    assert (forged.status_code, reason_of(forged)) == (401, "CREDENTIALS_INVALID")
    known = {"authorization": f"Bearer {token(issuer)}"}
    assert door.ask(ENTRIES, **known).status_code == 200
    (messages, trailers) = door.ask_web(ENTRIES, **known)
    assert (len(messages), trailers["grpc-status"]) == (1, "0")
    assert {call.caller for call in door.watching.calls if call.role == "auditor"} == {"an auditor"}


def test_rate_is_counted_once_and_by_the_browser_s_address(serve_web: ServeWeb) -> None:
    """The burst is spent by exactly as many calls as through gRPC; the gateway itself is no caller."""
    door = serve_web(server={"limits": LimitSettings(calls_per_second=0.01, burst=3)})
    answers = [door.ask(KEYS) for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert reason_of(answers[3]) == "RATE_LIMITED"
    retry = next(one for one in answers[3].json()["details"] if one["type"] == "google.rpc.RetryInfo")
    assert retry["debug"]["retryDelay"].endswith("s")


def token(issuer: KeySigner) -> str:
    """Issue an auditor's token for an hour."""
    now = int(time.time())
    claims = Claims(
        id=secrets.token_hex(4),
        issuer=issuer.name,
        name="an auditor",
        role=CallerRole.AUDITOR,
        tenant="*",
        not_before=now - 60,
        expires=now + 3600,
    )
    return issue(claims, issuer)


def reason_of(answer: httpx.Response) -> str:
    """Why it was refused."""
    return str(answer.json()["details"][0]["debug"]["reason"])

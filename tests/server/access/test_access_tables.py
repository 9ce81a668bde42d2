"""Nobody reads another's hand or table: rounds on one server, asked for by those who own them and those who do not."""

import json
import os
import urllib.request
from hashlib import sha256
from typing import Any

import grpc
import pytest
import structlog

from referee.evidence.dsse import Envelope
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.limits import LimitSettings
from referee.service.call import current
from referee.v1 import (
    log_pb2,
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
)
from referee.v1.log_pb2_grpc import LogServiceStub
from tests.driver.abridging import course_of
from tests.driver.opening import open_round, terms_of


def hidden(token: bytes, *, round_id: bytes, seat: int) -> bytes:
    """TH("seat-token", round_id, seat, token), spelled out."""
    tag = b"referee/v1/seat-token"
    fields = b"".join(len(one).to_bytes(4, "big") + one for one in (round_id, bytes([seat]), token))
    return sha256(bytes([len(tag)]) + tag + b"\x03" + fields).digest()


def refused(call, reason):
    """Why the call was refused; the test fails where it was answered."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return reason(caught.value)


class Sealed:
    """A sealed round of Mậu Binh at a table of one tenant, dealt, and the tokens that its seats have."""

    def __init__(self, guarded, table: str) -> None:
        self.table, tenant = table, table.partition(".")[0]
        self.guarded = guarded
        self.frontend = guarded.bearing(guarded.mint.token("frontend", tenant))
        shuffler = shuffler_pb2_grpc.ShufflerServiceStub(self.frontend)
        terms = terms_of(table)
        prepared = shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms))
        self.secrets = [os.urandom(32) for _ in range(2)]
        hashes = [hidden(one, round_id=prepared.round_id, seat=seat) for seat, one in enumerate(self.secrets)]
        self.opened = open_round(shuffler, prepared.header, tokens=hashes, commitments=[b"", b""])
        self.number = prepared.header.round_number
        self.dealt = shuffler.DealRound(
            shuffler_pb2.DealRoundRequest(
                table_id=table, round_number=self.number, client_seeds=[os.urandom(32) for _ in range(2)]
            )
        )

    def seat(self, seat: int) -> grpc.Channel:
        """Return a channel for the seat in this round."""
        tenant = self.table.partition(".")[0]
        place = {"table": self.table, "round": self.number, "seat": seat}
        return self.guarded.bearing(self.guarded.mint.token("seat", tenant, **place))

    def open(self, channel: grpc.Channel, seat: int, *, secret: int | None = None) -> shuffler_pb2.OpenHandResponse:
        """Open the hand of a seat with its secret or another's."""
        request = shuffler_pb2.OpenHandRequest(
            table_id=self.table,
            round_number=self.number,
            seat=seat,
            token=self.secrets[seat if secret is None else secret],
        )
        return shuffler_pb2_grpc.ShufflerServiceStub(channel).OpenHand(request)


@pytest.fixture
def sealed(guarded) -> Sealed:
    """Return a dealt round at a table of acme's, that no hand wins at the deal."""
    while True:
        made = Sealed(guarded, f"acme.{os.urandom(8).hex()}")
        if not made.dealt.hands:
            return made


def test_hand_opens_for_its_own_seat_alone(guarded, sealed, reason):
    """With the seat's own secret in hand nobody else gets it: no other seat, no frontend, no admin, no stranger."""
    for seat in (0, 1):
        hand = sealed.open(sealed.seat(seat), seat)
        assert len(hand.hand.cards) == 13
        assert refused(lambda seat=seat: sealed.open(sealed.seat(1 - seat), seat), reason) == "SEAT_FORBIDDEN"
        wrong = refused(lambda seat=seat: sealed.open(sealed.seat(seat), seat, secret=1 - seat), reason)
        assert wrong == "WRONG_TOKEN"
    for role, tenant in (("frontend", "acme"), ("admin", "*"), ("auditor", "*"), ("shuffler", "acme")):
        other = guarded.bearing(guarded.mint.token(role, tenant))
        assert refused(lambda other=other: sealed.open(other, 0), reason) == "ROLE_FORBIDDEN"
    assert refused(lambda: sealed.open(guarded.channel, 0), reason) == "CREDENTIALS_MISSING"


def test_seat_checks_and_asks_advice_for_its_own_hand_alone(sealed, reason):
    """By its own certificate; alone and in a batch in which another seat's question hides behind its own."""
    channel = sealed.seat(0)
    hand = sealed.open(channel, 0)
    message = mau_binh_pb2.MauBinhRound(header=sealed.opened.header, certificates=[hand.certificate])
    cards = list(hand.hand.cards)
    laid = mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:])
    stub = mau_binh_pb2_grpc.MauBinhServiceStub(channel)

    def question(seat: int) -> mau_binh_pb2.CheckArrangementRequest:
        return mau_binh_pb2.CheckArrangementRequest(round=message, seat=seat, arrangement=laid)

    assert stub.CheckArrangement(question(0)).acceptable
    assert refused(lambda: stub.CheckArrangement(question(1)), reason) == "SEAT_FORBIDDEN"
    batch = mau_binh_pb2.CheckArrangementsRequest(requests=[question(0), question(0), question(1)])
    assert refused(lambda: stub.CheckArrangements(batch), reason) == "SEAT_FORBIDDEN"
    for seat, expected in ((0, ""), (1, "SEAT_FORBIDDEN")):
        dealt = mau_binh_pb2.DealtHand(round=message, seat=seat)
        request = mau_binh_pb2.SuggestArrangementRequest(dealt=dealt, count=1)
        if expected:
            assert refused(lambda request=request: stub.SuggestArrangement(request), reason) == expected
        else:
            assert len(stub.SuggestArrangement(request).suggestions) == 1
    free = mau_binh_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2, stake_minor=10)
    assert stub.SuggestArrangement(mau_binh_pb2.SuggestArrangementRequest(free=free)).suggestions


def test_another_tenants_frontend_reads_and_moves_nothing(guarded, sealed, reason):
    """Not the round by the log, not its reveal or its end, not its settlement in the middle of its own batch."""
    other = guarded.bearing(guarded.mint.token("frontend", "bcme"))
    name = {"table_id": sealed.table, "round_number": sealed.number}
    shuffler, log = shuffler_pb2_grpc.ShufflerServiceStub(other), LogServiceStub(other)
    own = mau_binh_pb2.MauBinhRound(header=sealed.opened.header, certificates=[sealed.dealt.certificate])
    mine = mau_binh_pb2.MauBinhRound(header=sealed.opened.header, certificates=[sealed.dealt.certificate])
    mine.header.table_id = "bcme.1"
    settle = mau_binh_pb2.MauBinhServiceSettleRoundRequest
    batch = mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[settle(round=mine), settle(round=own)])
    stub = mau_binh_pb2_grpc.MauBinhServiceStub(other)
    course = course_of(own)
    frontend = mau_binh_pb2_grpc.MauBinhServiceStub(sealed.frontend)
    by_course = mau_binh_pb2.MauBinhRound(course=course)
    frontend.SettleRound(settle(round=own))  # which the server now remembers
    assert frontend.SettleRound(settle(round=by_course)).violations
    calls = (
        lambda: log.GetTableRound(log_pb2.GetTableRoundRequest(**name)),
        lambda: log.GetTableRound(log_pb2.GetTableRoundRequest(table_id=sealed.table)),
        lambda: shuffler.DealRound(shuffler_pb2.DealRoundRequest(**name)),
        lambda: shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**name, reason=shuffler_pb2.ABORT_REASON_OPERATOR)),
        lambda: shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(**name)),
        lambda: open_round(shuffler, sealed.opened.header),
        lambda: stub.SettleRound(settle(round=own)),
        lambda: stub.SettleRounds(batch),
        lambda: stub.SettleRound(settle(round=by_course)),
    )
    assert [refused(call, reason) for call in calls] == ["TABLE_FORBIDDEN"] * len(calls)
    course.table_id = mine.header.table_id  # a table of its own with the other's course
    by_course.course.CopyFrom(course)
    assert refused(lambda: stub.SettleRound(settle(round=by_course)), reason) == "ROUND_UNKNOWN"
    found = LogServiceStub(sealed.frontend).GetTableRound(log_pb2.GetTableRoundRequest(**name))
    assert found.stage == log_pb2.ROUND_STAGE_DEALT


@pytest.mark.parametrize("role", ["frontend", "shuffler"])
def test_deal_of_a_lost_frontend_is_answered_again(guarded, reason, role):
    """For callers who may deal at the table, from the leaf that is logged; a seat and another tenant get nothing."""
    table = f"acme.{os.urandom(8).hex()}"
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(guarded.bearing(guarded.mint.token(role)))
    open_round(shuffler, terms_of(table, ruleset_id="tien_len.mien_nam"))
    again = shuffler_pb2.DealRoundRequest(table_id=table, round_number=1)
    assert refused(lambda: shuffler.DealRound(again), reason) == "SEED_MISSING"
    seeds = [os.urandom(32) for _ in range(2)]
    dealt = shuffler.DealRound(shuffler_pb2.DealRoundRequest(table_id=table, round_number=1, client_seeds=seeds))
    found = shuffler.DealRound(again)
    assert (found.certificate, found.dealt_time, list(found.hands)) == (
        dealt.certificate,
        dealt.dealt_time,
        list(dealt.hands),
    )
    place = {"table": table, "round": 1, "seat": 0}
    seat = guarded.bearing(guarded.mint.token("seat", **place))
    other = guarded.bearing(guarded.mint.token(role, "bcme"))
    for channel, why in ((seat, "ROLE_FORBIDDEN"), (other, "TABLE_FORBIDDEN")):
        stub = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        assert refused(lambda stub=stub: stub.DealRound(again), reason) == why


def test_deal_of_a_sealed_table_asked_again_opens_no_hand(sealed):
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(sealed.frontend)
    found = shuffler.DealRound(shuffler_pb2.DealRoundRequest(table_id=sealed.table, round_number=sealed.number))
    assert not found.hands
    assert found.certificate == sealed.dealt.certificate
    assert json.loads(Envelope.parse(found.certificate).payload)["sections"] == []


def test_forbidden_role_reads_the_method_and_the_roles_that_may(guarded):
    log = LogServiceStub(guarded.bearing(guarded.mint.token("frontend")))
    with pytest.raises(grpc.RpcError) as caught:
        log.ListEntries(log_pb2.ListEntriesRequest())
    assert caught.value.details() == (
        "a caller with the role frontend may not call LogService.ListEntries; roles that may: auditor, admin"
    )


@pytest.mark.parametrize("role", ["seat", "frontend", "shuffler"])
def test_roles_at_a_table_read_all_that_proves_its_rounds(guarded, sealed, role):
    """Keys with the leaves that name them, the table's own leaves, and proofs for each, up to the checkpoint."""
    place = {"table": sealed.table, "round": sealed.number, "seat": 0} if role == "seat" else {}
    log = LogServiceStub(guarded.bearing(guarded.mint.token(role, **place)))
    keys = log.GetKeys(log_pb2.GetKeysRequest())
    name = {"table_id": sealed.table, "round_number": sealed.number}
    leaves = log.GetTableRound(log_pb2.GetTableRoundRequest(**name)).leaves
    assert len(keys.key_leaves) >= 3
    assert len(leaves) == 2
    for one in (*keys.key_leaves, *leaves):
        proof = log.GetInclusionProof(log_pb2.GetInclusionProofRequest(leaf_index=one.leaf_index))
        assert proof.leaf_hash == one.leaf_hash
    assert log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint


def test_seat_finds_its_own_round_in_the_log_and_no_other(sealed, reason):
    log = LogServiceStub(sealed.seat(0))
    name = {"table_id": sealed.table, "round_number": sealed.number}
    assert log.GetTableRound(log_pb2.GetTableRoundRequest(**name)).round_id == sealed.opened.round_id
    for other in ({"round_number": sealed.number + 1}, {"round_number": 0}, {"table_id": "acme.none"}):
        request = log_pb2.GetTableRoundRequest(**name | other)
        assert refused(lambda request=request: log.GetTableRound(request), reason) == "TABLE_FORBIDDEN"


def test_pattern_narrows_a_tenants_tables(guarded):
    token = guarded.mint.token("frontend", tables="acme.vip-*")
    method = "/referee.v1.LogService/GetTableRound"

    def found(table: str) -> str:
        request = log_pb2.GetTableRoundRequest(table_id=table).SerializeToString()
        return str(guarded.ask(method, request, token=token)[1])

    assert [found(table) for table in ("acme.vip-1", "acme.vip-", "acme.vip", "acme.1", "bcme.vip-1")] == [
        "NOT_OPENED",
        "NOT_OPENED",
        "TABLE_FORBIDDEN",
        "TABLE_FORBIDDEN",
        "TABLE_FORBIDDEN",
    ]


@pytest.mark.parametrize("is_public", [False, True])
def test_leaves_are_for_auditors_of_all_tenants_or_public(guard, tmp_path, mint_type, is_public):
    """An auditor of one tenant has that tenant's rounds, and not the leaves of all."""
    mint = mint_type()
    access = AccessSettings(issuers=(Issuer(key=mint.key),), public_log=is_public)
    with guard(tmp_path, access=access) as server:
        tokens = {"all": mint.token("auditor", "*"), "one": mint.token("auditor"), "nobody": ""}
        found = {
            name: server.ask("/referee.v1.LogService/ListEntries", token=token)[1] for name, token in tokens.items()
        }
    expected = {"all": "", "one": "TABLE_FORBIDDEN", "nobody": "CREDENTIALS_MISSING"}
    assert found == (dict.fromkeys(tokens, "") if is_public else expected)


def test_observers_see_who_called_and_never_the_credentials(guard, tmp_path, mint_type):
    """Name, role and tenant; the address is beside them, and the token nowhere."""

    class Watch:
        def __init__(self) -> None:
            self.calls: list[Any] = []

        def began(self, call) -> None:
            assert current() is call

        def ended(self, call) -> None:
            self.calls.append(call)

        def probe(self, step) -> None:
            pass

        def committed(self, requests) -> None:
            pass

        def close(self) -> None:
            pass

    watch, mint = Watch(), mint_type()
    token = mint.token("auditor", "*", sub="an")
    with guard(tmp_path, observers=[watch]) as server:
        for shown in (token, token, ""):
            server.ask("/referee.v1.LogService/ListEntries", token=shown)
    message = [(call.caller, call.role, call.tenant, call.code) for call in watch.calls]
    assert message[:2] == [("an", "auditor", "*", "OK")] * 2
    assert message[2][1:] == ("anyone", "", "UNAUTHENTICATED")
    assert message[2][0].startswith("ipv4:127.0.0.1:")
    assert not any(token[-20:] in repr(call) for call in watch.calls)


def test_figures_count_calls_by_role(guard, tmp_path, mint_type):
    """Of callers whose role is known; anyone is a role too."""
    mint = mint_type()
    with guard(tmp_path, metrics="127.0.0.1:0") as server:
        for token in (mint.token("auditor", "*"), mint.token("frontend"), ""):
            server.ask("/referee.v1.LogService/ListEntries", token=token)
        with urllib.request.urlopen(f"http://127.0.0.1:{server.app.metrics_port}/metrics") as answer:
            text = answer.read().decode()
    for role, code in (("auditor", "OK"), ("frontend", "PERMISSION_DENIED"), ("anyone", "UNAUTHENTICATED")):
        assert f'referee_calls_by_role_total{{code="{code}",role="{role}"}} 1.0' in text


def test_gateway_is_believed_where_its_callers_are_and_nobody_else(guard, tmp_path):
    """Its pass makes its word count for log lines and limits; who only claims to be forwarded stays who it is."""
    shows = os.urandom(8).hex()
    limits = LimitSettings(calls_per_second=0.001, burst=2)
    forwarded = ("x-referee-forwarded-for", "ipv4:203.0.113.7:4711")
    method = "/referee.v1.LogService/GetKeys"
    with guard(tmp_path, access=AccessSettings(), limits=limits, gateway_pass=shows) as server:
        shown = [forwarded, ("x-referee-gateway", shows)]
        assert [server.ask(method, metadata=shown)[0] for _ in range(3)] == ["OK", "OK", "RESOURCE_EXHAUSTED"]
        other = [("x-referee-forwarded-for", "ipv4:203.0.113.8:4711"), ("x-referee-gateway", shows)]
        assert server.ask(method, metadata=other)[0] == "OK"
        claimed = [[("x-referee-forwarded-for", f"ipv4:203.0.113.{last}:1")] for last in range(3)]
        claimed[1].append(("x-referee-gateway", "guess"))
        assert [server.ask(method, metadata=one)[0] for one in claimed] == ["OK", "OK", "RESOURCE_EXHAUSTED"]


def test_line_of_a_call_names_its_caller_and_not_the_token(guarded):
    """Answered, refused for its role, and refused for a token that is none; the address is beside the name."""
    token = guarded.mint.token("frontend", sub="an")
    with structlog.testing.capture_logs() as lines:
        guarded.ask("/referee.v1.SeatingService/DecideSeating", token=token)
        guarded.ask("/referee.v1.LogService/ListEntries", token=token)
        guarded.ask("/referee.v1.LogService/ListEntries", token=f"{token}A")
    assert [line.get("role") for line in lines] == ["frontend", "frontend", None]
    assert [line["caller"] for line in lines[:2]] == ["an", "an"]
    assert all(line["peer"].startswith("ipv4:127.0.0.1:") for line in lines[:2])
    assert {line["tenant"] for line in lines[:2]} == {"acme"}
    parts = [token, *token.split(".")]
    assert not any(part[:24] in repr(line) for line in lines for part in parts)


def test_who_is_known_is_refused_before_the_queue_and_who_is_not_behind_it(guard, tmp_path, mint_type):
    """A remembered token is asked for its role although the queue is full; an unknown one costs no proof then."""
    mint = mint_type()
    token, other = mint.token("auditor"), mint.token("auditor")
    method, own = "/referee.v1.ShufflerService/OpenRound", "/referee.v1.LogService/GetKeys"
    with guard(tmp_path) as server:
        assert server.ask(own, token=token) == ("OK", "")
        server.app.pool.queue = 0
        assert server.ask(method, token=token) == ("PERMISSION_DENIED", "ROLE_FORBIDDEN")
        assert server.ask(own, token=token) == ("RESOURCE_EXHAUSTED", "OVERLOADED")
        assert server.ask(method, token=other) == ("RESOURCE_EXHAUSTED", "OVERLOADED")

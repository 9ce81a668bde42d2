"""Nobody reads another's hand or table: rounds on one server, asked for by those who own them and those who do not."""

import itertools
import json
import urllib.request
from typing import Any, ClassVar

import grpc
import pytest
import structlog

from referee.evidence.dsse import Envelope
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.limits import LimitSettings
from referee.service.call import current
from referee.v1 import (
    advice_pb2,
    advice_pb2_grpc,
    log_pb2,
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
)
from referee.v1.log_pb2_grpc import LogServiceStub
from tests.driver.messages import terms_of
from tests.driver.refusal import refusal_of
from tests.randomness import random_from
from tests.server.access.guarded import Guarded, guard
from tests.server.access.mint import Mint
from tests.server.observing import Quiet
from tests.service.abridging import course_of
from tests.service.opening import deal_round, open_round
from tests.service.stubs import Stubs
from tests.service.table import Table

ENTRIES = "/referee.v1.LogService/ListEntries"
KEYS = "/referee.v1.LogService/GetKeys"
TABLES = itertools.count(1)


class Sealed(Table):
    """A sealed round of Mậu Binh at a table of one tenant, dealt by its frontend."""

    def __init__(self, guarded: Guarded, table: str) -> None:
        self.guarded, self.tenant = guarded, table.partition(".")[0]
        self.frontend = guarded.bearing(guarded.mint.token("frontend", self.tenant))
        super().__init__(Stubs(self.frontend), name=table, keyed=False, sealed=True)
        self.open()
        self.deal(self.deal_request())

    def seat(self, seat: int) -> grpc.Channel:
        """Return a channel for the seat in this round."""
        place = {"table": self.name, "round": self.header.round.round_number, "seat": seat}
        return self.guarded.bearing(self.guarded.mint.token("seat", self.tenant, **place))

    def open_by(self, channel: grpc.Channel, seat: int, *, secret: int | None = None) -> shuffler_pb2.OpenHandResponse:
        """Open the hand of a seat with its secret or another's, as the caller of a channel."""
        token = self.players[seat if secret is None else secret].token
        request = shuffler_pb2.OpenHandRequest(**self.slot, seat=seat, token=token)
        return shuffler_pb2_grpc.ShufflerServiceStub(channel).OpenHand(request)


@pytest.fixture
def sealed(guarded) -> Sealed:
    """Return a dealt round at a table of acme's, that no hand wins at the deal."""
    while True:
        made = Sealed(guarded, f"acme.table-{next(TABLES)}")
        if not made.dealt.hands:
            return made


def test_hand_opens_for_its_own_seat_alone(guarded, sealed):
    """With the seat's own secret in hand nobody else gets it: no other seat, no frontend, no admin, no stranger."""
    for seat in (0, 1):
        hand = sealed.open_by(sealed.seat(seat), seat)
        assert len(hand.hand.cards) == 13
        assert refusal_of(sealed.open_by, sealed.seat(1 - seat), seat).reason == "SEAT_FORBIDDEN"
        assert refusal_of(sealed.open_by, sealed.seat(seat), seat, secret=1 - seat).reason == "WRONG_TOKEN"
    for role, tenant in (("frontend", "acme"), ("admin", "*"), ("auditor", "*"), ("shuffler", "acme")):
        other = guarded.bearing(guarded.mint.token(role, tenant))
        assert refusal_of(sealed.open_by, other, 0).reason == "ROLE_FORBIDDEN"
    assert refusal_of(sealed.open_by, guarded.channel, 0).reason == "CREDENTIALS_MISSING"


def test_seat_checks_and_asks_advice_for_its_own_hand_alone(sealed):
    """By its own certificate; alone and in a batch in which another seat's question hides behind its own."""
    channel = sealed.seat(0)
    hand = sealed.open_by(channel, 0)
    message = mau_binh_pb2.MauBinhRound(header=sealed.opened.header, certificates=[hand.certificate])
    cards = list(hand.hand.cards)
    laid = mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:])
    stub = mau_binh_pb2_grpc.MauBinhServiceStub(channel)

    def question(seat: int) -> mau_binh_pb2.CheckArrangementRequest:
        return mau_binh_pb2.CheckArrangementRequest(round=message, seat=seat, arrangement=laid)

    assert stub.CheckArrangement(question(0)).acceptable
    assert refusal_of(stub.CheckArrangement, question(1)).reason == "SEAT_FORBIDDEN"
    batch = mau_binh_pb2.CheckArrangementsRequest(requests=[question(0), question(0), question(1)])
    assert refusal_of(stub.CheckArrangements, batch).reason == "SEAT_FORBIDDEN"
    own, other = (advice_pb2.DealtHand(round=message, seat=seat) for seat in (0, 1))
    suggest, adviser = advice_pb2.SuggestArrangementRequest, advice_pb2_grpc.AdviceServiceStub(channel)
    assert len(adviser.SuggestArrangement(suggest(dealt=own, count=1)).suggestions) == 1
    assert refusal_of(adviser.SuggestArrangement, suggest(dealt=other, count=1)).reason == "SEAT_FORBIDDEN"
    free = advice_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2, stake_minor=10)
    assert adviser.SuggestArrangement(suggest(free=free)).suggestions


def test_another_tenants_frontend_reads_and_moves_nothing(guarded, sealed):
    """Not the round by the log, not its reveal or its end, not its settlement in the middle of its own batch."""
    other, name = guarded.bearing(guarded.mint.token("frontend", "bcme")), sealed.slot
    shuffler, log = shuffler_pb2_grpc.ShufflerServiceStub(other), LogServiceStub(other)
    own = mau_binh_pb2.MauBinhRound(header=sealed.opened.header, certificates=[sealed.dealt.certificate])
    mine = mau_binh_pb2.MauBinhRound(header=sealed.opened.header, certificates=[sealed.dealt.certificate])
    mine.header.round.table_id = "bcme.1"
    settle = mau_binh_pb2.MauBinhServiceSettleRoundRequest
    batch = mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[settle(round=mine), settle(round=own)])
    stub, frontend = map(mau_binh_pb2_grpc.MauBinhServiceStub, (other, sealed.frontend))
    course = course_of(own)
    by_course = mau_binh_pb2.MauBinhRound(course=course)
    frontend.SettleRound(settle(round=own))  # which the server now remembers
    assert frontend.SettleRound(settle(round=by_course)).violations
    calls = (
        lambda: log.GetTableRound(log_pb2.GetTableRoundRequest(**name)),
        lambda: log.GetTableRound(log_pb2.GetTableRoundRequest(table_id=sealed.name)),
        lambda: shuffler.DealRound(shuffler_pb2.DealRoundRequest(**name)),
        lambda: shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**name, reason=shuffler_pb2.ABORT_REASON_OPERATOR)),
        lambda: shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(**name)),
        lambda: open_round(shuffler, sealed.opened.header),
        lambda: stub.SettleRound(settle(round=own)),
        lambda: stub.SettleRounds(batch),
        lambda: stub.SettleRound(settle(round=by_course)),
    )
    assert [refusal_of(call).reason for call in calls] == ["TABLE_FORBIDDEN"] * len(calls)
    course.round.table_id = mine.header.round.table_id  # a table of its own with the other's course
    by_course.course.CopyFrom(course)
    assert refusal_of(stub.SettleRound, settle(round=by_course)).reason == "ROUND_UNKNOWN"
    found = LogServiceStub(sealed.frontend).GetTableRound(log_pb2.GetTableRoundRequest(**name))
    assert found.stage == log_pb2.ROUND_STAGE_DEALT


@pytest.mark.parametrize("role", ["frontend", "shuffler"])
def test_deal_of_a_lost_frontend_is_answered_again(guarded, role):
    """For callers who may deal at the table, from the leaf that is logged; a seat and another tenant get nothing."""
    table = f"acme.table-{next(TABLES)}"
    shuffler = shuffler_pb2_grpc.ShufflerServiceStub(guarded.bearing(guarded.mint.token(role)))
    opened = open_round(shuffler, terms_of(table, ruleset_id="tien_len.mien_nam"))
    again = shuffler_pb2.DealRoundRequest(round={"table_id": table, "round_number": 1})
    assert refusal_of(shuffler.DealRound, again).reason == "SEED_MISSING"
    dealt = deal_round(shuffler, opened)
    found = shuffler.DealRound(again)
    assert (found.certificate, found.dealt_time, found.hands) == (dealt.certificate, dealt.dealt_time, dealt.hands)
    seat = guarded.mint.token("seat", table=table, round=1, seat=0)
    for token, why in ((seat, "ROLE_FORBIDDEN"), (guarded.mint.token(role, "bcme"), "TABLE_FORBIDDEN")):
        stub = shuffler_pb2_grpc.ShufflerServiceStub(guarded.bearing(token))
        assert refusal_of(stub.DealRound, again).reason == why


def test_deal_of_a_sealed_table_asked_again_opens_no_hand(sealed):
    found = sealed.shuffler.DealRound(shuffler_pb2.DealRoundRequest(**sealed.slot))
    assert (list(found.hands), found.certificate) == ([], sealed.dealt.certificate)
    assert json.loads(Envelope.parse(found.certificate).payload)["sections"] == []


def test_forbidden_role_reads_the_method_and_the_roles_that_may(guarded):
    log = LogServiceStub(guarded.bearing(guarded.mint.token("frontend")))
    assert refusal_of(log.ListEntries, log_pb2.ListEntriesRequest()).message == (
        "a caller with the role frontend may not call LogService.ListEntries; roles that may: auditor, admin"
    )


@pytest.mark.parametrize("role", ["seat", "frontend", "shuffler"])
def test_roles_at_a_table_read_all_that_proves_its_rounds(guarded, sealed, role):
    """Keys with the leaves that name them, the table's own leaves, and proofs for each, up to the checkpoint."""
    place = {"table": sealed.name, "round": sealed.header.round.round_number, "seat": 0} if role == "seat" else {}
    log = LogServiceStub(guarded.bearing(guarded.mint.token(role, **place)))
    keys = log.GetKeys(log_pb2.GetKeysRequest())
    leaves = log.GetTableRound(log_pb2.GetTableRoundRequest(**sealed.slot)).leaves
    assert (len(keys.key_leaves) >= 3, len(leaves)) == (True, 2)
    for one in (*keys.key_leaves, *leaves):
        proof = log.GetInclusionProof(log_pb2.GetInclusionProofRequest(leaf_index=one.leaf_index))
        assert proof.leaf_hash == one.leaf_hash
    assert log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint


def test_seat_finds_its_own_round_in_the_log_and_no_other(sealed):
    log = LogServiceStub(sealed.seat(0))
    assert log.GetTableRound(log_pb2.GetTableRoundRequest(**sealed.slot)).round_id == sealed.opened.round_id
    number = sealed.header.round.round_number
    for other in ((sealed.name, number + 1), (sealed.name, 0), ("acme.none", number)):
        request = log_pb2.GetTableRoundRequest(round=dict(zip(("table_id", "round_number"), other, strict=True)))
        assert refusal_of(log.GetTableRound, request).reason == "TABLE_FORBIDDEN"


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        *(("acme.vip-1", "NOT_OPENED"), ("acme.vip-", "NOT_OPENED")),
        *((table, "TABLE_FORBIDDEN") for table in ("acme.vip", "acme.1", "bcme.vip-1")),
    ],
)
def test_pattern_narrows_a_tenants_tables(guarded, table, reason):
    token = guarded.mint.token("frontend", tables="acme.vip-*")
    request = log_pb2.GetTableRoundRequest(table_id=table).SerializeToString()
    assert guarded.ask("/referee.v1.LogService/GetTableRound", request, token=token)[1] == reason


@pytest.mark.parametrize("is_public", [False, True])
def test_leaves_are_for_auditors_of_all_tenants_or_public(tmp_path, is_public):
    """An auditor of one tenant has that tenant's rounds, and not the leaves of all."""
    mint = Mint()
    access = AccessSettings(issuers=(Issuer(key=mint.key),), public_log=is_public)
    with guard(tmp_path, access=access) as server:
        tokens = (mint.token("auditor", "*"), mint.token("auditor"), "")
        found = [server.ask(ENTRIES, token=token)[1] for token in tokens]
    assert found == ([""] * 3 if is_public else ["", "TABLE_FORBIDDEN", "CREDENTIALS_MISSING"])


def test_observers_see_who_called_and_never_the_credentials(tmp_path):
    """Name, role and tenant; the address is beside them, and the token nowhere."""

    class Watch(Quiet):
        calls: ClassVar[list[Any]] = []

        def began(self, call) -> None:
            assert current() is call

        def ended(self, call) -> None:
            self.calls.append(call)

    watch = Watch()
    token = Mint().token("auditor", "*", sub="an")
    with guard(tmp_path, observers=[watch]) as server:
        for shown in (token, token, ""):
            server.ask(ENTRIES, token=shown)
    message = [(call.caller, call.role, call.tenant, call.code) for call in watch.calls]
    assert message[:2] == [("an", "auditor", "*", "OK")] * 2
    assert message[2][1:] == ("anyone", "", "UNAUTHENTICATED")
    assert message[2][0].startswith("ipv4:127.0.0.1:")
    assert not any(token[-20:] in repr(call) for call in watch.calls)


def test_figures_count_calls_by_role(tmp_path):
    """Of callers whose role is known; anyone is a role too."""
    mint = Mint()
    with guard(tmp_path, metrics="127.0.0.1:0") as server:
        for token in (mint.token("auditor", "*"), mint.token("frontend"), ""):
            server.ask(ENTRIES, token=token)
        with urllib.request.urlopen(f"http://127.0.0.1:{server.app.metrics_port}/metrics") as answer:
            text = answer.read().decode()
    for role, code in (("auditor", "OK"), ("frontend", "PERMISSION_DENIED"), ("anyone", "UNAUTHENTICATED")):
        assert f'referee_calls_by_role_total{{code="{code}",role="{role}"}} 1.0' in text


def test_gateway_is_believed_where_its_callers_are_and_nobody_else(tmp_path):
    """Its pass makes its word count for log lines and limits; who only claims to be forwarded stays who it is."""
    shows = random_from("pass").randbytes(8).hex()
    limits = LimitSettings(calls_per_second=0.001, burst=2)
    seven, eight, *claimed = [[("x-referee-forwarded-for", f"ipv4:203.0.113.{last}:1")] for last in (7, 8, 0, 1, 2)]
    seven.append(("x-referee-gateway", shows))
    eight.append(("x-referee-gateway", shows))
    claimed[1].append(("x-referee-gateway", "guess"))
    with guard(tmp_path, access=AccessSettings(), limits=limits, gateway_pass=shows) as server:
        assert [server.ask(KEYS, metadata=seven)[0] for _ in range(3)] == ["OK", "OK", "RESOURCE_EXHAUSTED"]
        assert server.ask(KEYS, metadata=eight)[0] == "OK"
        assert [server.ask(KEYS, metadata=one)[0] for one in claimed] == ["OK", "OK", "RESOURCE_EXHAUSTED"]


def test_line_of_a_call_names_its_caller_and_not_the_token(guarded):
    """Answered, refused for its role, and refused for a token that is none; the address is beside the name."""
    token = guarded.mint.token("frontend", sub="an")
    with structlog.testing.capture_logs() as lines:
        guarded.ask("/referee.v1.SeatingService/DecideSeating", token=token)
        guarded.ask(ENTRIES, token=token)
        guarded.ask(ENTRIES, token=f"{token}A")
    assert [line.get("role") for line in lines] == ["frontend", "frontend", None]
    assert [line["caller"] for line in lines[:2]] == ["an", "an"]
    assert all(line["peer"].startswith("ipv4:127.0.0.1:") for line in lines[:2])
    assert {line["tenant"] for line in lines[:2]} == {"acme"}
    parts = [token, *token.split(".")]
    assert not any(part[:24] in repr(line) for line in lines for part in parts)


def test_who_is_known_is_refused_before_the_queue_and_who_is_not_behind_it(tmp_path):
    """A remembered token is asked for its role although the queue is full; an unknown one costs no proof then."""
    mint, method = Mint(), "/referee.v1.ShufflerService/OpenRound"
    token, other = mint.token("auditor"), mint.token("auditor")
    with guard(tmp_path) as server:
        assert server.ask(KEYS, token=token) == ("OK", "")
        server.app.pool.queue = 0
        assert server.ask(method, token=token) == ("PERMISSION_DENIED", "ROLE_FORBIDDEN")
        assert server.ask(KEYS, token=token) == ("RESOURCE_EXHAUSTED", "OVERLOADED")
        assert server.ask(method, token=other) == ("RESOURCE_EXHAUSTED", "OVERLOADED")

"""Amounts and times in another unit are refused by the name of their field, by the SDK and by the server."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from referee_client import BadRequestError, Bet, Client
from referee_client.messages import log_pb2, log_pb2_grpc, shuffler_pb2
from referee_harness import Harness

from tests.clients_python.playing import binh
from tests.driver.messages import method_of

SECONDS = 1_800_000_000
MILLISECONDS = f"milliseconds since 1970 UTC, not seconds: {SECONDS * 1000}"
WHOLE = "minor units of the currency, such as cents, a whole number from 0 to 2^53-1"


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"stake": 0.5}, f"stake is 0.5; give {WHOLE}"),
        ({"stake": -5}, f"stake is -5; give {WHOLE}"),
        ({"stake": "100"}, f"stake is '100'; give {WHOLE}"),
        ({"stake": 2**53}, f"stake is {2**53}; give {WHOLE}"),
        ({"seats": -2}, "seats is -2; give the number of seats"),
        ({"bets": [Bet(ante=20), Bet(ante=-20)]}, f"bets[1].ante is -20; give {WHOLE}"),
        ({"bets": [Bet(ante=20, trips=0.5)]}, f"bets[0].trips is 0.5; give {WHOLE}"),  # type: ignore[arg-type] # a mistake
        ({"deal_deadline": SECONDS}, f"deal_deadline is {SECONDS}, long before 2001; give {MILLISECONDS}"),
        ({"round_deadline": SECONDS}, f"round_deadline is {SECONDS}, long before 2001; give {MILLISECONDS}"),
        (
            {"round_deadline": SECONDS + 0.5},
            "round_deadline is 1800000000.5; give milliseconds since 1970 UTC, a whole",
        ),
        ({"deal_deadline": -5}, "deal_deadline is -5; give milliseconds since 1970 UTC"),
    ],
)
def test_terms_name_the_field_and_its_unit(terms: dict[str, Any], words: str):
    with pytest.raises(ValueError, match=re.escape(words)):
        binh("t", **terms)


@pytest.mark.parametrize(
    "ask",
    [lambda client, **period: client.rounds(**period), lambda client, **period: client.own_rounds(bytes(32), **period)],
    ids=["rounds", "own_rounds"],
)
def test_a_period_is_in_milliseconds(harness: Harness, ask: Callable[..., Any]):
    with Client(harness.grpc) as client:
        for name in ("start_time", "end_time"):
            with pytest.raises(ValueError, match=f"{name} is {SECONDS}, long before 2001; give {MILLISECONDS}"):
                ask(client, **{name: SECONDS})
            with pytest.raises(ValueError, match=f"{name} is -5; give milliseconds"):
                ask(client, **{name: -5})
        assert ask(client, start_time=SECONDS * 1000 + 1, end_time=SECONDS * 1000 + 2) == []


def test_the_server_refuses_seconds_by_the_field(harness: Harness):
    """Of a caller without the SDK."""
    with Client(harness.grpc) as client:
        log = log_pb2_grpc.LogServiceStub(client.channel)
        open_round = method_of(client.channel, "ShufflerService/OpenRound")
        terms: dict[str, Any] = {
            "table_id": "t",
            "ruleset_id": "mau_binh.classic",
            "seat_count": 2,
            "currency": "CHIP",
            "stake_minor": 1,
        }
        calls: dict[str, Callable[[], object]] = {
            "start_time": lambda: log.ListRounds(log_pb2.ListRoundsRequest(table_id="t", start_time=SECONDS)),
            "end_time": lambda: log.ListRounds(log_pb2.ListRoundsRequest(table_id="t", end_time=SECONDS)),
            "terms.deal_deadline_time": lambda: open_round(
                shuffler_pb2.OpenRoundRequest(terms=shuffler_pb2.RoundTerms(**terms, deal_deadline_time=SECONDS))
            ),
            "terms.round_deadline_time": lambda: open_round(
                shuffler_pb2.OpenRoundRequest(terms=shuffler_pb2.RoundTerms(**terms, round_deadline_time=SECONDS))
            ),
        }
        for field, call in calls.items():
            with pytest.raises(BadRequestError, match=MILLISECONDS) as caught:
                call()
            assert (caught.value.reason, caught.value.field) == ("INVALID_FIELD", field)
            assert caught.value.facts["found"] == str(SECONDS)

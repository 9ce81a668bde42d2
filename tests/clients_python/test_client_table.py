"""What a frontend with tables of its own asks: seeds and seats of pages, proofs for players, repeated calls."""

from collections import Counter
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message
from referee_client import (
    AsyncClient,
    Client,
    RefereeError,
    RoundNotOverError,
    SeatSecrets,
    Stage,
    UnavailableError,
    WrongSecretsError,
)
from referee_client.line import AioLine
from referee_harness import Harness

from referee.v1 import log_pb2, seating_pb2
from tests.clients_python.playing import as_dealt, binh, lead, play_binh


def test_seeds_of_pages_are_checked_and_given_for_them(client: Client, table: str) -> None:
    """One seat plays through the client; the other, with a key, is a page's, of which only commitments are known."""
    own, page = SeatSecrets.make(0), SeatSecrets.make(1, keyed=True)
    game = client.mau_binh(binh(table, seat_keys=[bytes(32), page.public_key]), secrets=[own])
    round_id = game.prepare()
    game.open(commitments=[own.seed_commitment(round_id), page.seed_commitment(round_id)])
    signature = page.sign_seed(round_id, server_commitment=game.server_commitment)
    with pytest.raises(WrongSecretsError, match="another seed"):
        game.check_seed(1, own.seed, signature=signature)
    with pytest.raises(WrongSecretsError, match="does not verify"):
        game.check_seed(1, page.seed, signature=bytes(64))
    game.check_seed(1, page.seed, signature=signature)
    game.check_seed(0, own.seed)
    assert game.contribute(1, seed=page.seed, signature=signature) == [0]
    assert game.contribute(0) == []
    assert len(game.deal(seeds=[own.seed, page.seed], signatures=[b"", signature])) == 2
    assert len(game.deck_root) == 32


def test_time_of_the_cards_opened_last(client: Client, table: str) -> None:
    game = client.mau_binh(binh(table))
    game.open(sealed=True)
    game.deal()
    assert (game.hands, game.unsealed_time) == ({}, 0)
    for seat in (0, 1):
        game.commit(seat, as_dealt(game.open_hand(seat)))
    assert len(game.hands) == 2
    assert game.unsealed_time >= game.dealt_time


def test_proof_of_a_round_once_it_is_over(client: Client, table: str) -> None:
    game = client.mau_binh(binh(table))
    assert client.stage(table, 1) is None
    play_binh(game)
    assert client.stage(table, 1) == log_pb2.ROUND_STAGE_DEALT
    with pytest.raises(RoundNotOverError):
        client.bundle(table, 1)
    settled = game.settle()
    assert settled.receipt is not None
    game.reveal()
    assert client.stage(table, 1) == log_pb2.ROUND_STAGE_REVEALED
    bundle, keys = client.bundle(table, 1), client.keys()
    assert (bundle["round_id"], bundle["log_key"]) == (game.round_id.hex(), keys.log_key)
    leaves = {one["index"]: one["leaf"] for one in bundle["leaves"]}
    assert leaves[settled.receipt.index].encode() == settled.receipt.leaf


def test_rulesets_and_seating_for_a_lobby(client: Client) -> None:
    assert b"[names" in client.ruleset("mau_binh.classic").toml
    persons = [
        seating_pb2.Person(person_id=name, came_time=1, seated_time=2, ready_time=3) for name in ("first", "second")
    ]
    answer = client.decide_seating("mau_binh.maubinh_com", persons, now=4)
    assert answer.action == seating_pb2.SEATING_ACTION_DEAL
    assert [one.seat for one in answer.decisions] == [0, 1]


class Outage:
    """A server of which the first answers to each method are lost, ``lost`` of each; ``asked`` counts its calls."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, lost: int) -> None:
        self.asked: Counter[str] = Counter()
        ask = AioLine.ask

        async def losing(line: AioLine, method: str, request: Message, kind: Any, **how: Any) -> Any:  # noqa: ANN401 - of any call
            answer = await ask(line, method, request, kind, **how)
            self.asked[method] += 1
            if self.asked[method] <= lost:
                raise UnavailableError("lost", code=grpc.StatusCode.UNAVAILABLE)
            return answer

        monkeypatch.setattr(AioLine, "ask", losing)


async def test_waiting_client_repeats_every_call_until_it_is_answered(
    harness: Harness, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole round whose every answer is lost twice; its events are there once, and the absence is reported."""
    outage, reached = Outage(monkeypatch, lost=2), list[bool]()
    async with AsyncClient(harness.grpc, timeout=60, on_reach=reached.append) as client:
        game = client.mau_binh(binh(table))
        await game.open()
        for seat, hand in (await game.deal()).items():
            assert (await game.arrange(seat, as_dealt(hand))).event_number == seat + 1
        assert (await game.settle()).is_replayed
        await game.reveal()
    assert game.stage is Stage.REVEALED
    assert outage.asked["referee.v1.MauBinhService/AcceptEvent"] == 4
    assert outage.asked["referee.v1.ShufflerService/OpenRound"] == 3
    assert reached[:2] == [False, True]


async def test_waiting_client_does_not_repeat_what_is_refused(harness: Harness, table: str) -> None:
    reached = list[bool]()
    async with AsyncClient(harness.grpc, timeout=60, on_reach=reached.append) as client:
        with pytest.raises(RefereeError) as refused:
            await client.tien_len(lead(table, seats=9)).open()
    assert refused.value.reason
    assert reached == []

"""Test of a game as it is served: rounds on a real server, their log, and its audit. It needs ``referee[server]``."""

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import grpc
from google.protobuf import message_factory

from referee.cards import Seat, cards_of
from referee.games import AnyGame, DealtRound, Event, LeaderBy, refusals
from referee.reach import direct_options
from referee.rulesets import get
from referee.server.keys.folder import read_public_keys
from referee.service.game_service import GameService
from referee.v1 import shuffler_pb2, shuffler_pb2_grpc

SECONDS = 60
"""Time within which a call is answered and a command ends."""
ROUNDS = 3


class ServedCall(NamedTuple):
    """A method of the game's service: its request type, and the function that calls it."""

    request: Any
    ask: Any


class ServedTests:
    """Properties of a game as it is served, for games whose cards are all open from the deal on.

    A subclass whose name begins with ``Test`` names the service, a ruleset, choices and how events are written. The
    package must be installed, so that a server finds it. The choices must lead to the end of a round.
    """

    service: ClassVar[GameService]
    ruleset_id: ClassVar[str]

    def choices(self, state: Any, time: int) -> Sequence[Event]:
        """Return events that players may choose at a time, as for ``LawTests``."""
        raise NotImplementedError

    def write_event(self, event: Any) -> Any:
        """Write an event as a message of the game."""
        raise NotImplementedError

    def test_round_is_served_settled_logged_and_audited(self, tmp_path: Path) -> None:
        """Every event is accepted, a repeated settlement has the same leaf, and an audit finds nothing."""
        data = tmp_path / "data"
        with _serving(data) as address, grpc.insecure_channel(address, direct_options(address)) as channel:
            for number in range(ROUNDS):
                self._play(channel, random.Random(number))  # noqa: S311 - the same choices each time
        public = read_public_keys(data / "keys")
        keys = ["--log-key", public["log"], "--root-key", public["root"]]
        report = json.loads(_run("audit", "--data", str(data), *keys, "--json"))
        assert report.get("findings", []) == []
        assert report["rounds"]["settled"] == ROUNDS
        assert report["checked"]["replayed"] == report["checked"]["redealt"] == ROUNDS

    def _play(self, channel: grpc.Channel, luck: random.Random) -> None:
        shuffler = shuffler_pb2_grpc.ShufflerServiceStub(channel)
        game, ruleset = self.service.game, get(self.ruleset_id)
        assert not game.layout(ruleset.rules.seats.minimum).has_board, "ServedTests is for games without later cards"
        seat_count = luck.randint(ruleset.rules.seats.minimum, ruleset.rules.seats.maximum)
        terms = shuffler_pb2.RoundTerms(
            table_id="kit", ruleset_id=self.ruleset_id, seat_count=seat_count, currency="CHIP"
        )
        terms.stake_minor = ruleset.bet_unit
        opened = shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms), timeout=SECONDS)
        seeds = [luck.randbytes(32) for _ in range(seat_count)]
        request = shuffler_pb2.DealRoundRequest(round=opened.header.round, client_seeds=seeds)
        dealt = shuffler.DealRound(request, timeout=SECONDS)
        accept, settle = self._method(channel, "AcceptEvent"), self._method(channel, "SettleRound")
        played = settle.request().round
        played.header.CopyFrom(opened.header)
        played.certificates.append(dealt.certificate)
        state = game.begin(ruleset.rules, _deal_of(game, dealt, seat_count, ruleset.bet_unit))
        while not state.is_over:
            choices = self.choices(state, state.last_time)
            lawful = [event for event in choices if not refusals(game, game.check(state, event))]
            assert lawful, "no choice was lawful, and the round is not over"
            message = self.write_event(luck.choice(lawful))
            accepted = accept.ask(accept.request(round=played, event=message), timeout=SECONDS)
            assert not accepted.refused_event_number, accepted
            played.events.append(accepted.event)
            played.receipt = accepted.receipt
            time = accepted.event.time
            event = self.service.messages.read(accepted.event, time=time, round_id=state.deal.round_id, field="event")
            state = game.apply(state, event)
        settled = settle.ask(settle.request(round=played), timeout=SECONDS)
        assert settled.log_receipt.leaf, settled
        assert settle.ask(settle.request(round=played), timeout=SECONDS).log_receipt.leaf == settled.log_receipt.leaf
        assert (
            settled.outcome
            == self._method(channel, "PreviewRound")
            .ask(self._method(channel, "PreviewRound").request(round=played), timeout=SECONDS)
            .outcome
        )
        shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(round=opened.header.round), timeout=SECONDS)

    def _method(self, channel: grpc.Channel, name: str) -> ServedCall:
        method = self.service.descriptor.methods_by_name[name]
        request, response = map(message_factory.GetMessageClass, (method.input_type, method.output_type))
        path = f"/{self.service.full_name}/{name}"
        ask = channel.unary_unary(
            path, request_serializer=request.SerializeToString, response_deserializer=response.FromString
        )
        return ServedCall(request, ask)


def _deal_of(game: AnyGame, dealt: Any, seat_count: int, stake: int) -> DealtRound:
    """Return the deal as the shuffler's answer has it."""
    by = shuffler_pb2.LeaderBy.Name(dealt.leader_by).removeprefix("LEADER_BY_")
    return DealtRound(
        seat_count=seat_count,
        stake=stake,
        bet_unit=stake,
        sections=tuple([cards_of(hand.cards) for hand in dealt.hands]),
        dealt_time=dealt.dealt_time,
        leader=None if game.lead is None else Seat(dealt.leader),
        leader_by=None if game.lead is None else LeaderBy(by),
    )


def _run(*arguments: str) -> str:
    command = [sys.executable, "-m", "referee", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True)  # noqa: S603 - this very program
    return done.stdout


@contextmanager
def _serving(data: Path) -> Iterator[str]:
    """Start ``referee serve`` on loopback and yield its address; stop it at the end."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--quiet", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as process:  # noqa: S603 - this very program
        try:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())["address"]
        finally:
            process.terminate()
            assert process.wait(SECONDS) == 0

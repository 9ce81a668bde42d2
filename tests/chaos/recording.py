"""Real requests of every method, as frontends and seats send them, recorded while rounds are played by the SDK."""

from typing import Any, Final

import grpc

from referee.v1 import advice_pb2, seating_pb2
from tests.chaos.load import in_whole
from tests.driver.client_over import client_over
from tests.driver.driver import AnyRound, Driver, play, settle
from tests.driver.messages import GAMES, METHODS, method_of, request_type
from tests.driver.player import Player
from tests.driver.scripts import SCRIPTS

Recorded = dict[str, list[bytes]]
"""Requests by method, in the order they were sent."""
_QUESTIONS: Final = {
    "mau_binh": ("CheckArrangement", "CheckArrangements"),
    "tien_len": ("CheckPlay", "CheckPlays"),
    "ultimate_texas": ("CheckDecision", "CheckDecisions"),
}
"""What a seat asks of an event before it is submitted, alone and in a batch."""


class _Recorder(grpc.UnaryUnaryClientInterceptor):
    def __init__(self) -> None:
        self.requests: Recorded = {}

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:  # noqa: ANN401 - gRPC's own types are private
        self.requests.setdefault(client_call_details.method, []).append(request.SerializeToString())
        return continuation(client_call_details, request)


class _Frontend:
    """A frontend whose requests are recorded."""

    def __init__(self, channel: grpc.Channel, now: int) -> None:
        recorder = _Recorder()
        self._channel: Any = grpc.intercept_channel(channel, recorder)
        self.requests, self._now = recorder.requests, now
        self.driver = Driver(in_whole(client_over(self._channel)))

    def ask(self, method: str, **fields: Any) -> Any:  # noqa: ANN401 - fields and answer of any method
        """Call a method such as ``LogService/GetKeys``."""
        return method_of(self._channel, method)(request_type(f"/referee.v1.{method}")(**fields), timeout=60)

    def sent(self, method: str) -> list[Any]:
        """Return the requests of a method so far."""
        name = f"/referee.v1.{method}"
        return [request_type(name).FromString(one) for one in self.requests[name]]

    def play_all(self, game: str) -> None:
        """Play rounds of a game, sealed and not, ask each question of the first events, and reveal the seed."""
        service = f"{game.title().replace('_', '')}Service"
        for sealed in (False,) if game == "tien_len" else (False, True):
            played = self.driver.deal_playable(f"{game}-{sealed}", game, keyed=True, sealed=sealed)
            for _ in range(3):
                event = None if sealed else SCRIPTS[game].event(played)
                if event is not None:
                    self.ask_about(game, service, played, event)
                    played.accept_event(event)
            settle(play(played))
            played.reveal()
        for one, many in (("AcceptEvent", "AcceptEvents"), ("SettleRound", "SettleRounds")):
            self.ask(f"{service}/{many}", requests=self.sent(f"{service}/{one}")[:1])

    def ask_about(self, game: str, service: str, played: AnyRound, event: Any) -> None:  # noqa: ANN401 - an event of the game
        """Ask whether an event is lawful, alone and in a batch, what else there is to do, and for advice."""
        one, many = _QUESTIONS[game]
        about: dict[str, Any] = {"round": played.message}
        asked = about | {"event": event}
        if game == "mau_binh":
            asked = about | {"seat": event.seat, "arrangement": event.arrange}
            dealt = advice_pb2.DealtHand(**about, seat=event.seat)
            self.ask("AdviceService/SuggestArrangement", dealt=dealt, count=2)
        elif game == "tien_len":
            self.ask("TienLenService/ListPlays", **about, grouped=True)
            self.ask("AdviceService/SuggestPlay", **about, count=1)
        else:
            self.ask("AdviceService/SuggestDecision", **about, seat=event.seat)
        self.ask(f"{service}/{one}", **asked)
        self.ask(f"{service}/PreviewRound", **about)
        self.ask(f"{service}/{many}", requests=[self.sent(f"{service}/{one}")[-1]] * 2)

    def ask_the_rest(self) -> None:
        """Open, contribute to and abort rounds, open, deal and reveal in batches, and read the log and the rulesets."""
        self.driver.open("aborted", "tien_len").abort()
        opened = self.driver.open("contributed", "tien_len", keyed=True)
        opened.contribute(0)
        for one in ("OpenRound", "DealRound", "OpenSection", "RevealRound"):
            self.ask(f"ShufflerService/{one}s", requests=self.sent(f"ShufflerService/{one}")[:1])
        origin = self.ask("LogService/GetKeys").origin
        self.ask("LogService/GetTableRound", table_id="aborted")
        self.ask("LogService/ListRounds", table_prefix="m", page_size=5)
        listed = Player("listed", 0).list_request(origin=origin, now=self._now)
        method_of(self._channel, "LogService/ListSeatRounds")(listed, timeout=60)
        self.ask("LogService/GetStatus")
        self.ask("LogService/GetCheckpoint")
        self.ask("LogService/ListCosignedCheckpoints", start_size=1, page_size=3)
        self.ask("LogService/ListEntries", start=1, page_size=5)
        self.ask("LogService/GetInclusionProof", leaf_index=3, tree_size=9)
        self.ask("LogService/GetConsistencyProof", first_size=3, second_size=9)
        self.ask("RulesetService/ListRulesets")
        self.ask("RulesetService/GetRuleset", ruleset_id="mau_binh.classic")
        person = seating_pb2.Person(person_id="an", came_time=1, seated_time=2, ready_time=3)
        asked = {"ruleset_id": "mau_binh.classic", "persons": [person], "now_time": self._now}
        self.ask("SeatingService/DecideSeating", **asked)


def record(channel: grpc.Channel, now: int) -> Recorded:
    """Record requests of every method of the server, whose time is ``now``; raise AssertionError if one is missing."""
    frontend = _Frontend(channel, now)
    for game in GAMES:
        frontend.play_all(game)
    frontend.ask_the_rest()
    missing = METHODS.keys() - frontend.requests.keys()
    assert not missing, missing
    return frontend.requests

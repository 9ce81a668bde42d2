"""Whole rounds as the asyncio SDK plays them, many tables in one process, and what they cost the server.

Each table opens a round, deals it, plays it by lawful random choices with a receipt for each event, settles it and
reveals it. The SDK sends requests of several tables in one call and names rounds by their course, as it does for any
caller. Every choice is made in the client's process, from the SDK's own round and the law. Seats have no keys.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final
from unittest import mock

from google.protobuf.message import Message
from referee_client import Arrangement, AsyncClient, Terms
from referee_client.gathering import GatheringLine
from referee_client.line import AioLine
from referee_client.terms import Bet

from referee.games import DealtRound
from referee.games.tien_len import Pass, Play, TienLenRules, apply, begin, legal_plays, may_pass
from referee.rulesets import get
from referee.v1.ultimate_texas_pb2 import Decision

STAKE: Final = 100
ENDS: Final = (Decision.DECISION_FOLD, Decision.DECISION_LEAVE)


@dataclass(slots=True)
class Traffic:
    """Requests that a client's line sent: calls, bytes, and milliseconds until each AcceptEvent was answered."""

    calls: int = 0
    sent_bytes: int = 0
    accepted_ms: list[float] = field(default_factory=list)

    @property
    def median_ms(self) -> float:
        """The median time of an AcceptEvent, its wait for others included."""
        return statistics.median(self.accepted_ms)


@contextmanager
def counted_traffic() -> Iterator[Traffic]:
    """Count what all asyncio clients of this process send meanwhile."""
    traffic, send, ask = Traffic(), AioLine.ask, GatheringLine.ask

    async def counting(line: AioLine, method: str, request: Message, kind: Any, **how: Any) -> Any:  # noqa: ANN401 - of any method
        traffic.calls += 1
        traffic.sent_bytes += request.ByteSize()
        return await send(line, method, request, kind, **how)

    async def timing(line: GatheringLine, method: str, request: Message, kind: Any, **how: Any) -> Any:  # noqa: ANN401 - as above
        start = time.perf_counter()
        answer = await ask(line, method, request, kind, **how)
        if method.endswith("/AcceptEvent"):
            traffic.accepted_ms.append((time.perf_counter() - start) * 1000)
        return answer

    with mock.patch.object(AioLine, "ask", counting), mock.patch.object(GatheringLine, "ask", timing):
        yield traffic


def prepared(client: AsyncClient, game: str, table: str) -> Any:  # noqa: ANN401 - a round of any game
    """Prepare a table's round, of four seats or, in Ultimate Texas, six."""
    if game == "mau_binh":
        return client.mau_binh(Terms(table=table, ruleset="mau_binh.chi_2020", seats=4, stake=STAKE))
    if game == "tien_len":
        return client.tien_len(Terms(table=table, ruleset="tien_len.mien_nam", seats=4, stake=STAKE))
    bets = [Bet(10, 5)] * 6
    return client.ultimate_texas(Terms(table=table, ruleset="ultimate_texas.casino", seats=6, stake=2, bets=bets))


async def play_moves(one: Any, game: str) -> int:  # noqa: ANN401 - a round of any game
    """Play a dealt round to its end; return the number of its events, 0 if it was won at the deal."""
    luck = random.Random(one.table)  # noqa: S311 - the players' taste
    await {"mau_binh": _play_mau_binh, "tien_len": _play_tien_len, "ultimate_texas": _play_ultimate_texas}[game](
        one, luck
    )
    return len(one.message.events)


async def play_round(one: Any, game: str) -> int:  # noqa: ANN401 - a round of any game
    """Play a prepared round from its opening to its reveal; return the number of its events."""
    await one.open()
    await one.deal()
    events = await play_moves(one, game)
    settled = await one.settle()
    assert settled.is_replayed, settled.violations
    await one.reveal()
    return events


async def play_tables(client: AsyncClient, game: str, names: Sequence[str], *, rounds: int = 1) -> int:
    """Play so many rounds at each table, all tables at once; return the number of their events."""

    async def play(name: str) -> int:
        return sum([await play_round(prepared(client, game, name), game) for _ in range(rounds)])

    return sum(await asyncio.gather(*map(play, names)))


async def _play_mau_binh(one: Any, _luck: random.Random) -> None:  # noqa: ANN401 - its round
    for seat, hand in one.hands.items():
        cards = sorted(hand, key=attrgetter("number"), reverse=True)
        answer = await one.arrange(seat, Arrangement(cards[:5], cards[5:10], cards[10:]))
        if not answer.event_number:  # the round was won at the deal
            return


async def _play_tien_len(one: Any, luck: random.Random) -> None:  # noqa: ANN401 - its round
    rules = get("tien_len.mien_nam").rules
    assert isinstance(rules, TienLenRules)
    hands = tuple(one.hands[seat] for seat in range(4))
    state = begin(rules, DealtRound(seat_count=4, stake=STAKE, sections=hands, leader=one.leader, dealt_time=0))
    while not state.is_over:
        seat, plays = state.turn, legal_plays(state)
        if plays and (not may_pass(state) or luck.random() < 0.6):
            cards = luck.choice(plays).cards
            answer = await one.play(seat, cards)
            state = apply(state, Play(seat, cards, 0))
        else:
            answer = await one.pass_turn(seat)
            state = apply(state, Pass(seat, 0))
        assert answer.event_number, answer.violations


async def _play_ultimate_texas(one: Any, luck: random.Random) -> None:  # noqa: ANN401 - its round
    state = (await one.preview()).state
    while state.HasField("turn"):
        decisions = [choice for choice in state.seats[state.turn].legal_decisions if choice not in ENDS]
        checks = Decision.DECISION_CHECK in decisions
        decision = Decision.DECISION_CHECK if checks and luck.random() < 0.6 else luck.choice(decisions)
        answer = await one.decide(state.turn, decision)
        assert answer.event_number, answer.violations
        state = answer.state

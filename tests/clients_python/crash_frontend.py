"""A frontend that is killed: each process plays its round until a call that no process was killed at before.

It holds a journal, and everything that it knows of its round it has from there and from the server. ``play`` is what a
frontend does at its start; a round that was crashed is played by the same lines as a new one.
"""

import hashlib
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from google.protobuf.message import Message
from referee_client import Arrangement, Bet, Card, Client, SeatSecrets, Terms
from referee_client.line import Answer, BlockingLine

Moment = Literal["before the call", "after the answer"]

MOMENTS: tuple[Moment, ...] = ("before the call", "after the answer")
_READS = {"GetKeys", "GetTableRound", "GetRuleset", "PreviewRound", "ListPlays", "PrepareRound", "GetCheckpoint"}


@dataclass(frozen=True, kw_only=True)
class Crash:
    """When a frontend is killed: at each call that is not in the ledger yet, before it is sent or when answered."""

    moment: Moment
    ledger: Path

    def strikes(self, method: str, request: Message) -> bool:
        """Return whether the process dies at this call; note it then, so that the next process passes it."""
        name = f"{method} {hashlib.sha256(request.SerializeToString(deterministic=True)).hexdigest()}"
        before = self.ledger.read_text("utf-8").splitlines() if self.ledger.exists() else []
        if method.partition("/")[2] in _READS or name in before:
            return False
        with self.ledger.open("a", encoding="utf-8") as file:
            file.write(f"{name}\n")
        return True


class DeadlyLine(BlockingLine):
    """A line to the server on which the process is killed at some calls."""

    def __init__(self, client: Client, crash: Crash) -> None:
        super().__init__(client.channel)
        self._crash = crash

    async def ask(self, method: str, request: Message, kind: type[Answer], *, seconds: float | None = None) -> Answer:
        """Send the request; die before that, or when the answer has come and nobody has read it."""
        is_last = self._crash.strikes(method, request)
        if is_last and self._crash.moment == "before the call":
            os.kill(os.getpid(), signal.SIGKILL)
        answer = await super().ask(method, request, kind, seconds=seconds)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer


@dataclass(frozen=True, kw_only=True)
class Place:
    """A table, its server's address, and the tokens of its frontend and of its first round's seats."""

    address: str
    table: str
    token: str
    seat_tokens: tuple[str, ...]


def run(place: Place, journal: Path, scene: str, crash: Crash) -> None:
    """Play the table's round to its end as one process of a frontend, which may not live to see it."""
    with Client(place.address, token=place.token, journal=journal, timeout=60) as client:
        client._session.line = DeadlyLine(client, crash)  # noqa: SLF001 - the client is given a deadly line
        SCENES[scene](client, place)


def _finish(game: Any) -> None:  # noqa: ANN401 - a round of any game
    settled = game.settle()
    assert settled.is_replayed
    game.reveal()


def play_mau_binh(client: Client, place: Place) -> None:
    """Play an open round of two seats."""
    terms = Terms(table=place.table, ruleset="mau_binh.classic", seats=2, stake=10)
    game: Any = client.resume(place.table) or client.mau_binh(terms)
    game.open()
    for seat, hand in game.deal().items():
        if not game.is_over() and seat not in {event.seat for event in game.message.events}:
            game.arrange(seat, Arrangement(hand[:5], hand[5:10], hand[10:]))
    _finish(game)


def play_sealed(client: Client, place: Place) -> None:
    """Play a sealed round of two seats with keys: commit, then open what was committed to."""
    terms = Terms(table=place.table, ruleset="mau_binh.classic", seats=2, stake=10)
    seats = [SeatSecrets.make(seat, keyed=True) for seat in range(2)]
    game: Any = client.resume(place.table) or client.mau_binh(terms, secrets=seats)
    game.open(sealed=True)
    game.deal()
    for kind, make in (("commit", game.commit), ("arrange", game.arrange)):
        for seat in range(2):
            if not game.is_over() and not _has(game, seat, kind):
                hand = _hand(place, game, seat)
                make(seat, game.committed(seat) or Arrangement(hand[:5], hand[5:10], hand[10:]))
    _finish(game)


def _hand(place: Place, game: Any, seat: int) -> tuple[Card, ...]:  # noqa: ANN401 - a round
    """Return the seat's hand, which it opens on a machine of its own, with its own token."""
    keys = list(game.header.seat_keys)
    terms = Terms(table=place.table, ruleset="mau_binh.classic", seats=2, stake=10, seat_keys=keys)
    with Client(place.address, token=place.seat_tokens[seat], timeout=60) as own:
        mine = own.mau_binh(terms, secrets=[game.secrets[seat]])
        mine.join(game.number)
        return mine.open_hand(seat)


def _has(game: Any, seat: int, kind: str) -> bool:  # noqa: ANN401 - a round
    return any(event.seat == seat and event.WhichOneof("choice") == kind for event in game.message.events)


def play_tien_len(client: Client, place: Place) -> None:
    """Play the strongest play there is, or pass, until a seat is out of cards."""
    terms = Terms(table=place.table, ruleset="tien_len.mien_nam", seats=2, stake=10)
    seats = [SeatSecrets.make(seat, keyed=True) for seat in range(2)]
    game: Any = client.resume(place.table) or client.tien_len(terms, secrets=seats)
    game.open()
    game.deal()
    while (options := game.plays()).HasField("turn"):
        if options.plays:
            longest = max(options.plays, key=lambda play: len(play.cards))
            game.play(options.turn, [*map(Card, longest.cards)])
        else:
            game.pass_turn(options.turn)
    _finish(game)


def play_ultimate_texas(client: Client, place: Place) -> None:
    """Check twice, so that flop, turn and river open, then play."""
    terms = Terms(table=place.table, ruleset="ultimate_texas.casino", seats=1, stake=2, bets=[Bet(20, 4)])
    game: Any = client.resume(place.table) or client.ultimate_texas(terms)
    game.open()
    game.deal()
    for decision in ("CHECK", "CHECK", "PLAY_1X")[len(game.message.events) :]:
        game.decide(0, decision)
    _finish(game)


SCENES: dict[str, Callable[[Client, Place], None]] = {
    "mau_binh": play_mau_binh,
    "mau_binh_sealed": play_sealed,
    "tien_len": play_tien_len,
    "ultimate_texas": play_ultimate_texas,
}
"""A round of each game, and a sealed one."""

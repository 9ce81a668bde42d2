# ruff: noqa: ANN401 - states are those of any game
"""The built-in games pass the kit that every package of a game runs."""

import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from referee.cards import Card, Seat
from referee.evidence.canonical import Hex
from referee.games import GAMES, Event, mau_binh, tien_len, ultimate_texas
from referee.games.mau_binh.event import arrangement_commitment
from referee.games.tien_len.legality import legal_plays
from referee.games.ultimate_texas import Decision
from referee.testing import LawTests
from referee.testing.rounds import ROUND_ID

NONCE = Hex(bytes(32))


class TestTienLen(LawTests):
    """Tiến Lên under the kit."""

    game = GAMES["tien_len"]
    ruleset_id = "tien_len.mien_nam"

    def choices(self, state: Any, time: int) -> Sequence[Event]:
        """Return every legal play of the seat on turn, a pass, and each seat that leaves or is out of time."""
        plays = [tien_len.Play(state.turn, play.cards, time) for play in legal_plays(state)]
        leaving = [tien_len.Leave(Seat(seat), time) for seat in range(state.seat_count)][: time % 40 == 0]
        return [*plays, tien_len.Pass(state.turn, time), tien_len.Timeout(state.turn, time), *leaving]


class TestUltimateTexas(LawTests):
    """Ultimate Texas Hold'em under the kit."""

    game = GAMES["ultimate_texas"]
    ruleset_id = "ultimate_texas.casino"

    def choices(self, state: Any, time: int) -> Sequence[Event]:
        """Return every decision of every seat."""
        seats = range(state.deal.seat_count)
        return [ultimate_texas.Event(Seat(seat), decision, time) for seat in seats for decision in Decision]


class TestMauBinh(LawTests):
    """Mậu Binh under the kit, open and sealed."""

    game = GAMES["mau_binh"]
    ruleset_id = "mau_binh.classic"

    def choices(self, state: Any, time: int) -> Sequence[Event]:
        """Return the cards as dealt and the other way round, committed to and opened on a sealed table; departures."""
        chosen: list[Event] = []
        for seat in map(Seat, range(state.seat_count)):
            hand: tuple[Card, ...] = state.deal.sections[seat]
            for cards in (hand, hand[::-1]):
                arrange = mau_binh.Arrange(seat, cards[:5], cards[5:10], cards[10:], time)
                opened = mau_binh.Arrange(seat, *arrange.chi, time, NONCE).in_round(ROUND_ID)
                made = arrangement_commitment(round_id=ROUND_ID, seat=seat, cards=cards, nonce=NONCE)
                chosen += [arrange, opened, mau_binh.Commit(seat, Hex(made), time)]
            chosen += [mau_binh.Leave(seat, time)] if time % 50 == 0 else []
        return chosen


def test_kit_of_the_law_needs_the_base_alone() -> None:
    """The author of a game needs no server for it."""
    servers = ("grpc", "google", "rich", "typer", "referee.server")
    script = f"import sys, referee.testing; print([name for name in {servers} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"

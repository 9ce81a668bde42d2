"""Times that a server with a wrong clock writes: a client compares them with its own, and keeps what differs."""

from pathlib import Path

import pytest
from referee_client import Client, ClockDifference, Journal, TienLenRound
from referee_client import clock as clock_module
from referee_harness import Harness

from tests.clients_python.playing import bet, dealt, joined, keyed, lead, move

FAST_MS = 40_000


class Fast:
    """Clock of this machine, beside a server whose clock is ``ahead`` milliseconds ahead of it."""

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self.ahead = 0

    def __call__(self) -> int:
        """Return the time of this machine."""
        return self._harness.clock() - self.ahead

    def run_ahead(self, milliseconds: int) -> None:
        """Set the server's clock forward, and not this machine's."""
        self.ahead += milliseconds
        self._harness.clock.advance(milliseconds)


@pytest.fixture
def fast(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Fast:
    """Return this machine's clock; the server's agrees with it until it runs ahead."""
    made = Fast(harness)
    monkeypatch.setattr(clock_module, "now", made)
    return made


def shape(found: ClockDifference) -> tuple[str, int, float]:
    return found.what, found.number, found.seconds


def test_honest_seat_timed_out_by_a_clock_forty_seconds_fast_is_kept(
    fast: Fast, harness: Harness, tmp_path: Path, table: str
):
    """No time has passed for the seat; the referee gives it TIMEOUT. The journal keeps that for the next process."""
    path = tmp_path / "rounds.sqlite3"
    with Client(harness.grpc, journal=Journal(path)) as client:
        game = dealt(client.tien_len(lead(table), secrets=keyed(2)))
        move(game)()
        assert not game.clock_differences
        seat = game.plays().turn
        fast.run_ahead(FAST_MS)
        answer = game.time_out(seat)
        assert answer.event_number == 2
        (found,) = game.clock_differences
        assert shape(found) == ("EVENT", 2, FAST_MS / 1000)
        assert found.time == game.message.events[1].time
    with Client(harness.grpc, journal=Journal(path)) as client:
        again = client.resume(table)
        assert isinstance(again, TienLenRound)
        assert again.clock_differences == (found,)


@pytest.mark.parametrize(("ahead", "kept"), [(FAST_MS, True), (10_000, False), (10_001, True), (-10_001, True)])
def test_every_time_of_a_round_is_compared(fast: Fast, client: Client, table: str, *, ahead: int, kept: bool):
    """Opening, deal, events and openings, of a server whose clock is wrong throughout."""
    fast.ahead = ahead
    game = dealt(client.ultimate_texas(bet(table), secrets=keyed(1)))
    game.decide(0, "CHECK")
    expected = [("OPEN", 0), ("DEAL", 0), ("EVENT", 1), ("UNSEAL", 1)] if kept else []
    assert [(one.what, one.number) for one in game.clock_differences] == expected
    assert {one.seconds for one in game.clock_differences} == ({ahead / 1000} if kept else set())


def test_times_of_a_round_played_elsewhere_are_compared_with_its_arrival_alone(fast: Fast, client: Client, table: str):
    """A round that lies minutes back is no difference; one that is ahead is."""
    secrets = keyed(1)
    game = dealt(client.ultimate_texas(bet(table), secrets=secrets))
    game.decide(0, "CHECK")
    fast.ahead -= 300_000  # this machine's clock goes on; the server's does not
    late = joined(client.ultimate_texas(bet(table), secrets=secrets))
    late.adopt(game.message.SerializeToString())
    assert late.clock_differences == ()
    fast.ahead += 300_000 + FAST_MS
    early = joined(client.ultimate_texas(bet(table), secrets=secrets))
    early.adopt(game.message.SerializeToString())
    assert [one.what for one in early.clock_differences] == ["OPEN", "DEAL", "EVENT", "UNSEAL"]

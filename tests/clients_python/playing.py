"""Terms, secrets and moves of the rounds that the tests of the client play."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from referee_client import Arrangement, Bet, Card, MauBinhRound, SeatSecrets, Terms, TienLenRound, UltimateTexasRound

Game = TypeVar("Game", MauBinhRound, TienLenRound, UltimateTexasRound)


def binh(table: str, **terms: Any) -> Terms:  # noqa: ANN401 - any field
    fields: dict[str, Any] = {"table": table, "ruleset": "mau_binh.classic", "seats": 2, "stake": 100}
    return Terms(**fields | terms)


def lead(table: str, **terms: Any) -> Terms:  # noqa: ANN401 - any field
    fields: dict[str, Any] = {"table": table, "ruleset": "tien_len.mien_nam", "seats": 2, "stake": 10}
    return Terms(**fields | terms)


def bet(table: str, *bets: Bet) -> Terms:
    """Terms of Ultimate Texas Hold'em for as many seats as there are bets; one seat without Trips if none are given."""
    made = list(bets or [Bet(20)])
    return Terms(table=table, ruleset="ultimate_texas.casino", seats=len(made), stake=2, bets=made)


def keyed(seats: int) -> list[SeatSecrets]:
    return [SeatSecrets.make(seat, keyed=True) for seat in range(seats)]


def dealt(game: Game, *, sealed: bool = False) -> Game:
    """Open and deal a round."""
    game.open(sealed=sealed)
    game.deal()
    return game


def joined(game: Game) -> Game:
    """Join a round that another client opened, and ask for its deal."""
    game.join()
    game.deal()
    return game


def as_dealt(hand: Sequence[Card]) -> Arrangement:
    """Return the cards in the order they were dealt, which may foul."""
    return Arrangement(tuple(hand[:5]), tuple(hand[5:10]), tuple(hand[10:]))


def play_binh(game: MauBinhRound) -> MauBinhRound:
    """Open a round, deal it and arrange the hands as dealt."""
    for seat, hand in dealt(game).hands.items():
        assert game.arrange(seat, as_dealt(hand)).event_number == seat + 1
    return game


def move(game: TienLenRound) -> Callable[[], Any]:
    """Return the weakest play of the seat on turn, or its pass, to be made by a call."""
    options = game.plays()
    if not options.plays:
        return lambda: game.pass_turn(options.turn)
    return lambda: game.play(options.turn, [Card(number) for number in options.plays[0].cards])


def play_out(game: TienLenRound) -> TienLenRound:
    """Play the weakest play there is, or pass, until a seat is out of cards."""
    while game.plays().HasField("turn"):
        assert move(game)().event_number
    return game

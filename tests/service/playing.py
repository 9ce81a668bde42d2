"""Rounds of every game played to their end by the players of the driver."""

from collections.abc import Callable
from typing import Any, Final

from referee.games import GAMES as REGISTERED
from referee.v1 import tien_len_pb2, ultimate_texas_pb2
from tests.service.raw_server import RawServer
from tests.service.table import Table

GAMES: Final = tuple(sorted(REGISTERED))


def dealt(house: RawServer, game: str, *, seats: int = 3, **how: Any) -> Table:  # noqa: ANN401 - what Table takes
    """Deal rounds until no hand wins at the deal; settle those before. Seats have keys unless ``keyed`` is False."""
    while True:
        table = Table(house, game, seats=seats, **how).play()
        if game == "ultimate_texas" or first_choice(table) is not None:
            return table
        table.settle()


def first_choice(table: Table) -> dict[str, Any] | None:
    """Return a lawful choice of the seat whose turn it is, or None once the round is over."""
    if table.game == "mau_binh":
        return {"arrange": as_dealt(table, 0)} if table.preview().violations else None
    if table.game == "ultimate_texas":
        return {"decision": ultimate_texas_pb2.DECISION_CHECK}
    plays = table.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=table.message)).plays
    return {"play": tien_len_pb2.Play(cards=plays[0].cards)} if plays else None


def as_dealt(table: Table, seat: int) -> Any:  # noqa: ANN401 - an arrangement
    """Return the arrangement of a seat's cards in the order dealt."""
    return table.arrangement(seat, table.dealt.hands[seat].cards)["arrange"]


def leaving(game: str) -> dict[str, Any]:
    """Return the choice of a seat that leaves."""
    return {"decision": ultimate_texas_pb2.DECISION_LEAVE} if game == "ultimate_texas" else {"leave": True}


def turn_of(table: Table) -> int:
    """Return the seat whose event comes first."""
    return int(table.preview().state.turn) if table.game == "tien_len" else 0


def play_on(table: Table, act: Callable[..., Any]) -> None:
    """Play the round to its end, passing each event to ``act``; an event that opens a street is always accepted."""
    last = len(table.players) - 1
    if table.game == "mau_binh":
        for seat in range(last + 1):
            act(seat, arrange=as_dealt(table, seat))
    elif table.game == "ultimate_texas":
        decisions = (ultimate_texas_pb2.DECISION_CHECK, ultimate_texas_pb2.DECISION_CHECK)
        for decision in (*decisions, ultimate_texas_pb2.DECISION_PLAY_1X):
            for seat in range(last):
                act(seat, decision=decision)
            table.accept(last, decision=decision)  # its receipt opens the street
            table.open_section()
    else:
        while not table.preview().state.over:
            asked = table.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=table.message))
            plays = [play for play in asked.plays if len(play.cards) == 1] or asked.plays
            if plays:
                act(asked.turn, play=tien_len_pb2.Play(cards=plays[0].cards))
            else:
                act(asked.turn, pass_turn=True)

"""What the seats of each game do in a round that a test plays: lawful, simple, and the same in every run."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from referee_client import Bet, Round

from referee.v1 import mau_binh_pb2, tien_len_pb2

_DECISIONS: Final = ("CHECK", "PLAY_1X")
"""Decisions of a seat that bets as little as it may and never folds."""


@dataclass(frozen=True)
class Script:
    """A game's usual terms, and ``event``, which returns the next lawful event of a dealt round, or None at its end."""

    event: Callable[[Round[Any, Any]], Any]
    ruleset: str
    stake: int = 1000
    bet: Bet | None = None


def _arrange(played: Round[Any, Any]) -> Any:  # noqa: ANN401 - an event of the game
    """Return the arrangement of the next seat's cards in the order dealt, which may foul.

    On a sealed table all seats commit to theirs first.
    """
    number = len(played.message.events)
    seats = played.header.seat_count
    if number == seats * (1 + played.is_sealed) or (number == 0 and played.is_over()):
        return None
    seat = number % seats
    hand = played.open_hand(seat) if played.is_sealed else played.hands[seat]
    secrets = played.secrets[seat]
    if played.is_sealed and number < seats:
        commitment = secrets.arrangement_commitment(played.round_id, cards=hand)
        return played.event(seat=seat, commit=mau_binh_pb2.Commit(commitment=commitment))
    cards: Any = [card.number for card in hand]
    laid = mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:])
    return played.event(seat=seat, arrange=laid, nonce=secrets.nonce if played.is_sealed else b"")


def _play(played: Round[Any, Any]) -> Any:  # noqa: ANN401 - an event of the game
    """Return the weakest play of the seat on turn, a single card if it may, or its pass."""
    listed = played.ask("ListPlays")
    if not listed.HasField("turn"):
        return None
    plays = [one for one in listed.plays if len(one.cards) == 1] or listed.plays
    if plays:
        return played.event(seat=listed.turn, play=tien_len_pb2.Play(cards=plays[0].cards))
    return played.event(seat=listed.turn, pass_turn=tien_len_pb2.Pass())


def _decide(played: Round[Any, Any]) -> Any:  # noqa: ANN401 - an event of the game
    """Return the least bet of the seat on turn."""
    state = played.preview().state
    if not state.HasField("turn"):
        return None
    seat = state.seats[state.turn]
    decisions = [f"DECISION_{name}" for name in _DECISIONS]
    numbers = dict(played.event().DESCRIPTOR.fields_by_name["decision"].enum_type.values_by_name)
    lawful = [name for name in decisions if numbers[name].number in seat.legal_decisions]
    return played.event(seat=seat.seat, decision=lawful[0])


SCRIPTS: Final[Mapping[str, Script]] = {
    "mau_binh": Script(_arrange, "mau_binh.classic"),
    "tien_len": Script(_play, "tien_len.mien_nam"),
    "ultimate_texas": Script(_decide, "ultimate_texas.casino", stake=2, bet=Bet(ante=20, trips=4)),
}
"""Scripts by game; each registered game has one."""

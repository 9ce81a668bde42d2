"""Deals and whole rounds of the three games, from cards by seat."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from referee.cards import Card, Seat
from referee.games import AnyGame, DealtRound, GameRules, LeaderBy, play
from referee.games.ultimate_texas import State as TexasState
from referee.verdict import Violation

Cards = Sequence[tuple[Card, ...]]


class Settled(NamedTuple):
    """A round played and settled, or the violations that keep it from being."""

    state: Any
    outcome: Any = None
    violations: tuple[Violation, ...] = ()
    refused_event: int = 0


def hands_deal(
    hands: Cards, *, stake: int = 1, dealt_time: int = 0, leader: int | None = None, is_sealed: bool = False
) -> DealtRound:
    """Make a deal of hands alone; at a sealed table an empty hand is closed."""
    return DealtRound(
        seat_count=len(hands),
        stake=stake,
        sections=tuple([tuple(hand) or None for hand in hands]) if is_sealed else tuple(map(tuple, hands)),
        dealt_time=dealt_time,
        leader=None if leader is None else Seat(leader),
        is_sealed=is_sealed,
    )


def led_by(deal: DealtRound, reason: LeaderBy | None) -> DealtRound:
    """Return the deal whose leader leads for this reason."""
    return msgspec.structs.replace(deal, leader_by=reason)


def texas_deal(stakes: Sequence[tuple[int, int]], *, bet_unit: int = 2, dealt_time: int = 0) -> DealtRound:
    """Make a deal of Ultimate Texas Hold'em with no card open; Ante and Trips by seat."""
    return DealtRound(
        seat_count=len(stakes),
        stake=bet_unit,
        seat_stakes=tuple(stakes),
        bet_unit=bet_unit,
        sections=(None,) * (len(stakes) + 3),
        dealt_time=dealt_time,
    )


def open_texas(state: TexasState, *, hands: Cards, house: tuple[Card, ...], board: tuple[Card, ...]) -> TexasState:
    """Return the state with arbitrary cards, all open."""
    deal = msgspec.structs.replace(state.deal, sections=(*hands, house, board[:3], board[3:]))
    return msgspec.structs.replace(state, deal=deal)


def at_stake(state: Any, stake: int) -> Any:  # noqa: ANN401 - the state of any game
    """Return the state of the same round at another stake."""
    return msgspec.structs.replace(state, deal=msgspec.structs.replace(state.deal, stake=stake))


def settled(game: AnyGame, rules: GameRules, deal: DealtRound, events: Sequence[Any], *, closed_time: int) -> Settled:
    """Begin, play, check and settle a round, as any caller does."""
    played = play(game, game.begin(rules, deal), events)
    if played.violations:
        return Settled(played.state, None, played.violations, played.refused_event)
    if violations := game.check_closing(played.state, closed_time):
        return Settled(played.state, None, violations)
    return Settled(played.state, game.settle(played.state))

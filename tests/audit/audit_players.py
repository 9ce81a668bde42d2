"""Players for test rounds: they choose lawful events by a seeded chance, whatever the game is.

A round is played with the games' own states; its inputs are the events' bytes, in order, with their times and
the sections they open.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from referee.cards import Card, Seat
from referee.games import GAMES, Deal
from referee.games import mau_binh as binh
from referee.games import tien_len as lon
from referee.games import ultimate_texas as texas
from referee.games.mau_binh import MauBinhRules, arrangement_commitment
from referee.games.tien_len import TienLenRules
from referee.games.ultimate_texas import UltimateTexasRules
from referee.rulesets import Ruleset

Hands = Sequence[tuple[Card, ...]]
MOVE_MS: Final = 2_000


@dataclass(frozen=True, slots=True)
class Move:
    """An event's bytes, its time, and the section it opens."""

    event: bytes
    time: int
    opens_section: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """All moves of a round, when it can be closed, and how many sections its inputs have."""

    moves: tuple[Move, ...]
    closed_time: int
    section_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """What a round is played from."""

    ruleset: Ruleset
    sections: Hands
    seat_count: int
    seat_stakes: Sequence[tuple[int, int]]
    leader: Seat
    time: int
    round_id: bytes = b""
    sealed: bool = False


def _deal(dealt: Dealt) -> Deal:
    shown = GAMES[dealt.ruleset.game].layout(dealt.seat_count).shown
    return Deal(
        seat_count=dealt.seat_count,
        stake=dealt.ruleset.bet_unit,
        seat_stakes=tuple(dealt.seat_stakes),
        bet_unit=dealt.ruleset.bet_unit,
        sections=tuple([tuple(dealt.sections[section]) for section in shown]),
        leader=dealt.leader,
        dealt_time=dealt.time,
        is_sealed=dealt.sealed and GAMES[dealt.ruleset.game].can_be_sealed,
    )


def play_mau_binh(
    dealt: Dealt, luck: random.Random, *, silent: Sequence[int] = (), leaving: Sequence[int] = ()
) -> Play:
    """Arrange every seat in time, except silent seats, whose cards count as dealt, and seats that leave."""
    rules = dealt.ruleset.rules
    assert isinstance(rules, MauBinhRules)
    hands = tuple(dealt.sections[: dealt.seat_count])
    if dealt.sealed:
        return _play_sealed(dealt, rules, hands)
    state = binh.begin(rules, _deal(dealt))
    moves: list[Move] = []
    if state.is_won_at_the_deal:
        return Play(moves=(), closed_time=dealt.time, section_count=dealt.seat_count)
    for seat in range(dealt.seat_count):
        time = dealt.time + MOVE_MS * (1 + seat)
        event: binh.Event
        if seat in leaving:
            event = binh.Leave(Seat(seat), time)
        elif seat in silent:
            continue
        else:
            cards = sorted(hands[seat], key=lambda card: (card.rank, card.suit), reverse=luck.random() < 0.97)
            event = binh.Arrange(Seat(seat), tuple(cards[:5]), tuple(cards[5:10]), tuple(cards[10:]), time)
        state = binh.apply(state, event)
        moves.append(Move(binh.GAME.encode_event(event), time))
    closed = state.deadline_time if state.all_in_time is None else state.all_in_time
    return Play(moves=tuple(moves), closed_time=closed, section_count=dealt.seat_count)


def _play_sealed(dealt: Dealt, rules: MauBinhRules, hands: tuple[tuple[Card, ...], ...]) -> Play:
    """Commit every seat to its cards as dealt and open them, except seat 2, which runs out of time."""
    state = binh.begin(rules, _deal(dealt))
    if state.is_won_at_the_deal:
        return Play(moves=(), closed_time=dealt.time, section_count=dealt.seat_count)
    seats = [Seat(seat) for seat in range(dealt.seat_count)]
    late = state.deadline_time + 1
    opening_time = MOVE_MS + (late if dealt.seat_count > 2 else dealt.time + MOVE_MS * dealt.seat_count)
    commits: list[binh.Event] = []
    openings: list[binh.Event] = []
    for seat in [seat for seat in seats if seat != 2]:
        cards, nonce = hands[seat], bytes([seat]) * 32
        hashed = arrangement_commitment(round_id=dealt.round_id, seat=seat, cards=cards, nonce=nonce)
        commits.append(binh.Commit(seat, hashed, dealt.time + MOVE_MS * (1 + seat)))
        openings.append(binh.Arrange(seat, cards[:5], cards[5:10], cards[10:], opening_time, nonce, hashed))
    events = [*commits, *[binh.Timeout(seat, late) for seat in seats if seat == 2], *openings]
    moves = []
    for event in events:
        after = binh.apply(state, event)
        moves.append(Move(binh.GAME.encode_event(event), event.time, (binh.opens(state, after) or (None,))[-1]))
        state = after
    return Play(moves=tuple(moves), closed_time=state.last_time, section_count=dealt.seat_count)


def play_ultimate_texas(dealt: Dealt, luck: random.Random) -> Play:
    """Decide at random until every seat has played or folded."""
    rules = dealt.ruleset.rules
    assert isinstance(rules, UltimateTexasRules)
    state = texas.begin(rules, _deal(dealt))
    moves: list[Move] = []
    time = dealt.time
    while not state.is_over:
        time += MOVE_MS
        seat = luck.choice(state.may_decide)
        decision = luck.choice(texas.legal_decisions(state, seat))
        event = texas.Event(seat, decision, time)
        before, state = state, texas.apply(state, event)
        moves.append(Move(texas.GAME.encode_event(event), time, (texas.opens(before, state) or (None,))[-1]))
    return Play(moves=tuple(moves), closed_time=time, section_count=dealt.seat_count + 3)


def play_tien_len(dealt: Dealt, luck: random.Random) -> Play:
    """Play, usually, what the seat on turn can play; pass otherwise."""
    rules = dealt.ruleset.rules
    assert isinstance(rules, TienLenRules)
    state = lon.begin(rules, _deal(dealt))
    moves: list[Move] = []
    time = dealt.time
    while not state.is_over:
        time += MOVE_MS
        plays = lon.legal_plays(state)
        event: lon.Event = lon.Pass(state.turn, time)
        if plays and (not lon.may_pass(state) or luck.random() < 0.9):
            event = lon.Play(state.turn, max(plays, key=lambda play: len(play.cards)).cards, time)
        state = lon.apply(state, event)
        moves.append(Move(lon.GAME.encode_event(event), time))
    return Play(moves=tuple(moves), closed_time=time, section_count=dealt.seat_count)


PLAYERS: Final[dict[str, Callable[[Dealt, random.Random], Play]]] = {
    "mau_binh": play_mau_binh,
    "tien_len": play_tien_len,
    "ultimate_texas": play_ultimate_texas,
}

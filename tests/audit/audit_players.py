"""Players for test rounds: they choose lawful events by a seeded chance, whatever the game is.

A round is played with the games' own states; its inputs are the events' bytes, in order, with their times, the
sections they open and when these open.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from referee.cards import Card, Seat
from referee.evidence.canonical import Hex
from referee.games import GAMES, DealtRound, Event
from referee.games import mau_binh as binh
from referee.games import tien_len as lon
from referee.games import ultimate_texas as texas
from referee.games.codec import with_seen
from referee.games.mau_binh import arrangement_commitment
from referee.rulesets import Ruleset

Hands = Sequence[tuple[Card, ...]]
MOVE_MS: Final = 2_000
UNSEAL_MS: Final = 300
"""Time from an event that opens sections until they are open."""


@dataclass(frozen=True, slots=True)
class Move:
    """An event's bytes, its time, and the sections it opens in opening order, with the time at which they open."""

    event: bytes
    time: int
    sections: tuple[int, ...] = ()
    unsealed_time: int | None = None


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
    keyed: bool = False


def _deal(dealt: Dealt) -> DealtRound:
    shown = GAMES[dealt.ruleset.game].layout(dealt.seat_count).shown
    return DealtRound(
        seat_count=dealt.seat_count,
        stake=dealt.ruleset.bet_unit,
        seat_stakes=tuple(dealt.seat_stakes),
        bet_unit=dealt.ruleset.bet_unit,
        sections=tuple([tuple(dealt.sections[section]) for section in shown]),
        leader=dealt.leader,
        dealt_time=dealt.time,
        is_sealed=dealt.sealed and GAMES[dealt.ruleset.game].later.can_be_sealed,
    )


class Playing:
    """A round that is played: every event is applied, and every section that it opens is opened."""

    def __init__(self, dealt: Dealt) -> None:
        self._game, self._keyed = GAMES[dealt.ruleset.game], dealt.keyed
        self.state: Any = self._game.begin(dealt.ruleset.rules, _deal(dealt))
        self.moves: list[Move] = []
        self.time = dealt.time

    def do(self, event: Event) -> None:
        """Apply an event; a seat with a key says that it has seen all before it."""
        if self._keyed and not event.is_imposed:
            event = with_seen(event, len(self.moves))
        after = self._game.apply(self.state, event)
        sections = self._game.later.opens(self.state, after)
        unsealed = event.time + UNSEAL_MS if sections else None
        if unsealed is not None:
            after = self._game.later.unseal(after, unsealed)
        self.moves.append(Move(self._game.events.encode(event), event.time, sections, unsealed))
        self.state, self.time = after, unsealed or event.time

    def end(self, section_count: int, closed_time: int | None = None) -> Play:
        """Return the round as played, closed at its last time unless another is given."""
        closed = self.time if closed_time is None else closed_time
        return Play(moves=tuple(self.moves), closed_time=closed, section_count=section_count)


def play_mau_binh(
    dealt: Dealt, luck: random.Random, *, silent: Sequence[int] = (), leaving: Sequence[int] = ()
) -> Play:
    """Arrange every seat in time, except silent seats, whose cards count as dealt, and seats that leave."""
    hands = tuple(dealt.sections[: dealt.seat_count])
    playing = Playing(dealt)
    if playing.state.is_won_at_the_deal:
        return playing.end(dealt.seat_count)
    if dealt.sealed:
        return _play_sealed(dealt, playing, hands)
    for seat in range(dealt.seat_count):
        time = dealt.time + MOVE_MS * (1 + seat)
        if seat in leaving:
            playing.do(binh.Leave(Seat(seat), time))
        elif seat not in silent:
            cards = sorted(hands[seat], key=lambda card: (card.rank, card.suit), reverse=luck.random() < 0.97)
            playing.do(binh.Arrange(Seat(seat), tuple(cards[:5]), tuple(cards[5:10]), tuple(cards[10:]), time))
    state = playing.state
    closed = state.deadline_time if state.all_in_time is None else state.all_in_time
    return playing.end(dealt.seat_count, closed)


def _play_sealed(dealt: Dealt, playing: Playing, hands: tuple[tuple[Card, ...], ...]) -> Play:
    """Commit every seat to its cards as dealt and open them, except seat 2, which runs out of time."""
    seats = [Seat(seat) for seat in range(dealt.seat_count)]
    late = playing.state.deadline_time
    nonces = [Hex(bytes([seat]) * 32) for seat in seats]
    hashed = [
        arrangement_commitment(round_id=dealt.round_id, seat=seat, cards=hands[seat], nonce=nonces[seat])
        for seat in seats
    ]
    for seat in [seat for seat in seats if seat != 2]:
        playing.do(binh.Commit(seat, Hex(hashed[seat]), dealt.time + MOVE_MS * (1 + seat)))
    if dealt.seat_count > 2:
        playing.do(binh.Timeout(Seat(2), late))
    time = playing.time + MOVE_MS
    for seat in [seat for seat in seats if seat != 2]:
        cards = hands[seat]
        playing.do(binh.Arrange(seat, cards[:5], cards[5:10], cards[10:], time, nonces[seat], hashed[seat]))
    return playing.end(dealt.seat_count)


def play_ultimate_texas(dealt: Dealt, luck: random.Random) -> Play:
    """Decide at random, and in time, until every seat has played or folded."""
    playing = Playing(dealt)
    while not playing.state.is_over:
        seat = luck.choice(playing.state.may_decide)
        lawful = texas.legal_decisions(playing.state, seat)
        decision = luck.choice([one for one in lawful if one is not texas.Decision.TIMEOUT])
        playing.do(texas.Event(seat, decision, playing.time + MOVE_MS))
    return playing.end(dealt.seat_count + 3)


def play_tien_len(dealt: Dealt, luck: random.Random) -> Play:
    """Play, usually, what the seat on turn can play; pass otherwise."""
    playing = Playing(dealt)
    while not playing.state.is_over:
        time, state = playing.time + MOVE_MS, playing.state
        plays = lon.legal_plays(state)
        event: lon.Event = lon.Pass(state.turn, time)
        if plays and (not lon.may_pass(state) or luck.random() < 0.9):
            event = lon.Play(state.turn, max(plays, key=lambda play: len(play.cards)).cards, time)
        playing.do(event)
    return playing.end(dealt.seat_count)


PLAYERS: Final[dict[str, Callable[[Dealt, random.Random], Play]]] = {
    "mau_binh": play_mau_binh,
    "tien_len": play_tien_len,
    "ultimate_texas": play_ultimate_texas,
}

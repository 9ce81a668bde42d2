"""A round between two events: the cards of each seat, whose turn it is, the play to beat, and the chops so far.

States are values: nothing changes one, an event makes another. Hands are known to the referee in full. A hand that wins
at the deal ends the round as event 0, so no event is lawful after it.

>>> from referee.cards import DECK
>>> from referee.rulesets import get
>>> deal = DealtRound(seat_count=2, stake=1, sections=(DECK[:13], DECK[13:26]), leader=Seat(1), dealt_time=0)
>>> state = begin(get("tien_len.mien_nam").rules, deal)
>>> state.ending.kind.value, state.ending.winner, state.ending.instant_win.pattern.value
('INSTANT_WIN', 0, 'TWO_QUADS')
"""

from typing import Final

import msgspec

from referee.cards import Card, Seat
from referee.games.deal import DealError, DealtRound, check_open_deal
from referee.games.layout import hands_alone
from referee.games.lead import LeaderBy
from referee.games.stakes import require_stakes
from referee.games.tien_len.code import EndKind, Price
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.instant_win import InstantWin, find_instant_win
from referee.games.tien_len.order import THREE_OF_SPADES, CardSet, cards_of, set_of
from referee.games.tien_len.rules import HAND_SIZE, TienLenRules, check_stakes


class Ending(msgspec.Struct, frozen=True):
    """The end of a round: its kind and its winner, who may lead the next.

    ``instant_win`` is given for INSTANT_WIN only. ``stopped`` and ``compensated`` are for STOPPED_THREE_OF_SPADES only:
    the seat that was stopped, and the seats it pays, in seat order.
    """

    kind: EndKind
    winner: Seat
    instant_win: InstantWin | None = None
    stopped: Seat | None = None
    compensated: tuple[Seat, ...] = ()


class Chop(msgspec.Struct, frozen=True):
    """A chop that was played: ``chopper`` took something of this price from ``victim``.

    ``link`` is its place in its chain: 1 for the first, one more for each chop put straight on another.
    """

    chopper: Seat
    victim: Seat
    price: Price
    link: int


class State(msgspec.Struct, frozen=True, kw_only=True):
    """A round after ``event_count`` events.

    ``dealt`` and ``held`` are card sets by seat. ``to_beat`` and ``to_beat_seat`` are None while ``turn`` leads a
    trick. ``link`` counts the chops that end in ``to_beat``. ``passed`` (in this trick) and ``gone`` are sets of seats,
    one bit a seat. ``turn_time`` and ``turn_event`` are time and number of the event that gave the turn (0: the deal),
    ``last_time`` is the time of the last event; times in milliseconds since 1970 UTC. Once there is an ``ending``,
    ``turn`` means nothing.
    """

    rules: TienLenRules
    deal: DealtRound
    dealt: tuple[CardSet, ...]
    held: tuple[CardSet, ...]
    turn: Seat
    to_beat: Combination | None
    to_beat_seat: Seat | None
    link: int
    passed: int
    gone: int
    chops: tuple[Chop, ...]
    event_count: int
    turn_time: int
    turn_event: int
    last_time: int
    ending: Ending | None

    @property
    def seat_count(self) -> int:
        """Number of seats."""
        return len(self.dealt)

    @property
    def leader(self) -> Seat:
        """Seat that led the first trick."""
        return self.deal.leader if self.deal.leader is not None else Seat(0)

    @property
    def bound_card(self) -> CardSet:
        """Card that the next play must contain, as a set; 0 if there is none.

        It is the leader's lowest card until the leader has played or left, if it leads by LOWEST_CARD.
        """
        leader = self.deal.leader
        if self.deal.leader_by is not LeaderBy.LOWEST_CARD or leader is None or self.turn != leader:
            return 0
        dealt = self.dealt[leader]
        return dealt & -dealt if self.held[leader] == dealt else 0

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.ending is not None

    def cards_of(self, seat: Seat) -> tuple[Card, ...]:
        """Return the cards that a seat still holds, weakest first."""
        return cards_of(self.held[seat])

    def has_passed(self, seat: Seat) -> bool:
        """Return whether a seat has passed in the current trick."""
        return bool(self.passed >> seat & 1)

    def has_left(self, seat: Seat) -> bool:
        """Return whether a seat has left the table."""
        return bool(self.gone >> seat & 1)

    @property
    def trying(self) -> Seat | None:
        """Seat whose play is to be beaten and whose only card left is 3♠, or None.

        Leaving the table does not undo the try: its play can still be beaten. None under rules that stop nobody.
        """
        seat = self.to_beat_seat if self.rules.stopped_three_of_spades.applies else None
        return seat if seat is not None and self.held[seat] == THREE_OF_SPADES else None


layout: Final = hands_alone(HAND_SIZE)
"""Layout of a round by its number of seats: thirteen cards a seat."""


def begin(rules: TienLenRules, deal: DealtRound) -> State:
    """Begin a round: the deal's leader has the first turn, unless a hand wins at once.

    Raise StakesError for the stake, DealError unless every hand is open and the leader is a seat of the table.
    """
    require_stakes(rules, deal, check_stakes)
    hands = check_open_deal(deal, layout, seats=rules.seats)
    leader = deal.leader
    if leader is None:
        raise DealError(f"the deal names no leader; the seats are 0 to {deal.seat_count - 1}")
    if not 0 <= leader < deal.seat_count:
        raise DealError(f"seat {leader} cannot lead; the seats are 0 to {deal.seat_count - 1}")
    dealt = tuple([set_of(hand) for hand in hands])
    win = find_instant_win(rules.instant_wins, dealt)
    return State(
        rules=rules,
        deal=deal,
        dealt=dealt,
        held=dealt,
        turn=leader,
        to_beat=None,
        to_beat_seat=None,
        link=0,
        passed=0,
        gone=0,
        chops=(),
        event_count=0,
        turn_time=deal.dealt_time,
        turn_event=0,
        last_time=deal.dealt_time,
        ending=None if win is None else Ending(EndKind.INSTANT_WIN, win.seat, instant_win=win),
    )

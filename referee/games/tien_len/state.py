"""A round between two events: who holds what, whose turn it is, what is to be beaten, what has been chopped.

States are values: nothing changes one, an event makes another. Hands are known to the referee in full. A hand that wins
at the deal ends the round as event 0, so no event is lawful after it.

>>> from referee.cards import DECK
>>> from referee.rulesets import get
>>> state = start(get("tien_len.mien_nam").rules, [DECK[:13], DECK[13:26]], leader=Seat(1), dealt_time=0)
>>> state.ending.kind.value, state.ending.winner, state.ending.instant_win.pattern.value
('INSTANT_WIN', 0, 'TWO_QUADS')
"""

from collections.abc import Sequence

import msgspec

from referee.cards import Card, Seat
from referee.games.tien_len.code import EndKind, Price
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.instant_win import InstantWin, find_instant_win
from referee.games.tien_len.order import THREE_OF_SPADES, CardSet, cards_of, set_of
from referee.games.tien_len.rules import TienLenRules

HAND_SIZE = 13


class DealError(ValueError):
    """Hands, a leader or a number of seats that no round can start with."""


class Ending(msgspec.Struct, frozen=True):
    """The end of a round: its kind and its winner, who leads the next.

    ``instant_win`` stands for INSTANT_WIN only. ``stopped`` and ``compensated`` stand for STOPPED_THREE_OF_SPADES only:
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
    one bit a seat. ``turn_time`` is when the turn began, ``last_time`` when the last event was, both ms since 1970 UTC.
    Once ``ending`` stands, ``turn`` says nothing.
    """

    rules: TienLenRules
    dealt: tuple[CardSet, ...]
    held: tuple[CardSet, ...]
    leader: Seat
    turn: Seat
    to_beat: Combination | None
    to_beat_seat: Seat | None
    link: int
    passed: int
    gone: int
    chops: tuple[Chop, ...]
    event_count: int
    turn_time: int
    last_time: int
    ending: Ending | None

    @property
    def seat_count(self) -> int:
        """How many seats were dealt to."""
        return len(self.dealt)

    @property
    def is_over(self) -> bool:
        """Whether the round has ended."""
        return self.ending is not None

    def cards_of(self, seat: Seat) -> tuple[Card, ...]:
        """The cards that a seat still holds, weakest first."""
        return cards_of(self.held[seat])

    def has_passed(self, seat: Seat) -> bool:
        """Whether a seat has passed in the trick that is on."""
        return bool(self.passed >> seat & 1)

    def has_left(self, seat: Seat) -> bool:
        """Whether a seat has left the table."""
        return bool(self.gone >> seat & 1)

    @property
    def trying(self) -> Seat | None:
        """The seat whose play is to be beaten and whose only card left is 3♠, or None.

        Leaving the table does not undo the try: its play can still be beaten.
        """
        seat = self.to_beat_seat
        return seat if seat is not None and self.held[seat] == THREE_OF_SPADES else None


def start(rules: TienLenRules, hands: Sequence[Sequence[Card]], *, leader: Seat, dealt_time: int) -> State:
    """The round as dealt: ``leader`` has the first turn, unless a hand wins at once.

    ``hands`` are thirteen cards a seat, in seat order. Raises DealError where they are not, share a card, are too few
    or too many for the table, or where the leader is no seat of it.
    """
    dealt = tuple(set_of(hand) for hand in hands)
    _check_deal(rules, hands, dealt)
    if not 0 <= leader < len(dealt):
        msg = f"seat {leader} cannot lead; the seats are 0 to {len(dealt) - 1}"
        raise DealError(msg)
    win = find_instant_win(rules.instant_wins, dealt)
    return State(
        rules=rules,
        dealt=dealt,
        held=dealt,
        leader=leader,
        turn=leader,
        to_beat=None,
        to_beat_seat=None,
        link=0,
        passed=0,
        gone=0,
        chops=(),
        event_count=0,
        turn_time=dealt_time,
        last_time=dealt_time,
        ending=None if win is None else Ending(EndKind.INSTANT_WIN, win.seat, instant_win=win),
    )


def _check_deal(rules: TienLenRules, hands: Sequence[Sequence[Card]], dealt: tuple[CardSet, ...]) -> None:
    fewest, most = rules.seats.minimum, rules.seats.maximum
    if not fewest <= len(hands) <= most:
        msg = f"{len(hands)} hands were dealt; the table has {fewest} to {most} seats"
        raise DealError(msg)
    together = 0
    for seat, (hand, card_set) in enumerate(zip(hands, dealt, strict=True)):
        if len(hand) != HAND_SIZE or card_set.bit_count() != HAND_SIZE:
            msg = f"seat {seat} has {card_set.bit_count()} different cards in {len(hand)}; a hand is {HAND_SIZE}"
            raise DealError(msg)
        if together & card_set:
            msg = f"seat {seat} has a card that another seat has too"
            raise DealError(msg)
        together |= card_set

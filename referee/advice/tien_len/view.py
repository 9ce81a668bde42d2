"""Knowledge of one seat in a round: its own cards, the cards played, and the number of cards of each other seat.

A view has nothing that its seat cannot see at the table, so two rounds that look alike to a seat have the same view and
the same advice. Cards that were not dealt are indistinguishable from those in other hands.

>>> from referee.cards import DECK, Seat, parse_cards
>>> from referee.games import DealtRound
>>> from referee.games.tien_len import Play, apply, begin
>>> from referee.rulesets import get
>>> texts = "3S 3C 5S 6C 7D 8H 9S TC JD QH AS AC 2S", "4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"
>>> hands = tuple(map(parse_cards, texts))
>>> deal = DealtRound(seat_count=len(hands), stake=1, sections=hands, leader=Seat(0), dealt_time=0)
>>> state = begin(get("tien_len.mien_nam").rules, deal)
>>> view = View.of(apply(state, Play(Seat(0), parse_cards("2S"), time=0)))
>>> view.seat, view.counts, view.unseen.bit_count(), view.to_beat.top_card.text
(1, (12, 13), 38, '2S')
>>> [play.kind.value for play in view.plays()]
['PAIR_RUN_3']
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from referee.games.tien_len import Combination, State, TienLenRules
from referee.games.tien_len.chop import chop_units
from referee.games.tien_len.code import Chain
from referee.games.tien_len.legality import plays_of
from referee.games.tien_len.order import CardSet

EVERYTHING: Final[CardSet] = (1 << 52) - 1


class View(NamedTuple):
    """A position as the seat on turn sees it.

    ``hand`` is its own, ``unseen`` the cards that it neither has nor saw played; ``counts`` are numbers of cards by
    seat. ``passed`` and ``gone`` are sets of seats, one bit a seat. ``chain`` is the sum of the chops that end in
    ``to_beat``, in stakes, if the last victim pays them all, else 0. ``victim`` is that victim. ``bound`` is the card
    that the play has to hold, 0 where it need hold none.
    """

    rules: TienLenRules
    seat: int
    hand: CardSet
    unseen: CardSet
    counts: tuple[int, ...]
    to_beat: Combination | None
    to_beat_seat: int
    passed: int
    gone: int
    chain: int
    victim: int
    bound: CardSet = 0

    @classmethod
    def of(cls, state: State) -> "View":
        """Return the view of the seat on turn; the round must not be over."""
        played = 0
        for dealt, held in zip(state.dealt, state.held, strict=True):
            played |= dealt ^ held
        hand = state.held[state.turn]
        return cls(
            rules=state.rules,
            seat=state.turn,
            hand=hand,
            unseen=EVERYTHING ^ hand ^ played,
            counts=tuple([held.bit_count() for held in state.held]),
            to_beat=state.to_beat,
            to_beat_seat=state.turn if state.to_beat_seat is None else state.to_beat_seat,
            passed=state.passed,
            gone=state.gone,
            chain=_chain_units(state),
            victim=state.chops[-1].victim if state.link else state.turn,
            bound=state.bound_card,
        )

    def plays(self) -> Iterator[Combination]:
        """Return every lawful play, in the order of the game's own list."""
        return plays_of(self.rules.chops, self.hand, to_beat=self.to_beat, bound=self.bound)

    def opponents(self) -> list[int]:
        """Return the other seats that have not left."""
        return [seat for seat in range(len(self.counts)) if seat != self.seat and not self.gone >> seat & 1]

    def rivals(self) -> list[int]:
        """Return the other seats that can still play in this trick."""
        out = self.passed | self.gone
        return [seat for seat in range(len(self.counts)) if seat != self.seat and not out >> seat & 1]


def _chain_units(state: State) -> int:
    if not state.link or state.rules.chops.chain is not Chain.LAST_VICTIM_PAYS_ALL:
        return 0
    return sum(chop_units(state.rules.chop_prices, chop.price) for chop in state.chops[-state.link :])

"""A quick policy for one seat: shed many cards, keep the hand whole, hold the lead, mind the money.

A choice depends on the view and the weights alone. Every candidate is weighed in *leads*: the cost of the best plan for
the cards left, the value of the lead that it may keep, the number of cards it sheds, the price of its chop, and its
risks. The weights are measured by tournaments of the bots against one another, not derived.

*Kết 3 bích*: a seat whose last card is 3♠ wins the highest price of the game, and pays as much if the play before it is
beaten. So 3♠ is kept while the seat has a card that nothing unseen beats, and a play that leaves 3♠ alone is weighed by
its chance to hold.

*A seat with one card left* goes out with it on any lower single. Singles are then led from the highest down, so that
singles it might beat are led last, or never, and it is answered by a single that it is unlikely to beat. Of two cards
and 3♠ the lower is led first, so that the other can hold before 3♠. Where all other seats have one card, suggestions
are exact and do not use this policy: ``last_cards``.

>>> from referee.advice.tien_len.view import EVERYTHING
>>> from referee.cards import parse_cards, spell
>>> from referee.games.tien_len import read_combination, set_of
>>> from referee.rulesets import get
>>> hand = set_of(parse_cards("4S 4C 9D TC JH AS"))
>>> view = View(get("tien_len.mien_nam").rules, 0, hand, EVERYTHING ^ hand, (6, 9, 8), None, 0, 0, 0, 0, 0)
>>> [spell(weighed.play.cards) for weighed in weigh(view)][:2]
['4S 4C', '9D TC JH']
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from referee.advice.tien_len.control import HoldChances
from referee.advice.tien_len.view import View
from referee.games.tien_len.chop import chop_units, chopped_by
from referee.games.tien_len.code import Kind, Price
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.legality import CHOPPING
from referee.games.tien_len.order import RANK_OF_TWOS, THREE_OF_SPADES, CardSet
from referee.games.tien_len.structure import LEAD, cost_of, plan_of


class Weights(NamedTuple):
    """The weight of each consideration, in leads."""

    card: float
    """Each card shed."""
    lead: float
    """Keeping the lead for certain while no seat is near the end."""
    urgency: float
    """Extra value of the lead when the nearest opponent has one card; half as much at two, and so on."""
    passing: float
    """Letting the trick go, in leads kept."""
    danger: float
    """Letting out a rival that has exactly as many cards as are played."""
    chop: float
    """A chop of six stakes."""
    three: float
    """Going for 3S with a play that certainly holds, and failing with one that certainly does not."""
    keep_three: float
    """Spending 3S while the seat has a card that nothing unseen beats."""
    keep_control: float
    """Spending a card that nothing unseen beats while the seat has 3S and further cards."""
    last_card: float
    """Each higher card that is kept back when a single is led and a rival has one card."""
    let_out: float
    """Answering so that a rival with one card goes out for certain, or passing to it."""


WEIGHTS: Final = Weights(
    card=0.3,
    lead=0.1,
    urgency=0.8,
    passing=8.0,
    danger=1.0,
    chop=1.0,
    three=6.0,
    keep_three=1.5,
    keep_control=1.0,
    last_card=2.0,
    let_out=12.0,
)
_CHOP_UNITS: Final = 6
_ESCORTED: Final = 3
"""Number of cards of a hand with 3♠ whose highest is kept, since the next lead leaves 3♠ alone."""


class Weighed(NamedTuple):
    """A candidate: the play, or None for passing, and its weight in leads, more being better.

    ``cost`` is the cost of the best plan for the cards left, in thousandths of a lead; ``hold`` is the chance to hold
    the trick.
    """

    play: Combination | None
    weight: float
    cost: int
    hold: float
    chops: Price | None


def choose(view: View, weights: Weights = WEIGHTS) -> Combination | None:
    """Return the best candidate's play; None for passing."""
    return weigh(view, weights)[0].play


def weigh_all(view: View, weights: Weights = WEIGHTS) -> list[Weighed]:
    """Weigh every lawful play, and passing; return them best first."""
    weigher = _Weigher(view, weights)
    ranked = [weigher.weigh(play) for play in view.plays()]
    if view.to_beat is not None:
        ranked.append(weigher.weigh_pass())
    return sorted(ranked, key=lambda weighed: -weighed.weight)


def weigh(view: View, weights: Weights = WEIGHTS, *, wide: bool = False) -> list[Weighed]:
    """Weigh the candidates; return them best first. ``wide`` weighs, when leading, one play a shape and top rank.

    Otherwise a leader's candidates are the groups of its plan and its best card. A play that empties the hand is the
    only candidate.
    """
    weigher = _Weigher(view, weights)
    ranked: list[Weighed] = []
    for play in candidates(view, wide=wide):
        if play.card_set == view.hand:
            return [Weighed(play, float("inf"), 0, 1.0, _chopped(view, play))]
        ranked.append(weigher.weigh(play))
    if view.to_beat is not None:
        ranked.append(weigher.weigh_pass())
    ranked.sort(key=lambda weighed: -weighed.weight)
    return ranked


def candidates(view: View, *, wide: bool) -> list[Combination]:
    """Return the plays to weigh: the weakest of each kind, length and top rank, and one for each two as the top card.

    A leader that is bound to no card has, unless ``wide``, the groups of its best plan and its best card.
    """
    if view.to_beat is not None and any(view.counts[seat] == 1 for seat in view.rivals()):
        return list(view.plays())
    if view.to_beat is None and not wide and not view.bound:
        groups = list(plan_of(view.hand).groups)
        top = view.hand.bit_length() - 1
        best_card = Combination(Kind.SINGLE, 1, 1 << top, top)
        return groups if best_card in groups else [*groups, best_card]
    return _one_a_rank(view.plays())


def kept_back(hand: CardSet, play: Combination) -> int:
    """Return the number of cards that should be led before a single when a rival has one card: the higher ones.

    Of two cards and 3♠ the higher is kept to hold before 3♠, and of one card and 3♠ either may go first.
    """
    higher = (hand >> play.top + 1).bit_count()
    if hand & THREE_OF_SPADES and play.card_set != THREE_OF_SPADES and hand.bit_count() == _ESCORTED:
        return 1 - higher
    return 0 if hand & THREE_OF_SPADES and hand.bit_count() < _ESCORTED else higher


def _one_a_rank(plays: Iterable[Combination]) -> list[Combination]:
    seen: set[tuple[Kind, int, int]] = set()
    weakest = []
    for play in plays:
        rank = play.top >> 2
        key = (play.kind, play.length, play.top if rank == RANK_OF_TWOS else rank)
        if key not in seen:
            seen.add(key)
            weakest.append(play)
    return weakest


def _chopped(view: View, play: Combination) -> Price | None:
    if view.to_beat is None or play.kind not in CHOPPING:
        return None
    return chopped_by(view.rules.chops, play, victim=view.to_beat)


class _Weigher:
    """The data that all candidates of a view share."""

    def __init__(self, view: View, weights: Weights) -> None:
        self.view = view
        self.weights = weights
        self.rivals = view.rivals()
        self.control = HoldChances(unseen=view.unseen, rivals=[view.counts[seat] for seat in self.rivals])
        opponents = view.opponents()
        fewest = min([view.counts[seat] for seat in opponents], default=1)
        self.opponents = max(1, len(opponents))
        self.meets_last_card = view.to_beat is None and any(view.counts[seat] == 1 for seat in self.rivals)
        self.answers_last_cards = 0 if view.to_beat is None else self._following_last_cards()
        self.lead = weights.lead * (1 + weights.urgency / max(1, fewest))
        top = view.hand.bit_length() - 1
        self.pays_last_three = view.rules.last_three_of_spades.applies
        self.pays_stopped_three = view.rules.stopped_three_of_spades.applies
        holds_three = self.pays_last_three and view.hand & THREE_OF_SPADES and view.hand != THREE_OF_SPADES
        self.sure_top = top if holds_three and not view.unseen >> top else -1

    def _following_last_cards(self) -> int:
        """Count the rivals with one card that follow at once; a rival with more may block those behind it itself."""
        view, following = self.view, 0
        for step in range(1, len(view.counts)):
            seat = (view.seat + step) % len(view.counts)
            if seat in self.rivals:
                if view.counts[seat] > 1:
                    break
                following += 1
        return following

    def weigh_pass(self) -> Weighed:
        view, cost = self.view, cost_of(self.view.hand)
        weight = -cost / LEAD - self.lead * self.weights.passing
        if self.answers_last_cards and view.to_beat is not None:
            is_owner = view.counts[view.to_beat_seat] == 1 and self.answers_last_cards == len(self.rivals)
            weight -= self.weights.let_out * (1.0 if is_owner else self._lets_out(view.to_beat))
        return Weighed(None, weight, cost, 0.0, None)

    def _lets_out(self, play: Combination) -> float:
        """Return the chance that a rival with one card goes out on a play that is to be beaten."""
        if play.kind is not Kind.SINGLE:
            return 0.0
        higher = (self.view.unseen >> play.top + 1).bit_count()
        return 1 - (1 - higher / max(1, self.view.unseen.bit_count())) ** self.answers_last_cards

    def weigh(self, play: Combination) -> Weighed:
        view, weights = self.view, self.weights
        after = view.hand ^ play.card_set
        hold = self.control.hold(play)
        cost = cost_of(after)
        shed = play.card_set.bit_count()
        weight = -cost / LEAD - self.lead * (1 - hold) + weights.card * shed
        price = _chopped(view, play)
        if price is not None:
            units = chop_units(view.rules.chop_prices, price) + view.chain * (2 if view.victim == view.seat else 1)
            weight += weights.chop * units / _CHOP_UNITS
        for seat in self.rivals:
            if view.counts[seat] == shed:
                weight -= weights.danger * (1 - hold)
        if after == THREE_OF_SPADES:
            won, lost = self.pays_last_three * self.opponents, self.pays_stopped_three * len(self.rivals)
            weight += weights.three * (hold * won - (1 - hold) * lost) / self.opponents
        elif self.sure_top >= 0:
            if play.card_set & THREE_OF_SPADES:
                weight -= weights.keep_three
            elif play.top == self.sure_top:
                weight -= weights.keep_control
        if self.meets_last_card and play.kind is Kind.SINGLE:
            weight -= weights.last_card * kept_back(view.hand, play)
        if self.answers_last_cards:
            weight -= weights.let_out * self._lets_out(play)
        return Weighed(play, weight, cost, hold, price)

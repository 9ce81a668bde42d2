"""Legal plays in groups: by kind, runs by their length, with the price of a chop and the plays that keep a hand whole.

Every legal play is in exactly one group, in the order of the list of legal plays. A group's plays are all of one kind
and length, so they all chop the same thing or none does. A play keeps the hand whole if the best plan for the hand
costs no less than the play's own cost with the best plan for the rest, though equal plans may pair the cards
differently.

>>> from referee.cards import Seat, parse_cards, spell
>>> from referee.games import DealtRound
>>> from referee.games.tien_len import legal_plays, begin
>>> from referee.rulesets import get
>>> texts = "3S 3C 5S 6C 7D 8H TC TD JD QH AS AC 2S", "4S 4C 5H 5D 6H 6D 8S 8C 9D TH QS QC KS"
>>> hands = tuple(map(parse_cards, texts))
>>> deal = DealtRound(seat_count=len(hands), stake=1, sections=hands, leader=Seat(0), dealt_time=0)
>>> state = begin(get("tien_len.mien_nam").rules, deal)
>>> plays = legal_plays(state)
>>> [(group.kind.value, group.length, len(group.plays)) for group in group_plays(state, plays)]
[('SINGLE', 1, 13), ('PAIR', 1, 3), ('RUN', 3, 4), ('RUN', 4, 1)]
>>> [spell(plays[place].cards) for place in whole_plays(state, plays)]
['TC', 'TD', '2S', '3S 3C', 'AS AC', 'TC JD QH', 'TD JD QH', '5S 6C 7D 8H']
"""

from collections.abc import Sequence

import msgspec

from referee.games.tien_len import Combination, Kind, State
from referee.games.tien_len.chop import chop_units, chopped_by
from referee.games.tien_len.code import Price
from referee.games.tien_len.structure import is_whole


class PlayGroup(msgspec.Struct, frozen=True):
    """Legal plays of one kind and length.

    ``plays`` are their places in the list of legal plays, from weaker to stronger top cards. ``chops`` is the price
    code of the play on the table if they would chop it, else None; ``units`` is what that one chop pays, else 0.
    """

    kind: Kind
    length: int
    plays: tuple[int, ...]
    chops: Price | None
    units: int


def group_plays(state: State, plays: Sequence[Combination]) -> tuple[PlayGroup, ...]:
    """Group the legal plays of the seat on turn, in the order of the list."""
    places: dict[tuple[Kind, int], list[int]] = {}
    for place, play in enumerate(plays):
        places.setdefault((play.kind, play.length), []).append(place)
    return tuple([_group(state, plays, kind, length, listed) for (kind, length), listed in places.items()])


def whole_plays(state: State, plays: Sequence[Combination]) -> tuple[int, ...]:
    """Return the places in ``plays`` of the plays that break no group of the hand on turn; none after the end."""
    if state.is_over:
        return ()
    hand = state.held[state.turn]
    return tuple([place for place, play in enumerate(plays) if is_whole(hand, play.card_set)])


def _group(state: State, plays: Sequence[Combination], kind: Kind, length: int, places: list[int]) -> PlayGroup:
    price = None
    if state.to_beat is not None:
        price = chopped_by(state.rules.chops, plays[places[0]], victim=state.to_beat)
    units = 0 if price is None else chop_units(state.rules.chop_prices, price)
    return PlayGroup(kind, length, tuple(places), price, units)

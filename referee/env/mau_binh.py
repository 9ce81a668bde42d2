"""Actions of Mậu Binh: one of the ten best arrangements of the advice, or the cards in the order dealt.

A hand has 72,072 arrangements, and which cards they have differs from hand to hand. So the numbers name the advice's
suggestions, the best first, which need a population of the ruleset; the last number is the order dealt.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, ClassVar, Final

from referee.advice.mau_binh.question import ArrangementTable, suggest
from referee.cards import Card, Seat
from referee.env.actions import Actions
from referee.games.mau_binh import HAND_SIZE, Arrange, Arrangement, State
from referee.rulesets import Ruleset

SUGGESTIONS: Final = 10


class MauBinhActions(Actions):
    """SUGGESTION_1 to SUGGESTION_10, then AS_DEALT; a hand with fewer suggestions does not offer the last of them.

    An observation has the seat's cards by number in the order dealt, and for each suggestion the chi (1 to 3) of each.
    """

    name = "mau_binh"
    labels: ClassVar = (*[f"SUGGESTION_{place}" for place in range(1, SUGGESTIONS + 1)], "AS_DEALT")

    def __init__(self, ruleset: Ruleset, seat_count: int) -> None:
        super().__init__(ruleset, seat_count)
        rules: Any = ruleset.rules
        self._table = ArrangementTable(rules, ruleset.digest, seat_count, None)
        self.features = {"dealt": HAND_SIZE, "suggestions": SUGGESTIONS * HAND_SIZE, "arranged": seat_count}

    def turn(self, state: State) -> Seat | None:
        return None if state.is_over else state.awaited[0]

    def offers(self, state: State, seat: Seat, begun: tuple[int, ...]) -> Mapping[int, Arrange]:
        del begun
        hand = state.hand(seat)
        laid = dict(enumerate(_suggestions(self._table, hand))) | {SUGGESTIONS: Arrangement.as_dealt(hand)}
        return {number: Arrange(seat, *arrangement.chi, state.last_time) for number, arrangement in laid.items()}

    def observe(self, state: State, seat: Seat, begun: tuple[int, ...]) -> bytes:
        del begun
        hand = state.hand(seat)
        laid = [(one.back, one.middle, one.front) for one in _suggestions(self._table, hand)]
        chi = [next(place for place, cards in enumerate(one, 1) if card in cards) for one in laid for card in hand]
        arranged = [state.arrangements[place] is not None for place in self.places(seat)]
        dealt = bytes([card.number for card in hand])
        return dealt + bytes(chi).ljust(SUGGESTIONS * HAND_SIZE, b"\0") + bytes(arranged)

    def message(self, event: Any) -> Mapping[str, Any]:
        chi = [[card.number for card in cards] for cards in event.chi]
        return {"seat": event.seat, "arrange": dict(zip(("back", "middle", "front"), chi, strict=True))}


@lru_cache(maxsize=64)
def _suggestions(table: ArrangementTable, hand: tuple[Card, ...]) -> tuple[Arrangement, ...]:
    """Return the best arrangements of a hand, kept because a table asks for each hand several times."""
    return tuple([suggestion.arrangement for suggestion in suggest(table, hand, count=SUGGESTIONS).suggestions])

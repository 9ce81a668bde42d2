"""Actions of Tiến Lên: a play is made card by card.

There are 29,839,939 plays by their cards, too many to number. So an action is a card: the seat picks the cards of its
play one after another, the weakest first, and ends with PLAY. Every lawful play can be made, in one way.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from referee.cards import DECK, Card, Seat
from referee.env.actions import Actions, plane
from referee.games.tien_len import Combination, Event, Pass, Play, State, legal_plays, may_pass, set_of
from referee.games.tien_len.order import CardSet, cards_of
from referee.rulesets import Ruleset

PLAY: Final = len(DECK)
PASS: Final = PLAY + 1


class TienLenActions(Actions):
    """Cards by number from 0, then PLAY and PASS."""

    name = "tien_len"
    labels: ClassVar = (*[card.text for card in DECK], "PLAY", "PASS")
    _listed: tuple[State | None, tuple[Combination, ...]] = (None, ())
    """The state whose plays were listed last, and these plays."""

    def __init__(self, ruleset: Ruleset, seat_count: int) -> None:
        super().__init__(ruleset, seat_count)
        deck = len(DECK)
        self.features = {"held": deck, "begun": deck, "to_beat": deck, "played": seat_count * deck}
        self.features |= dict.fromkeys(("cards_left", "to_beat_by", "passed"), seat_count)

    def offers(self, state: State, seat: Seat, begun: tuple[int, ...]) -> Mapping[int, Event | None]:
        """Return PLAY if the cards picked are a lawful play, the cards that lead to one, and PASS before the first."""
        if self._listed[0] is not state:
            self._listed = state, legal_plays(state)
        picked = _picked(begun)
        below = (1 << picked.bit_length()) - 1
        offered: dict[int, Event | None] = {}
        for play in self._listed[1]:
            if play.card_set & below == picked:
                rest = play.card_set ^ picked
                for card in cards_of(rest & -rest):
                    offered[card.number - 1] = None
                if not rest:
                    offered[PLAY] = Play(seat, play.cards, state.last_time)
        if may_pass(state) and not begun:
            offered[PASS] = Pass(seat, state.last_time)
        return offered

    def observe(self, state: State, seat: Seat, begun: tuple[int, ...]) -> bytes:
        places = self.places(seat)
        sets = [state.held[seat], _picked(begun), 0 if state.to_beat is None else state.to_beat.card_set]
        sets += [state.dealt[place] ^ state.held[place] for place in places]
        counts = [state.held[place].bit_count() for place in places]
        counts += [place == state.to_beat_seat for place in places]
        counts += [state.has_passed(place) for place in places]
        return b"".join([plane(cards_of(cards)) for cards in sets]) + bytes(counts)

    def message(self, event: Any) -> Mapping[str, Any]:
        if isinstance(event, Play):
            return {"seat": event.seat, "play": {"cards": [card.number for card in event.cards]}}
        return {"seat": event.seat, "pass_turn": {}}


def _picked(begun: tuple[int, ...]) -> CardSet:
    return set_of([Card(number + 1) for number in begun])

"""Mậu Binh as pages read it: arrangements, suggestions and the showdown as JSON, and the way back."""

from typing import Any, Final

from referee_client import Arrangement, Card

from referee.v1 import advice_pb2, hand_pb2, mau_binh_pb2
from referee_table.cards import numbers, texts
from referee_table.laws import Law
from referee_table.mau_binh.commands import Arrange, Check, Open
from referee_table.wording import Code, RefusedError

CHI: Final = (slice(0, 5), slice(5, 10), slice(10, 13))


def thirteen(command: Arrange | Check | Open) -> list[int]:
    """Read a command's thirteen cards; raise BAD_COMMAND if a row has another size."""
    if (len(command.back), len(command.middle), len(command.front)) != (5, 5, 3):
        raise RefusedError(Code.BAD_COMMAND, detail="an arrangement has five, five and three cards")
    return numbers([*command.back, *command.middle, *command.front])


def sdk_arrangement(cards: list[int]) -> Arrangement:
    """Return thirteen cards, in the order back, middle, front, as the SDK takes them."""
    back, middle, front = ([Card(card) for card in cards[part]] for part in CHI)
    return Arrangement(back, middle, front)


def cards_of(arrangement: mau_binh_pb2.Arrangement) -> list[int]:
    """Return the cards of an arrangement in the order back, middle, front."""
    return [*arrangement.back, *arrangement.middle, *arrangement.front]


def split(cards: list[int]) -> dict[str, list[str]]:
    """Return thirteen cards by row, as texts."""
    return {name: texts(cards[part]) for name, part in zip(("back", "middle", "front"), CHI, strict=True)}


def shown_value(value: hand_pb2.HandValue, law: Law) -> dict[str, Any]:
    """Return a hand's value as pages read it."""
    return {"category": value.category, "name": law.name("category", value.category)}


def shown_suggestion(one: advice_pb2.SuggestedArrangement, law: Law) -> dict[str, Any]:
    """Return a suggested arrangement as pages read it."""
    return {
        "arrangement": split(cards_of(one.arrangement)),
        "values": [shown_value(value, law) for value in one.values],
    }


def shown_showdown(shown: mau_binh_pb2.Showdown, law: Law) -> dict[str, Any]:
    """Return the referee's showdown as pages read it."""
    return {
        "chi": [
            {
                "position": chi.position,
                "name": law.name("chi", chi.position),
                "start_time": chi.start_time,
                "seconds": chi.seconds,
                "hands": [
                    {
                        "seat": hand.seat,
                        "cards": texts(hand.cards),
                        "name": law.name("category", hand.category) if hand.category else {"vi": "", "en": ""},
                        "fouled": hand.fouled,
                        "gone": hand.gone,
                        "units_won": hand.units_won,
                        "units_lost": hand.units_lost,
                    }
                    for hand in chi.hands
                ],
            }
            for chi in shown.chi
        ],
        "summary": [
            {
                "seat": line.seat,
                "added_units": line.added_units,
                "net_units": line.net_units,
                "net_minor": line.net_minor,
                "fouled": line.fouled,
                "winner": line.winner,
            }
            | ({"commission_minor": line.commission_minor} if line.commission_minor else {})
            for line in shown.summary
        ],
    }

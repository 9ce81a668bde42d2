"""Mậu Binh as pages read it: arrangements, values and the showdown as JSON, and the way back."""

from collections.abc import Iterable
from typing import Any, Final

from referee_client import Arrangement, Card

from referee.v1 import hand_pb2, mau_binh_pb2
from referee_table.law import Law
from referee_table.mau_binh.commands import Rows
from referee_table.shown import fields, numbers, texts
from referee_table.words import Text

CHI: Final = {"back": slice(0, 5), "middle": slice(5, 10), "front": slice(10, 13)}


def thirteen(command: Rows) -> list[int]:
    """Return a command's thirteen cards in the order back, middle, front."""
    return numbers([*command.back, *command.middle, *command.front])


def arranged(cards: list[int]) -> Arrangement:
    """Return thirteen cards, in the order back, middle, front, as the SDK takes them."""
    return Arrangement(*[[Card(card) for card in cards[part]] for part in CHI.values()])


def cards_of(arrangement: mau_binh_pb2.Arrangement) -> list[int]:
    """Return the cards of an arrangement in the order back, middle, front."""
    return [*arrangement.back, *arrangement.middle, *arrangement.front]


def split(cards: list[int]) -> dict[str, list[str]]:
    """Return thirteen cards by row, as texts."""
    return {name: texts(cards[part]) for name, part in CHI.items()}


def value_names(values: Iterable[hand_pb2.HandValue], law: Law) -> list[Text]:
    """Return the names of hands, in their order."""
    return [law.name("category", value.category) for value in values]


def shown_showdown(found: mau_binh_pb2.Showdown, law: Law) -> dict[str, Any]:
    """Return the referee's showdown as pages read it."""
    hand, line = "seat cards fouled gone units_won units_lost", "seat added_units net_units net_minor fouled winner"
    return {
        "chi": [
            fields(chi, "position start_time seconds")
            | {
                "name": law.name("chi", chi.position),
                "hands": [fields(one, hand) | {"name": law.name("category", one.category)} for one in chi.hands],
            }
            for chi in found.chi
        ],
        "summary": [fields(one, f"{line} commission_minor?") for one in found.summary],
    }


def compared(showdown: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what a replay shows of each chi of a show: whose hand it is called what, and the units it brings."""
    hand = ("seat", "name", "fouled", "units_won", "units_lost")
    return [
        {"position": chi["position"], "name": chi["name"]}
        | {"hands": [{name: one[name] for name in hand} for one in chi["hands"]]}
        for chi in showdown["chi"]
    ]

"""Groups of cards that are shown together under a label, such as the three hands of an arrangement.

A game names the members of its events, and of the seats in its results, that hold cards. The records come from a log,
so members of an unexpected shape are left out.

>>> show = groups_of(Shown("back", ("BACK",)), Shown("best", ("BEST",), names="category"))
>>> show({"best": [1, 2], "category": "PAIR", "back": "no cards"})
(CardGroup(label='BEST', cards=(1, 2), name='PAIR'),)
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from referee.cards import DECK

_CARDS: Final = range(1, len(DECK) + 1)


class CardGroup(NamedTuple):
    """Cards by number, the code of their label, and the code of the hand that they make; empty codes for none."""

    label: str
    cards: tuple[int, ...]
    name: str = ""


class Shown(NamedTuple):
    """Member of a record that holds cards, or, with several labels, a list with the cards of each label.

    ``names`` is the member with the code of the hand, or with one code for each label; empty where there is none.
    """

    member: str
    labels: tuple[str, ...] = ("",)
    names: str = ""


Groups: TypeAlias = Callable[[Mapping[str, Any]], tuple[CardGroup, ...]]
"""Function from a record, an event's or that of a seat in the results, to the groups of cards that it shows."""


def groups_of(*members: Shown) -> Groups:
    """Return a function from a record to the groups of cards in these members, in this order, empty ones left out."""

    def groups(record: Mapping[str, Any]) -> tuple[CardGroup, ...]:
        return tuple([group for shown in members for group in _groups(record, shown) if group.cards])

    return groups


no_groups: Final = groups_of()
"""Function of a game that shows no groups of cards."""


def _groups(record: Mapping[str, Any], shown: Shown) -> list[CardGroup]:
    held, names = record.get(shown.member), record.get(shown.names)
    if len(shown.labels) == 1:
        held, names = [held], [names]
    if not isinstance(held, list) or len(held) != len(shown.labels):
        return []
    if not isinstance(names, list) or len(names) != len(shown.labels):
        names = [""] * len(shown.labels)
    return [
        CardGroup(label, cards_in(cards), name if isinstance(name, str) else "")
        for label, cards, name in zip(shown.labels, held, names, strict=True)
    ]


def cards_in(numbers: object) -> tuple[int, ...]:
    """Return the entries of a list that are numbers of cards; empty for a value that is no list."""
    if not isinstance(numbers, list | tuple):
        return ()
    return tuple([number for number in numbers if isinstance(number, int) and number in _CARDS])

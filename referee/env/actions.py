"""Actions: what the seats of a game may do as numbers, and what a seat observes as bytes.

The package of a game names its subclass of ``Actions`` as entry point ``referee.actions``, beside its service.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from referee.cards import DECK, Card, Seat
from referee.rulesets import Ruleset


class Actions(ABC):
    """Actions and observations of a game at one table. States and events are the game's own.

    ``labels`` names each action, whose number is its place there and means the same in every state. ``features`` has
    the parts of an observation in their order, each with its number of bytes.
    """

    name: ClassVar[str]
    labels: ClassVar[tuple[str, ...]]
    features: Mapping[str, int]

    def __init__(self, ruleset: Ruleset, seat_count: int) -> None:
        self.ruleset, self.seat_count = ruleset, seat_count

    def turn(self, state: Any) -> Seat | None:
        """Return the seat that acts next, by default the state's ``turn``; None once no seat has anything to decide."""
        turn: Seat | None = None if state.is_over else state.turn
        return turn

    @abstractmethod
    def offers(self, state: Any, seat: Seat, begun: tuple[int, ...]) -> Mapping[int, Any]:
        """Return the events of the seat by action; the environment leaves out those that the law refuses.

        An action with None is a part of an event: it is added to ``begun``, and the seat acts again.
        """

    @abstractmethod
    def observe(self, state: Any, seat: Seat, begun: tuple[int, ...]) -> bytes:
        """Return the parts of ``features``: the seat's own cards, the open course, and its event as far as begun."""

    @abstractmethod
    def message(self, event: Any) -> Mapping[str, Any]:
        """Return the fields of the event's message in the API."""

    def places(self, seat: Seat) -> list[Seat]:
        """Return all seats in the order of an observation: the observing seat, then those after it."""
        return [Seat((seat + step) % self.seat_count) for step in range(self.seat_count)]


def plane(cards: Iterable[Card]) -> bytes:
    """Return one byte for each card of the deck by number: 1 for those given, else 0."""
    held = bytearray(len(DECK))
    for card in cards:
        held[card.number - 1] = 1
    return bytes(held)

"""GameService: the parts of a game that a server needs besides its law and its messages."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from google.protobuf.descriptor import ServiceDescriptor

from referee.games import AnyGame
from referee.rulesets import Ruleset, Texts, load_texts
from referee.wire.game_messages import GameMessages
from referee.wire.refusal import invalid_field


@dataclass(frozen=True, kw_only=True)
class GameService:
    """A game's messages and its servicer.

    - ``servicer(service, parts)`` makes a RoundService of this GameService and RefereeParts; ``add_to_server`` is the
      generated function that adds the RoundService to a gRPC server.
    - ``seat_methods``: methods that a seat may call for itself, each with the path of the seat's number in the
      request. All other methods are for frontends only.
    - ``ready_limit(rules)`` returns the milliseconds after which a person who is seated and not ready must leave the
      room, or None if there is no limit. The member is None if the game has no rules of seating.
    """

    messages: GameMessages
    servicer: Callable[[Any, Any], Any]
    add_to_server: Callable[[Any, Any], None]
    ready_limit: Callable[[Any], int | None] | None = None
    seat_methods: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def game(self) -> AnyGame:
        """The game's law."""
        return self.messages.game

    @property
    def name(self) -> str:
        """Name of the game."""
        return self.game.name

    @property
    def descriptor(self) -> ServiceDescriptor:
        """Descriptor of the gRPC service."""
        return self.messages.descriptor

    @cached_property
    def texts(self) -> Texts:
        """Words for the codes of the game, in both languages."""
        return load_texts(self.name)

    @property
    def full_name(self) -> str:
        """Full name of the gRPC service."""
        return self.messages.full_name

    def rules_of(self, ruleset: Ruleset, *, field: str) -> Any:
        """Return the rules of a ruleset; refuse a ruleset of another game."""
        if ruleset.game != self.game.name:
            raise invalid_field(
                f"{ruleset.id} is a ruleset of {ruleset.game}; this service judges {self.game.name}", field=field
            )
        return ruleset.rules

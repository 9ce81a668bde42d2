"""GameMessages: the messages of one game, and the functions that read and write them, for a server and for clients."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message_factory import GetMessageClass

from referee.games import AnyGame
from referee.games.codec import with_seen
from referee.rulesets import Ruleset


@dataclass(frozen=True, kw_only=True)
class GameMessages:
    """A game's law, the descriptor of its gRPC service, and the functions that read and write its messages.

    The methods AcceptEvent, AcceptEvents, PreviewRound, SettleRound and SettleRounds have the same shape in every game.

    - ``read_event(message, *, time, round_id, field)`` returns an event of the game or raises RefusedError. It leaves
      ``seen`` out, which ``read`` adds.
    - ``write_outcome(outcome, state, ruleset)`` returns the bytes of the outcome message.
    - ``write_state(state, ruleset)`` returns the state message. The member is None if the game's answers have no state.
    """

    game: AnyGame
    descriptor: ServiceDescriptor
    read_event: Callable[..., Any]
    write_outcome: Callable[[Any, Any, Ruleset], bytes]
    write_state: Callable[[Any, Ruleset], Any] | None = None

    @property
    def name(self) -> str:
        """Name of the game."""
        return self.game.name

    @property
    def full_name(self) -> str:
        """Full name of the gRPC service."""
        return str(self.descriptor.full_name)

    @cached_property
    def requests(self) -> Mapping[str, type[Any]]:
        """Message class of each method's request, by the method's name."""
        return {name: GetMessageClass(method.input_type) for name, method in self.descriptor.methods_by_name.items()}

    @cached_property
    def responses(self) -> Mapping[str, type[Any]]:
        """Message class of each method's response, by the method's name."""
        return {name: GetMessageClass(method.output_type) for name, method in self.descriptor.methods_by_name.items()}

    @cached_property
    def round(self) -> type[Any]:
        """Message class of a round."""
        return type(self.requests["AcceptEvent"]().round)

    @cached_property
    def event(self) -> type[Any]:
        """Message class of an event."""
        return type(self.requests["AcceptEvent"]().event)

    def read(self, message: Any, *, time: int, round_id: bytes, field: str) -> Any:  # noqa: ANN401 - the game's own types
        """Read an event message, its ``seen`` too; raise RefusedError, with the path of the field, for no event."""
        event = self.read_event(message, time=time, round_id=round_id, field=field)
        return with_seen(event, message.seen) if message.HasField("seen") else event

"""Shape of the games' messages: what has one name has one number and one type in every game.

Messages are compared by role: ``MauBinhEvent`` and ``TienLenEvent`` have the role ``Event``. Fields 1 to 15 are common
to all games; a game's own fields begin at 16, and no two games share the name of such a field in one role.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from google.protobuf.descriptor import Descriptor, FieldDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import FieldDescriptorProto

LAST_COMMON: Final = 15
ROLES: Final = ("Round", "Event", "SeatResult", "Outcome")
STATE: Final = "State"
"""Role of a message that a game may have."""
METHODS: Final = ("AcceptEvent", "AcceptEvents", "PreviewRound", "SettleRound", "SettleRounds")
"""Methods that every game's service has."""


class Shape(NamedTuple):
    """Field of a role as other languages see it; its type is a role where the message is the game's own."""

    name: str
    number: int
    type: str
    is_repeated: bool
    has_presence: bool

    def __str__(self) -> str:
        words = ("repeated " if self.is_repeated else "optional " if self.has_presence else "") + self.type
        return f"{words} {self.name} = {self.number}"


def shape_faults(services: Iterable[ServiceDescriptor]) -> list[str]:
    """Return what is not of one shape in the messages of these games, a sentence each."""
    faults: list[str] = []
    common: dict[tuple[str, object], dict[Shape, str]] = defaultdict(dict)
    own: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for service in services:
        game = _game_of(service)
        faults += [f"{service.name} has no method {name}" for name in METHODS if name not in service.methods_by_name]
        messages = service.file.message_types_by_name
        faults += [f"{game} has no message {game}{role}" for role in ROLES if f"{game}{role}" not in messages]
        for role, message, is_shared in _messages(service):
            for field in message.fields:
                shape, place = _shape(field, service), f"{message.name}.{field.name}"
                if shape.number <= LAST_COMMON:
                    common[role, shape.name].setdefault(shape, place)
                    common[role, shape.number].setdefault(shape, place)
                elif is_shared:
                    own[role, shape.name].setdefault(game, place)
    for shapes in common.values():
        if len(shapes) > 1:
            faults.append("different: " + ", ".join(sorted(f"{place} is {shape}" for shape, place in shapes.items())))
    for (role, name), games in own.items():
        places = sorted([*games.values(), *common.get((role, name), {}).values()])
        if len(places) > 1:
            faults.append(f"a field of several games has a number up to {LAST_COMMON}: {', '.join(places)}")
    return sorted(set(faults))


def _messages(service: ServiceDescriptor) -> Iterator[tuple[str, Descriptor, bool]]:
    """Yield each message with its role, and whether every game has one like it."""
    messages = service.file.message_types_by_name
    for role in (*ROLES, STATE):
        if f"{_game_of(service)}{role}" in messages:
            yield role, messages[f"{_game_of(service)}{role}"], True
    for name, method in service.methods_by_name.items():
        batch = "batch of " if "requests" in method.input_type.fields_by_name else ""
        yield f"{batch}request", method.input_type, name in METHODS
        yield f"{batch}answer", method.output_type, name in METHODS


def _game_of(service: ServiceDescriptor) -> str:
    return str(service.name).removesuffix("Service")


def _shape(field: FieldDescriptor, service: ServiceDescriptor) -> Shape:
    named = field.message_type or field.enum_type
    if named is None:
        kind = FieldDescriptorProto.Type.keys()[field.type - 1].removeprefix("TYPE_").lower()
    elif named in {method.input_type for method in service.methods}:
        kind = "a request"
    elif named in {method.output_type for method in service.methods}:
        kind = "an answer"
    else:
        kind = named.full_name if named.file != service.file else named.name.replace(_game_of(service), "")
    return Shape(field.name, field.number, kind, field.is_repeated, field.has_presence)

"""Members of messages by their paths, such as ``round.header.stake_minor`` or ``event.play.cards[1]``.

>>> from referee.v1 import shuffler_pb2
>>> terms = shuffler_pb2.RoundTerms()
>>> put(terms, "seat_keys", ["k*32", "hex:00ff"])
>>> shown(terms, "seat_keys[1]")
'00ff'
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.cards import DECK, parse_cards

_STEP: Final = re.compile(r"([a-z_]+)(?:\[(\d+)\])?")
_CARDS: Final = "referee.v1.Card"


def put(message: Any, path: str, value: Any) -> None:  # noqa: ANN401 - any message, any JSON
    """Set a member to a value of JSON; None clears it, and an object sets members of a message.

    Bytes are text, ``k*32`` for a letter so many times, or ``hex:`` and hexadecimal. Enums are names without their
    prefix, or numbers. Cards are numbers, or text such as ``3S TD``. An index one beyond the last appends.
    """
    name, index, rest = _split(path)
    field = _field(message, name)
    if rest:
        put(getattr(message, name) if index is None else getattr(message, name)[index], rest, value)
    elif index is not None:
        _put_at(message, field, index, value)
    elif value is None:
        message.ClearField(name)
    elif field.is_repeated:
        message.ClearField(name)
        whole = [card.number for card in parse_cards(value)] if isinstance(value, str) else value
        for number, one in enumerate(whole):
            _put_at(message, field, number, one)
    elif field.type == FieldDescriptor.TYPE_MESSAGE:
        if isinstance(value, Mapping):
            getattr(message, name).SetInParent()
            for member, inner in value.items():
                put(getattr(message, name), member, inner)
        else:
            getattr(message, name).CopyFrom(value)
    else:
        setattr(message, name, _scalar(field, value))


def shown(message: Any, path: str) -> Any:  # noqa: ANN401 - as above
    """Return a member as JSON: bytes as hexadecimal, cards as text, other enums as names; None if it is not set."""
    name, index, rest = _split(path)
    field = _field(message, name)
    if field.has_presence and not message.HasField(name):
        return None
    value = getattr(message, name)
    if index is not None:
        if index >= len(value):
            return None
        value = value[index]
        return shown(value, rest) if rest else _plain(field, value)
    if rest:
        return shown(value, rest)
    if field.is_repeated:
        plain = [_plain(field, one) for one in value]
        return " ".join(plain) if _is_cards(field) else plain
    return _plain(field, value)


def _split(path: str) -> tuple[str, int | None, str]:
    first, _, rest = path.partition(".")
    matched = _STEP.fullmatch(first)
    if matched is None:
        raise ValueError(f"{path!r} is no path of a member; write it as round.events[1].seat")
    name, index = matched.groups()
    return name, None if index is None else int(index), rest


def _field(message: Message, name: str) -> Any:  # noqa: ANN401 - a FieldDescriptor, whose stub knows less than it has
    field = message.DESCRIPTOR.fields_by_name.get(name)
    if field is None:
        raise ValueError(
            f"{message.DESCRIPTOR.name} has no {name!r}; it has {', '.join(message.DESCRIPTOR.fields_by_name)}"
        )
    return field


def _put_at(message: Any, field: Any, index: int, value: Any) -> None:  # noqa: ANN401 - as above
    members = getattr(message, field.name)
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        target = members.add() if index == len(members) else members[index]
        if isinstance(value, Mapping):
            for member, inner in value.items():
                put(target, member, inner)
        else:
            target.CopyFrom(value)
    elif index == len(members):
        members.append(_scalar(field, value))
    else:
        members[index] = _scalar(field, value)


def _scalar(field: Any, value: Any) -> Any:  # noqa: ANN401 - as above
    if field.type == FieldDescriptor.TYPE_BYTES and isinstance(value, str):
        if value.startswith("hex:"):
            return bytes.fromhex(value[4:])
        letter, star, times = value.partition("*")
        return letter.encode() * int(times) if star else value.encode()
    if field.type == FieldDescriptor.TYPE_ENUM and isinstance(value, str):
        if _is_cards(field):
            return parse_cards(value)[0].number
        names = field.enum_type.values_by_name
        found = [one.number for name, one in names.items() if name.endswith(f"_{value}")]
        exact = [number for number in found if _bare(field, number) == value]
        return (exact or found)[0]
    return value


def _bare(field: Any, number: int) -> str:  # noqa: ANN401 - a FieldDescriptor
    """Return an enum's name without the prefix that all its names share."""
    names = [one.name for one in field.enum_type.values]
    unspecified = next((name for name in names if name.endswith("UNSPECIFIED")), "")
    value = field.enum_type.values_by_number.get(number)
    return str(number) if value is None else value.name.removeprefix(unspecified.removesuffix("UNSPECIFIED"))


def _is_cards(field: Any) -> bool:  # noqa: ANN401 - a FieldDescriptor
    return bool(field.type == FieldDescriptor.TYPE_ENUM and field.enum_type.full_name == _CARDS)


def _plain(field: Any, value: Any) -> Any:  # noqa: ANN401 - as above
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return {inner.name: shown(value, inner.name) for inner, _ in value.ListFields()}
    if field.type == FieldDescriptor.TYPE_BYTES:
        return value.hex()
    if _is_cards(field):
        return DECK[value - 1].text if 0 < value <= len(DECK) else str(value)
    return _bare(field, value) if field.type == FieldDescriptor.TYPE_ENUM else value

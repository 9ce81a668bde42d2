"""Ways to have a call refused by what its request holds, whichever method it is of: what each makes of a request."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from referee.v1.round_pb2 import RoundCourse, RoundRef

Change = Callable[[Message], bool]
"""Makes a request one that is refused; False where its method has nothing of the kind."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to have requests refused: the reason, what it does to them, and in words."""

    reason: str
    how: str
    change: Change


WAYS: Final[list[Way]] = []


def way(reason: str, how: str) -> Callable[[Change], Change]:
    """Register a change that has a request refused for this reason."""

    def register(change: Change) -> Change:
        WAYS.append(Way(reason, how, change))
        return change

    return register


def parts_of(message: Message) -> Iterator[Any]:
    """Yield a message and all messages in it."""
    yield message
    for field, value in message.ListFields():
        if field.type == FieldDescriptor.TYPE_MESSAGE:  # the API has no maps
            for part in value if isinstance(value, Sequence) or hasattr(value, "append") else (value,):
                yield from parts_of(part)


def rounds_of(message: Message) -> list[Any]:
    """Return the played rounds of a request: messages with a header and certificates."""
    return [part for part in parts_of(message) if {"header", "certificates"} <= set(part.DESCRIPTOR.fields_by_name)]


def _each_round(message: Message, change: Callable[[Any], object]) -> bool:
    rounds = rounds_of(message)
    for one in rounds:
        change(one)
    return bool(rounds)


@way("FORGED", "a bit of the certificate's signature is changed")
def forged(message: Message) -> bool:
    """Change the signature of each first certificate."""

    def change(one: Any) -> None:  # noqa: ANN401 - a round of any game
        envelope = json.loads(one.certificates[0])
        signature = envelope["signatures"][0]["sig"]
        envelope["signatures"][0]["sig"] = ("B" if signature[0] == "A" else "A") + signature[1:]
        one.certificates[0] = json.dumps(envelope, separators=(",", ":")).encode()

    return _each_round(message, change)


@way("MALFORMED", "the certificate is no JSON of an envelope")
def garbage(message: Message) -> bool:
    """Replace each first certificate."""
    return _each_round(message, lambda one: one.certificates.__setitem__(0, b"{}"))


@way("FOREIGN", "the header is another round's")
def foreign(message: Message) -> bool:
    """Change each header's table."""
    return _each_round(message, lambda one: one.header.round.MergeFrom(RoundRef(table_id="beside")))


def _names_table(message: Message) -> bool:
    """Whether a message must name a table, by itself or by a round."""
    field = message.DESCRIPTOR.fields_by_name.get("table_id")
    return field is not None and (not field.has_presence or "round" in message.DESCRIPTOR.fields_by_name)


@way("MISSING_FIELD", "the header or the table's name is left out")
def headless(message: Message) -> bool:
    """Clear what names the round and must be there."""
    if _each_round(message, lambda one: one.ClearField("header")):
        return True
    named = [part for part in parts_of(message) if _names_table(part)]
    for part in named:
        for field in {"round", "table_id"} & set(part.DESCRIPTOR.fields_by_name):
            part.ClearField(field)
    return bool(named)


@way("INVALID_HEADER", "the header is of another log")
def elsewhere(message: Message) -> bool:
    """Change each header's origin."""
    return _each_round(message, lambda one: setattr(one.header, "origin", "elsewhere.example/1"))


@way("UNKNOWN_RULESET", "the ruleset is one that nobody has")
def ruleless(message: Message) -> bool:
    """Change each ruleset's id."""
    named = [part for part in parts_of(message) if "ruleset_id" in part.DESCRIPTOR.fields_by_name and part.ruleset_id]
    for part in named:
        part.ruleset_id = "nobody.has"
    return bool(named)


@way("INVALID_FIELD", "the table's name is longer than any may be")
def long_named(message: Message) -> bool:
    """Lengthen the table's name of requests that carry no round."""
    named = [] if rounds_of(message) else [p for p in parts_of(message) if "table_id" in p.DESCRIPTOR.fields_by_name]
    for part in named:
        part.table_id = "t" * 1000
    return bool(named)


@way("ROUND_UNKNOWN", "the round is named by a course that the server has not read")
def forgotten(message: Message) -> bool:
    """Name each round by a course of zeros, but not in questions about one hand and for advice, which are whole."""
    if message.DESCRIPTOR.name.startswith("CheckArrangement"):
        return False

    def change(one: Any) -> None:  # noqa: ANN401 - as above
        course = RoundCourse(round=one.header.round, history=bytes(32), content=bytes(32))
        one.Clear()
        one.course.CopyFrom(course)

    return _each_round(message, change)


@way("NOT_OPENED", "the table has no such round")
def unopened(message: Message) -> bool:
    """Name another table in requests of a slot."""
    field = message.DESCRIPTOR.fields_by_name.get("round")
    if field is None or field.message_type != RoundRef.DESCRIPTOR:
        return False
    if "table_id" in message.DESCRIPTOR.fields_by_name:  # recorded as the question for a table's latest round
        message.ClearField("table_id")
        message.round.round_number = 1  # type: ignore[attr-defined] # checked above
    message.round.table_id = "nobody-plays-here"  # type: ignore[attr-defined] # checked above
    return True

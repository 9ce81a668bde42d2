"""Ways to have a call refused by what its request holds, whichever method it is of: what each makes of a request."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

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


def _each_round(message: Message, change: Callable[[Any], None]) -> bool:
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

    def change(one: Any) -> None:  # noqa: ANN401 - as above
        one.certificates[0] = b"{}"

    return _each_round(message, change)


@way("FOREIGN", "the header is another round's")
def foreign(message: Message) -> bool:
    """Change each header's table."""

    def change(one: Any) -> None:  # noqa: ANN401 - as above
        one.header.table_id += "-beside"

    return _each_round(message, change)


def _table_field(message: Message) -> Any:  # noqa: ANN401 - a descriptor
    return message.DESCRIPTOR.fields_by_name.get("table_id")


@way("MISSING_FIELD", "the header or the table's name is left out")
def headless(message: Message) -> bool:
    """Clear what names the round and must be there."""

    def clear(one: Any) -> None:  # noqa: ANN401 - as above
        one.ClearField("header")

    if _each_round(message, clear):
        return True
    named = [part for part in parts_of(message) if not getattr(_table_field(part), "has_presence", True)]
    for part in named:
        part.ClearField("table_id")
    return bool(named)


@way("INVALID_HEADER", "the header is of another log")
def elsewhere(message: Message) -> bool:
    """Change each header's origin."""

    def change(one: Any) -> None:  # noqa: ANN401 - as above
        one.header.origin = "elsewhere.example/1"

    return _each_round(message, change)


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
    """Name each round by a course of zeros, but for questions about one hand, which take whole rounds."""
    if message.DESCRIPTOR.name.startswith(("CheckArrangement", "SuggestArrangement", "Advise")):
        return False

    def change(one: Any) -> None:  # noqa: ANN401 - as above
        table, number = one.header.table_id, one.header.round_number
        one.Clear()
        one.course.table_id, one.course.round_number, one.course.history = table, number, bytes(32)

    return _each_round(message, change)


@way("NOT_OPENED", "the table has no such round")
def unopened(message: Message) -> bool:
    """Name another table in requests of a slot."""
    if not {"table_id", "round_number"} <= set(message.DESCRIPTOR.fields_by_name):
        return False
    message.table_id = "nobody-plays-here"  # type: ignore[attr-defined] # checked above
    return True

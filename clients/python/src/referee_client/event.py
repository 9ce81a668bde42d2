"""Canonical bytes of an event, which the round's hash chains cover, and the course that a round's events make.

>>> from referee_client.messages import tien_len_pb2
>>> event_bytes(tien_len_pb2.TienLenEvent(seat=1, pass_turn=tien_len_pb2.Pass(), seen=4))
b'{"kind":"PASS","seat":1,"seen":4}'
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

import grpc

from referee.transcript.chain import Course
from referee.wire.game_messages import GameMessages
from referee.wire.refusal import RefusedError
from referee.wire.registry import GAME_MESSAGES
from referee_client.errors import BadRequestError

Event: TypeAlias = Any
"""An event message of any game."""

_ANY_ROUND: Final = bytes(32)
"""An event's bytes do not depend on its round."""


def event_bytes(event: Event) -> bytes:
    """Encode an event of any game as canonical JSON: the seat, its choice, and ``seen`` if it is set; not the time.

    Raise BadRequestError, as the server would refuse it, if the message is no event: a card that does not exist, no
    choice. Raise ValueError for a message of a game that is not installed.
    """
    encoded: bytes = _messages_of(event).game.events.encode(_read(event))
    return encoded


def is_timeout(event: Event) -> bool:
    """Return whether others report the event, as that a seat's time ran out; no seat signs such an event."""
    return bool(_read(event).is_imposed)


def course_of(events: Iterable[Event], *, round_id: bytes, deck_root: bytes) -> Course:
    """Return the course that a round's events make; raise ValueError if an event names a later event as seen."""
    course = Course.begin(round_id=round_id, deck_root=deck_root)
    for event in events:
        course = appended(course, event)
    return course


def appended(course: Course, event: Event) -> Course:
    """Return the course with this event appended."""
    seen = event.seen if event.HasField("seen") else None
    return course.append(event_bytes(event), time=event.time, received=event.received, seat=event.seat, seen=seen)


def _messages_of(event: Event) -> GameMessages:
    for messages in GAME_MESSAGES.values():
        if messages.event.DESCRIPTOR.full_name == event.DESCRIPTOR.full_name:
            return messages
    raise ValueError(f"{event.DESCRIPTOR.full_name} is no event of {', '.join(GAME_MESSAGES)}; install its game")


def _read(event: Event) -> Any:  # noqa: ANN401 - the game's own event
    try:
        return _messages_of(event).read(event, time=event.time, round_id=_ANY_ROUND, field="event")
    except RefusedError as refused:
        raise BadRequestError(
            refused.message,
            code=grpc.StatusCode.INVALID_ARGUMENT,
            reason=refused.reason_name,
            field=refused.field,
            facts=refused.facts,
        ) from None

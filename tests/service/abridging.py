"""A channel that names round messages where the server read them whole before, as a client may.

It abridges a request only where it carries a message, byte for byte, that the server has read or answered, so that a
test which edits a round sends it whole.
"""

from functools import partial
from typing import Any, Final

import grpc

from referee.v1 import round_pb2
from tests.driver.refusal import refusal_of
from tests.service.courses import hashes_of, take
from tests.status_details import reason_and_field
from tests.vectors.dealing.dealing_derivation import number, tagged

WHOLE_ONLY: Final = ("CheckArrangement", "AdviceService/")
"""Parts of the names of methods that take whole rounds only."""


def history_of(message: Any) -> bytes:  # noqa: ANN401 - a round of any game
    """Compute r_n of a round."""
    first, *hashes = hashes_of(message)
    history = first
    for event, hashed in zip(message.events, hashes, strict=True):
        history = tagged("history", history, hashed, number(event.time, 8), number(event.received, 1))
    return history


def content_of(message: Any) -> bytes:  # noqa: ANN401 - a round of any game
    """Compute the content of a round message."""
    certificates = list(message.certificates)
    signatures = list(message.signatures) or [b""] * len(message.header.seat_keys)
    return tagged("content", number(len(certificates), 1), *certificates, message.receipt, *signatures)


def course_of(message: Any) -> round_pb2.RoundCourse:  # noqa: ANN401 - a round of any game
    """Name a round message."""
    header = message.header
    return round_pb2.RoundCourse(round=header.round, history=history_of(message), content=content_of(message))


class AbridgingChannel:
    """A channel whose requests carry the course alone of each round that the server knows.

    Each answer but a settlement's is asked for by the whole round too, and must be the same.
    ``abridged`` counts rounds that were sent by their course, ``unknown`` calls that were repeated with whole rounds.
    """

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel
        self._known: dict[bytes, bytes] = {}
        self.abridged = self.unknown = 0

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - of any method
        return getattr(self._channel, name)

    def unary_unary(self, method: str, *kinds: Any, **more: Any) -> Any:  # noqa: ANN401 - as of a channel
        """Return the call of a method."""
        call: Any = self._channel.unary_unary(method, *kinds, **more)
        if any(name in method for name in WHOLE_ONLY):
            return call
        return lambda request, **how: self._answer(call, request, how)

    def _answer(self, call: Any, request: Any, how: dict[str, Any]) -> Any:  # noqa: ANN401 - of any method
        short = type(request)()
        short.CopyFrom(request)
        is_batch = "requests" in request.DESCRIPTOR.fields_by_name
        asked = list(zip(request.requests, short.requests, strict=True)) if is_batch else [(request, short)]
        asked = [pair for pair in asked if "round" in pair[0].DESCRIPTOR.fields_by_name]
        asked = [pair for pair in asked if "course" in pair[0].round.DESCRIPTOR.fields_by_name]
        count = sum(self._abridge(one.round, other.round) for one, other in asked)
        answer = None
        if count:
            answer = self._ask(call, request, short, how)
            self.abridged += 0 if answer is None else count
            self.unknown += answer is None
        if answer is None:
            answer = call(request, **how)
        if not is_batch:
            for one, _ in asked:
                self._note(one, answer)
        return answer

    def _ask(self, call: Any, request: Any, short: Any, how: dict[str, Any]) -> Any:  # noqa: ANN401 - of any method
        """Send the short request; return its answer, which must be the whole one's, or None if a round is unknown."""
        try:
            answer = call(short, **how)
        except grpc.RpcError as error:
            refusal = refusal_of(partial(_raise, error))
            if refusal.reason == "ROUND_UNKNOWN":
                return None
            assert refusal == refusal_of(partial(call, request, **how))
            raise
        if any(reason_and_field(one.refused)[0] == "ROUND_UNKNOWN" for one in getattr(answer, "responses", ())):
            return None
        if "Settle" not in request.DESCRIPTOR.name:  # whose answer again may have a newer checkpoint
            assert answer == call(request, **how)
        return answer

    def _abridge(self, message: Any, short: Any) -> bool:  # noqa: ANN401 - rounds of any game
        """Name the round by its course if the server knows it."""
        course = self._course(message)
        if course is None or self._known.get(_key(course)) != message.SerializeToString(deterministic=True):
            return False
        short.Clear()
        short.course.CopyFrom(course)
        return True

    def _note(self, request: Any, answer: Any) -> None:  # noqa: ANN401 - of any method
        """Keep what the server has now read: the round, unless it is unlawful, and the round with an accepted event."""
        after = type(request.round)()
        after.CopyFrom(request.round)
        course = self._course(after)
        if course is None or bool(getattr(answer, "refused_event_number", False)):
            return
        self._known[_key(course)] = after.SerializeToString(deterministic=True)
        if getattr(answer, "event_number", False):
            take(after, answer.event, receipt=answer.receipt, signature=request.signature)
            self._known[_key(course_of(after))] = after.SerializeToString(deterministic=True)

    @staticmethod
    def _course(message: Any) -> round_pb2.RoundCourse | None:  # noqa: ANN401 - a round of any game
        """Return the course of a round; None of one that has none."""
        try:
            return course_of(message)
        except (ValueError, LookupError, AttributeError, OverflowError):
            return None


def _key(course: round_pb2.RoundCourse) -> bytes:
    return course.SerializeToString(deterministic=True)


def _raise(error: Exception) -> None:
    raise error

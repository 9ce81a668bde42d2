"""Requests that name their round message, where the server may remember it, and figures of what that saves.

>>> abridging = Abridging()
>>> [abridging.note(is_known=False) for _ in range(2)], abridging.is_on()
([None, None], False)
"""

from dataclasses import dataclass
from typing import Any, Final, TypeVar

from google.protobuf.message import Message

from referee.transcript.chain import content_hash
from referee.v1.round_pb2 import RoundCourse

Request = TypeVar("Request", bound=Message)

MISSES: Final = 2
"""Unknown rounds in a row after which whole rounds are sent."""
PAUSE: Final = 100
"""Whole rounds that are sent then before a round is named again."""
WHOLE_ONLY: Final = frozenset({"CheckArrangement"})
"""Methods of the built-in games that take whole rounds only."""
SHARED: Final = frozenset({"AcceptEvent", "PreviewRound", "SettleRound"})
"""Methods of every game about a round, which may name it. The others of a package's game are sent whole rounds."""


@dataclass(slots=True, kw_only=True)
class Abridging:
    """Figures of the rounds that this client named, and whether it goes on doing so.

    Behind a balancer with several servers most rounds may be unknown, and each costs a second call. So whole rounds
    are sent after two unknown ones in a row, and after a hundred of those one is named again.
    """

    abridged: int = 0
    """Requests that the server answered by the name alone."""
    unknown: int = 0
    """Requests that had to be sent again with the whole round."""
    _misses: int = 0
    _whole: int = 0

    def is_on(self) -> bool:
        """Return whether the next round may be named; count it as whole otherwise."""
        if self._misses < MISSES:
            return True
        self._whole += 1
        if self._whole <= PAUSE:
            return False
        self._whole = 0
        return True

    def note(self, *, is_known: bool) -> None:
        """Count a request that named its round."""
        if is_known:
            self.abridged, self._misses = self.abridged + 1, 0
        else:
            self.unknown, self._misses = self.unknown + 1, self._misses + 1


def content_of(message: Any, *, seats: int) -> bytes:  # noqa: ANN401 - a round message of any game
    """Return the content of a round message, by which it is named; it is as secret as the certificates in it."""
    signatures = list(message.signatures) or [b""] * seats
    return content_hash(message.certificates, receipt=message.receipt, signatures=signatures)


def abridged(request: Request, course: RoundCourse) -> Request:
    """Return a request that names its round message; all its other fields are the same."""
    short: Any = type(request)()
    for field, value in request.ListFields():
        if field.name == "round":
            short.round.course.CopyFrom(course)
        elif field.message_type is not None:
            getattr(short, field.name).CopyFrom(value)
        else:
            setattr(short, field.name, value)
    return short  # type: ignore[no-any-return] # of the request's type

"""The chain of a seat's own events in one round, which decides what the seat may sign.

A seat signs g_{i,j}, the hash chain of its own events; each event in it names the newest event that the seat was shown.
The chain refuses a course that contradicts the course shown earlier. It never signs two events for one place in the
chain, unless the course has made the first one unlawful.

>>> from referee.transcript.chain import Course
>>> chain = SeatChain(SeatSecrets.make(0, keyed=True), round_id=bytes(32), deck_root=bytes(32))
>>> chain.show(Course.begin(round_id=bytes(32), deck_root=bytes(32)))
>>> chain.sign(b'{"kind":"PASS","seat":0}').event
b'{"kind":"PASS","seat":0,"seen":0}'
"""

from collections.abc import Callable
from typing import Any, Self

import msgspec

from referee.evidence.ed25519 import is_signature
from referee.evidence.outside import read_json
from referee.transcript.chain import Course, first_hash, first_move, next_move
from referee_client.checks import fail
from referee_client.seat import SeatSecrets


class SignedMove(msgspec.Struct, frozen=True, kw_only=True):
    """An event that a seat has signed."""

    event: bytes
    """Canonical bytes of the event, with ``seen``."""
    seen: int
    """Number of the newest event that the seat had been shown; 0 for the deal."""
    move: bytes
    """g_{i,j}, the link of the seat's chain that is signed; 32 bytes."""
    signature: bytes
    """Ed25519 signature over ``move``; 64 bytes."""


class AlreadySignedError(ValueError):
    """Error for a second event in one place of a seat's chain while the event ``former`` can still be accepted."""

    def __init__(self, seat: int, former: SignedMove) -> None:
        super().__init__(
            f"seat {seat} has signed {former.event.decode()} and may not sign another event in its place: "
            "send that one again, or show the course that makes it unlawful"
        )
        self.former: SignedMove = former
        """The move that the seat has signed already."""


class _Memory(msgspec.Struct, kw_only=True):
    """Memory of a chain: the newest event shown, the seat's g_{i,j} up to it, and a signed move not yet in it."""

    seat: int
    start: bytes
    number: int
    event_hash: bytes
    move: bytes
    timed_out: int = 0
    pending: SignedMove | None = None


def _never(_: bytes) -> bool:
    return False


class SeatChain:
    """The chain of one seat in one round. If the client may end before the round does, store what ``save`` returns."""

    def __init__(self, secrets: SeatSecrets, *, round_id: bytes, deck_root: bytes) -> None:
        start = first_hash(round_id=round_id, deck_root=deck_root)
        self._secrets = secrets
        self._memory = _Memory(
            seat=secrets.seat, start=start, number=0, event_hash=start, move=first_move(start, seat=secrets.seat)
        )

    @classmethod
    def restore(cls, secrets: SeatSecrets, saved: bytes) -> Self:
        """Restore a chain from the bytes of ``save``; raise ValueError if they are others, or of another seat."""
        memory: _Memory = read_json(saved, _Memory)
        if memory.seat != secrets.seat:
            raise ValueError(f"the chain is of seat {memory.seat}, and the secrets are of seat {secrets.seat}")
        chain = cls(secrets, round_id=bytes(32), deck_root=bytes(32))
        chain._memory = memory
        return chain

    def save(self) -> bytes:
        """Return the chain's memory as JSON, which holds no secret."""
        return msgspec.json.encode(self._memory)

    @property
    def pending(self) -> SignedMove | None:
        """The signed move that is not in the course yet; None if there is none."""
        return self._memory.pending

    def show(self, course: Course, *, signature: bytes = b"") -> None:
        """Show the chain the course so far, and this seat's newest signature in the course.

        Raise VerificationError if the course contradicts the one shown earlier, or has an event of this seat that its
        key did not sign.
        """
        memory = self._memory
        if course.start != memory.start:
            fail(f"seat {memory.seat} was shown a course of another deal")
        if course.number < memory.number or course.hash_at(memory.number) != memory.event_hash:
            fail(f"seat {memory.seat} was shown {memory.number} events, and the course has others by now")
        move = course.moves.get(memory.seat, memory.move)
        pending = memory.pending
        if move != memory.move:
            is_pending = pending is not None and pending.move == move
            if not is_pending and not is_signature(signature, move, self._secrets.public_key):
                fail(f"the course has an event of seat {memory.seat} that its key did not sign")
            memory.move, memory.pending = move, None
        for number in range(memory.number + 1, course.number + 1):
            event = _members(course.links[number - 1].event)
            if event.get("seat") == memory.seat and "seen" not in event:
                memory.timed_out = number
        memory.number, memory.event_hash = course.number, course.event_hash

    def acknowledge(self) -> None:
        """Count the pending move as accepted while the course with other seats' hands may not be shown yet.

        The next move is then signed after it. That is safe even if the pending move was not accepted: a signature
        covers all earlier moves, so the next move's is invalid without this one.
        """
        if self._memory.pending is not None:
            self._memory.move, self._memory.pending = self._memory.pending.move, None

    def sign(self, choice: bytes, *, is_unlawful: Callable[[bytes], bool] = _never) -> SignedMove:
        """Sign the seat's next event; ``choice`` is its bytes without ``seen``, which names the newest event shown.

        The same choice again gets the same signature. Raise AlreadySignedError for another choice, unless the seat has
        timed out since, or ``is_unlawful`` returns for the former event's bytes that they can never be accepted.
        """
        memory, former = self._memory, self._memory.pending
        if former is not None and memory.timed_out <= former.seen and not is_unlawful(former.event):
            if _with_seen(choice, former.seen) != former.event:
                raise AlreadySignedError(memory.seat, former)
            return former
        event = _with_seen(choice, memory.number)
        move = next_move(memory.move, seen_hash=memory.event_hash, event=event)
        signature = self._secrets.sign_move(move)
        memory.pending = SignedMove(event=event, seen=memory.number, move=move, signature=signature)
        return memory.pending


def _with_seen(choice: bytes, seen: int) -> bytes:
    return msgspec.json.encode(_members(choice) | {"seen": seen}, order="sorted")


def _members(event: bytes) -> dict[str, Any]:
    return read_json(event, dict[str, Any])

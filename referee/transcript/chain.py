"""The course of a round: a chain of hashes, each of which covers all events so far, and the signatures over them.

::

    h_0 = TH("transcript", round_id, deck_root)
    h_k = TH("event", h_{k-1}, u32 k, event bytes)                 the course, k = 1, 2, ..
    r_0 = h_0
    r_k = TH("history", r_{k-1}, h_k, u64 time, u8 received)       the course with its times
    g_{i,0} = TH("seat", h_0, u8 i)
    g_{i,j} = TH("move", g_{i,j-1}, h_s, event bytes)              the chain of seat i's own events
    content = TH("content", u8 n, certificate 1..n, newest receipt or empty, each seat's signature or empty)

*Event bytes* are the canonical JSON of the seat's choice, such as ``{"kind":"LEAVE","seat":2,"seen":4}``, without its
time. ``received`` is 1 where the referee's clock gave the time. s is the event's ``seen``: the newest event that the
player had been shown. An event receipt signs h_k and r_k, a seat signs g_{i,j}: so the newest receipt, and the newest
signature of each seat, cover everything before them. r_n and ``content`` name a round message and say what its sender
knows; ``content`` is as secret as the certificates in it.
"""

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Self, TypeAlias

import msgspec

from referee.evidence.canonical import Form, Hex32, Natural
from referee.evidence.dsse import Envelope, pae
from referee.evidence.ed25519 import Signer, is_signature
from referee.evidence.encoding import HASH_SIZE, prefix, tagged_hash, u8, u32

_sha256: Final = hashlib.sha256
_EVENT: Final = prefix("event", 3) + u32(HASH_SIZE)
_HISTORY: Final = prefix("history", 4) + u32(HASH_SIZE)
_MOVE: Final = prefix("move", 3) + u32(HASH_SIZE)
_EVENT_FIELDS: Final = struct.Struct(f">{len(_EVENT)}s32sIII")
"""A prefix and a hash, a number of four bytes after its length, and the length of the event."""
_HISTORY_FIELDS: Final = struct.Struct(f">{len(_HISTORY)}s32sI32sIQIB")
"""A prefix and a hash; then a hash, a time of eight bytes and a flag of one, each after its length."""
_MOVE_FIELDS: Final = struct.Struct(f">{len(_MOVE)}s32sI32sI")
"""A prefix and a hash, a hash after its length, and the length of the event."""


def first_hash(*, round_id: bytes, deck_root: bytes) -> bytes:
    """Return h_0 of a round, which is r_0 too."""
    return tagged_hash("transcript", round_id, deck_root)


def next_hash(previous: bytes, *, number: int, event: bytes) -> bytes:
    """Return h_k of the event with this number (from 1) and these bytes, after h_{k-1}."""
    return _sha256(_EVENT_FIELDS.pack(_EVENT, previous, 4, number, len(event)) + event).digest()


def next_history(previous: bytes, *, event_hash: bytes, time: int, received: bool) -> bytes:
    """Return r_k of the event with this hash h_k and time, after r_{k-1}."""
    fields = _HISTORY_FIELDS.pack(_HISTORY, previous, HASH_SIZE, event_hash, 8, time, 1, received)
    return _sha256(fields).digest()


def first_move(start: bytes, *, seat: int) -> bytes:
    """Return g_{i,0} of a seat, from h_0."""
    return tagged_hash("seat", start, u8(seat))


def next_move(previous: bytes, *, seen_hash: bytes, event: bytes) -> bytes:
    """Return g_{i,j} of a seat's event with these bytes, after g_{i,j-1}; ``seen_hash`` is h_s."""
    return _sha256(_MOVE_FIELDS.pack(_MOVE, previous, HASH_SIZE, seen_hash, len(event)) + event).digest()


def content_hash(certificates: Sequence[bytes], *, receipt: bytes, signatures: Iterable[bytes]) -> bytes:
    """Return the content of a round message: the hash of its certificates as they are sent, receipt and signatures.

    ``receipt`` is empty for none. ``signatures`` has one for each seat, empty for a seat without one.
    """
    return tagged_hash("content", u8(len(certificates)), *certificates, receipt, *signatures)


Step: TypeAlias = tuple[bytes, int, bool, int, int | None]
"""An event to append: its bytes, its time, whether the referee's clock gave the time, its seat, and its ``seen``.

``seen`` is None for an event in no seat's chain.
"""


class Link(msgspec.Struct, frozen=True):
    """One event of a course: its bytes, its time, whether the referee's clock gave the time, and its h_k and r_k."""

    event: bytes
    time: int
    received: bool
    event_hash: bytes
    history: bytes


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """The events of a round so far; event k is ``links[k - 1]``. A course is never changed: ``extend`` makes another.

    ``start`` is h_0, ``event_hash`` and ``history`` are h_n and r_n of the last event. ``moves`` are the newest g_{i,j}
    by seat, of the seats that have made an event with ``seen``. ``received`` is the number of the newest event whose
    time the referee's clock gave, 0 for none.
    """

    round_id: bytes
    start: bytes
    event_hash: bytes
    history: bytes
    links: tuple[Link, ...] = ()
    moves: Mapping[int, bytes] = msgspec.field(default_factory=dict)
    received: int = 0

    @classmethod
    def begin(cls, *, round_id: bytes, deck_root: bytes) -> Self:
        """Begin the course of a round before its first event."""
        start = first_hash(round_id=round_id, deck_root=deck_root)
        return cls(round_id=round_id, start=start, event_hash=start, history=start)

    @property
    def number(self) -> int:
        """Number of events."""
        return len(self.links)

    @property
    def histories(self) -> tuple[bytes, ...]:
        """Hashes r_1 to r_n."""
        return tuple([link.history for link in self.links])

    def hash_at(self, number: int) -> bytes:
        """Return h_k of an event, h_0 for number 0; raise ValueError for a number that no event has."""
        if not 0 <= number <= len(self.links):
            raise _missing(number, count=len(self.links))
        return self.links[number - 1].event_hash if number else self.start

    def next_move(self, event: bytes, *, seat: int, seen: int) -> bytes:
        """Return g_{i,j}, which the seat signs if this is its next event; ValueError if there is no event ``seen``."""
        before = self.moves.get(seat) or first_move(self.start, seat=seat)
        return next_move(before, seen_hash=self.hash_at(seen), event=event)

    def append(self, event: bytes, *, time: int, received: bool, seat: int, seen: int | None) -> "Course":
        """Return the course with one more event, as ``extend`` does."""
        return self.extend([(event, time, received, seat, seen)])

    def extend(self, steps: Iterable[Step]) -> "Course":
        """Return the course with more events; raise ValueError unless each ``seen`` is 0 or an earlier event."""
        links, moves = list(self.links), dict(self.moves)
        hashes = [self.start, *[link.event_hash for link in links]]
        event_hash, history, newest = self.event_hash, self.history, self.received
        for number, (event, time, received, seat, seen) in enumerate(steps, len(hashes)):
            if seen is not None:
                if not 0 <= seen < number:
                    raise _missing(seen, count=number - 1)
                before = moves.get(seat) or first_move(self.start, seat=seat)
                moves[seat] = next_move(before, seen_hash=hashes[seen], event=event)
            event_hash = next_hash(event_hash, number=number, event=event)
            history = next_history(history, event_hash=event_hash, time=time, received=received)
            hashes.append(event_hash)
            links.append(Link(event, time, received, event_hash, history))
            if received:
                newest = number
        return Course(
            round_id=self.round_id,
            start=self.start,
            event_hash=event_hash,
            history=history,
            links=tuple(links),
            moves=moves,
            received=newest,
        )

    def receipt(self, number: int, *, opens_section: int | None) -> "EventReceipt":
        """Return the receipt of an event; ``opens_section`` is None if the event opens no section."""
        link = self.links[number - 1]
        return EventReceipt(
            event_hash=link.event_hash.hex(),
            history=link.history.hex(),
            number=number,
            received_time=link.time,
            round_id=self.round_id.hex(),
            opens_section=msgspec.UNSET if opens_section is None else opens_section,
        )


def _missing(number: int, *, count: int) -> ValueError:
    return ValueError(f"there is no event {number}; the course has {count}")


RECEIPT_TYPE: Final = "application/vnd.referee.event.v1+json"


class EventReceipt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Receipt of an event, as the referee signs it; ``opens_section`` is the last section that the event opens."""

    event_hash: Hex32
    history: Hex32
    number: Natural
    received_time: Natural
    round_id: Hex32
    opens_section: Natural | msgspec.UnsetType = msgspec.UNSET


FORM: Final = Form(EventReceipt)


def sign_receipt(receipt: EventReceipt, signer: Signer) -> bytes:
    """Sign a receipt and return its envelope."""
    return Envelope.signed(RECEIPT_TYPE, FORM.write(receipt), signer).to_bytes()


def is_receipted(receipt: EventReceipt, signature: bytes, public_key: bytes) -> bool:
    """Return whether the holder of the key signed exactly this receipt."""
    return is_signature(signature, pae(RECEIPT_TYPE, FORM.write(receipt)), public_key)

"""Canonical bytes of an event, which the round's hash chains cover, and the course that a round's events make.

>>> event_bytes(tien_len_pb2.TienLenEvent(seat=1, pass_turn=tien_len_pb2.Pass(), seen=4))
b'{"kind":"PASS","seat":1,"seen":4}'
"""

import json
from collections.abc import Iterable
from typing import Any, TypeAlias

from referee.transcript.chain import Course
from referee.v1 import mau_binh_pb2, tien_len_pb2, ultimate_texas_pb2

Event: TypeAlias = "mau_binh_pb2.MauBinhEvent | tien_len_pb2.TienLenEvent | ultimate_texas_pb2.UltimateTexasEvent"

_KINDS = {"pass_turn": "PASS"}


def event_bytes(event: Event) -> bytes:
    """Encode an event as canonical JSON: the seat, its choice, and ``seen`` if it is set; not the time."""
    given: dict[str, Any] = {"seat": event.seat}
    if event.HasField("seen"):
        given["seen"] = event.seen
    if isinstance(event, ultimate_texas_pb2.UltimateTexasEvent):
        name = ultimate_texas_pb2.Decision.Name(event.decision).removeprefix("DECISION_")
        return _canonical(given | {"decision": name, "kind": "DECIDE"})
    choice = event.WhichOneof("choice") or ""
    given["kind"] = _KINDS.get(choice, choice.upper())
    if isinstance(event, tien_len_pb2.TienLenEvent):
        if choice == "play":
            given["cards"] = list(event.play.cards)
    elif choice == "arrange":
        given |= {name: list(getattr(event.arrange, name)) for name in ("back", "middle", "front")}
        if event.nonce:
            given["nonce"] = event.nonce.hex()
    elif choice == "commit":
        given["commitment"] = event.commit.commitment.hex()
    return _canonical(given)


def _canonical(given: dict[str, Any]) -> bytes:
    return json.dumps(given, sort_keys=True, separators=(",", ":")).encode("ascii")


def is_timeout(event: Event) -> bool:
    """Return whether an event reports that a seat's time ran out; no seat signs such an event."""
    if isinstance(event, ultimate_texas_pb2.UltimateTexasEvent):
        return event.decision == ultimate_texas_pb2.DECISION_TIMEOUT
    return bool(event.WhichOneof("choice") == "timeout")


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

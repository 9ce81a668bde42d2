"""The bytes of an event, as the round's chain of hashes covers them: what a receipt and a seat's signature are over.

>>> event_bytes(tien_len_pb2.TienLenEvent(seat=1, pass_turn=tien_len_pb2.Pass()))
b'{"kind":"PASS","seat":1}'
"""

import json
from typing import Any, TypeAlias

from referee.v1 import mau_binh_pb2, tien_len_pb2, ultimate_texas_pb2

Event: TypeAlias = "mau_binh_pb2.MauBinhEvent | tien_len_pb2.TienLenEvent | ultimate_texas_pb2.UltimateTexasEvent"

_KINDS = {"pass_turn": "PASS"}


def event_bytes(event: Event) -> bytes:
    """Encode the event as canonical JSON: the seat's choice, without its time and attestations."""
    given: dict[str, Any] = {"seat": event.seat}
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

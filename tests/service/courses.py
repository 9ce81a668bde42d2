"""What a frontend and its seats compute of a course by themselves, with the second derivation of the protocol."""

import base64
import json
from collections.abc import Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from referee.v1 import shuffler_pb2, ultimate_texas_pb2
from tests.vectors.dealing.dealing_derivation import canonical, number, tagged


def payload_of(envelope: bytes) -> dict[str, Any]:
    """Parse the payload of an envelope without verifying its signature."""
    payload: dict[str, Any] = json.loads(base64.b64decode(json.loads(envelope)["payload"]))
    return payload


def event_bytes(event: Any) -> bytes:  # noqa: ANN401 - an event of any game
    """Encode an event as the canonical JSON of a transcript."""
    members: dict[str, Any] = {"seat": event.seat}
    if event.HasField("seen"):
        members["seen"] = event.seen
    if isinstance(event, ultimate_texas_pb2.UltimateTexasEvent):
        decision = ultimate_texas_pb2.Decision.Name(event.decision).removeprefix("DECISION_")
        return canonical({"decision": decision, "kind": "DECIDE", **members})
    match event.WhichOneof("choice"):
        case "arrange":
            chi = event.arrange
            members |= {"back": list(chi.back), "front": list(chi.front), "kind": "ARRANGE", "middle": list(chi.middle)}
            members |= {"nonce": event.nonce.hex()} if event.nonce else {}
        case "commit":
            members |= {"commitment": event.commit.commitment.hex(), "kind": "COMMIT"}
        case "play":
            members |= {"cards": list(event.play.cards), "kind": "PLAY"}
        case "pass_turn":
            members |= {"kind": "PASS"}
        case kind:
            members |= {"kind": kind.upper()}
    return canonical(members)


def is_timeout(event: Any) -> bool:  # noqa: ANN401 - an event of any game
    """Whether others report the event of its seat."""
    if isinstance(event, ultimate_texas_pb2.UltimateTexasEvent):
        return event.decision == ultimate_texas_pb2.DECISION_TIMEOUT
    return bool(event.WhichOneof("choice") == "timeout")


def hashes_of(message: Any) -> list[bytes]:  # noqa: ANN401 - a round of any game
    """Compute h_0 to h_n of a round."""
    deal = payload_of(message.certificates[0])
    hashes = [tagged("transcript", bytes.fromhex(deal["round_id"]), bytes.fromhex(deal["deck_root"]))]
    for k, event in enumerate(message.events, 1):
        hashes.append(tagged("event", hashes[-1], number(k, 4), event_bytes(event)))
    return hashes


def move_of(message: Any, event: Any) -> bytes:  # noqa: ANN401 - of any game
    """Compute g_i,j of an event that its seat makes next in a round."""
    hashes = hashes_of(message)
    move = tagged("seat", hashes[0], number(event.seat, 1))
    own = [one for one in message.events if one.seat == event.seat and one.HasField("seen")]
    for one in [*own, event]:
        move = tagged("move", move, hashes[min(one.seen, len(hashes) - 1)], event_bytes(one))
    return move


def sign(message: Any, event: Any, key: Ed25519PrivateKey) -> bytes:  # noqa: ANN401 - of any game
    """Say that the seat has seen all of the round, unless the event says otherwise, and sign the event for it."""
    if not event.HasField("seen"):
        event.seen = len(message.events)
    return key.sign(move_of(message, event))


def take(message: Any, event: Any, *, receipt: bytes = b"", signature: bytes = b"") -> None:  # noqa: ANN401 - of any game
    """Append an event to a round, with its receipt and its seat's signature, which replace those before."""
    message.events.append(event)
    if receipt:
        message.receipt = receipt
    if signature:
        message.signatures.extend([b""] * (len(message.header.seat_keys) - len(message.signatures)))
        message.signatures[event.seat] = signature


def steps_of(message: Any) -> Sequence[shuffler_pb2.Step]:  # noqa: ANN401 - a round of any game
    """Return a round's events as the shuffler needs them."""
    return [
        shuffler_pb2.Step(event_hash=hashed, time=event.time, received=event.received)
        for hashed, event in zip(hashes_of(message)[1:], message.events, strict=True)
    ]

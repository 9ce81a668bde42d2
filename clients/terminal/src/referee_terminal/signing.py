"""A seat's own key in the terminal: it signs seeds and events here, and the key goes nowhere.

What is signed is a chain (``SeatChain`` of the client), which is written to the file of secrets before a signature is
sent, so that a terminal that was closed signs on where it was and never twice for one place.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from referee_client.seat import SeatSecrets
from referee_client.seat_chain import AlreadySignedError, SeatChain

from referee.transcript.chain import Course
from referee_terminal.faces import number_of
from referee_terminal.seat import ROWS, Keeping

KINDS: Final = {
    "arrange": "ARRANGE",
    "commit": "COMMIT",
    "open": "ARRANGE",
    "play": "PLAY",
    "pass": "PASS",
    "decide": "DECIDE",
    "leave": "LEAVE",
}
"""Commands that make an event, and its kind."""


class Signing:
    """What one seat signs in one round. It signs nothing for a seat whose key is another one."""

    def __init__(self, keeping: Keeping, given: Mapping[str, Any]) -> None:
        self._keeping, self._round_id, self._given = keeping, str(given["round_id"]), given
        kept = keeping.of(self._round_id)
        self._secrets = SeatSecrets(
            seat=given["you"],
            seed=bytes.fromhex(kept["seed"]),
            token=bytes.fromhex(kept["token"]),
            nonce=b"",
            private_key=bytes.fromhex(keeping.key()),
        )

    @property
    def is_mine(self) -> bool:
        """Whether the seat has this terminal's key."""
        seat = self._given["seats"][self._secrets.seat]
        return bool(seat.get("key") == self._secrets.public_key.hex())

    def seed(self, *, is_sealed: bool) -> dict[str, str]:
        """Return the signature of the seat's seed; empty for a seat without this key."""
        if not self.is_mine:
            return {}
        signature = self._secrets.sign_seed(
            bytes.fromhex(self._round_id),
            server_commitment=bytes.fromhex(self._given["server_commitment"]),
            is_sealed=is_sealed,
        )
        return {"signature": signature.hex()}

    def move(self, name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the seat had seen and its signature of a command; empty for a seat without this key.

        Raise AlreadySignedError where it has signed another event in this place.
        """
        if not self.is_mine or "course" not in self._given:
            return {}
        chain = self._chain()
        signed = chain.sign(_choice(self._secrets.seat, name, fields))
        self._keeping.note(self._round_id, "chain", chain.save().decode())
        return {"seen": signed.seen, "signature": signed.signature.hex()}

    def acknowledge(self) -> None:
        """Count the newest signed event as made, where the course that has it is not shown yet."""
        chain = self._chain()
        chain.acknowledge()
        self._keeping.note(self._round_id, "chain", chain.save().decode())

    def _chain(self) -> SeatChain:
        """Return the seat's chain, shown the course of the newest view."""
        kept, shown = self._keeping.of(self._round_id), self._given["course"]
        course = Course.begin(round_id=bytes.fromhex(self._round_id), deck_root=bytes.fromhex(shown["deck_root"]))
        if "chain" in kept:
            chain = SeatChain.restore(self._secrets, kept["chain"].encode())
        else:
            chain = SeatChain(self._secrets, round_id=course.round_id, deck_root=bytes.fromhex(shown["deck_root"]))
        if not shown["is_whole"]:
            pending = chain.pending
            if pending is not None and any(one["event"].encode() == pending.event for one in shown["events"]):
                chain.acknowledge()
            return chain
        for one in shown["events"]:
            event = json.loads(one["event"])
            course = course.append(
                one["event"].encode(),
                time=one["time"],
                received=one["received"],
                seat=event["seat"],
                seen=event.get("seen"),
            )
        chain.show(course, signature=bytes.fromhex(shown["signature"]))
        return chain


def _choice(seat: int, name: str, fields: Mapping[str, Any]) -> bytes:
    """Return the bytes of an event without what its seat had seen."""
    event: dict[str, Any] = {"kind": KINDS[name], "seat": seat}
    for row in (*ROWS, "cards"):
        if row in fields:
            event[row] = [number_of(card) for card in fields[row]]
    event |= {one: fields[one] for one in ("nonce", "commitment", "decision") if one in fields}
    return json.dumps(event, sort_keys=True, separators=(",", ":")).encode()


__all__ = ["AlreadySignedError", "Signing"]

"""A page whose seat has a key: it signs its seed and its events by itself, as PROTOCOL.md and round.proto have it."""

import hashlib
import json
from typing import Any

from nacl.signing import SigningKey

from tests.table.scripted_player import Player, View, hashed, number_of

KINDS = {
    "arrange": "ARRANGE",
    "commit": "COMMIT",
    "open": "ARRANGE",
    "play": "PLAY",
    "pass": "PASS",
    "decide": "DECIDE",
}


class SigningPlayer(Player):
    """One person with a key. ``moves`` has g of the seat's newest event by round."""

    def __init__(self, name: str, **how: Any) -> None:  # noqa: ANN401 - of Player
        super().__init__(name, **how)
        self.key = SigningKey(hashlib.sha256(f"key of {name}".encode()).digest())
        self.hello = {"seat_key": bytes(self.key.verify_key).hex()}
        self.moves: dict[str, bytes] = {}
        self.signs = True

    async def ask(self, name: str, *, command: str = "", **fields: Any) -> View:  # noqa: ANN401 - fields of a command
        """Sign the command where the protocol asks for it, then send it."""
        given = self.view.get("round")
        if self.signs and given is not None and fields.get("round_id") == given["round_id"]:
            if name == "seed":
                fields["signature"] = self._signed_seed(given, fields["seed"])
            elif name in KINDS and self._is_event(given, name):
                fields |= self._signed_event(given, name, fields)
        return await super().ask(name, command=command, **fields)

    def _is_event(self, given: View, name: str) -> bool:
        return name not in {"arrange", "commit"} or bool(given["mau_binh"]["takes_signed"])

    def _signed_seed(self, given: View, seed: str) -> str:
        round_id, seat = bytes.fromhex(given["round_id"]), bytes([given["you"]])
        token_hash = b""
        if self.view["sealed"]:
            token_hash = hashed("seat-token", round_id, seat, self.own("token", given["round_id"]))
        commitment = bytes.fromhex(given["server_commitment"])
        statement = hashed("client-seed", round_id, commitment, seat, token_hash, bytes.fromhex(seed))
        return self.key.sign(statement).signature.hex()

    def _signed_event(self, given: View, name: str, fields: dict[str, Any]) -> dict[str, Any]:
        course, seat = given["course"], given["you"]
        hashes = [hashed("transcript", bytes.fromhex(given["round_id"]), bytes.fromhex(course["deck_root"]))]
        if course["is_whole"]:
            for number, one in enumerate(course["events"], 1):
                hashes.append(hashed("event", hashes[-1], number.to_bytes(4, "big"), one["event"].encode()))
        seen = len(hashes) - 1
        event: dict[str, Any] = {"kind": KINDS[name], "seat": seat, "seen": seen}
        for row in ("back", "middle", "front", "cards"):
            if row in fields:
                event[row] = [number_of(card) for card in fields[row]]
        event |= {one: fields[one] for one in ("nonce", "commitment", "decision") if one in fields}
        before = self.moves.get(given["round_id"]) or hashed("seat", hashes[0], bytes([seat]))
        move = hashed("move", before, hashes[seen], json.dumps(event, sort_keys=True, separators=(",", ":")).encode())
        self.moves[given["round_id"]] = move
        return {"seen": seen, "signature": self.key.sign(move).signature.hex()}

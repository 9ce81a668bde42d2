"""What a seat draws, keeps and shows: its seed, in sealed rooms its token, and the arrangement it is bound to.

Secrets are drawn here, written to a file before anything that binds to them is sent, and forgotten when their
round is over. A terminal that starts again in the middle of a round finds them there.
"""

import json
import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from referee.cards import Card, Seat
from referee.dealing.commitment import client_commitment, seat_token_hash
from referee.games.mau_binh import arrangement_commitment
from referee_terminal.faces import number_of

ROWS: Final = ("back", "middle", "front")
"""The rows of an arrangement, in the order in which a commitment counts them."""
KEPT_ROUNDS: Final = 32
"""Rounds whose secrets are kept at most, the newest."""


class Keeping:
    """Secrets by round, in one file that only its owner reads."""

    def __init__(self, file: Path) -> None:
        self._file: Final = file
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            kept = {}
        self._kept: dict[str, dict[str, Any]] = kept if isinstance(kept, dict) else {}

    def secret(self) -> str:
        """Who this person is: drawn once, and the same ever after."""
        return self._own("secret", lambda: secrets.token_urlsafe(32))

    def key(self) -> str:
        """Return the private key that signs for this person's seats, in hex; it is never sent."""
        return self._own("key", lambda: secrets.token_hex(32))

    @property
    def name(self) -> str:
        """The name that the person chose; empty before that."""
        return str(self._kept.get("person", {}).get("name", ""))

    def call(self, name: str) -> None:
        """Keep the name that the person chose."""
        self.secret()
        self._kept["person"]["name"] = name
        self._write()

    def _own(self, what: str, make: Callable[[], str]) -> str:
        person = self._kept.setdefault("person", {})
        if what not in person:
            person[what] = make()
            self._write()
        return str(person[what])

    def note(self, round_id: str, name: str, value: str) -> None:
        """Keep something of a round beside its secrets."""
        self.of(round_id)[name] = value
        self._write()

    def of(self, round_id: str) -> dict[str, Any]:
        """Return the secrets of a round; make its seed and token on the first call."""
        if round_id not in self._kept:
            self._kept[round_id] = {"seed": secrets.token_hex(32), "token": secrets.token_hex(32)}
            rounds = [name for name in self._kept if name != "person"]
            for name in rounds[:-KEPT_ROUNDS]:
                del self._kept[name]
            self._write()
        return self._kept[round_id]

    def bind(self, round_id: str, rows: Mapping[str, Sequence[str]]) -> dict[str, Any]:
        """Keep the arrangement that a seat is about to commit to, with a new nonce."""
        kept = self.of(round_id)
        kept["bound"] = {"rows": {name: list(cards) for name, cards in rows.items()}, "nonce": secrets.token_hex(32)}
        self._write()
        return dict(kept["bound"])

    def forget(self, round_id: str) -> None:
        """Nothing is kept for a round that is over."""
        if self._kept.pop(round_id, None) is not None:
            self._write()

    def _write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        beside = self._file.with_suffix(".new")
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(self._kept, file)
        beside.replace(self._file)


def binding(round_id: str, seat: int, kept: Mapping[str, Any], *, is_sealed: bool) -> dict[str, str]:
    """Return what BINDING asks of a seat: its seed's commitment and, in a sealed room, its token's hash."""
    named, place = bytes.fromhex(round_id), Seat(seat)
    seed, token = bytes.fromhex(kept["seed"]), bytes.fromhex(kept["token"])
    bound = {"seed_commitment": client_commitment(round_id=named, seat=place, seed=seed).hex()}
    if is_sealed:
        bound["token_hash"] = seat_token_hash(round_id=named, seat=place, token=token).hex()
    return bound


def commitment(round_id: str, seat: int, rows: Mapping[str, Sequence[str]], nonce: str) -> str:
    """Return the commitment to an arrangement that is opened later."""
    cards = [Card(number_of(card)) for name in ROWS for card in rows[name]]
    committed = arrangement_commitment(
        round_id=bytes.fromhex(round_id), seat=Seat(seat), cards=cards, nonce=bytes.fromhex(nonce)
    )
    return committed.hex()

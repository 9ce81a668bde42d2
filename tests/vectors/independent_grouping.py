"""A round's leaves together, and what people hold of it, from ``README.md`` alone."""

import base64
import re
from collections.abc import Iterator
from typing import NamedTuple

from tests.vectors.independent_bytes import GROUP_ORDER, Envelope, RefusedError, read_envelope, read_json
from tests.vectors.independent_course import read_receipted_event
from tests.vectors.independent_round import Row


class Ring(NamedTuple):
    """The keys at a leaf, with their roles: those in force, and all that ever were."""

    valid: tuple[tuple[str, bytes], ...]
    known: tuple[tuple[str, bytes], ...]


class Held(NamedTuple):
    """What people hold of a round."""

    certificates: tuple[bytes, ...] = ()
    receipts: tuple[bytes, ...] = ()
    exports: tuple[bytes, ...] = ()
    seeds: tuple[tuple[int, bytes], ...] = ()


def group(row: Row) -> dict[str, Held]:
    """Group exhibits by the round they name; empty for no round."""
    held: dict[str, Held] = {}

    def add(name: str, data: bytes | tuple[int, bytes], field: str) -> None:
        before = held.get(name, Held())
        held[name] = before._replace(**{field: (*getattr(before, field), data)})

    for member, field in (("certificates", "certificates"), ("event_receipts", "receipts")):
        for text in row.get(member, ()):
            data = base64.b64decode(text)
            add(_named(data), data, field)
    for text in row.get("exports", ()):
        data = base64.b64decode(text)
        for name in {match for layer in layers(data) for match in re.findall(r"[0-9a-f]{64}", layer.decode("latin-1"))}:
            add(name, data, "exports")
    for seed in row.get("seeds", ()):
        add(seed["round_id"], (seed["seat"], bytes.fromhex(seed["seed"])), "seeds")
    return held


def _named(data: bytes) -> str:
    """Return the round id in an envelope's payload; empty where that is no object in canonical JSON that has one."""
    kept = read_receipted_event(data)
    try:
        said = read_json(read_envelope(data if kept is None else kept[2]).payload)
    except RefusedError:
        return ""
    named = said.get("round_id") if isinstance(said, dict) else ""
    return named if isinstance(named, str) else ""


class Round:
    """A round while its leaves go by; ``parts`` are those behind OPEN, each with its index."""

    def __init__(self, header: Row, said: Row, opened: int, ring: Ring) -> None:
        self.header, self.said, self.opened, self.ring = header, said, opened, ring
        self.parts: dict[str, tuple[int, Row]] = {}
        self.unseals: list[tuple[int, Row]] = []
        self.rings = [ring]
        self.end = b""
        self.newest = opened
        self.before: str | None = None
        self.last_winner: tuple[Row, int] | None = None

    @property
    def game(self) -> str:
        """The first part of the ruleset's id."""
        return str(self.header["ruleset_id"]).partition(".")[0]

    @property
    def rid(self) -> bytes:
        """Round id according to OPEN."""
        return bytes.fromhex(self.said["round_id"])

    @property
    def place(self) -> int:
        """Where a finding about the round points: DEAL, or OPEN where there is none."""
        return self.parts["deal"][0] if "deal" in self.parts else self.opened

    @property
    def is_whole(self) -> bool:
        """Whether the round has ended and its seed is shown."""
        return bool(self.end) and "reveal" in self.parts

    def step(self, kind: str, index: int, said: Row, ring: Ring, hashed: bytes) -> str:
        """Return the fault of a leaf that follows OPEN; add the leaf to the round if it makes sense."""
        code = self._step_fault(kind, said)
        if code in ("DEALT_TWICE", "ENDED_TWICE", "UNSEAL_NOT_IN_COURSE"):
            return code
        if kind == "unseal":
            self.unseals.append((index, said))
        else:
            self.parts[kind] = (index, said)
        self.rings.append(ring)
        self.newest = index
        if kind in ("settle", "abort"):
            self.end = hashed
        return code

    def _step_fault(self, kind: str, said: Row) -> str:  # noqa: PLR0911 - a line a rule
        dealt = self.parts["deal"][1]["deck_root"] if "deal" in self.parts else ""
        if kind == "deal":
            return "DEALT_TWICE" if self.end or dealt else ""
        if kind == "reveal":
            return "ENDED_TWICE" if "reveal" in self.parts else "" if self.end else "REVEALED_EARLY"
        if kind == "unseal":
            return self._unseal_fault(said["number"]) if dealt else "UNSEAL_NOT_IN_COURSE"
        if self.end:
            return "ENDED_TWICE"
        if kind == "abort":
            return "" if (said["stage"] == "DEALT") == bool(dealt) else "ABORT_MISMATCH"
        if not dealt:
            return "SETTLED_UNDEALT"
        return "" if said["inputs"]["deck_root"] == dealt else "DECK_ROOT_MISMATCH"

    def _unseal_fault(self, number: int) -> str:
        last = self.unseals[-1][1]["number"] if self.unseals else 0
        return "UNSEAL_NOT_IN_COURSE" if self.end or number <= last else ""

    def header_fault(self, header: Row) -> str:
        """How a transcript's header is unlike OPEN's; empty where it is not."""
        names = {name for name, value in self.header.items() if header[name] != value}
        if not names:
            return ""
        if names & {"table_id", "round_number"}:
            return "SETTLED_OTHER_ROUND"
        return "STAKE_MISMATCH" if names <= {"stake", "seat_stakes"} else "HEADER_MISMATCH"

    def seeds(self) -> Iterator[tuple[str, bytes, int]]:
        """Owner, seed and leaf of every seed that was shown."""
        if "deal" in self.parts:
            index, said = self.parts["deal"]
            yield from (("CLIENT", bytes.fromhex(seed), index) for seed in said["client_seeds"] if seed)
        if "reveal" in self.parts:
            index, said = self.parts["reveal"]
            yield "SERVER", bytes.fromhex(said["server_seed"]), index

    def of(self, role: str) -> list[bytes]:
        """Return the role's keys in force at any leaf of the round."""
        return list(dict.fromkeys(key for ring in self.rings for one, key in ring.valid if one == role))


def layers(data: bytes) -> list[bytes]:
    """Return the bytes and what they decode to as base64, up to four times."""
    found = fresh = [data]
    for _ in range(4):
        fresh = [inner for layer in fresh for inner in _decoded(layer)]
        found = found + fresh
    return found


def _decoded(layer: bytes) -> Iterator[bytes]:
    for text in re.findall(rb"[A-Za-z0-9+/]{40,}", layer):
        for start in range(4):
            part = text[start : start + (len(text) - start) // 4 * 4]
            rest = text[start + len(part) :]
            padded = part + (rest + b"=" * (4 - len(rest)) if len(rest) > 1 else b"")
            yield base64.b64decode(padded)


def signature_fault(envelope: Envelope, role: str, ring: Ring) -> str:
    """Return the fault of an envelope's signers, or an empty text."""
    if not role:
        return "WRONG_ROLE" if envelope.signature else ""
    if any(one == role and envelope.is_by(key) for one, key in ring.valid):
        return ""
    if envelope.signature:
        for one, key in ring.known:
            if envelope.is_by(key):
                return "KEY_NOT_VALID" if one == role else "WRONG_ROLE"
        if int.from_bytes(envelope.signature[32:], "little") >= GROUP_ORDER:
            return "SIGNATURE_MALFORMED"
    return "SIGNATURE_FORGED"

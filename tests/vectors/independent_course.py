"""Events of a round, their chains, receipts and seats' signatures, from ``README.md`` alone."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tests.vectors.independent_bytes import (
    RefusedError,
    holds,
    media_type,
    open_envelope,
    pae,
    read_json,
    refuse,
    th,
    uint,
    write_json,
)
from tests.vectors.independent_round import ZEROS, Row, has_members, is_hex, is_list, is_natural

Members = dict[str, Callable[[Any], bool]]


def _cards(value: object) -> bool:
    return is_list(value, lambda card: is_natural(card, 1) and card <= 52)


OWN: Members = {"seat": is_natural, "seen?": is_natural}
ARRANGE: Members = {"back": _cards, "front": _cards, "middle": _cards, "nonce?": is_hex}
DECISIONS = ("CHECK", "PLAY_1X", "PLAY_2X", "PLAY_3X", "PLAY_4X", "FOLD", "LEAVE", "TIMEOUT")
EVENTS: dict[str, dict[str, Members]] = {
    "mau_binh": {
        "ARRANGE": OWN | ARRANGE,
        "COMMIT": OWN | {"commitment": is_hex},
        "TIMEOUT": {"seat": is_natural},
        "LEAVE": OWN,
    },
    "tien_len": {"PLAY": OWN | {"cards": _cards}, "PASS": OWN, "LEAVE": OWN, "TIMEOUT": {"seat": is_natural}},
    "ultimate_texas": {"DECIDE": OWN | {"decision": lambda value: value in DECISIONS}},
}


def check_event(game: str, data: bytes) -> Row:
    """Parse an event."""
    event = read_json(data)
    kind = event.get("kind") if isinstance(event, dict) else None
    if not isinstance(kind, str) or kind not in EVENTS[game]:
        refuse("EVENT")
    if not has_members(event, EVENTS[game][kind] | {"kind": lambda _: True}) or (is_timeout(event) and "seen" in event):
        refuse("EVENT")
    return dict(event)


def is_timeout(event: Row) -> bool:
    return event.get("kind") == "TIMEOUT" or event.get("decision") == "TIMEOUT"


def seat_of(event: Row, seats: int) -> int:
    """Return the seat whose event it is; -1 if it names none."""
    seat = event.get("seat")
    return seat if isinstance(seat, int) and not isinstance(seat, bool) and 0 <= seat < seats else -1


def chain(rid: bytes, root: bytes, events: Sequence[bytes]) -> list[bytes]:
    """h_0 to h_n."""
    hashes = [th("transcript", rid, root)]
    for k, event in enumerate(events, 1):
        hashes.append(th("event", hashes[-1], uint(k, 32), event))
    return hashes


def histories(hashes: Sequence[bytes], entries: Sequence[Row]) -> list[bytes]:
    """r_0 to r_n of entries that have ``time`` and ``received``."""
    made = [hashes[0]]
    for hashed, entry in zip(hashes[1:], entries, strict=True):
        made.append(th("history", made[-1], hashed, uint(entry["time"], 64), uint(entry["received"], 8)))
    return made


def seat_chains(hashes: Sequence[bytes], events: Sequence[Row], keys: Sequence[str]) -> list[list[bytes]]:
    """g_i,0 and on by seat; raise RefusedError SEEN if ``seen`` is not where it belongs, or not below its event."""
    chains = [[th("seat", hashes[0], uint(seat, 8))] for seat in range(len(keys))]
    for k, event in enumerate(events, 1):
        seat, seen = seat_of(event, len(keys)), event.get("seen")
        if seat < 0 or keys[seat] == ZEROS or is_timeout(event):
            if seen is not None:
                refuse("SEEN")
            continue
        if not isinstance(seen, int) or not 0 <= seen < k:
            refuse("SEEN")
        chains[seat].append(th("move", chains[seat][-1], hashes[seen], write_json(event)))
    return chains


RECEIPT: Members = {
    "event_hash": is_hex,
    "history": is_hex,
    "number": lambda value: is_natural(value, 1),
    "received_time": is_natural,
    "round_id": is_hex,
    "opens_section?": is_natural,
}


def read_event_receipt(data: bytes, keys: Sequence[bytes]) -> Row:
    said = read_json(open_envelope(data, media_type("event"), keys))
    if not has_members(said, RECEIPT):
        refuse("RECEIPT")
    return dict(said)


def read_receipted_event(data: bytes) -> tuple[bytes, str, bytes] | None:
    """Read an event's bytes, h_{k-1} in hex and the receipt's envelope from a file; None if it is another file."""
    try:
        said = read_json(data)
    except RefusedError:
        return None
    is_text = {"event": lambda value: isinstance(value, str), "receipt": lambda value: isinstance(value, str)}
    if not has_members(said, {**is_text, "previous_hash": is_hex}):
        return None
    return said["event"].encode(), said["previous_hash"], said["receipt"].encode()


def next_hash(previous: bytes, number: int, event: bytes) -> bytes:
    """Return h_k of event number k, after h_{k-1}."""
    return th("event", previous, uint(number, 32), event)


def is_receipted(receipt: Row, signature: str, keys: Sequence[bytes]) -> bool:
    """Whether one of the referee's keys signed these members of a receipt."""
    message = pae(media_type("event"), write_json(receipt))
    return is_hex(signature, 64) and any(holds(bytes.fromhex(signature), message, key) for key in keys)


class Course(NamedTuple):
    """The events of a transcript with all their hashes."""

    rid: bytes
    inputs: Row
    keys: list[str]
    hashes: list[bytes]
    histories: list[bytes]

    @property
    def entries(self) -> list[Row]:
        """The events as the inputs have them, each with time and flag."""
        return list(self.inputs["events"])

    def receipt_at(self, number: int, opens: int | None) -> Row:
        """Return the members of the receipt of an event."""
        said: Row = {
            "event_hash": self.hashes[number].hex(),
            "history": self.histories[number].hex(),
            "number": number,
            "received_time": self.entries[number - 1]["time"],
            "round_id": self.rid.hex(),
        }
        return said if opens is None else said | {"opens_section": opens}

    def receipt_fault(self, referees: Sequence[bytes], events_hash: object) -> str:
        """Return EVENTS_ALTERED or HISTORY_ALTERED if the newest receipt does not hold, or an empty text."""
        receipt = self.inputs.get("receipt")
        received = [k for k, entry in enumerate(self.entries, 1) if entry["received"]]
        if receipt is None and not received:
            return ""
        if receipt is not None and receipt["number"] > len(self.entries):
            return "EVENTS_ALTERED"
        if receipt is not None and received[-1:] == [receipt["number"]] and self._holds(receipt, referees):
            return ""
        return "HISTORY_ALTERED" if events_hash == self.hashes[-1].hex() else "EVENTS_ALTERED"

    def _holds(self, receipt: Row, referees: Sequence[bytes]) -> bool:
        said = self.receipt_at(receipt["number"], receipt.get("opens_section"))
        return is_receipted(said, receipt["signature"], referees)

    def unsigned_seats(self) -> list[int]:
        """Return the seats whose signature does not cover their events, -1 if an event breaks every chain."""
        signatures = self.inputs["signatures"]
        if len(signatures) != len(self.keys):
            return [-1]
        try:
            chains = seat_chains(self.hashes, [entry["event"] for entry in self.entries], self.keys)
        except RefusedError:
            return [-1]
        bad = []
        for seat, (made, text) in enumerate(zip(chains, signatures, strict=True)):
            if len(made) == 1:
                is_good = text == ""
            else:
                is_good = is_hex(text, 64) and holds(bytes.fromhex(text), made[-1], bytes.fromhex(self.keys[seat]))
            bad += [] if is_good else [seat]
        return bad

    def level(self) -> str:
        """Return the lowest level of the events; NONE if there is none."""
        return min((self._level_of(entry) for entry in self.entries), default="NONE")

    def _level_of(self, entry: Row) -> str:
        seat = seat_of(entry["event"], len(self.keys))
        is_keyed = seat >= 0 and self.keys[seat] != ZEROS
        return "E0" if not entry["received"] else "E2" if is_keyed else "E1"


def course(rid: bytes, keys: Sequence[str], inputs: Row) -> Course:
    """Hash the events of a transcript's inputs."""
    events = [write_json(entry["event"]) for entry in inputs["events"]]
    hashes = chain(rid, bytes.fromhex(inputs["deck_root"]), events)
    return Course(rid, inputs, list(keys), hashes, histories(hashes, inputs["events"]))

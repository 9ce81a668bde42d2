"""Keys, notes, checkpoints, receipts, cosignatures, tiles and the order of a round, from ``README.md`` alone."""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from tests.vectors.independent_bytes import (
    LARGEST,
    RefusedError,
    holds,
    inclusion_root,
    is_sound_key,
    leaf_hash,
    refuse,
    tree_root,
    unbase64,
)

ED25519, COSIGNATURE = 1, 4
LARGEST_SECONDS = 2**63 - 1


class Key(NamedTuple):
    """A verifier key."""

    text: str
    name: str
    hint: bytes
    algorithm: int
    public: bytes


def read_key(text: object) -> Key:
    match = re.fullmatch(r"([!-*,-~]{1,255})\+([0-9a-f]{8})\+(.+)", text) if isinstance(text, str) else None
    if match is None:
        refuse("KEY")
    material = unbase64(match[3])
    hint = hashlib.sha256(match[1].encode() + b"\n" + material).digest()[:4]
    if material[:1] not in (b"\x01", b"\x04") or not is_sound_key(material[1:]) or hint.hex() != match[2]:
        refuse("KEY")
    return Key(match[0], match[1], hint, material[0], material[1:])


class Line(NamedTuple):
    """A signature line of a note."""

    name: str
    hint: bytes
    signature: bytes


class Note(NamedTuple):
    """A text and the lines below it."""

    text: str
    lines: tuple[Line, ...]

    def of(self, key: Key) -> list[Line]:
        """Return the lines under a key's name and hint."""
        return [line for line in self.lines if (line.name, line.hint) == (key.name, key.hint)]

    def is_by(self, key: Key, line: Line) -> bool:
        """Whether a line is the key's own signature of this note."""
        if key.algorithm == ED25519:
            return holds(line.signature, self.text.encode(), key.public)
        seconds = int.from_bytes(line.signature[:8], "big")
        signed = f"cosignature/v1\ntime {seconds}\n{self.text}".encode()
        return seconds <= LARGEST_SECONDS and holds(line.signature[8:], signed, key.public)

    def signers(self, keys: Iterable[Key]) -> list[str]:
        """Return the texts of the keys that signed, in the order of the lines."""
        found: dict[str, None] = {}
        known = list(keys)
        for line in self.lines:
            for key in known:
                if (line.name, line.hint) == (key.name, key.hint):
                    if not self.is_by(key, line):
                        refuse("NOTE")
                    found[key.text] = None
        if not found:
            refuse("NOTE")
        return list(found)


def read_note(data: bytes) -> Note:
    if len(data) > 65_535:
        refuse("NOTE")
    try:
        whole = data.decode()
    except UnicodeDecodeError:
        refuse("NOTE")
    text, empty, below = whole.rpartition("\n\n")
    if not empty or not below.endswith("\n") or any(letter < " " and letter != "\n" for letter in whole):
        refuse("NOTE")
    lines = below[:-1].split("\n")
    if len(lines) > 100:
        refuse("NOTE")
    return Note(text + "\n", tuple(_read_line(line) for line in lines))


def _read_line(line: str) -> Line:
    match = re.fullmatch(r"— ([^\s+]+) ([^ ]+)", line)
    if match is None:
        refuse("NOTE")
    data = unbase64(match[2])
    if len(data) < 5:
        refuse("NOTE")
    return Line(match[1], data[:4], data[4:])


class Checkpoint(NamedTuple):
    """What a log signs."""

    origin: str
    size: int
    root: bytes


def read_checkpoint(body: str) -> Checkpoint:
    match = re.fullmatch(r"([!-~](?:[ -~]{0,253}[!-~])?)\n(0|[1-9][0-9]{0,15})\n([^\n]{44})\n", body)
    if match is None:
        refuse("CHECKPOINT")
    root = unbase64(match[3])
    size = int(match[2])
    if len(root) != 32 or size > LARGEST or (size == 0 and root != tree_root([])):
        refuse("CHECKPOINT")
    return Checkpoint(match[1], size, root)


def open_checkpoint(data: bytes, origin: str, keys: Iterable[Key]) -> Checkpoint:
    note = read_note(data)
    note.signers([key for key in keys if key.algorithm == ED25519])
    checkpoint = read_checkpoint(note.text)
    if checkpoint.origin != origin:
        refuse("ORIGIN")
    return checkpoint


class Receipt(NamedTuple):
    """A log receipt as its text says it."""

    place: int
    proof: tuple[bytes, ...]
    checkpoint: bytes


def read_receipt(data: bytes) -> Receipt:
    head, empty, checkpoint = data.partition(b"\n\n")
    lines = head.decode("latin-1").split("\n")
    place = re.fullmatch(r"index (0|[1-9][0-9]{0,15})", lines[1]) if len(lines) > 1 else None
    if not empty or lines[0] != "c2sp.org/tlog-proof@v1" or place is None or len(lines) > 66:
        refuse("RECEIPT")
    proof = tuple(unbase64(line) for line in lines[2:])
    if any(len(node) != 32 for node in proof):
        refuse("RECEIPT")
    return Receipt(int(place[1]), proof, checkpoint)


def check_receipt(data: bytes, leaf: bytes, origin: str, keys: Iterable[Key]) -> None:
    receipt = read_receipt(data)
    checkpoint = open_checkpoint(receipt.checkpoint, origin, keys)
    if inclusion_root(leaf_hash(leaf), receipt.place, checkpoint.size, receipt.proof) != checkpoint.root:
        refuse("RECEIPT")


class Cosigned(NamedTuple):
    """What witnesses say on a note: by key text the newest time, those forged, those that do not count."""

    times: dict[str, int]
    forged: list[str]
    doubled: list[str]


def read_witnesses(texts: Sequence[str]) -> tuple[list[Key], list[Key]]:
    """Separate the witnesses that count from those whose public key came before."""
    counted: list[Key] = []
    doubled: list[Key] = []
    for key in map(read_key, texts):
        if key.algorithm != COSIGNATURE:
            refuse("WITNESS")
        (doubled if any(key.public == one.public for one in counted) else counted).append(key)
    return counted, doubled


def cosigned(note: Note, texts: Sequence[str]) -> Cosigned:
    counted, doubled = read_witnesses(texts)
    newest: dict[bytes, int] = {}
    forged = []
    for key in map(read_key, texts):
        for line in note.of(key):
            if note.is_by(key, line):
                seconds = int.from_bytes(line.signature[:8], "big")
                newest[key.public] = max(newest.get(key.public, 0), seconds)
            elif key.text not in forged:
                forged.append(key.text)
    times = {key.text: newest[key.public] for key in counted if key.public in newest}
    return Cosigned(times, forged, [key.text for key in doubled])


def tile_path(level: str, index: int, width: int) -> str:
    groups = [f"{index % 1000:03d}"]
    while index >= 1000:
        index //= 1000
        groups.insert(0, f"x{index % 1000:03d}")
    return f"tile/{level}/{'/'.join(groups)}" + ("" if width == 256 else f".p/{width}")


def read_tile_path(path: str) -> tuple[str, int, int]:
    match = re.fullmatch(r"tile/(entries|[0-9]{1,2})/((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/([0-9]{1,3}))?", path)
    if match is None:
        refuse("TILE")
    index, width = int(re.sub("[x/]", "", match[2])), 256 if match[3] is None else int(match[3])
    is_level = match[1] == "entries" or int(match[1]) <= 63
    level = match[1] if match[1] == "entries" else str(int(match[1]))
    if not is_level or not 1 <= width <= 256 or tile_path(level, index, width) != path:
        refuse("TILE")
    return match[1], index, width


def read_entries(data: bytes, width: int) -> list[bytes]:
    entries = []
    for _ in range(width):
        size = int.from_bytes(data[:2], "big")
        if len(data) < 2 + size:
            refuse("TILE")
        entries.append(data[2 : 2 + size])
        data = data[2 + size :]
    if data:
        refuse("TILE")
    return entries


def tiles_of(size: int) -> list[tuple[str, int, int]]:
    """Level, index and width of every tile of a log, entries first."""
    tiles = []
    rows = [("entries", size)]
    level = 0
    while size >> 8 * level:
        rows.append((str(level), size >> 8 * level))
        level += 1
    for name, count in rows:
        tiles += [(name, at // 256, min(256, count - at)) for at in range(0, count, 256)]
    return tiles


class SlotState(NamedTuple):
    """How far a round has come."""

    round_id: str
    stage: str = "OPENED"
    deck: str = ""
    end: object = None
    is_revealed: bool = False
    unseals: tuple[tuple[str, object], ...] = ()
    """The course of each UNSEAL, a letter an event, with its leaf."""


class SlotStep(NamedTuple):
    """What a step says; ``course`` has a letter for each event, ``unseals`` are the courses that a settlement names."""

    kind: str
    round_id: str
    deck: str
    leaf: object
    before: "Before"
    course: str = ""
    unseals: tuple[str, ...] = ()


def advance(state: SlotState | None, step: SlotStep) -> SlotState:
    """Return the state after a step; raise RefusedError with the reason of the README's table."""
    kind, deck, leaf = step.kind, step.deck, step.leaf
    if kind == "OPEN":
        _check_open(state, step.before)
        return SlotState(step.round_id)
    if state is None:
        refuse("NOT_OPENED")
    if state.round_id != step.round_id:
        refuse("ROUND_MISMATCH")
    if kind == "UNSEAL":
        return _unseal(state, step)
    if kind == "REVEAL":
        _check_reveal(state)
        return state._replace(is_revealed=True)
    if kind == "DEAL":
        _check_deal(state)
        return state._replace(stage="DEALT", deck=deck)
    _check_end(kind, state, deck)
    if kind == "SETTLE" and step.unseals != tuple(course for course, _ in state.unseals):
        refuse("COURSE_FORKED")
    return state._replace(stage="SETTLED" if kind == "SETTLE" else "ABORTED", end=leaf)


def stored_unseal(state: SlotState, course: str) -> object | None:
    """Return the leaf of the UNSEAL of this course that is on record."""
    return dict(state.unseals).get(course)


def _unseal(state: SlotState, step: SlotStep) -> SlotState:
    if stored_unseal(state, step.course) is not None:
        return state
    if state.stage == "SETTLED":
        refuse("ALREADY_SETTLED")
    if state.stage == "ABORTED":
        refuse("ABORTED")
    if state.stage != "DEALT":
        refuse("NOT_DEALT")
    for course, _ in state.unseals:
        if len(step.course) <= len(course) or not step.course.startswith(course):
            refuse("COURSE_FORKED")
    return state._replace(unseals=(*state.unseals, (step.course, step.leaf)))


class Before(NamedTuple):
    """Predecessor of an OPEN: the round before (None if missing) and the leaf that it names."""

    round_number: int
    state: SlotState | None
    named: object
    nothing: object


NOTHING_BEFORE = Before(1, None, None, None)


def _check_open(state: SlotState | None, before: Before) -> None:
    if state is not None:
        refuse("ALREADY_OPENED")
    if before.round_number == 1:
        end = before.nothing
    else:
        if before.state is None:
            refuse("WRONG_PREVIOUS")
        if before.state.end is None:
            refuse("PREVIOUS_ROUND_OPEN")
        end = before.state.end
    if before.named != end:
        refuse("WRONG_PREVIOUS")


def _check_reveal(state: SlotState) -> None:
    if state.stage not in ("SETTLED", "ABORTED"):
        refuse("NOT_TERMINAL")
    if state.is_revealed:
        refuse("ALREADY_REVEALED")


def _check_deal(state: SlotState) -> None:
    if state.stage == "ABORTED":
        refuse("ABORTED")
    if state.stage != "OPENED":
        refuse("ALREADY_DEALT")


def _check_end(kind: str, state: SlotState, deck: str) -> None:
    if state.stage == "SETTLED":
        refuse("ALREADY_SETTLED")
    if state.stage == "ABORTED":
        refuse("ABORTED")
    if kind == "ABORT" and state.deck and not deck:
        refuse("ALREADY_DEALT")
    if not state.deck and (deck or kind == "SETTLE"):
        refuse("NOT_DEALT")
    if deck != state.deck:
        refuse("DECK_ROOT_MISMATCH")


def note_text(row: dict[str, Any]) -> bytes:
    """Return the bytes of a row's checkpoint."""
    if "checkpoint" in row:
        return str(row["checkpoint"]).encode()
    return base64.b64decode(row["files"]["checkpoint"])


def try_read_note(data: bytes) -> Note | None:
    try:
        return read_note(data)
    except RefusedError:
        return None

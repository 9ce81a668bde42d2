"""Attacks on published tiles, whose fixtures ``generate_fixtures`` writes.

A line of ``tiles.jsonl`` holds a log as it is served: in ``files`` each file's path and its bytes in base64, beside
them origin, keys and the time to audit for, and in ``expected`` the first finding's code, its number, its severity and,
where it concerns one, its leaf. Everything is derived from names, so every run writes the same.
"""

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from referee.audit import Code
from referee.evidence.merkle import leaf_hash, root_of_hashes
from referee.log.proof import TILE_WIDTH
from referee.log.tile import EntryTile, HashTile, encode_entries, join_hashes
from tests.audit.audit_attack import TABLE
from tests.audit.audit_builder import LOG, NOW, ORIGIN, ROOT, LogBuilder

SOURCE: Final = "fairness.md, What the audit must catch, 50; https://c2sp.org/tlog-tiles"

Files = dict[str, bytes]


class TileAttack(NamedTuple):
    """An attack: its id, why it matters, the code expected first with its leaf, and the files it leaves."""

    id: str
    why: str
    code: Code | None
    leaf_index: int | None
    files: Files


def files_of(entries: Sequence[bytes], checkpoint: bytes) -> Files:
    """Make the files of a log of up to 65,536 leaves as a publisher would serve them, independently of one."""
    hashes = [leaf_hash(leaf) for leaf in entries]
    files = {"checkpoint": checkpoint}
    for index, at in enumerate(range(0, len(entries), TILE_WIDTH)):
        part = entries[at : at + TILE_WIDTH]
        files[EntryTile(index=index, width=len(part)).path] = encode_entries(part)
        files[HashTile(level=0, index=index, width=len(part)).path] = join_hashes(hashes[at : at + TILE_WIDTH])
    full = len(entries) // TILE_WIDTH
    if full:
        above = [root_of_hashes(hashes[TILE_WIDTH * index : TILE_WIDTH * (index + 1)]) for index in range(full)]
        files[HashTile(level=1, index=0, width=full).path] = join_hashes(above)
    return files


def served(log: LogBuilder) -> Files:
    """Return the log as it is served."""
    return files_of(log.entries, log.checkpoint())


def publish(files: Files, folder: Path) -> Path:
    """Write files as they are served to a folder; return the folder."""
    for path, data in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    return folder


def attacks() -> Iterator[TileAttack]:
    """Yield each attack on a log of two rounds, and the log without one."""
    log = LogBuilder.of(TABLE, rounds=2)
    sound, count = served(log), len(log.entries)
    hashes, entries = f"tile/0/000.p/{count}", f"tile/entries/000.p/{count}"

    def changed(path: str, change: Callable[[bytes], bytes]) -> Files:
        return sound | {path: change(sound[path])}

    def without(path: str) -> Files:
        return {name: data for name, data in sound.items() if name != path}

    def flipped(place: int) -> Callable[[bytes], bytes]:
        return lambda data: data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]

    yield TileAttack("tiles_sound", "a sound published log has no finding", None, None, sound)
    yield TileAttack(
        "tile_hash_edited",
        "a hash tile is edited, so that proofs made from it fail, under leaves that are those that were signed",
        Code.TILE_MISMATCH,
        5,
        changed(hashes, flipped(32 * 5 + 31)),
    )
    yield TileAttack(
        "tile_cut_short",
        "a hash tile ends too early",
        Code.TILE_MISMATCH,
        0,
        changed(hashes, lambda data: data[:-1]),
    )
    yield TileAttack("tile_missing", "a hash tile is not served", Code.TILE_MISMATCH, 0, without(hashes))
    swapped = [*log.entries]
    swapped[-1], swapped[-2] = swapped[-2], swapped[-1]
    yield TileAttack(
        "bundle_edited",
        "leaves change places in their bundle, under the hash tile and the checkpoint of before",
        Code.ROOT_MISMATCH,
        None,
        changed(entries, lambda _: encode_entries(swapped)),
    )
    yield TileAttack(
        "bundle_and_tile_edited",
        "the hash tile is computed from the edited bundle, under the old checkpoint",
        Code.ROOT_MISMATCH,
        None,
        changed(entries, lambda _: encode_entries(swapped))
        | {hashes: join_hashes([leaf_hash(leaf) for leaf in swapped])},
    )
    yield TileAttack(
        "bundle_with_a_byte_behind",
        "a byte follows the last leaf, so the entry bundle is invalid",
        Code.LOG_TRUNCATED,
        None,
        changed(entries, lambda data: data + b"\x00"),
    )
    yield TileAttack("bundle_missing", "a bundle is not served", Code.LOG_TRUNCATED, None, without(entries))
    yield TileAttack(
        "checkpoint_of_another_log",
        "the checkpoint counts as many leaves and was signed for others",
        Code.ROOT_MISMATCH,
        None,
        sound | {"checkpoint": LogBuilder([*reversed(log.entries)]).checkpoint()},
    )


def lines() -> Iterator[str]:
    """Yield the lines of the fixture file."""
    for attack in attacks():
        expected: dict[str, object] = {}
        if attack.code is not None:
            expected = {
                "code": attack.code.value,
                "number": attack.code.number,
                "severity": attack.code.severity.value,
            }
        if attack.leaf_index is not None:
            expected["leaf_index"] = attack.leaf_index
        fixture = {
            "id": attack.id,
            "why": attack.why,
            "source": SOURCE,
            "expected": expected,
            "now": NOW,
            "origin": ORIGIN,
            "log_key": LOG.text,
            "root_key": ROOT.text,
            "files": {path: base64.b64encode(data).decode() for path, data in sorted(attack.files.items())},
        }
        yield json.dumps(fixture, ensure_ascii=False, separators=(",", ":"))

"""The bundle of one round: a self-contained file with everything that proves it, as ``clients/verifier`` checks it.

It has all KEY leaves, the round's own leaves, and the leaves that ended the table's previous rounds, back to the last
settled one, each with its inclusion proof under one checkpoint. ``bundle.schema.json`` of the verifier describes it.
"""

from collections.abc import Callable
from typing import Final

from referee.dealing.header import NO_LEAF
from referee.dealing.leaf import KEY_TYPE, DealLeaf, OpenLeaf, read_leaf
from referee.evidence.dsse import Envelope
from referee.evidence.note import Note
from referee.log import Checkpoint, Slot, SlotKey, Stage, StepKind
from referee.storage.reader import Reader

FORMAT: Final = 1
_STEP: Final = 1_000
"""Number of leaves between two calls of ``progress``."""


def bundle_of(
    reader: Reader,
    found: Slot,
    keys: dict[str, str],
    *,
    progress: Callable[[int, int], None] = lambda _done, _size: None,
) -> dict[str, object]:
    """Return the bundle of a round as values for JSON.

    ``progress`` is called with the number of leaves read and the number of all leaves.
    """
    head = reader.head()
    chosen = set()
    for index, leaf in enumerate(reader.iterate(0, head.size)):
        if Envelope.parse(leaf).payload_type == KEY_TYPE:
            chosen.add(index)
        if index % _STEP == 0:
            progress(index, head.size)
    chosen |= {mark.index for mark in reader.marks(found.key)}
    chosen |= set(_before(reader, found))
    return {
        "format": FORMAT,
        "round_id": found.round_id.hex(),
        "origin": reader.origin,
        "log_key": keys["log"],
        "root_key": keys["root"],
        "checkpoint": head.checkpoint.decode(),
        "leaves": [
            {
                "index": index,
                "leaf": reader.leaf(index).decode(),
                "proof": [node.hex() for node in reader.inclusion_proof(index=index, size=head.size)],
            }
            for index in sorted(chosen)
            if index < head.size
        ],
        **_consistency(reader, found, size=head.size),
    }


def _consistency(reader: Reader, found: Slot, *, size: int) -> dict[str, object]:
    """Return the bundle's member with the cosigned checkpoints, each with its consistency proof; empty without any.

    They are the checkpoint that the round's DEAL carries, which level L3 needs, and the newest in the store.
    """
    dealt = [mark.index for mark in reader.marks(found.key) if mark.kind is StepKind.DEAL]
    carried = read_leaf(reader.leaf(dealt[0]), DealLeaf).cosigned_checkpoint if dealt else None
    newest = reader.newest_cosigned()
    notes = [bytes.fromhex(carried)] if isinstance(carried, str) else []
    notes += [] if newest is None else [newest.note]
    by_size = {Checkpoint.parse(Note.parse(note).text).size: note for note in notes}
    shown = [
        {
            "checkpoint": note.decode(),
            "proof": [node.hex() for node in reader.consistency_proof(old_size=old, new_size=size)],
        }
        for old, note in sorted(by_size.items())
        if old <= size
    ]
    return {"consistency": shown} if shown else {}


def last_leaf(reader: Reader, found: Slot) -> int:
    """Return the index of the leaf that ended a round, or of its newest leaf if it has not ended."""
    places = {mark.kind: int(mark.index) for mark in reader.marks(found.key)}
    return places.get(StepKind.SETTLE, places.get(StepKind.ABORT, max(places.values())))


def _before(reader: Reader, found: Slot) -> list[int]:
    """List the indices of the leaves that ended the table's previous rounds, newest first, to the last settled one.

    For each aborted round among these, list its OPEN too.
    """
    places: list[int] = []
    key, opened = found.key, _place(reader, found.key, StepKind.OPEN)
    while read_leaf(reader.leaf(opened), OpenLeaf).header.previous_leaf != NO_LEAF:
        key = SlotKey(key.table_id, key.round_number - 1)
        before = reader.round(key)
        if before is None:
            return places
        ended = StepKind.SETTLE if before.stage is Stage.SETTLED else StepKind.ABORT
        places.append(_place(reader, key, ended))
        if ended is StepKind.SETTLE:
            return places
        opened = _place(reader, key, StepKind.OPEN)
        places.append(opened)
    return places


def _place(reader: Reader, key: SlotKey, kind: StepKind) -> int:
    return next(int(mark.index) for mark in reader.marks(key) if mark.kind is kind)

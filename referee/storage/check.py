"""The check that a store is whole, made before its log may grow.

Every leaf is read and hashed again. The stored tree hashes and the head must follow from the leaves, and the log must
continue every checkpoint known from elsewhere, such as a witness's cosigned checkpoint. Nothing is repaired.
"""

from collections.abc import Callable, Iterable
from typing import Final

from referee.evidence.merkle import Frontier, grow, leaf_hash
from referee.evidence.note import Note, NoteError
from referee.log import Checkpoint, CheckpointError, tree_frontier
from referee.log.proof import TILE_HEIGHT, TILE_WIDTH, MissingNodeError
from referee.storage.reader import Reader
from referee.storage.record import DataLossError, Head

_CHUNK: Final = TILE_WIDTH


def check_store(
    reader: Reader,
    *,
    known: Iterable[Checkpoint] = (),
    verified: Checkpoint | None = None,
    progress: Callable[[int, int], None] = lambda _done, _size: None,
    visit: Callable[[int, bytes], None] = lambda _index, _leaf: None,
) -> Head:
    """Verify that leaves, tree hashes, head and checkpoint agree and continue all ``known`` checkpoints.

    Return the head. Leaves below a ``verified`` checkpoint, which this program has checked before, are not read again;
    only the stored tree hashes must give its root. ``progress`` is called with the number of leaves checked so far and
    the number of all, ``visit`` with the index and bytes of each leaf that is read, in order. Raises DataLossError if
    anything does not agree.
    """
    head = reader.head()
    _check_checkpoint(reader.origin, head)
    pending = sorted(known, key=lambda checkpoint: checkpoint.size)
    if pending and pending[-1].size > head.size:
        raise DataLossError(f"the log has {head.size} leaves, but a known checkpoint has {pending[-1].size}")
    edge, hashes = Frontier() if verified is None else _verified_edge(reader, head, verified), []
    pending = [checkpoint for checkpoint in pending if checkpoint.size >= edge.size]
    for index, leaf in enumerate(reader.iterate(edge.size, head.size), edge.size):
        visit(index, leaf)
        hashes.append(leaf_hash(leaf))
        if len(hashes) == _CHUNK:
            pending = _check_known(edge, hashes, pending)
            edge, hashes = _grown(reader, edge, hashes), []
            progress(edge.size, head.size)
    pending = _check_known(edge, hashes, pending)
    if hashes:
        edge = _grown(reader, edge, hashes)
    progress(edge.size, head.size)
    if edge != head.frontier or edge.root != head.root:
        raise DataLossError(f"the {edge.size} stored leaves do not hash to the root of the head")
    return head


def _verified_edge(reader: Reader, head: Head, verified: Checkpoint) -> Frontier:
    """Return the tree's right edge at a verified checkpoint; raise DataLossError if the log does not continue it."""
    try:
        edge = tree_frontier(reader, verified.size) if verified.size <= head.size else None
    except MissingNodeError as error:
        raise DataLossError(str(error)) from error
    if edge is None or edge.root != verified.root:
        msg = f"the log of {head.size} leaves does not continue the {verified.size} that were verified before"
        raise DataLossError(msg)
    return edge


def _check_checkpoint(origin: str, head: Head) -> None:
    try:
        signed = Checkpoint.parse(Note.parse(head.checkpoint).text)
    except (CheckpointError, NoteError) as error:
        raise DataLossError(f"the stored checkpoint cannot be read: {error}") from error
    if signed != Checkpoint(origin, head.size, head.root):
        raise DataLossError(f"the stored checkpoint is of {signed.origin!r} at {signed.size} leaves, not of the head")


def _grown(reader: Reader, edge: Frontier, hashes: list[bytes]) -> Frontier:
    growth = grow(edge, hashes)
    level = 0
    while growth.frontier.size >> TILE_HEIGHT * level:
        first, nodes = growth.completed(TILE_HEIGHT * level)
        if nodes and reader.hashes(level, first, len(nodes)) != list(nodes):
            raise DataLossError(f"the stored hashes of level {level} at {first} are not those of the leaves")
        level += 1
    return growth.frontier


def _check_known(edge: Frontier, hashes: list[bytes], known: list[Checkpoint]) -> list[Checkpoint]:
    while known and known[0].size <= edge.size + len(hashes):
        checkpoint, *known = known
        after = hashes[: checkpoint.size - edge.size]
        root = grow(edge, after).root if after else edge.root
        if root != checkpoint.root:
            msg = f"the log's first {checkpoint.size} leaves do not hash to the root of a known checkpoint"
            raise DataLossError(msg)
    return known

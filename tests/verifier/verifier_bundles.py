"""Bundles of one round in the verifier's format, extracted from a log in memory."""

from collections.abc import Sequence
from typing import Any

from referee.audit import MemoryLog
from referee.audit.reading import Payload, read_envelope, read_payload
from referee.dealing.header import NO_LEAF
from referee.dealing.leaf import KeyLeaf, OpenLeaf, StartLeaf
from referee.evidence.merkle import inclusion_path, leaf_hash
from referee.transcript.inputs import Transcript
from tests.audit.audit_builder import LOG, ORIGIN, ROOT


def terms_of(log: MemoryLog) -> dict[str, str]:
    """Return the first fields of a bundle or log file: origin, keys and checkpoint."""
    checkpoint = log.checkpoint.decode()
    return {"origin": ORIGIN, "log_key": LOG.text, "root_key": ROOT.text, "checkpoint": checkpoint}


def log_row(log: MemoryLog, *, now: int) -> dict[str, Any]:
    """Return a whole log in the format of the audit's fixtures."""
    leaves = [leaf.decode() for leaf in log.entries]
    return {**terms_of(log), "leaves": leaves, "now": now, "witnessed": [], "certificates": [], "event_receipts": []}


def round_ids(leaves: Sequence[bytes]) -> list[str]:
    """Return the ids of all opened rounds, in the order of the log."""
    return [said.round_id for said in map(_payload, leaves) if isinstance(said, OpenLeaf)]


def bundle_of(log: MemoryLog, round_id: str) -> dict[str, Any]:
    """Return the bundle of a round.

    It holds all KEY and START leaves, the round's own, and the last leaf of each preceding round back to the latest
    settled one; for an aborted round the OPEN leaf as well.
    """
    said = [_payload(leaf) for leaf in log.entries]
    hashes = [leaf_hash(leaf) for leaf in log.entries]
    opens = {one.round_id: place for place, one in enumerate(said) if isinstance(one, OpenLeaf)}
    chosen = {
        place for place, one in enumerate(said) if isinstance(one, KeyLeaf | StartLeaf) or one.round_id == round_id
    }
    place = opens[round_id]
    while (named := _previous_leaf(said[place])) != NO_LEAF:
        end = hashes.index(named)
        ended = said[end]
        chosen.add(end)
        if isinstance(ended, Transcript | KeyLeaf | StartLeaf):
            break
        place = opens[ended.round_id]
        chosen.add(place)
    leaves = [
        {
            "index": index,
            "leaf": log.entries[index].decode(),
            "proof": [node.hex() for node in inclusion_path(hashes, index)],
        }
        for index in sorted(chosen)
    ]
    return {"format": 1, "round_id": round_id, **terms_of(log), "leaves": leaves}


def _payload(leaf: bytes) -> Payload:
    return read_payload(read_envelope(leaf))


def _previous_leaf(opened: Payload) -> bytes:
    assert isinstance(opened, OpenLeaf)
    return opened.header.previous_leaf

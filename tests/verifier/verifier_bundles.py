"""Bundles of one round as the TypeScript verifier reads them, cut out of a whole log held in memory."""

import json
from collections.abc import Sequence
from typing import Any

from referee.audit.reading import read_envelope, read_payload
from referee.dealing.leaf import AbortLeaf, KeyLeaf, OpenLeaf
from referee.evidence.merkle import inclusion_path, leaf_hash
from referee.transcript.told import Transcript

__all__ = ["bundle_of", "line", "round_ids"]


def payload(leaf: bytes) -> object:
    """What a leaf says."""
    return read_payload(read_envelope(leaf))


def round_ids(leaves: Sequence[bytes]) -> list[str]:
    """The ids of all rounds that were opened, in their order."""
    return [said.round_id for said in map(payload, leaves) if isinstance(said, OpenLeaf)]


def bundle_of(leaves: Sequence[bytes], round_id: str, *, terms: dict[str, str]) -> dict[str, Any]:
    """The bundle of a round; ``terms`` are origin, keys and checkpoint.

    KEY leaves, the round's own, and what ended the rounds before it back to the first that was settled.
    """
    said = [payload(leaf) for leaf in leaves]
    opens = {one.round_id: one for one in said if isinstance(one, OpenLeaf)}
    hashes = [leaf_hash(leaf) for leaf in leaves]
    chosen = {at for at, one in enumerate(said) if isinstance(one, KeyLeaf) or one.round_id == round_id}  # type: ignore[attr-defined]
    named = opens[round_id].header.previous_leaf
    while named != "00" * 32:
        end = next(at for at, hashed in enumerate(hashes) if hashed.hex() == named)
        chosen.add(end)
        ended = said[end]
        if isinstance(ended, Transcript):
            break
        assert isinstance(ended, AbortLeaf)
        opened = opens[ended.round_id]
        chosen.add(said.index(opened))
        named = opened.header.previous_leaf
    return {
        **terms,
        "format": 1,
        "round_id": round_id,
        "leaves": [
            {
                "index": at,
                "leaf": leaves[at].decode(),
                "proof": [node.hex() for node in inclusion_path(hashes, at)],
            }
            for at in sorted(chosen)
        ],
    }


def line(value: object) -> str:
    """The value as one line of JSON."""
    return json.dumps(value) + "\n"

"""Bundles of single rounds, made of whatever leaves a log has."""

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any

from referee.evidence.merkle import leaf_hash
from tests.log.rfc9162 import inclusion_proof


def payload_of(leaf: bytes) -> dict[str, Any]:
    """Return the payload in a leaf; an empty object where there is none."""
    try:
        payload: dict[str, Any] = json.loads(base64.b64decode(json.loads(leaf)["payload"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return payload if isinstance(payload, dict) else {}


def bundle_of(entries: Sequence[bytes], checkpoint: bytes, round_id: str, **more: Any) -> bytes:  # noqa: ANN401
    """Make the bundle of a round: KEY and START leaves, its own, and the last leaf of the table's preceding rounds."""
    payloads = [payload_of(leaf) for leaf in entries]
    hashes = [leaf_hash(leaf) for leaf in entries]
    ids = {index: one.get("round_id") for index, one in enumerate(payloads)}
    chosen = {index for index, one in enumerate(payloads) if ("action" in one and "key" in one) or "instance" in one}
    chosen |= {index for index, named in ids.items() if named == round_id}
    wanted = next(
        (one["header"]["previous_leaf"] for one in payloads if one.get("round_id") == round_id and "header" in one), ""
    )
    while (index := next((at for at, hashed in enumerate(hashes) if hashed.hex() == wanted), None)) is not None:
        chosen.add(index)
        wanted = ""
        if "inputs" not in payloads[index]:
            opened = next(
                (at for at, one in enumerate(payloads) if one.get("round_id") == ids[index] and "header" in one), None
            )
            if opened is not None:
                chosen.add(opened)
                wanted = payloads[opened]["header"]["previous_leaf"]
    leaves = [
        {
            "index": index,
            "leaf": entries[index].decode(),
            "proof": [node.hex() for node in inclusion_proof(entries, index)],
        }
        for index in sorted(chosen)
    ]
    return json.dumps(
        {"format": 1, "round_id": round_id, "checkpoint": checkpoint.decode(), "leaves": leaves, **more}
    ).encode()


def rounds_of(entries: Sequence[bytes]) -> Iterator[str]:
    """Yield the ids of all rounds that have an OPEN."""
    for leaf in entries:
        payload = payload_of(leaf)
        if "header" in payload and "round_id" in payload:
            yield str(payload["round_id"])

"""The proof of a finished round, put together from the log's answers, as the verifier reads it.

All proofs are for the tree of one checkpoint.
"""

from typing import Any, Final

from referee.dealing.leaf import ABORT_TYPE
from referee.evidence.dsse import Envelope
from referee.transcript.inputs import MEDIA_TYPE
from referee.v1 import log_pb2, round_pb2
from referee_client.session import Session
from referee_client.terms import round_request

_SETTLED: Final = {log_pb2.ROUND_STAGE_SETTLED, log_pb2.ROUND_STAGE_REVEALED}


class RoundNotOverError(Exception):
    """Error for a round that has not ended: its proof is not complete yet."""


async def fetch_bundle(session: Session, table: str, number: int) -> dict[str, Any]:
    """Return the bundle of a round; raise RefereeError without such a round, RoundNotOverError without its end."""
    found = await _round(session, table, number)
    end_of(found)
    leaves = {one.leaf_index: one.leaf for one in found.leaves}
    before, header = number, found.header
    while header.previous_leaf_hash and before > 1:
        before -= 1
        earlier = await _round(session, table, before)
        ended = end_of(earlier)
        leaves[ended.leaf_index] = ended.leaf
        if earlier.stage in _SETTLED:
            break
        leaves[earlier.leaves[0].leaf_index] = earlier.leaves[0].leaf
        header = earlier.header
    checkpoint = (
        await session.line.ask(
            "referee.v1.LogService/GetCheckpoint", log_pb2.GetCheckpointRequest(), log_pb2.GetCheckpointResponse
        )
    ).checkpoint
    size = int(checkpoint.splitlines()[1])
    keys = await session.keys()
    leaves |= {one.leaf_index: one.leaf for one in keys.key_leaves}
    return {
        "format": 1,
        "round_id": found.round_id.hex(),
        "origin": keys.origin,
        "log_key": keys.log_key,
        "root_key": keys.root_key,
        "checkpoint": checkpoint,
        "leaves": [
            {"index": index, "leaf": leaves[index].decode(), "proof": await _proof(session, index, size)}
            for index in sorted(leaves)
            if index < size
        ],
    }


def end_of(found: log_pb2.GetTableRoundResponse) -> round_pb2.LogReceipt:
    """Find the SETTLE or ABORT leaf; raise RoundNotOverError without one."""
    for one in found.leaves:
        if Envelope.parse(one.leaf).payload_type in (MEDIA_TYPE, ABORT_TYPE):
            return one
    raise RoundNotOverError


async def _round(session: Session, table: str, number: int) -> log_pb2.GetTableRoundResponse:
    request = round_request(table, number)
    return await session.line.ask("referee.v1.LogService/GetTableRound", request, log_pb2.GetTableRoundResponse)


async def _proof(session: Session, index: int, size: int) -> list[str]:
    request = log_pb2.GetInclusionProofRequest(leaf_index=index, tree_size=size)
    answer = await session.line.ask(
        "referee.v1.LogService/GetInclusionProof", request, log_pb2.GetInclusionProofResponse
    )
    return [node.hex() for node in answer.inclusion_proof]

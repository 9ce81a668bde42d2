"""The proof of a finished round, put together from the log's answers, as the verifier reads it.

All proofs are for the tree of one checkpoint.
"""

from dataclasses import dataclass
from typing import Any, Final

from referee.dealing.leaf import ABORT_TYPE
from referee.evidence.dsse import Envelope
from referee.transcript.inputs import MEDIA_TYPE
from referee.v1 import log_pb2, round_pb2
from referee_table.judge import Judge

_SETTLED: Final = {log_pb2.ROUND_STAGE_SETTLED, log_pb2.ROUND_STAGE_REVEALED}


class RoundNotOverError(Exception):
    """Error for a round that has not ended: its proof is not complete yet."""


@dataclass(slots=True)
class Prover:
    """Maker of bundles. ``keys``, the log's origin and keys, are for convenience; verifiers should have their own."""

    judge: Judge
    keys: dict[str, str]

    async def bundle(self, table: str, number: int) -> dict[str, Any]:
        """Return the bundle of a round; raise RefereeRefusedError if the log has no such round.

        Raise RoundNotOverError for one without its end in the log.
        """
        found = await self._round(table, number)
        _end_of(found)
        leaves = {one.leaf_index: one.leaf for one in found.leaves}
        before, header = number, found.header
        while header.previous_leaf_hash and before > 1:
            before -= 1
            earlier = await self._round(table, before)
            ended = _end_of(earlier)
            leaves[ended.leaf_index] = ended.leaf
            if earlier.stage in _SETTLED:
                break
            leaves[earlier.leaves[0].leaf_index] = earlier.leaves[0].leaf
            header = earlier.header
        checkpoint = await self._checkpoint()
        size = int(checkpoint.splitlines()[1])
        leaves |= await self._key_leaves()
        return {
            "format": 1,
            "round_id": found.round_id.hex(),
            **self.keys,
            "checkpoint": checkpoint,
            "leaves": [
                {"index": index, "leaf": leaves[index].decode(), "proof": await self._proof(index, size)}
                for index in sorted(leaves)
                if index < size
            ],
        }

    async def _round(self, table: str, number: int) -> log_pb2.GetTableRoundResponse:
        request = log_pb2.GetTableRoundRequest(round={"table_id": table, "round_number": number})
        return await self.judge.ask(self.judge.log.GetTableRound, request)

    async def _checkpoint(self) -> str:
        request = log_pb2.GetCheckpointRequest()
        answer: log_pb2.GetCheckpointResponse = await self.judge.ask(self.judge.log.GetCheckpoint, request)
        return answer.checkpoint

    async def _proof(self, index: int, size: int) -> list[str]:
        request = log_pb2.GetInclusionProofRequest(leaf_index=index, tree_size=size)
        answer = await self.judge.ask(self.judge.log.GetInclusionProof, request)
        return [node.hex() for node in answer.inclusion_proof]

    async def _key_leaves(self) -> dict[int, bytes]:
        asked, leaves = log_pb2.GetKeysRequest(), dict[int, bytes]()
        while True:
            page = await self.judge.ask(self.judge.log.GetKeys, asked)
            leaves |= {one.leaf_index: one.leaf for one in page.key_leaves}
            if not page.HasField("next_page_token"):
                return leaves
            asked = log_pb2.GetKeysRequest(page_token=page.next_page_token)


def _end_of(found: log_pb2.GetTableRoundResponse) -> round_pb2.LogReceipt:
    """Find the SETTLE or ABORT leaf."""
    for one in found.leaves:
        if Envelope.parse(one.leaf).payload_type in (MEDIA_TYPE, ABORT_TYPE):
            return one
    raise RoundNotOverError

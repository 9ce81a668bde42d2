"""LogService: reads the log and proves what stands in it."""

from collections.abc import Sequence
from typing import Final, NoReturn

import grpc

from referee.log import FIRST_ROUND, Kind, Round, SlotKey, Stage
from referee.storage import DataLossError, Logged, Reader
from referee.v1 import log_pb2, log_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.header import header_of_open
from referee.wire.receipt import write_logged
from referee.wire.refusal import RefusedError
from referee.wire.slot import read_slot

MAX_ENTRIES: Final = 1000
MAX_ENTRY_BYTES: Final = 1_000_000

_STAGES: Final = {
    Stage.OPENED: log_pb2.ROUND_STAGE_OPENED,
    Stage.DEALT: log_pb2.ROUND_STAGE_DEALT,
    Stage.SETTLED: log_pb2.ROUND_STAGE_SETTLED,
    Stage.ABORTED: log_pb2.ROUND_STAGE_ABORTED,
}


class LogService(log_pb2_grpc.LogServiceServicer):
    """Answers from one reader; ``log_key`` and ``root_key`` are verifier key texts."""

    def __init__(self, reader: Reader, *, log_key: str, root_key: str) -> None:
        self._reader = reader
        self._log_key = log_key
        self._root_key = root_key

    def GetTableRound(
        self, request: log_pb2.GetTableRoundRequest, context: grpc.ServicerContext
    ) -> log_pb2.GetTableRoundResponse:
        """Where a table's round stands, with all its leaves."""
        del context
        key = read_slot(request.table_id, request.round_number or FIRST_ROUND)
        found = self._reader.round(key) if request.round_number else self._reader.latest_round(request.table_id)
        if found is None:
            raise RefusedError(
                ErrorReason.ERROR_REASON_NOT_OPENED,
                f"table {request.table_id} has no such round",
                field="round_number" if request.round_number else "table_id",
            )
        leaves = self._leaves(found.key)
        header = header_of_open(leaves[0].leaf)
        return log_pb2.GetTableRoundResponse(
            round_number=found.key.round_number,
            stage=_stage(found),
            header=header,
            round_id=found.round_id,
            leaves=[write_logged(logged) for logged in leaves],
        )

    def GetCheckpoint(
        self, request: log_pb2.GetCheckpointRequest, context: grpc.ServicerContext
    ) -> log_pb2.GetCheckpointResponse:
        """The newest signed checkpoint."""
        del request, context
        return log_pb2.GetCheckpointResponse(checkpoint=self._reader.head().checkpoint.decode())

    def GetKeys(self, request: log_pb2.GetKeysRequest, context: grpc.ServicerContext) -> log_pb2.GetKeysResponse:
        """The keys that a verifier starts from."""
        del request, context
        return log_pb2.GetKeysResponse(origin=self._reader.origin, log_key=self._log_key, root_key=self._root_key)

    def ListEntries(
        self, request: log_pb2.ListEntriesRequest, context: grpc.ServicerContext
    ) -> log_pb2.ListEntriesResponse:
        """Leaves in order."""
        del context
        size = self._reader.head().size
        if request.start > size:
            _refuse_beyond("start", request.start, size)
        count = min(request.count or MAX_ENTRIES, MAX_ENTRIES)
        stop = min(request.start + count, size)
        leaves = self._reader.leaves(request.start, stop)
        if len(leaves) != stop - request.start:
            msg = f"the log has {size} leaves, but not all from {request.start} to {stop - 1}"
            raise DataLossError(msg)
        return log_pb2.ListEntriesResponse(leaves=_fitting(leaves))

    def GetInclusionProof(
        self, request: log_pb2.GetInclusionProofRequest, context: grpc.ServicerContext
    ) -> log_pb2.GetInclusionProofResponse:
        """Proof that a leaf stands in the tree of a size."""
        del context
        head = self._reader.head().size
        size = request.tree_size or head
        if size > head:
            _refuse_beyond("tree_size", size, head)
        if request.leaf_index >= size:
            _refuse_beyond("leaf_index", request.leaf_index, size)
        proof = self._reader.inclusion_proof(index=request.leaf_index, size=size)
        leaf = self._reader.receipt(request.leaf_index)
        return log_pb2.GetInclusionProofResponse(tree_size=size, leaf_hash=leaf.leaf_hash, inclusion_proof=proof)

    def GetConsistencyProof(
        self, request: log_pb2.GetConsistencyProofRequest, context: grpc.ServicerContext
    ) -> log_pb2.GetConsistencyProofResponse:
        """Proof that a later tree holds an earlier one."""
        del context
        head = self._reader.head().size
        second = request.second_size or head
        if second > head:
            _refuse_beyond("second_size", second, head)
        if not request.first_size:
            raise RefusedError(
                ErrorReason.ERROR_REASON_BEYOND_LOG,
                "the earlier tree has at least 1 leaf",
                field="first_size",
                found=0,
                limit=second,
            )
        if request.first_size > second:
            _refuse_beyond("first_size", request.first_size, second)
        proof = self._reader.consistency_proof(old_size=request.first_size, new_size=second)
        return log_pb2.GetConsistencyProofResponse(second_size=second, consistency_proof=proof)

    def _leaves(self, key: SlotKey) -> list[Logged]:
        marks = sorted(self._reader.marks(key), key=lambda mark: mark.index)
        return [
            Logged(leaf=self._reader.leaf(mark.index), receipt=self._reader.receipt(mark.index), is_repeat=True)
            for mark in marks
            if mark.kind in Kind
        ]


def _stage(found: Round) -> log_pb2.RoundStage:
    return log_pb2.ROUND_STAGE_REVEALED if found.is_revealed else _STAGES[found.stage]


def _fitting(leaves: Sequence[bytes]) -> list[bytes]:
    """As many leaves as an answer may hold, at least one."""
    total = 0
    for count, leaf in enumerate(leaves):
        total += len(leaf)
        if total > MAX_ENTRY_BYTES and count:
            return list(leaves[:count])
    return list(leaves)


def _refuse_beyond(field: str, found: int, limit: int) -> NoReturn:
    raise RefusedError(
        ErrorReason.ERROR_REASON_BEYOND_LOG,
        f"{found} lies beyond {limit}; LogService.GetCheckpoint tells the log's size",
        field=field,
        found=found,
        limit=limit,
    )

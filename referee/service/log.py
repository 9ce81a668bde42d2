"""LogService: reads the log and proves its contents."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

import grpc

from referee import __version__
from referee.log import Slot, SlotKey, Stage, StepKind
from referee.service.appending import write_receipt
from referee.service.listing import RoundList
from referee.storage import Cosigned, DataLossError, Logged, Reader
from referee.v1 import log_pb2, log_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.page import read_page
from referee.wire.refusal import RefusedError
from referee.wire.round import header_of_open, read_which_round, write_slot

MAX_ENTRIES: Final = 1000
MAX_ENTRY_BYTES: Final = 1_000_000
MAX_KEY_LEAVES: Final = 100
LATE_ROUNDS: Final = 100
MAX_WAIT_SECONDS: Final = 30.0
_SPARE_SECONDS: Final = 0.1
"""Part of a caller's deadline that is not spent waiting, so that the answer arrives in time."""

LAST_SIZE: Final = 2**53 - 1

_STAGES: Final = {
    Stage.OPENED: log_pb2.ROUND_STAGE_OPENED,
    Stage.DEALT: log_pb2.ROUND_STAGE_DEALT,
    Stage.SETTLED: log_pb2.ROUND_STAGE_SETTLED,
    Stage.ABORTED: log_pb2.ROUND_STAGE_ABORTED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """What a server says of itself: its name, its time in ms since 1970 UTC, and whether it appends to the log.

    ``problem`` returns why it refuses calls, and an empty text while it takes all.
    """

    instance: str
    clock: Callable[[], int]
    is_writer: bool
    problem: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogKeys:
    """Verifier keys of log, root and witnesses as text, and the number of witnesses in a quorum.

    ``leaves`` are the indices of the KEY leaves, ascending.
    """

    log: str
    root: str
    leaves: Sequence[int] = ()
    witnesses: Sequence[str] = ()
    quorum: int = 0


class LogService(log_pb2_grpc.LogServiceServicer):
    """Servicer of a log. The clock of ``server`` judges when seats signed, and which rounds are late.

    ``wait_cosigned(size, seconds)`` waits for a checkpoint of at least this size with a quorum of cosignatures, and
    returns the largest one there is by then, or None; it is None if no witness is asked. At most ``waiting`` calls wait
    at once, so that they never take all threads.
    """

    def __init__(
        self,
        reader: Reader,
        *,
        keys: LogKeys,
        server: ServerState,
        wait_cosigned: Callable[[int, float], Cosigned | None] | None = None,
        waiting: int = 1,
    ) -> None:
        self._reader, self._server = reader, server
        self._rounds = RoundList(reader=reader, clock=server.clock, stage_of=_stage)
        self._keys = keys
        self._wait_cosigned = wait_cosigned
        self._waiting = threading.Semaphore(waiting)

    def GetTableRound(
        self, request: log_pb2.GetTableRoundRequest, context: grpc.ServicerContext
    ) -> log_pb2.GetTableRoundResponse:
        """Return the stage and all leaves of a table's round; of its newest round if the request names no round."""
        table_id, number = read_which_round(request)
        found = self._reader.latest_round(table_id) if number is None else self._reader.round(SlotKey(table_id, number))
        if found is None:
            raise RefusedError(
                ErrorReason.ERROR_REASON_NOT_OPENED,
                f"table {table_id} has no round" + ("" if number is None else f" {number}"),
                field="table_id" if number is None else "round.round_number",
            )
        leaves = self._leaves(found.key)
        header = header_of_open(leaves[0].leaf)
        return log_pb2.GetTableRoundResponse(
            round=write_slot(found.key),
            stage=_stage(found),
            header=header,
            round_id=found.round_id,
            leaves=[write_receipt(logged) for logged in leaves],
        )

    def ListRounds(
        self, request: log_pb2.ListRoundsRequest, context: grpc.ServicerContext
    ) -> log_pb2.ListRoundsResponse:
        """List a page of rounds, the newest first."""
        return self._rounds.page(request)

    def ListSeatRounds(
        self, request: log_pb2.ListSeatRoundsRequest, context: grpc.ServicerContext
    ) -> log_pb2.ListSeatRoundsResponse:
        """List a page of the rounds of the key that signed the request."""
        return self._rounds.page_of_seat(request)

    def GetStatus(self, request: log_pb2.GetStatusRequest, context: grpc.ServicerContext) -> log_pb2.GetStatusResponse:
        """Say whether this server takes calls and writes, and what is under way and late in the whole log."""
        now = self._server.clock()
        counts = self._reader.unrevealed_counts(now)
        opened, late_deals = counts.get(Stage.OPENED, (0, 0))
        dealt, late_ends = counts.get(Stage.DEALT, (0, 0))
        cosigned = self._reader.newest_cosigned()
        return log_pb2.GetStatusResponse(
            instance=self._server.instance,
            version=__version__,
            server_time=now,
            is_writer=self._server.is_writer,
            problem=self._server.problem() or None,
            log_size=self._reader.head().size,
            cosigned_size=None if cosigned is None else cosigned.size,
            opened_count=opened,
            dealt_count=dealt,
            unrevealed_count=sum(count for stage, (count, _) in counts.items() if stage.is_terminal),
            late_count=late_deals + late_ends,
            late_rounds=[
                log_pb2.LateRound(round=write_slot(slot.key), stage=_stage(slot), deadline_time=slot.deadline)
                for slot in self._reader.overdue_rounds(now, LATE_ROUNDS)
            ],
        )

    def GetCheckpoint(
        self, request: log_pb2.GetCheckpointRequest, context: grpc.ServicerContext
    ) -> log_pb2.GetCheckpointResponse:
        """Return the newest signed checkpoint, or a cosigned one of at least the size that the request names."""
        if not request.HasField("cosigned_size"):
            return log_pb2.GetCheckpointResponse(checkpoint=self._reader.head().checkpoint.decode())
        cosigned = self._cosigned(request.cosigned_size, context.time_remaining())
        return log_pb2.GetCheckpointResponse(checkpoint=cosigned.note.decode())

    def ListCosignedCheckpoints(
        self, request: log_pb2.ListCosignedCheckpointsRequest, context: grpc.ServicerContext
    ) -> log_pb2.ListCosignedCheckpointsResponse:
        """List the cosigned checkpoints from a size on, smallest first."""
        count, start = read_page(request, most=MAX_ENTRIES, last=LAST_SIZE)
        start = max(start, min(request.start_size, LAST_SIZE))
        cosigned = self._reader.cosigned(start, count + 1)
        notes = _fitting([checkpoint.note for checkpoint in cosigned[:count]])
        return log_pb2.ListCosignedCheckpointsResponse(
            checkpoints=[note.decode() for note in notes],
            next_page_token=str(cosigned[len(notes)].size) if len(notes) < len(cosigned) else None,
        )

    def GetKeys(self, request: log_pb2.GetKeysRequest, context: grpc.ServicerContext) -> log_pb2.GetKeysResponse:
        """Return the keys that a verifier starts from, and a page of the KEY leaves, which name all other keys."""
        count, start = read_page(request, most=MAX_KEY_LEAVES, last=len(self._keys.leaves) - 1)
        stop = min(start + count, len(self._keys.leaves))
        return log_pb2.GetKeysResponse(
            origin=self._reader.origin,
            log_key=self._keys.log,
            root_key=self._keys.root,
            witness_keys=self._keys.witnesses,
            witness_quorum=self._keys.quorum or None,
            key_leaves=[write_receipt(logged) for logged in self._proved(self._keys.leaves[start:stop])],
            next_page_token=str(stop) if stop < len(self._keys.leaves) else None,
        )

    def ListEntries(
        self, request: log_pb2.ListEntriesRequest, context: grpc.ServicerContext
    ) -> log_pb2.ListEntriesResponse:
        """List the leaves from an index on, in order; fewer than asked for if they would make the answer too large."""
        size = self._reader.head().size
        if request.start > size:
            _refuse_beyond("start", request.start, size)
        count, start = read_page(request, most=MAX_ENTRIES, last=size - 1)
        start = max(start, request.start)
        stop = min(start + count, size)
        leaves = self._reader.leaves(start, stop)
        if len(leaves) != stop - start:
            raise DataLossError(f"the log has {size} leaves, but not all from {start} to {stop - 1}")
        leaves = _fitting(leaves)
        stop = start + len(leaves)
        return log_pb2.ListEntriesResponse(leaves=leaves, next_page_token=str(stop) if stop < size else None)

    def GetInclusionProof(
        self, request: log_pb2.GetInclusionProofRequest, context: grpc.ServicerContext
    ) -> log_pb2.GetInclusionProofResponse:
        """Prove that a leaf is in the tree of the first ``tree_size`` leaves; of all leaves if that is absent."""
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
        """Prove that a later tree extends an earlier one."""
        head = self._reader.head().size
        second = request.second_size or head
        if second > head:
            _refuse_beyond("second_size", second, head)
        if not request.first_size:
            raise _beyond("the earlier tree has at least 1 leaf", field="first_size", found=0, limit=second)
        if request.first_size > second:
            _refuse_beyond("first_size", request.first_size, second)
        proof = self._reader.consistency_proof(old_size=request.first_size, new_size=second)
        return log_pb2.GetConsistencyProofResponse(second_size=second, consistency_proof=proof)

    def _cosigned(self, size: int, remaining: float | None) -> Cosigned:
        head = self._reader.head().size
        if size > head:
            _refuse_beyond("cosigned_size", size, head)
        seconds = MAX_WAIT_SECONDS if remaining is None else min(remaining - _SPARE_SECONDS, MAX_WAIT_SECONDS)
        if self._wait_cosigned is not None:
            may_wait = self._waiting.acquire(blocking=False)
            try:
                found = self._wait_cosigned(size, max(0.0, seconds) if may_wait else 0.0)
            finally:
                if may_wait:
                    self._waiting.release()
        else:
            found = self._reader.newest_cosigned()
            if found is None:
                raise RefusedError(
                    ErrorReason.ERROR_REASON_NO_WITNESSES,
                    "no witness is asked to cosign this log; leave cosigned_size out",
                )
        if found is None or found.size < size:
            raise RefusedError(
                ErrorReason.ERROR_REASON_NOT_COSIGNED,
                f"no quorum of witnesses has cosigned {size} leaves yet; ask again",
                limit=0 if found is None else found.size,
                found=size,
            )
        return found

    def _leaves(self, key: SlotKey) -> list[Logged]:
        return self._proved(sorted(int(mark.index) for mark in self._reader.marks(key) if mark.kind in StepKind))

    def _proved(self, places: Sequence[int]) -> list[Logged]:
        """Return the leaves at these ascending indices with receipts.

        Receipts are under the newest cosigned checkpoint if it contains all these leaves, else under the head.
        """
        cosigned = self._reader.newest_cosigned()
        if cosigned is not None and cosigned.size <= max(places, default=0):
            cosigned = None
        return [self._reader.logged(place, under=cosigned) for place in places]


def _stage(found: Slot) -> log_pb2.RoundStage:
    return log_pb2.ROUND_STAGE_REVEALED if found.is_revealed else _STAGES[found.stage]


def _fitting(leaves: Sequence[bytes]) -> list[bytes]:
    """Return the first leaves, as many as fit into an answer, and at least one if there is any."""
    total = 0
    for count, leaf in enumerate(leaves):
        total += len(leaf)
        if total > MAX_ENTRY_BYTES and count:
            return list(leaves[:count])
    return list(leaves)


def _refuse_beyond(field: str, found: int, limit: int) -> NoReturn:
    message = f"{found} lies beyond {limit}; LogService.GetCheckpoint has the log's size"
    raise _beyond(message, field=field, found=found, limit=limit)


def _beyond(message: str, *, field: str, found: int, limit: int) -> RefusedError:
    return RefusedError(ErrorReason.ERROR_REASON_BEYOND_LOG, message, field=field, found=found, limit=limit)

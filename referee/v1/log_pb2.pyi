from referee.v1 import round_pb2 as _round_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RoundStage(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROUND_STAGE_UNSPECIFIED: _ClassVar[RoundStage]
    ROUND_STAGE_OPENED: _ClassVar[RoundStage]
    ROUND_STAGE_DEALT: _ClassVar[RoundStage]
    ROUND_STAGE_SETTLED: _ClassVar[RoundStage]
    ROUND_STAGE_ABORTED: _ClassVar[RoundStage]
    ROUND_STAGE_REVEALED: _ClassVar[RoundStage]
ROUND_STAGE_UNSPECIFIED: RoundStage
ROUND_STAGE_OPENED: RoundStage
ROUND_STAGE_DEALT: RoundStage
ROUND_STAGE_SETTLED: RoundStage
ROUND_STAGE_ABORTED: RoundStage
ROUND_STAGE_REVEALED: RoundStage

class GetTableRoundRequest(_message.Message):
    __slots__ = ("round", "table_id")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    table_id: str
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., table_id: _Optional[str] = ...) -> None: ...

class GetTableRoundResponse(_message.Message):
    __slots__ = ("round", "stage", "header", "round_id", "leaves")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    LEAVES_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    stage: RoundStage
    header: _round_pb2.RoundHeader
    round_id: bytes
    leaves: _containers.RepeatedCompositeFieldContainer[_round_pb2.LogReceipt]
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., stage: _Optional[_Union[RoundStage, str]] = ..., header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., round_id: _Optional[bytes] = ..., leaves: _Optional[_Iterable[_Union[_round_pb2.LogReceipt, _Mapping]]] = ...) -> None: ...

class ListRoundsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "table_id", "table_prefix", "seat_key", "start_time", "end_time")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_PREFIX_FIELD_NUMBER: _ClassVar[int]
    SEAT_KEY_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    table_id: str
    table_prefix: str
    seat_key: bytes
    start_time: int
    end_time: int
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., table_id: _Optional[str] = ..., table_prefix: _Optional[str] = ..., seat_key: _Optional[bytes] = ..., start_time: _Optional[int] = ..., end_time: _Optional[int] = ...) -> None: ...

class ListRoundsResponse(_message.Message):
    __slots__ = ("rounds", "next_page_token")
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    rounds: _containers.RepeatedCompositeFieldContainer[ListedRound]
    next_page_token: str
    def __init__(self, rounds: _Optional[_Iterable[_Union[ListedRound, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListSeatRoundsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "seat_key", "start_time", "end_time", "signed_time", "signature")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    SEAT_KEY_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    SIGNED_TIME_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    seat_key: bytes
    start_time: int
    end_time: int
    signed_time: int
    signature: bytes
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., seat_key: _Optional[bytes] = ..., start_time: _Optional[int] = ..., end_time: _Optional[int] = ..., signed_time: _Optional[int] = ..., signature: _Optional[bytes] = ...) -> None: ...

class ListSeatRoundsResponse(_message.Message):
    __slots__ = ("rounds", "next_page_token")
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    rounds: _containers.RepeatedCompositeFieldContainer[ListedRound]
    next_page_token: str
    def __init__(self, rounds: _Optional[_Iterable[_Union[ListedRound, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class ListedRound(_message.Message):
    __slots__ = ("round", "stage", "revealed")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    REVEALED_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    stage: RoundStage
    revealed: RevealedRound
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., stage: _Optional[_Union[RoundStage, str]] = ..., revealed: _Optional[_Union[RevealedRound, _Mapping]] = ...) -> None: ...

class RevealedRound(_message.Message):
    __slots__ = ("header", "round_id", "opened_time", "dealt_time", "ended_time", "is_settled", "net_minor", "leaf_indexes")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    OPENED_TIME_FIELD_NUMBER: _ClassVar[int]
    DEALT_TIME_FIELD_NUMBER: _ClassVar[int]
    ENDED_TIME_FIELD_NUMBER: _ClassVar[int]
    IS_SETTLED_FIELD_NUMBER: _ClassVar[int]
    NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    LEAF_INDEXES_FIELD_NUMBER: _ClassVar[int]
    header: _round_pb2.RoundHeader
    round_id: bytes
    opened_time: int
    dealt_time: int
    ended_time: int
    is_settled: bool
    net_minor: _containers.RepeatedScalarFieldContainer[int]
    leaf_indexes: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., round_id: _Optional[bytes] = ..., opened_time: _Optional[int] = ..., dealt_time: _Optional[int] = ..., ended_time: _Optional[int] = ..., is_settled: _Optional[bool] = ..., net_minor: _Optional[_Iterable[int]] = ..., leaf_indexes: _Optional[_Iterable[int]] = ...) -> None: ...

class GetStatusRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class GetStatusResponse(_message.Message):
    __slots__ = ("instance", "version", "server_time", "is_writer", "problem", "log_size", "cosigned_size", "opened_count", "dealt_count", "unrevealed_count", "late_count", "late_rounds")
    INSTANCE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    SERVER_TIME_FIELD_NUMBER: _ClassVar[int]
    IS_WRITER_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    LOG_SIZE_FIELD_NUMBER: _ClassVar[int]
    COSIGNED_SIZE_FIELD_NUMBER: _ClassVar[int]
    OPENED_COUNT_FIELD_NUMBER: _ClassVar[int]
    DEALT_COUNT_FIELD_NUMBER: _ClassVar[int]
    UNREVEALED_COUNT_FIELD_NUMBER: _ClassVar[int]
    LATE_COUNT_FIELD_NUMBER: _ClassVar[int]
    LATE_ROUNDS_FIELD_NUMBER: _ClassVar[int]
    instance: str
    version: str
    server_time: int
    is_writer: bool
    problem: str
    log_size: int
    cosigned_size: int
    opened_count: int
    dealt_count: int
    unrevealed_count: int
    late_count: int
    late_rounds: _containers.RepeatedCompositeFieldContainer[LateRound]
    def __init__(self, instance: _Optional[str] = ..., version: _Optional[str] = ..., server_time: _Optional[int] = ..., is_writer: _Optional[bool] = ..., problem: _Optional[str] = ..., log_size: _Optional[int] = ..., cosigned_size: _Optional[int] = ..., opened_count: _Optional[int] = ..., dealt_count: _Optional[int] = ..., unrevealed_count: _Optional[int] = ..., late_count: _Optional[int] = ..., late_rounds: _Optional[_Iterable[_Union[LateRound, _Mapping]]] = ...) -> None: ...

class LateRound(_message.Message):
    __slots__ = ("round", "stage", "deadline_time")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STAGE_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    stage: RoundStage
    deadline_time: int
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., stage: _Optional[_Union[RoundStage, str]] = ..., deadline_time: _Optional[int] = ...) -> None: ...

class GetCheckpointRequest(_message.Message):
    __slots__ = ("cosigned_size",)
    COSIGNED_SIZE_FIELD_NUMBER: _ClassVar[int]
    cosigned_size: int
    def __init__(self, cosigned_size: _Optional[int] = ...) -> None: ...

class GetCheckpointResponse(_message.Message):
    __slots__ = ("checkpoint",)
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    checkpoint: str
    def __init__(self, checkpoint: _Optional[str] = ...) -> None: ...

class ListCosignedCheckpointsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "start_size")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    START_SIZE_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    start_size: int
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., start_size: _Optional[int] = ...) -> None: ...

class ListCosignedCheckpointsResponse(_message.Message):
    __slots__ = ("checkpoints", "next_page_token")
    CHECKPOINTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    checkpoints: _containers.RepeatedScalarFieldContainer[str]
    next_page_token: str
    def __init__(self, checkpoints: _Optional[_Iterable[str]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetKeysRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class GetKeysResponse(_message.Message):
    __slots__ = ("key_leaves", "next_page_token", "origin", "log_key", "root_key", "witness_keys", "witness_quorum")
    KEY_LEAVES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    LOG_KEY_FIELD_NUMBER: _ClassVar[int]
    ROOT_KEY_FIELD_NUMBER: _ClassVar[int]
    WITNESS_KEYS_FIELD_NUMBER: _ClassVar[int]
    WITNESS_QUORUM_FIELD_NUMBER: _ClassVar[int]
    key_leaves: _containers.RepeatedCompositeFieldContainer[_round_pb2.LogReceipt]
    next_page_token: str
    origin: str
    log_key: str
    root_key: str
    witness_keys: _containers.RepeatedScalarFieldContainer[str]
    witness_quorum: int
    def __init__(self, key_leaves: _Optional[_Iterable[_Union[_round_pb2.LogReceipt, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., origin: _Optional[str] = ..., log_key: _Optional[str] = ..., root_key: _Optional[str] = ..., witness_keys: _Optional[_Iterable[str]] = ..., witness_quorum: _Optional[int] = ...) -> None: ...

class ListEntriesRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "start")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    start: int
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., start: _Optional[int] = ...) -> None: ...

class ListEntriesResponse(_message.Message):
    __slots__ = ("leaves", "next_page_token")
    LEAVES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    leaves: _containers.RepeatedScalarFieldContainer[bytes]
    next_page_token: str
    def __init__(self, leaves: _Optional[_Iterable[bytes]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetInclusionProofRequest(_message.Message):
    __slots__ = ("leaf_index", "tree_size")
    LEAF_INDEX_FIELD_NUMBER: _ClassVar[int]
    TREE_SIZE_FIELD_NUMBER: _ClassVar[int]
    leaf_index: int
    tree_size: int
    def __init__(self, leaf_index: _Optional[int] = ..., tree_size: _Optional[int] = ...) -> None: ...

class GetInclusionProofResponse(_message.Message):
    __slots__ = ("tree_size", "leaf_hash", "inclusion_proof")
    TREE_SIZE_FIELD_NUMBER: _ClassVar[int]
    LEAF_HASH_FIELD_NUMBER: _ClassVar[int]
    INCLUSION_PROOF_FIELD_NUMBER: _ClassVar[int]
    tree_size: int
    leaf_hash: bytes
    inclusion_proof: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, tree_size: _Optional[int] = ..., leaf_hash: _Optional[bytes] = ..., inclusion_proof: _Optional[_Iterable[bytes]] = ...) -> None: ...

class GetConsistencyProofRequest(_message.Message):
    __slots__ = ("first_size", "second_size")
    FIRST_SIZE_FIELD_NUMBER: _ClassVar[int]
    SECOND_SIZE_FIELD_NUMBER: _ClassVar[int]
    first_size: int
    second_size: int
    def __init__(self, first_size: _Optional[int] = ..., second_size: _Optional[int] = ...) -> None: ...

class GetConsistencyProofResponse(_message.Message):
    __slots__ = ("second_size", "consistency_proof")
    SECOND_SIZE_FIELD_NUMBER: _ClassVar[int]
    CONSISTENCY_PROOF_FIELD_NUMBER: _ClassVar[int]
    second_size: int
    consistency_proof: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, second_size: _Optional[int] = ..., consistency_proof: _Optional[_Iterable[bytes]] = ...) -> None: ...

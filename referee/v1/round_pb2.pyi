from referee.v1 import money_pb2 as _money_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RandomnessSuite(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RANDOMNESS_SUITE_UNSPECIFIED: _ClassVar[RandomnessSuite]
    RANDOMNESS_SUITE_COMMITMENT: _ClassVar[RandomnessSuite]
    RANDOMNESS_SUITE_FIXTURE: _ClassVar[RandomnessSuite]
RANDOMNESS_SUITE_UNSPECIFIED: RandomnessSuite
RANDOMNESS_SUITE_COMMITMENT: RandomnessSuite
RANDOMNESS_SUITE_FIXTURE: RandomnessSuite

class RoundRef(_message.Message):
    __slots__ = ("table_id", "round_number")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_NUMBER_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    round_number: int
    def __init__(self, table_id: _Optional[str] = ..., round_number: _Optional[int] = ...) -> None: ...

class RoundHeader(_message.Message):
    __slots__ = ("round", "protocol", "origin", "randomness_suite", "ruleset_id", "ruleset_version", "ruleset_digest", "layout", "currency", "stake_minor", "seat_stakes", "seat_keys", "previous_leaf_hash", "deal_deadline_time", "round_deadline_time")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PROTOCOL_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    RANDOMNESS_SUITE_FIELD_NUMBER: _ClassVar[int]
    RULESET_ID_FIELD_NUMBER: _ClassVar[int]
    RULESET_VERSION_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    SEAT_STAKES_FIELD_NUMBER: _ClassVar[int]
    SEAT_KEYS_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_LEAF_HASH_FIELD_NUMBER: _ClassVar[int]
    DEAL_DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    ROUND_DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    round: RoundRef
    protocol: int
    origin: str
    randomness_suite: RandomnessSuite
    ruleset_id: str
    ruleset_version: str
    ruleset_digest: bytes
    layout: _containers.RepeatedScalarFieldContainer[int]
    currency: str
    stake_minor: int
    seat_stakes: _containers.RepeatedCompositeFieldContainer[_money_pb2.SeatStake]
    seat_keys: _containers.RepeatedScalarFieldContainer[bytes]
    previous_leaf_hash: bytes
    deal_deadline_time: int
    round_deadline_time: int
    def __init__(self, round: _Optional[_Union[RoundRef, _Mapping]] = ..., protocol: _Optional[int] = ..., origin: _Optional[str] = ..., randomness_suite: _Optional[_Union[RandomnessSuite, str]] = ..., ruleset_id: _Optional[str] = ..., ruleset_version: _Optional[str] = ..., ruleset_digest: _Optional[bytes] = ..., layout: _Optional[_Iterable[int]] = ..., currency: _Optional[str] = ..., stake_minor: _Optional[int] = ..., seat_stakes: _Optional[_Iterable[_Union[_money_pb2.SeatStake, _Mapping]]] = ..., seat_keys: _Optional[_Iterable[bytes]] = ..., previous_leaf_hash: _Optional[bytes] = ..., deal_deadline_time: _Optional[int] = ..., round_deadline_time: _Optional[int] = ...) -> None: ...

class RoundCourse(_message.Message):
    __slots__ = ("round", "history", "content")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    HISTORY_FIELD_NUMBER: _ClassVar[int]
    CONTENT_FIELD_NUMBER: _ClassVar[int]
    round: RoundRef
    history: bytes
    content: bytes
    def __init__(self, round: _Optional[_Union[RoundRef, _Mapping]] = ..., history: _Optional[bytes] = ..., content: _Optional[bytes] = ...) -> None: ...

class LogReceipt(_message.Message):
    __slots__ = ("leaf_index", "leaf_hash", "leaf", "inclusion_proof", "checkpoint")
    LEAF_INDEX_FIELD_NUMBER: _ClassVar[int]
    LEAF_HASH_FIELD_NUMBER: _ClassVar[int]
    LEAF_FIELD_NUMBER: _ClassVar[int]
    INCLUSION_PROOF_FIELD_NUMBER: _ClassVar[int]
    CHECKPOINT_FIELD_NUMBER: _ClassVar[int]
    leaf_index: int
    leaf_hash: bytes
    leaf: bytes
    inclusion_proof: _containers.RepeatedScalarFieldContainer[bytes]
    checkpoint: str
    def __init__(self, leaf_index: _Optional[int] = ..., leaf_hash: _Optional[bytes] = ..., leaf: _Optional[bytes] = ..., inclusion_proof: _Optional[_Iterable[bytes]] = ..., checkpoint: _Optional[str] = ...) -> None: ...

class Leave(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Timeout(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

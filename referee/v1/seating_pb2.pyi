from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SeatingVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEATING_VERDICT_UNSPECIFIED: _ClassVar[SeatingVerdict]
    SEATING_VERDICT_SEATED: _ClassVar[SeatingVerdict]
    SEATING_VERDICT_READY: _ClassVar[SeatingVerdict]
    SEATING_VERDICT_WATCH: _ClassVar[SeatingVerdict]
    SEATING_VERDICT_KICK: _ClassVar[SeatingVerdict]

class SeatingAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SEATING_ACTION_UNSPECIFIED: _ClassVar[SeatingAction]
    SEATING_ACTION_WAIT: _ClassVar[SeatingAction]
    SEATING_ACTION_DEAL: _ClassVar[SeatingAction]
SEATING_VERDICT_UNSPECIFIED: SeatingVerdict
SEATING_VERDICT_SEATED: SeatingVerdict
SEATING_VERDICT_READY: SeatingVerdict
SEATING_VERDICT_WATCH: SeatingVerdict
SEATING_VERDICT_KICK: SeatingVerdict
SEATING_ACTION_UNSPECIFIED: SeatingAction
SEATING_ACTION_WAIT: SeatingAction
SEATING_ACTION_DEAL: SeatingAction

class Person(_message.Message):
    __slots__ = ("person_id", "came_time", "seated_time", "ready_time")
    PERSON_ID_FIELD_NUMBER: _ClassVar[int]
    CAME_TIME_FIELD_NUMBER: _ClassVar[int]
    SEATED_TIME_FIELD_NUMBER: _ClassVar[int]
    READY_TIME_FIELD_NUMBER: _ClassVar[int]
    person_id: str
    came_time: int
    seated_time: int
    ready_time: int
    def __init__(self, person_id: _Optional[str] = ..., came_time: _Optional[int] = ..., seated_time: _Optional[int] = ..., ready_time: _Optional[int] = ...) -> None: ...

class DecideSeatingRequest(_message.Message):
    __slots__ = ("ruleset_id", "ruleset_version", "persons", "now_time")
    RULESET_ID_FIELD_NUMBER: _ClassVar[int]
    RULESET_VERSION_FIELD_NUMBER: _ClassVar[int]
    PERSONS_FIELD_NUMBER: _ClassVar[int]
    NOW_TIME_FIELD_NUMBER: _ClassVar[int]
    ruleset_id: str
    ruleset_version: str
    persons: _containers.RepeatedCompositeFieldContainer[Person]
    now_time: int
    def __init__(self, ruleset_id: _Optional[str] = ..., ruleset_version: _Optional[str] = ..., persons: _Optional[_Iterable[_Union[Person, _Mapping]]] = ..., now_time: _Optional[int] = ...) -> None: ...

class SeatingDecision(_message.Message):
    __slots__ = ("person_id", "verdict", "seat")
    PERSON_ID_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    person_id: str
    verdict: SeatingVerdict
    seat: int
    def __init__(self, person_id: _Optional[str] = ..., verdict: _Optional[_Union[SeatingVerdict, str]] = ..., seat: _Optional[int] = ...) -> None: ...

class DecideSeatingResponse(_message.Message):
    __slots__ = ("decisions", "action", "next_time", "ruleset_digest")
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    NEXT_TIME_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    decisions: _containers.RepeatedCompositeFieldContainer[SeatingDecision]
    action: SeatingAction
    next_time: int
    ruleset_digest: bytes
    def __init__(self, decisions: _Optional[_Iterable[_Union[SeatingDecision, _Mapping]]] = ..., action: _Optional[_Union[SeatingAction, str]] = ..., next_time: _Optional[int] = ..., ruleset_digest: _Optional[bytes] = ...) -> None: ...

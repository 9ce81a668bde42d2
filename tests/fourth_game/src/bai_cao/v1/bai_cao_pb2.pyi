from google.rpc import status_pb2 as _status_pb2
from referee.v1 import card_pb2 as _card_pb2
from referee.v1 import money_pb2 as _money_pb2
from referee.v1 import round_pb2 as _round_pb2
from referee.v1 import text_pb2 as _text_pb2
from referee.v1 import violation_pb2 as _violation_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Act(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ACT_UNSPECIFIED: _ClassVar[Act]
    ACT_SHOW: _ClassVar[Act]
    ACT_LEAVE: _ClassVar[Act]
ACT_UNSPECIFIED: Act
ACT_SHOW: Act
ACT_LEAVE: Act

class BaiCaoEvent(_message.Message):
    __slots__ = ("time", "seat", "received", "seen", "act")
    TIME_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    ACT_FIELD_NUMBER: _ClassVar[int]
    time: int
    seat: int
    received: bool
    seen: int
    act: Act
    def __init__(self, time: _Optional[int] = ..., seat: _Optional[int] = ..., received: _Optional[bool] = ..., seen: _Optional[int] = ..., act: _Optional[_Union[Act, str]] = ...) -> None: ...

class BaiCaoRound(_message.Message):
    __slots__ = ("header", "certificates", "events", "receipt", "signatures", "course")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURES_FIELD_NUMBER: _ClassVar[int]
    COURSE_FIELD_NUMBER: _ClassVar[int]
    header: _round_pb2.RoundHeader
    certificates: _containers.RepeatedScalarFieldContainer[bytes]
    events: _containers.RepeatedCompositeFieldContainer[BaiCaoEvent]
    receipt: bytes
    signatures: _containers.RepeatedScalarFieldContainer[bytes]
    course: _round_pb2.RoundCourse
    def __init__(self, header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., certificates: _Optional[_Iterable[bytes]] = ..., events: _Optional[_Iterable[_Union[BaiCaoEvent, _Mapping]]] = ..., receipt: _Optional[bytes] = ..., signatures: _Optional[_Iterable[bytes]] = ..., course: _Optional[_Union[_round_pb2.RoundCourse, _Mapping]] = ...) -> None: ...

class BaiCaoState(_message.Message):
    __slots__ = ("deadline_time", "waiting_seats")
    DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    WAITING_SEATS_FIELD_NUMBER: _ClassVar[int]
    deadline_time: int
    waiting_seats: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, deadline_time: _Optional[int] = ..., waiting_seats: _Optional[_Iterable[int]] = ...) -> None: ...

class BaiCaoSeatResult(_message.Message):
    __slots__ = ("seat", "net_minor", "result", "cards", "hand", "name")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    seat: int
    net_minor: int
    result: str
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    hand: str
    name: _text_pb2.Text
    def __init__(self, seat: _Optional[int] = ..., net_minor: _Optional[int] = ..., result: _Optional[str] = ..., cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., hand: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ...) -> None: ...

class BaiCaoOutcome(_message.Message):
    __slots__ = ("seats", "transfers", "ruleset_digest")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[BaiCaoSeatResult]
    transfers: _containers.RepeatedCompositeFieldContainer[_money_pb2.Transfer]
    ruleset_digest: bytes
    def __init__(self, seats: _Optional[_Iterable[_Union[BaiCaoSeatResult, _Mapping]]] = ..., transfers: _Optional[_Iterable[_Union[_money_pb2.Transfer, _Mapping]]] = ..., ruleset_digest: _Optional[bytes] = ...) -> None: ...

class AcceptEventRequest(_message.Message):
    __slots__ = ("round", "event", "signature")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    round: BaiCaoRound
    event: BaiCaoEvent
    signature: bytes
    def __init__(self, round: _Optional[_Union[BaiCaoRound, _Mapping]] = ..., event: _Optional[_Union[BaiCaoEvent, _Mapping]] = ..., signature: _Optional[bytes] = ...) -> None: ...

class AcceptEventResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "state", "event", "receipt", "event_number", "opens_section", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OPENS_SECTION_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    state: BaiCaoState
    event: BaiCaoEvent
    receipt: bytes
    event_number: int
    opens_section: int
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., state: _Optional[_Union[BaiCaoState, _Mapping]] = ..., event: _Optional[_Union[BaiCaoEvent, _Mapping]] = ..., receipt: _Optional[bytes] = ..., event_number: _Optional[int] = ..., opens_section: _Optional[int] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class AcceptEventsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[AcceptEventRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[AcceptEventRequest, _Mapping]]] = ...) -> None: ...

class AcceptEventsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[AcceptEventResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[AcceptEventResponse, _Mapping]]] = ...) -> None: ...

class PreviewRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: BaiCaoRound
    def __init__(self, round: _Optional[_Union[BaiCaoRound, _Mapping]] = ...) -> None: ...

class PreviewRoundResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "state", "outcome")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    state: BaiCaoState
    outcome: BaiCaoOutcome
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., state: _Optional[_Union[BaiCaoState, _Mapping]] = ..., outcome: _Optional[_Union[BaiCaoOutcome, _Mapping]] = ...) -> None: ...

class SettleRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: BaiCaoRound
    def __init__(self, round: _Optional[_Union[BaiCaoRound, _Mapping]] = ...) -> None: ...

class SettleRoundResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "outcome", "log_receipt", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    outcome: BaiCaoOutcome
    log_receipt: _round_pb2.LogReceipt
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., outcome: _Optional[_Union[BaiCaoOutcome, _Mapping]] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class SettleRoundsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[SettleRoundRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[SettleRoundRequest, _Mapping]]] = ...) -> None: ...

class SettleRoundsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[SettleRoundResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[SettleRoundResponse, _Mapping]]] = ...) -> None: ...

from google.rpc import status_pb2 as _status_pb2
from referee.v1 import card_pb2 as _card_pb2
from referee.v1 import hand_pb2 as _hand_pb2
from referee.v1 import money_pb2 as _money_pb2
from referee.v1 import round_pb2 as _round_pb2
from referee.v1 import violation_pb2 as _violation_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Decision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECISION_UNSPECIFIED: _ClassVar[Decision]
    DECISION_CHECK: _ClassVar[Decision]
    DECISION_PLAY_4X: _ClassVar[Decision]
    DECISION_PLAY_3X: _ClassVar[Decision]
    DECISION_PLAY_2X: _ClassVar[Decision]
    DECISION_PLAY_1X: _ClassVar[Decision]
    DECISION_FOLD: _ClassVar[Decision]
    DECISION_TIMEOUT: _ClassVar[Decision]
    DECISION_LEAVE: _ClassVar[Decision]
DECISION_UNSPECIFIED: Decision
DECISION_CHECK: Decision
DECISION_PLAY_4X: Decision
DECISION_PLAY_3X: Decision
DECISION_PLAY_2X: Decision
DECISION_PLAY_1X: Decision
DECISION_FOLD: Decision
DECISION_TIMEOUT: Decision
DECISION_LEAVE: Decision

class UltimateTexasEvent(_message.Message):
    __slots__ = ("time", "seat", "received", "seen", "decision")
    TIME_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    time: int
    seat: int
    received: bool
    seen: int
    decision: Decision
    def __init__(self, time: _Optional[int] = ..., seat: _Optional[int] = ..., received: _Optional[bool] = ..., seen: _Optional[int] = ..., decision: _Optional[_Union[Decision, str]] = ...) -> None: ...

class UltimateTexasRound(_message.Message):
    __slots__ = ("header", "certificates", "events", "receipt", "signatures", "course")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURES_FIELD_NUMBER: _ClassVar[int]
    COURSE_FIELD_NUMBER: _ClassVar[int]
    header: _round_pb2.RoundHeader
    certificates: _containers.RepeatedScalarFieldContainer[bytes]
    events: _containers.RepeatedCompositeFieldContainer[UltimateTexasEvent]
    receipt: bytes
    signatures: _containers.RepeatedScalarFieldContainer[bytes]
    course: _round_pb2.RoundCourse
    def __init__(self, header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., certificates: _Optional[_Iterable[bytes]] = ..., events: _Optional[_Iterable[_Union[UltimateTexasEvent, _Mapping]]] = ..., receipt: _Optional[bytes] = ..., signatures: _Optional[_Iterable[bytes]] = ..., course: _Optional[_Union[_round_pb2.RoundCourse, _Mapping]] = ...) -> None: ...

class UltimateTexasSeatState(_message.Message):
    __slots__ = ("seat", "play_multiple", "folded", "gone", "legal_decisions", "checked", "value")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAY_MULTIPLE_FIELD_NUMBER: _ClassVar[int]
    FOLDED_FIELD_NUMBER: _ClassVar[int]
    GONE_FIELD_NUMBER: _ClassVar[int]
    LEGAL_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    CHECKED_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    play_multiple: int
    folded: bool
    gone: bool
    legal_decisions: _containers.RepeatedScalarFieldContainer[Decision]
    checked: bool
    value: _hand_pb2.HandValue
    def __init__(self, seat: _Optional[int] = ..., play_multiple: _Optional[int] = ..., folded: _Optional[bool] = ..., gone: _Optional[bool] = ..., legal_decisions: _Optional[_Iterable[_Union[Decision, str]]] = ..., checked: _Optional[bool] = ..., value: _Optional[_Union[_hand_pb2.HandValue, _Mapping]] = ...) -> None: ...

class UltimateTexasState(_message.Message):
    __slots__ = ("turn", "deadline_time", "street", "seats")
    TURN_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    STREET_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    turn: int
    deadline_time: int
    street: str
    seats: _containers.RepeatedCompositeFieldContainer[UltimateTexasSeatState]
    def __init__(self, turn: _Optional[int] = ..., deadline_time: _Optional[int] = ..., street: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[UltimateTexasSeatState, _Mapping]]] = ...) -> None: ...

class CheckDecisionRequest(_message.Message):
    __slots__ = ("round", "event")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    round: UltimateTexasRound
    event: UltimateTexasEvent
    def __init__(self, round: _Optional[_Union[UltimateTexasRound, _Mapping]] = ..., event: _Optional[_Union[UltimateTexasEvent, _Mapping]] = ...) -> None: ...

class CheckDecisionResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "ruleset_digest", "state", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    ruleset_digest: bytes
    state: UltimateTexasState
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., ruleset_digest: _Optional[bytes] = ..., state: _Optional[_Union[UltimateTexasState, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class CheckDecisionsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[CheckDecisionRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[CheckDecisionRequest, _Mapping]]] = ...) -> None: ...

class CheckDecisionsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[CheckDecisionResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[CheckDecisionResponse, _Mapping]]] = ...) -> None: ...

class UltimateTexasServiceAcceptEventRequest(_message.Message):
    __slots__ = ("round", "event", "signature")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    round: UltimateTexasRound
    event: UltimateTexasEvent
    signature: bytes
    def __init__(self, round: _Optional[_Union[UltimateTexasRound, _Mapping]] = ..., event: _Optional[_Union[UltimateTexasEvent, _Mapping]] = ..., signature: _Optional[bytes] = ...) -> None: ...

class UltimateTexasServiceAcceptEventResponse(_message.Message):
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
    state: UltimateTexasState
    event: UltimateTexasEvent
    receipt: bytes
    event_number: int
    opens_section: int
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., state: _Optional[_Union[UltimateTexasState, _Mapping]] = ..., event: _Optional[_Union[UltimateTexasEvent, _Mapping]] = ..., receipt: _Optional[bytes] = ..., event_number: _Optional[int] = ..., opens_section: _Optional[int] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class UltimateTexasServiceAcceptEventsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[UltimateTexasServiceAcceptEventRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[UltimateTexasServiceAcceptEventRequest, _Mapping]]] = ...) -> None: ...

class UltimateTexasServiceAcceptEventsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[UltimateTexasServiceAcceptEventResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[UltimateTexasServiceAcceptEventResponse, _Mapping]]] = ...) -> None: ...

class UltimateTexasSeatResult(_message.Message):
    __slots__ = ("seat", "net_minor", "result", "hole", "best", "value", "play_multiple")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    HOLE_FIELD_NUMBER: _ClassVar[int]
    BEST_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    PLAY_MULTIPLE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    net_minor: int
    result: str
    hole: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    best: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    value: _hand_pb2.HandValue
    play_multiple: int
    def __init__(self, seat: _Optional[int] = ..., net_minor: _Optional[int] = ..., result: _Optional[str] = ..., hole: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., best: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., value: _Optional[_Union[_hand_pb2.HandValue, _Mapping]] = ..., play_multiple: _Optional[int] = ...) -> None: ...

class UltimateTexasOutcome(_message.Message):
    __slots__ = ("seats", "transfers", "ruleset_digest", "house_net_minor", "house_hole", "board", "house_best", "house_value", "house_qualified")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    HOUSE_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    HOUSE_HOLE_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    HOUSE_BEST_FIELD_NUMBER: _ClassVar[int]
    HOUSE_VALUE_FIELD_NUMBER: _ClassVar[int]
    HOUSE_QUALIFIED_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[UltimateTexasSeatResult]
    transfers: _containers.RepeatedCompositeFieldContainer[_money_pb2.Transfer]
    ruleset_digest: bytes
    house_net_minor: int
    house_hole: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    board: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    house_best: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    house_value: _hand_pb2.HandValue
    house_qualified: bool
    def __init__(self, seats: _Optional[_Iterable[_Union[UltimateTexasSeatResult, _Mapping]]] = ..., transfers: _Optional[_Iterable[_Union[_money_pb2.Transfer, _Mapping]]] = ..., ruleset_digest: _Optional[bytes] = ..., house_net_minor: _Optional[int] = ..., house_hole: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., board: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., house_best: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., house_value: _Optional[_Union[_hand_pb2.HandValue, _Mapping]] = ..., house_qualified: _Optional[bool] = ...) -> None: ...

class UltimateTexasServicePreviewRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: UltimateTexasRound
    def __init__(self, round: _Optional[_Union[UltimateTexasRound, _Mapping]] = ...) -> None: ...

class UltimateTexasServicePreviewRoundResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "state", "outcome")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    state: UltimateTexasState
    outcome: UltimateTexasOutcome
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., state: _Optional[_Union[UltimateTexasState, _Mapping]] = ..., outcome: _Optional[_Union[UltimateTexasOutcome, _Mapping]] = ...) -> None: ...

class UltimateTexasServiceSettleRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: UltimateTexasRound
    def __init__(self, round: _Optional[_Union[UltimateTexasRound, _Mapping]] = ...) -> None: ...

class UltimateTexasServiceSettleRoundResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "outcome", "log_receipt", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    outcome: UltimateTexasOutcome
    log_receipt: _round_pb2.LogReceipt
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., outcome: _Optional[_Union[UltimateTexasOutcome, _Mapping]] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class UltimateTexasServiceSettleRoundsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[UltimateTexasServiceSettleRoundRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[UltimateTexasServiceSettleRoundRequest, _Mapping]]] = ...) -> None: ...

class UltimateTexasServiceSettleRoundsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[UltimateTexasServiceSettleRoundResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[UltimateTexasServiceSettleRoundResponse, _Mapping]]] = ...) -> None: ...

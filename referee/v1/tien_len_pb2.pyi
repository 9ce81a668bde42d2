from google.rpc import status_pb2 as _status_pb2
from referee.v1 import card_pb2 as _card_pb2
from referee.v1 import money_pb2 as _money_pb2
from referee.v1 import round_pb2 as _round_pb2
from referee.v1 import text_pb2 as _text_pb2
from referee.v1 import violation_pb2 as _violation_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Play(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    def __init__(self, cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ...) -> None: ...

class Pass(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TienLenEvent(_message.Message):
    __slots__ = ("time", "seat", "received", "seen", "leave", "timeout", "play", "pass_turn")
    TIME_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    PLAY_FIELD_NUMBER: _ClassVar[int]
    PASS_TURN_FIELD_NUMBER: _ClassVar[int]
    time: int
    seat: int
    received: bool
    seen: int
    leave: _round_pb2.Leave
    timeout: _round_pb2.Timeout
    play: Play
    pass_turn: Pass
    def __init__(self, time: _Optional[int] = ..., seat: _Optional[int] = ..., received: _Optional[bool] = ..., seen: _Optional[int] = ..., leave: _Optional[_Union[_round_pb2.Leave, _Mapping]] = ..., timeout: _Optional[_Union[_round_pb2.Timeout, _Mapping]] = ..., play: _Optional[_Union[Play, _Mapping]] = ..., pass_turn: _Optional[_Union[Pass, _Mapping]] = ...) -> None: ...

class TienLenRound(_message.Message):
    __slots__ = ("header", "certificates", "events", "receipt", "signatures", "course")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURES_FIELD_NUMBER: _ClassVar[int]
    COURSE_FIELD_NUMBER: _ClassVar[int]
    header: _round_pb2.RoundHeader
    certificates: _containers.RepeatedScalarFieldContainer[bytes]
    events: _containers.RepeatedCompositeFieldContainer[TienLenEvent]
    receipt: bytes
    signatures: _containers.RepeatedScalarFieldContainer[bytes]
    course: _round_pb2.RoundCourse
    def __init__(self, header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., certificates: _Optional[_Iterable[bytes]] = ..., events: _Optional[_Iterable[_Union[TienLenEvent, _Mapping]]] = ..., receipt: _Optional[bytes] = ..., signatures: _Optional[_Iterable[bytes]] = ..., course: _Optional[_Union[_round_pb2.RoundCourse, _Mapping]] = ...) -> None: ...

class Combination(_message.Message):
    __slots__ = ("kind", "name", "cards")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    kind: str
    name: _text_pb2.Text
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    def __init__(self, kind: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ...) -> None: ...

class TienLenState(_message.Message):
    __slots__ = ("over", "turn", "deadline_time", "to_beat", "to_beat_seat", "cards_left", "passed", "gone", "leader")
    OVER_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    TO_BEAT_FIELD_NUMBER: _ClassVar[int]
    TO_BEAT_SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_LEFT_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    GONE_FIELD_NUMBER: _ClassVar[int]
    LEADER_FIELD_NUMBER: _ClassVar[int]
    over: bool
    turn: int
    deadline_time: int
    to_beat: Combination
    to_beat_seat: int
    cards_left: _containers.RepeatedScalarFieldContainer[int]
    passed: _containers.RepeatedScalarFieldContainer[int]
    gone: _containers.RepeatedScalarFieldContainer[int]
    leader: int
    def __init__(self, over: _Optional[bool] = ..., turn: _Optional[int] = ..., deadline_time: _Optional[int] = ..., to_beat: _Optional[_Union[Combination, _Mapping]] = ..., to_beat_seat: _Optional[int] = ..., cards_left: _Optional[_Iterable[int]] = ..., passed: _Optional[_Iterable[int]] = ..., gone: _Optional[_Iterable[int]] = ..., leader: _Optional[int] = ...) -> None: ...

class CheckPlayRequest(_message.Message):
    __slots__ = ("round", "event")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    round: TienLenRound
    event: TienLenEvent
    def __init__(self, round: _Optional[_Union[TienLenRound, _Mapping]] = ..., event: _Optional[_Union[TienLenEvent, _Mapping]] = ...) -> None: ...

class CheckPlayResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "ruleset_digest", "combination", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    COMBINATION_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    ruleset_digest: bytes
    combination: Combination
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., ruleset_digest: _Optional[bytes] = ..., combination: _Optional[_Union[Combination, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class CheckPlaysRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[CheckPlayRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[CheckPlayRequest, _Mapping]]] = ...) -> None: ...

class CheckPlaysResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[CheckPlayResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[CheckPlayResponse, _Mapping]]] = ...) -> None: ...

class ListPlaysRequest(_message.Message):
    __slots__ = ("round", "grouped")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    GROUPED_FIELD_NUMBER: _ClassVar[int]
    round: TienLenRound
    grouped: bool
    def __init__(self, round: _Optional[_Union[TienLenRound, _Mapping]] = ..., grouped: _Optional[bool] = ...) -> None: ...

class ListPlaysResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "ruleset_digest", "turn", "plays", "may_pass", "groups", "whole_plays")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    PLAYS_FIELD_NUMBER: _ClassVar[int]
    MAY_PASS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    WHOLE_PLAYS_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    ruleset_digest: bytes
    turn: int
    plays: _containers.RepeatedCompositeFieldContainer[Combination]
    may_pass: bool
    groups: _containers.RepeatedCompositeFieldContainer[PlayGroup]
    whole_plays: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., ruleset_digest: _Optional[bytes] = ..., turn: _Optional[int] = ..., plays: _Optional[_Iterable[_Union[Combination, _Mapping]]] = ..., may_pass: _Optional[bool] = ..., groups: _Optional[_Iterable[_Union[PlayGroup, _Mapping]]] = ..., whole_plays: _Optional[_Iterable[int]] = ...) -> None: ...

class PlayGroup(_message.Message):
    __slots__ = ("kind", "name", "length", "plays", "chops", "chops_name", "chop_minor")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    LENGTH_FIELD_NUMBER: _ClassVar[int]
    PLAYS_FIELD_NUMBER: _ClassVar[int]
    CHOPS_FIELD_NUMBER: _ClassVar[int]
    CHOPS_NAME_FIELD_NUMBER: _ClassVar[int]
    CHOP_MINOR_FIELD_NUMBER: _ClassVar[int]
    kind: str
    name: _text_pb2.Text
    length: int
    plays: _containers.RepeatedScalarFieldContainer[int]
    chops: str
    chops_name: _text_pb2.Text
    chop_minor: int
    def __init__(self, kind: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., length: _Optional[int] = ..., plays: _Optional[_Iterable[int]] = ..., chops: _Optional[str] = ..., chops_name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., chop_minor: _Optional[int] = ...) -> None: ...

class TienLenServiceAcceptEventRequest(_message.Message):
    __slots__ = ("round", "event", "signature")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    round: TienLenRound
    event: TienLenEvent
    signature: bytes
    def __init__(self, round: _Optional[_Union[TienLenRound, _Mapping]] = ..., event: _Optional[_Union[TienLenEvent, _Mapping]] = ..., signature: _Optional[bytes] = ...) -> None: ...

class TienLenServiceAcceptEventResponse(_message.Message):
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
    state: TienLenState
    event: TienLenEvent
    receipt: bytes
    event_number: int
    opens_section: int
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., state: _Optional[_Union[TienLenState, _Mapping]] = ..., event: _Optional[_Union[TienLenEvent, _Mapping]] = ..., receipt: _Optional[bytes] = ..., event_number: _Optional[int] = ..., opens_section: _Optional[int] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class TienLenServiceAcceptEventsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[TienLenServiceAcceptEventRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[TienLenServiceAcceptEventRequest, _Mapping]]] = ...) -> None: ...

class TienLenServiceAcceptEventsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[TienLenServiceAcceptEventResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[TienLenServiceAcceptEventResponse, _Mapping]]] = ...) -> None: ...

class TienLenSeatResult(_message.Message):
    __slots__ = ("seat", "net_minor", "winner", "instant_win", "instant_win_name", "left", "gone")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    INSTANT_WIN_FIELD_NUMBER: _ClassVar[int]
    INSTANT_WIN_NAME_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    GONE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    net_minor: int
    winner: bool
    instant_win: str
    instant_win_name: _text_pb2.Text
    left: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    gone: bool
    def __init__(self, seat: _Optional[int] = ..., net_minor: _Optional[int] = ..., winner: _Optional[bool] = ..., instant_win: _Optional[str] = ..., instant_win_name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., left: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., gone: _Optional[bool] = ...) -> None: ...

class TienLenOutcome(_message.Message):
    __slots__ = ("seats", "transfers", "ruleset_digest", "house_net_minor", "ending", "ending_name")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    HOUSE_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    ENDING_NAME_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[TienLenSeatResult]
    transfers: _containers.RepeatedCompositeFieldContainer[_money_pb2.Transfer]
    ruleset_digest: bytes
    house_net_minor: int
    ending: str
    ending_name: _text_pb2.Text
    def __init__(self, seats: _Optional[_Iterable[_Union[TienLenSeatResult, _Mapping]]] = ..., transfers: _Optional[_Iterable[_Union[_money_pb2.Transfer, _Mapping]]] = ..., ruleset_digest: _Optional[bytes] = ..., house_net_minor: _Optional[int] = ..., ending: _Optional[str] = ..., ending_name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ...) -> None: ...

class TienLenServicePreviewRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: TienLenRound
    def __init__(self, round: _Optional[_Union[TienLenRound, _Mapping]] = ...) -> None: ...

class TienLenServicePreviewRoundResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "state", "outcome")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    state: TienLenState
    outcome: TienLenOutcome
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., state: _Optional[_Union[TienLenState, _Mapping]] = ..., outcome: _Optional[_Union[TienLenOutcome, _Mapping]] = ...) -> None: ...

class TienLenServiceSettleRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: TienLenRound
    def __init__(self, round: _Optional[_Union[TienLenRound, _Mapping]] = ...) -> None: ...

class TienLenServiceSettleRoundResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "outcome", "log_receipt", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    outcome: TienLenOutcome
    log_receipt: _round_pb2.LogReceipt
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., outcome: _Optional[_Union[TienLenOutcome, _Mapping]] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class TienLenServiceSettleRoundsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[TienLenServiceSettleRoundRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[TienLenServiceSettleRoundRequest, _Mapping]]] = ...) -> None: ...

class TienLenServiceSettleRoundsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[TienLenServiceSettleRoundResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[TienLenServiceSettleRoundResponse, _Mapping]]] = ...) -> None: ...

from google.rpc import status_pb2 as _status_pb2
from referee.v1 import card_pb2 as _card_pb2
from referee.v1 import hand_pb2 as _hand_pb2
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

class Arrangement(_message.Message):
    __slots__ = ("back", "middle", "front")
    BACK_FIELD_NUMBER: _ClassVar[int]
    MIDDLE_FIELD_NUMBER: _ClassVar[int]
    FRONT_FIELD_NUMBER: _ClassVar[int]
    back: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    middle: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    front: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    def __init__(self, back: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., middle: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., front: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ...) -> None: ...

class Commit(_message.Message):
    __slots__ = ("commitment",)
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    commitment: bytes
    def __init__(self, commitment: _Optional[bytes] = ...) -> None: ...

class MauBinhEvent(_message.Message):
    __slots__ = ("time", "seat", "received", "seen", "leave", "timeout", "arrange", "commit", "nonce")
    TIME_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    SEEN_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    TIMEOUT_FIELD_NUMBER: _ClassVar[int]
    ARRANGE_FIELD_NUMBER: _ClassVar[int]
    COMMIT_FIELD_NUMBER: _ClassVar[int]
    NONCE_FIELD_NUMBER: _ClassVar[int]
    time: int
    seat: int
    received: bool
    seen: int
    leave: _round_pb2.Leave
    timeout: _round_pb2.Timeout
    arrange: Arrangement
    commit: Commit
    nonce: bytes
    def __init__(self, time: _Optional[int] = ..., seat: _Optional[int] = ..., received: _Optional[bool] = ..., seen: _Optional[int] = ..., leave: _Optional[_Union[_round_pb2.Leave, _Mapping]] = ..., timeout: _Optional[_Union[_round_pb2.Timeout, _Mapping]] = ..., arrange: _Optional[_Union[Arrangement, _Mapping]] = ..., commit: _Optional[_Union[Commit, _Mapping]] = ..., nonce: _Optional[bytes] = ...) -> None: ...

class MauBinhRound(_message.Message):
    __slots__ = ("header", "certificates", "events", "receipt", "signatures", "course")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CERTIFICATES_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURES_FIELD_NUMBER: _ClassVar[int]
    COURSE_FIELD_NUMBER: _ClassVar[int]
    header: _round_pb2.RoundHeader
    certificates: _containers.RepeatedScalarFieldContainer[bytes]
    events: _containers.RepeatedCompositeFieldContainer[MauBinhEvent]
    receipt: bytes
    signatures: _containers.RepeatedScalarFieldContainer[bytes]
    course: _round_pb2.RoundCourse
    def __init__(self, header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., certificates: _Optional[_Iterable[bytes]] = ..., events: _Optional[_Iterable[_Union[MauBinhEvent, _Mapping]]] = ..., receipt: _Optional[bytes] = ..., signatures: _Optional[_Iterable[bytes]] = ..., course: _Optional[_Union[_round_pb2.RoundCourse, _Mapping]] = ...) -> None: ...

class CheckArrangementRequest(_message.Message):
    __slots__ = ("round", "seat", "arrangement")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ARRANGEMENT_FIELD_NUMBER: _ClassVar[int]
    round: MauBinhRound
    seat: int
    arrangement: Arrangement
    def __init__(self, round: _Optional[_Union[MauBinhRound, _Mapping]] = ..., seat: _Optional[int] = ..., arrangement: _Optional[_Union[Arrangement, _Mapping]] = ...) -> None: ...

class CheckArrangementResponse(_message.Message):
    __slots__ = ("violations", "ruleset_digest", "acceptable", "values", "instant_win", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    ACCEPTABLE_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    INSTANT_WIN_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    ruleset_digest: bytes
    acceptable: bool
    values: _containers.RepeatedCompositeFieldContainer[_hand_pb2.HandValue]
    instant_win: str
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., ruleset_digest: _Optional[bytes] = ..., acceptable: _Optional[bool] = ..., values: _Optional[_Iterable[_Union[_hand_pb2.HandValue, _Mapping]]] = ..., instant_win: _Optional[str] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class CheckArrangementsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[CheckArrangementRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[CheckArrangementRequest, _Mapping]]] = ...) -> None: ...

class CheckArrangementsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[CheckArrangementResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[CheckArrangementResponse, _Mapping]]] = ...) -> None: ...

class MauBinhServiceAcceptEventRequest(_message.Message):
    __slots__ = ("round", "event", "signature")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    round: MauBinhRound
    event: MauBinhEvent
    signature: bytes
    def __init__(self, round: _Optional[_Union[MauBinhRound, _Mapping]] = ..., event: _Optional[_Union[MauBinhEvent, _Mapping]] = ..., signature: _Optional[bytes] = ...) -> None: ...

class MauBinhServiceAcceptEventResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "event", "receipt", "event_number", "opens_section", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    EVENT_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OPENS_SECTION_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    event: MauBinhEvent
    receipt: bytes
    event_number: int
    opens_section: int
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., event: _Optional[_Union[MauBinhEvent, _Mapping]] = ..., receipt: _Optional[bytes] = ..., event_number: _Optional[int] = ..., opens_section: _Optional[int] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class MauBinhServiceAcceptEventsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[MauBinhServiceAcceptEventRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[MauBinhServiceAcceptEventRequest, _Mapping]]] = ...) -> None: ...

class MauBinhServiceAcceptEventsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[MauBinhServiceAcceptEventResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[MauBinhServiceAcceptEventResponse, _Mapping]]] = ...) -> None: ...

class MauBinhSeatResult(_message.Message):
    __slots__ = ("seat", "net_minor", "winner", "instant_win", "arrangement", "values", "fouled", "defaulted", "left_at")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    INSTANT_WIN_FIELD_NUMBER: _ClassVar[int]
    ARRANGEMENT_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    FOULED_FIELD_NUMBER: _ClassVar[int]
    DEFAULTED_FIELD_NUMBER: _ClassVar[int]
    LEFT_AT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    net_minor: int
    winner: bool
    instant_win: str
    arrangement: Arrangement
    values: _containers.RepeatedCompositeFieldContainer[_hand_pb2.HandValue]
    fouled: bool
    defaulted: bool
    left_at: int
    def __init__(self, seat: _Optional[int] = ..., net_minor: _Optional[int] = ..., winner: _Optional[bool] = ..., instant_win: _Optional[str] = ..., arrangement: _Optional[_Union[Arrangement, _Mapping]] = ..., values: _Optional[_Iterable[_Union[_hand_pb2.HandValue, _Mapping]]] = ..., fouled: _Optional[bool] = ..., defaulted: _Optional[bool] = ..., left_at: _Optional[int] = ...) -> None: ...

class MauBinhOutcome(_message.Message):
    __slots__ = ("seats", "transfers", "ruleset_digest", "house_net_minor")
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    HOUSE_NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    seats: _containers.RepeatedCompositeFieldContainer[MauBinhSeatResult]
    transfers: _containers.RepeatedCompositeFieldContainer[_money_pb2.Transfer]
    ruleset_digest: bytes
    house_net_minor: int
    def __init__(self, seats: _Optional[_Iterable[_Union[MauBinhSeatResult, _Mapping]]] = ..., transfers: _Optional[_Iterable[_Union[_money_pb2.Transfer, _Mapping]]] = ..., ruleset_digest: _Optional[bytes] = ..., house_net_minor: _Optional[int] = ...) -> None: ...

class ShownHand(_message.Message):
    __slots__ = ("seat", "cards", "category", "name", "fouled", "gone", "units_won", "units_lost")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    FOULED_FIELD_NUMBER: _ClassVar[int]
    GONE_FIELD_NUMBER: _ClassVar[int]
    UNITS_WON_FIELD_NUMBER: _ClassVar[int]
    UNITS_LOST_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    category: str
    name: _text_pb2.Text
    fouled: bool
    gone: bool
    units_won: int
    units_lost: int
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., category: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., fouled: _Optional[bool] = ..., gone: _Optional[bool] = ..., units_won: _Optional[int] = ..., units_lost: _Optional[int] = ...) -> None: ...

class ShownChi(_message.Message):
    __slots__ = ("position", "name", "start_time", "seconds", "hands")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    position: str
    name: _text_pb2.Text
    start_time: int
    seconds: int
    hands: _containers.RepeatedCompositeFieldContainer[ShownHand]
    def __init__(self, position: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., start_time: _Optional[int] = ..., seconds: _Optional[int] = ..., hands: _Optional[_Iterable[_Union[ShownHand, _Mapping]]] = ...) -> None: ...

class ShownSummary(_message.Message):
    __slots__ = ("seat", "chi_units", "added_units", "instant_win_units", "net_units", "net_minor", "instant_win", "instant_win_name", "fouled", "winner", "commission_minor")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CHI_UNITS_FIELD_NUMBER: _ClassVar[int]
    ADDED_UNITS_FIELD_NUMBER: _ClassVar[int]
    INSTANT_WIN_UNITS_FIELD_NUMBER: _ClassVar[int]
    NET_UNITS_FIELD_NUMBER: _ClassVar[int]
    NET_MINOR_FIELD_NUMBER: _ClassVar[int]
    INSTANT_WIN_FIELD_NUMBER: _ClassVar[int]
    INSTANT_WIN_NAME_FIELD_NUMBER: _ClassVar[int]
    FOULED_FIELD_NUMBER: _ClassVar[int]
    WINNER_FIELD_NUMBER: _ClassVar[int]
    COMMISSION_MINOR_FIELD_NUMBER: _ClassVar[int]
    seat: int
    chi_units: int
    added_units: int
    instant_win_units: int
    net_units: int
    net_minor: int
    instant_win: str
    instant_win_name: _text_pb2.Text
    fouled: bool
    winner: bool
    commission_minor: int
    def __init__(self, seat: _Optional[int] = ..., chi_units: _Optional[int] = ..., added_units: _Optional[int] = ..., instant_win_units: _Optional[int] = ..., net_units: _Optional[int] = ..., net_minor: _Optional[int] = ..., instant_win: _Optional[str] = ..., instant_win_name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., fouled: _Optional[bool] = ..., winner: _Optional[bool] = ..., commission_minor: _Optional[int] = ...) -> None: ...

class Showdown(_message.Message):
    __slots__ = ("start_time", "chi", "summary_time", "summary")
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    CHI_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_TIME_FIELD_NUMBER: _ClassVar[int]
    SUMMARY_FIELD_NUMBER: _ClassVar[int]
    start_time: int
    chi: _containers.RepeatedCompositeFieldContainer[ShownChi]
    summary_time: int
    summary: _containers.RepeatedCompositeFieldContainer[ShownSummary]
    def __init__(self, start_time: _Optional[int] = ..., chi: _Optional[_Iterable[_Union[ShownChi, _Mapping]]] = ..., summary_time: _Optional[int] = ..., summary: _Optional[_Iterable[_Union[ShownSummary, _Mapping]]] = ...) -> None: ...

class MauBinhServicePreviewRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: MauBinhRound
    def __init__(self, round: _Optional[_Union[MauBinhRound, _Mapping]] = ...) -> None: ...

class MauBinhServicePreviewRoundResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "outcome", "showdown")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    SHOWDOWN_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    outcome: MauBinhOutcome
    showdown: Showdown
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., outcome: _Optional[_Union[MauBinhOutcome, _Mapping]] = ..., showdown: _Optional[_Union[Showdown, _Mapping]] = ...) -> None: ...

class MauBinhServiceSettleRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: MauBinhRound
    def __init__(self, round: _Optional[_Union[MauBinhRound, _Mapping]] = ...) -> None: ...

class MauBinhServiceSettleRoundResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "outcome", "log_receipt", "refused")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    outcome: MauBinhOutcome
    log_receipt: _round_pb2.LogReceipt
    refused: _status_pb2.Status
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., outcome: _Optional[_Union[MauBinhOutcome, _Mapping]] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class MauBinhServiceSettleRoundsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[MauBinhServiceSettleRoundRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[MauBinhServiceSettleRoundRequest, _Mapping]]] = ...) -> None: ...

class MauBinhServiceSettleRoundsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[MauBinhServiceSettleRoundResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[MauBinhServiceSettleRoundResponse, _Mapping]]] = ...) -> None: ...

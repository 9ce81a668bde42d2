from referee.v1 import card_pb2 as _card_pb2
from referee.v1 import hand_pb2 as _hand_pb2
from referee.v1 import mau_binh_pb2 as _mau_binh_pb2
from referee.v1 import text_pb2 as _text_pb2
from referee.v1 import tien_len_pb2 as _tien_len_pb2
from referee.v1 import ultimate_texas_pb2 as _ultimate_texas_pb2
from referee.v1 import violation_pb2 as _violation_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SuggestArrangementRequest(_message.Message):
    __slots__ = ("count", "dealt", "free")
    COUNT_FIELD_NUMBER: _ClassVar[int]
    DEALT_FIELD_NUMBER: _ClassVar[int]
    FREE_FIELD_NUMBER: _ClassVar[int]
    count: int
    dealt: DealtHand
    free: FreeHand
    def __init__(self, count: _Optional[int] = ..., dealt: _Optional[_Union[DealtHand, _Mapping]] = ..., free: _Optional[_Union[FreeHand, _Mapping]] = ...) -> None: ...

class DealtHand(_message.Message):
    __slots__ = ("round", "seat")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    round: _mau_binh_pb2.MauBinhRound
    seat: int
    def __init__(self, round: _Optional[_Union[_mau_binh_pb2.MauBinhRound, _Mapping]] = ..., seat: _Optional[int] = ...) -> None: ...

class FreeHand(_message.Message):
    __slots__ = ("cards", "ruleset_id", "ruleset_version", "seat_count", "stake_minor")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    RULESET_ID_FIELD_NUMBER: _ClassVar[int]
    RULESET_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEAT_COUNT_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    ruleset_id: str
    ruleset_version: str
    seat_count: int
    stake_minor: int
    def __init__(self, cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., ruleset_id: _Optional[str] = ..., ruleset_version: _Optional[str] = ..., seat_count: _Optional[int] = ..., stake_minor: _Optional[int] = ...) -> None: ...

class SuggestArrangementResponse(_message.Message):
    __slots__ = ("ruleset_digest", "suggestions", "instant_win", "population_digest")
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    SUGGESTIONS_FIELD_NUMBER: _ClassVar[int]
    INSTANT_WIN_FIELD_NUMBER: _ClassVar[int]
    POPULATION_DIGEST_FIELD_NUMBER: _ClassVar[int]
    ruleset_digest: bytes
    suggestions: _containers.RepeatedCompositeFieldContainer[SuggestedArrangement]
    instant_win: HeldInstantWin
    population_digest: bytes
    def __init__(self, ruleset_digest: _Optional[bytes] = ..., suggestions: _Optional[_Iterable[_Union[SuggestedArrangement, _Mapping]]] = ..., instant_win: _Optional[_Union[HeldInstantWin, _Mapping]] = ..., population_digest: _Optional[bytes] = ...) -> None: ...

class HeldInstantWin(_message.Message):
    __slots__ = ("pattern", "name", "units", "amount_minor")
    PATTERN_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNITS_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    pattern: str
    name: _text_pb2.Text
    units: int
    amount_minor: int
    def __init__(self, pattern: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., units: _Optional[int] = ..., amount_minor: _Optional[int] = ...) -> None: ...

class SuggestedArrangement(_message.Message):
    __slots__ = ("arrangement", "values", "expected", "parts")
    ARRANGEMENT_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    PARTS_FIELD_NUMBER: _ClassVar[int]
    arrangement: _mau_binh_pb2.Arrangement
    values: _containers.RepeatedCompositeFieldContainer[_hand_pb2.HandValue]
    expected: ExpectedAmount
    parts: _containers.RepeatedCompositeFieldContainer[ExpectedPart]
    def __init__(self, arrangement: _Optional[_Union[_mau_binh_pb2.Arrangement, _Mapping]] = ..., values: _Optional[_Iterable[_Union[_hand_pb2.HandValue, _Mapping]]] = ..., expected: _Optional[_Union[ExpectedAmount, _Mapping]] = ..., parts: _Optional[_Iterable[_Union[ExpectedPart, _Mapping]]] = ...) -> None: ...

class ExpectedAmount(_message.Message):
    __slots__ = ("minor", "remainder")
    MINOR_FIELD_NUMBER: _ClassVar[int]
    REMAINDER_FIELD_NUMBER: _ClassVar[int]
    minor: int
    remainder: int
    def __init__(self, minor: _Optional[int] = ..., remainder: _Optional[int] = ...) -> None: ...

class ExpectedPart(_message.Message):
    __slots__ = ("reason", "name", "win_ppm", "lose_ppm", "units", "expected")
    REASON_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    WIN_PPM_FIELD_NUMBER: _ClassVar[int]
    LOSE_PPM_FIELD_NUMBER: _ClassVar[int]
    UNITS_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    reason: str
    name: _text_pb2.Text
    win_ppm: int
    lose_ppm: int
    units: int
    expected: ExpectedAmount
    def __init__(self, reason: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., win_ppm: _Optional[int] = ..., lose_ppm: _Optional[int] = ..., units: _Optional[int] = ..., expected: _Optional[_Union[ExpectedAmount, _Mapping]] = ...) -> None: ...

class SuggestPlayRequest(_message.Message):
    __slots__ = ("round", "count", "samples")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    round: _tien_len_pb2.TienLenRound
    count: int
    samples: int
    def __init__(self, round: _Optional[_Union[_tien_len_pb2.TienLenRound, _Mapping]] = ..., count: _Optional[int] = ..., samples: _Optional[int] = ...) -> None: ...

class SuggestPlayResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "ruleset_digest", "turn", "suggestions")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    SUGGESTIONS_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    ruleset_digest: bytes
    turn: int
    suggestions: _containers.RepeatedCompositeFieldContainer[SuggestedPlay]
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., ruleset_digest: _Optional[bytes] = ..., turn: _Optional[int] = ..., suggestions: _Optional[_Iterable[_Union[SuggestedPlay, _Mapping]]] = ...) -> None: ...

class SuggestedPlay(_message.Message):
    __slots__ = ("play", "pass_turn", "reasons", "value")
    PLAY_FIELD_NUMBER: _ClassVar[int]
    PASS_TURN_FIELD_NUMBER: _ClassVar[int]
    REASONS_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    play: _tien_len_pb2.Combination
    pass_turn: _tien_len_pb2.Pass
    reasons: _containers.RepeatedCompositeFieldContainer[PlayReason]
    value: PlayValue
    def __init__(self, play: _Optional[_Union[_tien_len_pb2.Combination, _Mapping]] = ..., pass_turn: _Optional[_Union[_tien_len_pb2.Pass, _Mapping]] = ..., reasons: _Optional[_Iterable[_Union[PlayReason, _Mapping]]] = ..., value: _Optional[_Union[PlayValue, _Mapping]] = ...) -> None: ...

class PlayValue(_message.Message):
    __slots__ = ("mean_minor", "error_minor", "samples")
    MEAN_MINOR_FIELD_NUMBER: _ClassVar[int]
    ERROR_MINOR_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    mean_minor: int
    error_minor: int
    samples: int
    def __init__(self, mean_minor: _Optional[int] = ..., error_minor: _Optional[int] = ..., samples: _Optional[int] = ...) -> None: ...

class PlayReason(_message.Message):
    __slots__ = ("code", "text", "cards", "seat", "amount_minor", "chance_permille", "samples")
    CODE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    CHANCE_PERMILLE_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    code: str
    text: _text_pb2.Text
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    seat: int
    amount_minor: int
    chance_permille: int
    samples: int
    def __init__(self, code: _Optional[str] = ..., text: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., seat: _Optional[int] = ..., amount_minor: _Optional[int] = ..., chance_permille: _Optional[int] = ..., samples: _Optional[int] = ...) -> None: ...

class SuggestDecisionRequest(_message.Message):
    __slots__ = ("round", "seat")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    round: _ultimate_texas_pb2.UltimateTexasRound
    seat: int
    def __init__(self, round: _Optional[_Union[_ultimate_texas_pb2.UltimateTexasRound, _Mapping]] = ..., seat: _Optional[int] = ...) -> None: ...

class SuggestDecisionResponse(_message.Message):
    __slots__ = ("violations", "refused_event_number", "ruleset_digest", "state", "options", "best", "ways")
    VIOLATIONS_FIELD_NUMBER: _ClassVar[int]
    REFUSED_EVENT_NUMBER_FIELD_NUMBER: _ClassVar[int]
    RULESET_DIGEST_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    BEST_FIELD_NUMBER: _ClassVar[int]
    WAYS_FIELD_NUMBER: _ClassVar[int]
    violations: _containers.RepeatedCompositeFieldContainer[_violation_pb2.Violation]
    refused_event_number: int
    ruleset_digest: bytes
    state: _ultimate_texas_pb2.UltimateTexasState
    options: _containers.RepeatedCompositeFieldContainer[DecisionValue]
    best: _ultimate_texas_pb2.Decision
    ways: int
    def __init__(self, violations: _Optional[_Iterable[_Union[_violation_pb2.Violation, _Mapping]]] = ..., refused_event_number: _Optional[int] = ..., ruleset_digest: _Optional[bytes] = ..., state: _Optional[_Union[_ultimate_texas_pb2.UltimateTexasState, _Mapping]] = ..., options: _Optional[_Iterable[_Union[DecisionValue, _Mapping]]] = ..., best: _Optional[_Union[_ultimate_texas_pb2.Decision, str]] = ..., ways: _Optional[int] = ...) -> None: ...

class DecisionValue(_message.Message):
    __slots__ = ("decision", "value_minor", "antes", "trips", "is_lower_bound")
    DECISION_FIELD_NUMBER: _ClassVar[int]
    VALUE_MINOR_FIELD_NUMBER: _ClassVar[int]
    ANTES_FIELD_NUMBER: _ClassVar[int]
    TRIPS_FIELD_NUMBER: _ClassVar[int]
    IS_LOWER_BOUND_FIELD_NUMBER: _ClassVar[int]
    decision: _ultimate_texas_pb2.Decision
    value_minor: int
    antes: Ratio
    trips: Ratio
    is_lower_bound: bool
    def __init__(self, decision: _Optional[_Union[_ultimate_texas_pb2.Decision, str]] = ..., value_minor: _Optional[int] = ..., antes: _Optional[_Union[Ratio, _Mapping]] = ..., trips: _Optional[_Union[Ratio, _Mapping]] = ..., is_lower_bound: _Optional[bool] = ...) -> None: ...

class Ratio(_message.Message):
    __slots__ = ("numerator", "denominator")
    NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    numerator: int
    denominator: int
    def __init__(self, numerator: _Optional[int] = ..., denominator: _Optional[int] = ...) -> None: ...

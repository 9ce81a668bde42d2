from google.rpc import status_pb2 as _status_pb2
from referee.v1 import card_pb2 as _card_pb2
from referee.v1 import money_pb2 as _money_pb2
from referee.v1 import round_pb2 as _round_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LeaderBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LEADER_BY_UNSPECIFIED: _ClassVar[LeaderBy]
    LEADER_BY_WINNER: _ClassVar[LeaderBy]
    LEADER_BY_DRAW: _ClassVar[LeaderBy]
    LEADER_BY_LOWEST_CARD: _ClassVar[LeaderBy]

class AbortReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ABORT_REASON_UNSPECIFIED: _ClassVar[AbortReason]
    ABORT_REASON_SEED_MISSING: _ClassVar[AbortReason]
    ABORT_REASON_DEADLINE: _ClassVar[AbortReason]
    ABORT_REASON_OPERATOR: _ClassVar[AbortReason]
    ABORT_REASON_VOID: _ClassVar[AbortReason]
LEADER_BY_UNSPECIFIED: LeaderBy
LEADER_BY_WINNER: LeaderBy
LEADER_BY_DRAW: LeaderBy
LEADER_BY_LOWEST_CARD: LeaderBy
ABORT_REASON_UNSPECIFIED: AbortReason
ABORT_REASON_SEED_MISSING: AbortReason
ABORT_REASON_DEADLINE: AbortReason
ABORT_REASON_OPERATOR: AbortReason
ABORT_REASON_VOID: AbortReason

class RoundTerms(_message.Message):
    __slots__ = ("round", "table_id", "ruleset_id", "ruleset_version", "seat_count", "currency", "stake_minor", "seat_stakes", "seat_keys", "deal_deadline_time", "round_deadline_time")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    RULESET_ID_FIELD_NUMBER: _ClassVar[int]
    RULESET_VERSION_FIELD_NUMBER: _ClassVar[int]
    SEAT_COUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    STAKE_MINOR_FIELD_NUMBER: _ClassVar[int]
    SEAT_STAKES_FIELD_NUMBER: _ClassVar[int]
    SEAT_KEYS_FIELD_NUMBER: _ClassVar[int]
    DEAL_DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    ROUND_DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    table_id: str
    ruleset_id: str
    ruleset_version: str
    seat_count: int
    currency: str
    stake_minor: int
    seat_stakes: _containers.RepeatedCompositeFieldContainer[_money_pb2.SeatStake]
    seat_keys: _containers.RepeatedScalarFieldContainer[bytes]
    deal_deadline_time: int
    round_deadline_time: int
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., table_id: _Optional[str] = ..., ruleset_id: _Optional[str] = ..., ruleset_version: _Optional[str] = ..., seat_count: _Optional[int] = ..., currency: _Optional[str] = ..., stake_minor: _Optional[int] = ..., seat_stakes: _Optional[_Iterable[_Union[_money_pb2.SeatStake, _Mapping]]] = ..., seat_keys: _Optional[_Iterable[bytes]] = ..., deal_deadline_time: _Optional[int] = ..., round_deadline_time: _Optional[int] = ...) -> None: ...

class PrepareRoundRequest(_message.Message):
    __slots__ = ("terms",)
    TERMS_FIELD_NUMBER: _ClassVar[int]
    terms: RoundTerms
    def __init__(self, terms: _Optional[_Union[RoundTerms, _Mapping]] = ...) -> None: ...

class PrepareRoundResponse(_message.Message):
    __slots__ = ("header", "round_id")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    header: _round_pb2.RoundHeader
    round_id: bytes
    def __init__(self, header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., round_id: _Optional[bytes] = ...) -> None: ...

class OpenRoundRequest(_message.Message):
    __slots__ = ("terms", "header", "client_commitments", "seat_tokens")
    TERMS_FIELD_NUMBER: _ClassVar[int]
    HEADER_FIELD_NUMBER: _ClassVar[int]
    CLIENT_COMMITMENTS_FIELD_NUMBER: _ClassVar[int]
    SEAT_TOKENS_FIELD_NUMBER: _ClassVar[int]
    terms: RoundTerms
    header: _round_pb2.RoundHeader
    client_commitments: _containers.RepeatedScalarFieldContainer[bytes]
    seat_tokens: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, terms: _Optional[_Union[RoundTerms, _Mapping]] = ..., header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., client_commitments: _Optional[_Iterable[bytes]] = ..., seat_tokens: _Optional[_Iterable[bytes]] = ...) -> None: ...

class OpenRoundResponse(_message.Message):
    __slots__ = ("header", "round_id", "server_commitment", "log_receipt", "refused")
    HEADER_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    SERVER_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    header: _round_pb2.RoundHeader
    round_id: bytes
    server_commitment: bytes
    log_receipt: _round_pb2.LogReceipt
    refused: _status_pb2.Status
    def __init__(self, header: _Optional[_Union[_round_pb2.RoundHeader, _Mapping]] = ..., round_id: _Optional[bytes] = ..., server_commitment: _Optional[bytes] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class OpenRoundsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[OpenRoundRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[OpenRoundRequest, _Mapping]]] = ...) -> None: ...

class OpenRoundsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[OpenRoundResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[OpenRoundResponse, _Mapping]]] = ...) -> None: ...

class ContributeSeedRequest(_message.Message):
    __slots__ = ("round", "seat", "seed", "signature")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SIGNATURE_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    seat: int
    seed: bytes
    signature: bytes
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., seat: _Optional[int] = ..., seed: _Optional[bytes] = ..., signature: _Optional[bytes] = ...) -> None: ...

class ContributeSeedResponse(_message.Message):
    __slots__ = ("missing_seats", "log_receipt")
    MISSING_SEATS_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    missing_seats: _containers.RepeatedScalarFieldContainer[int]
    log_receipt: _round_pb2.LogReceipt
    def __init__(self, missing_seats: _Optional[_Iterable[int]] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ...) -> None: ...

class DealRoundRequest(_message.Message):
    __slots__ = ("round", "client_seeds", "seed_signatures")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    CLIENT_SEEDS_FIELD_NUMBER: _ClassVar[int]
    SEED_SIGNATURES_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    client_seeds: _containers.RepeatedScalarFieldContainer[bytes]
    seed_signatures: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., client_seeds: _Optional[_Iterable[bytes]] = ..., seed_signatures: _Optional[_Iterable[bytes]] = ...) -> None: ...

class Hand(_message.Message):
    __slots__ = ("seat", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ...) -> None: ...

class DealRoundResponse(_message.Message):
    __slots__ = ("certificate", "hands", "dealt_time", "leader", "log_receipt", "leader_by", "refused")
    CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DEALT_TIME_FIELD_NUMBER: _ClassVar[int]
    LEADER_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    LEADER_BY_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    certificate: bytes
    hands: _containers.RepeatedCompositeFieldContainer[Hand]
    dealt_time: int
    leader: int
    log_receipt: _round_pb2.LogReceipt
    leader_by: LeaderBy
    refused: _status_pb2.Status
    def __init__(self, certificate: _Optional[bytes] = ..., hands: _Optional[_Iterable[_Union[Hand, _Mapping]]] = ..., dealt_time: _Optional[int] = ..., leader: _Optional[int] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ..., leader_by: _Optional[_Union[LeaderBy, str]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class DealRoundsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[DealRoundRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[DealRoundRequest, _Mapping]]] = ...) -> None: ...

class DealRoundsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[DealRoundResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[DealRoundResponse, _Mapping]]] = ...) -> None: ...

class OpenHandRequest(_message.Message):
    __slots__ = ("round", "seat", "token")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    seat: int
    token: bytes
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., seat: _Optional[int] = ..., token: _Optional[bytes] = ...) -> None: ...

class OpenHandResponse(_message.Message):
    __slots__ = ("certificate", "hand")
    CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    certificate: bytes
    hand: Hand
    def __init__(self, certificate: _Optional[bytes] = ..., hand: _Optional[_Union[Hand, _Mapping]] = ...) -> None: ...

class Step(_message.Message):
    __slots__ = ("event_hash", "time", "received")
    EVENT_HASH_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    event_hash: bytes
    time: int
    received: bool
    def __init__(self, event_hash: _Optional[bytes] = ..., time: _Optional[int] = ..., received: _Optional[bool] = ...) -> None: ...

class OpenSectionRequest(_message.Message):
    __slots__ = ("round", "steps", "receipt")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    RECEIPT_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    steps: _containers.RepeatedCompositeFieldContainer[Step]
    receipt: bytes
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., steps: _Optional[_Iterable[_Union[Step, _Mapping]]] = ..., receipt: _Optional[bytes] = ...) -> None: ...

class OpenedSection(_message.Message):
    __slots__ = ("section", "name", "cards")
    SECTION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    section: int
    name: str
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    def __init__(self, section: _Optional[int] = ..., name: _Optional[str] = ..., cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ...) -> None: ...

class OpenSectionResponse(_message.Message):
    __slots__ = ("certificate", "section", "cards", "opened", "hands", "unsealed_time", "log_receipt", "refused")
    CERTIFICATE_FIELD_NUMBER: _ClassVar[int]
    SECTION_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    OPENED_FIELD_NUMBER: _ClassVar[int]
    HANDS_FIELD_NUMBER: _ClassVar[int]
    UNSEALED_TIME_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    certificate: bytes
    section: int
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    opened: _containers.RepeatedCompositeFieldContainer[OpenedSection]
    hands: _containers.RepeatedCompositeFieldContainer[Hand]
    unsealed_time: int
    log_receipt: _round_pb2.LogReceipt
    refused: _status_pb2.Status
    def __init__(self, certificate: _Optional[bytes] = ..., section: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., opened: _Optional[_Iterable[_Union[OpenedSection, _Mapping]]] = ..., hands: _Optional[_Iterable[_Union[Hand, _Mapping]]] = ..., unsealed_time: _Optional[int] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class OpenSectionsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[OpenSectionRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[OpenSectionRequest, _Mapping]]] = ...) -> None: ...

class OpenSectionsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[OpenSectionResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[OpenSectionResponse, _Mapping]]] = ...) -> None: ...

class AbortRoundRequest(_message.Message):
    __slots__ = ("round", "reason")
    ROUND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    reason: AbortReason
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ..., reason: _Optional[_Union[AbortReason, str]] = ...) -> None: ...

class AbortRoundResponse(_message.Message):
    __slots__ = ("log_receipt",)
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    log_receipt: _round_pb2.LogReceipt
    def __init__(self, log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ...) -> None: ...

class RevealRoundRequest(_message.Message):
    __slots__ = ("round",)
    ROUND_FIELD_NUMBER: _ClassVar[int]
    round: _round_pb2.RoundRef
    def __init__(self, round: _Optional[_Union[_round_pb2.RoundRef, _Mapping]] = ...) -> None: ...

class RevealRoundResponse(_message.Message):
    __slots__ = ("server_seed", "log_receipt", "refused")
    SERVER_SEED_FIELD_NUMBER: _ClassVar[int]
    LOG_RECEIPT_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    server_seed: bytes
    log_receipt: _round_pb2.LogReceipt
    refused: _status_pb2.Status
    def __init__(self, server_seed: _Optional[bytes] = ..., log_receipt: _Optional[_Union[_round_pb2.LogReceipt, _Mapping]] = ..., refused: _Optional[_Union[_status_pb2.Status, _Mapping]] = ...) -> None: ...

class RevealRoundsRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[RevealRoundRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[RevealRoundRequest, _Mapping]]] = ...) -> None: ...

class RevealRoundsResponse(_message.Message):
    __slots__ = ("responses",)
    RESPONSES_FIELD_NUMBER: _ClassVar[int]
    responses: _containers.RepeatedCompositeFieldContainer[RevealRoundResponse]
    def __init__(self, responses: _Optional[_Iterable[_Union[RevealRoundResponse, _Mapping]]] = ...) -> None: ...

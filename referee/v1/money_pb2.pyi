from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Transfer(_message.Message):
    __slots__ = ("payer", "payee", "amount_minor", "reason", "subject")
    PAYER_FIELD_NUMBER: _ClassVar[int]
    PAYEE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_MINOR_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    payer: int
    payee: int
    amount_minor: int
    reason: str
    subject: str
    def __init__(self, payer: _Optional[int] = ..., payee: _Optional[int] = ..., amount_minor: _Optional[int] = ..., reason: _Optional[str] = ..., subject: _Optional[str] = ...) -> None: ...

class SeatStake(_message.Message):
    __slots__ = ("bet_minor", "side_bet_minor")
    BET_MINOR_FIELD_NUMBER: _ClassVar[int]
    SIDE_BET_MINOR_FIELD_NUMBER: _ClassVar[int]
    bet_minor: int
    side_bet_minor: int
    def __init__(self, bet_minor: _Optional[int] = ..., side_bet_minor: _Optional[int] = ...) -> None: ...

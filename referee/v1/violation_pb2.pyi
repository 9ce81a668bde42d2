from referee.v1 import card_pb2 as _card_pb2
from referee.v1 import text_pb2 as _text_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Violation(_message.Message):
    __slots__ = ("code", "seat", "cards", "against", "expected", "found", "deadline_time", "received_time", "text")
    CODE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    AGAINST_FIELD_NUMBER: _ClassVar[int]
    EXPECTED_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_TIME_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_TIME_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    code: str
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    against: _containers.RepeatedScalarFieldContainer[_card_pb2.Card]
    expected: int
    found: int
    deadline_time: int
    received_time: int
    text: _text_pb2.Text
    def __init__(self, code: _Optional[str] = ..., seat: _Optional[int] = ..., cards: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., against: _Optional[_Iterable[_Union[_card_pb2.Card, str]]] = ..., expected: _Optional[int] = ..., found: _Optional[int] = ..., deadline_time: _Optional[int] = ..., received_time: _Optional[int] = ..., text: _Optional[_Union[_text_pb2.Text, _Mapping]] = ...) -> None: ...

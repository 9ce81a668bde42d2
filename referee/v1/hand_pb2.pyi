from referee.v1 import text_pb2 as _text_pb2
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class HandValue(_message.Message):
    __slots__ = ("strength", "category", "name")
    STRENGTH_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    strength: int
    category: str
    name: _text_pb2.Text
    def __init__(self, strength: _Optional[int] = ..., category: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ...) -> None: ...

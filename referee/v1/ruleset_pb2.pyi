from referee.v1 import text_pb2 as _text_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Ruleset(_message.Message):
    __slots__ = ("ruleset_id", "version", "digest", "game", "name", "bet_unit_minor", "min_seats", "max_seats")
    RULESET_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    BET_UNIT_MINOR_FIELD_NUMBER: _ClassVar[int]
    MIN_SEATS_FIELD_NUMBER: _ClassVar[int]
    MAX_SEATS_FIELD_NUMBER: _ClassVar[int]
    ruleset_id: str
    version: str
    digest: bytes
    game: str
    name: _text_pb2.Text
    bet_unit_minor: int
    min_seats: int
    max_seats: int
    def __init__(self, ruleset_id: _Optional[str] = ..., version: _Optional[str] = ..., digest: _Optional[bytes] = ..., game: _Optional[str] = ..., name: _Optional[_Union[_text_pb2.Text, _Mapping]] = ..., bet_unit_minor: _Optional[int] = ..., min_seats: _Optional[int] = ..., max_seats: _Optional[int] = ...) -> None: ...

class ListRulesetsRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRulesetsResponse(_message.Message):
    __slots__ = ("rulesets", "next_page_token")
    RULESETS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    rulesets: _containers.RepeatedCompositeFieldContainer[Ruleset]
    next_page_token: str
    def __init__(self, rulesets: _Optional[_Iterable[_Union[Ruleset, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetRulesetRequest(_message.Message):
    __slots__ = ("ruleset_id", "version")
    RULESET_ID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    ruleset_id: str
    version: str
    def __init__(self, ruleset_id: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class GetRulesetResponse(_message.Message):
    __slots__ = ("ruleset", "toml", "tables")
    RULESET_FIELD_NUMBER: _ClassVar[int]
    TOML_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    ruleset: Ruleset
    toml: bytes
    tables: _containers.RepeatedCompositeFieldContainer[CodeTable]
    def __init__(self, ruleset: _Optional[_Union[Ruleset, _Mapping]] = ..., toml: _Optional[bytes] = ..., tables: _Optional[_Iterable[_Union[CodeTable, _Mapping]]] = ...) -> None: ...

class CodeTable(_message.Message):
    __slots__ = ("name", "codes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CODES_FIELD_NUMBER: _ClassVar[int]
    name: str
    codes: _containers.RepeatedCompositeFieldContainer[NamedCode]
    def __init__(self, name: _Optional[str] = ..., codes: _Optional[_Iterable[_Union[NamedCode, _Mapping]]] = ...) -> None: ...

class NamedCode(_message.Message):
    __slots__ = ("code", "text")
    CODE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    code: str
    text: _text_pb2.Text
    def __init__(self, code: _Optional[str] = ..., text: _Optional[_Union[_text_pb2.Text, _Mapping]] = ...) -> None: ...

"""Messages of the right shape and any content, made from the protos' own descriptors: a strategy for each message.

Scalars are drawn from everything they can hold, with the values that break programs more often than others.
"""

from functools import cache
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from tests.chaos.mutation import INTEGERS, TEXTS

_DEPTH: Final = 5
_MOST: Final = 6

_NAMES: Final = (
    "mau_binh.classic",
    "tien_len.mien_nam",
    "ultimate_texas.casino",
    "VND",
    "t-1",
    "localhost/referee",
    "1",
)


def _within(bits: int, *, is_signed: bool) -> st.SearchStrategy[int]:
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if is_signed else (0, 2**bits - 1)
    known = [one for one in INTEGERS if low <= one <= high]
    return st.one_of(st.sampled_from(known), st.integers(0, 60), st.integers(low, high))


_TEXT: Final = st.one_of(
    st.sampled_from(_NAMES), st.text(max_size=80), st.sampled_from(["\0", "a\0", "\u202e", "x" * 65])
)
_BYTES: Final = st.one_of(st.binary(max_size=100), st.sampled_from([one for one in TEXTS if len(one) < 3000]))
_SCALARS: Final[dict[int, st.SearchStrategy[Any]]] = {
    FieldDescriptor.TYPE_BOOL: st.booleans(),
    FieldDescriptor.TYPE_UINT32: _within(32, is_signed=False),
    FieldDescriptor.TYPE_UINT64: _within(64, is_signed=False),
    FieldDescriptor.TYPE_INT32: _within(32, is_signed=True),
    FieldDescriptor.TYPE_INT64: _within(64, is_signed=True),
    FieldDescriptor.TYPE_SINT32: _within(32, is_signed=True),
    FieldDescriptor.TYPE_SINT64: _within(64, is_signed=True),
    FieldDescriptor.TYPE_ENUM: st.one_of(st.integers(0, 60), _within(32, is_signed=True)),
    FieldDescriptor.TYPE_STRING: _TEXT,
    FieldDescriptor.TYPE_BYTES: _BYTES,
}


def messages_of(descriptor: Descriptor) -> st.SearchStrategy[Message]:
    """Messages of this type, any of their fields set or not."""
    return _messages(descriptor, _DEPTH)


@cache
def _messages(descriptor: Descriptor, depth: int) -> st.SearchStrategy[Message]:
    fields = {field.name: _values(field, depth) for field in descriptor.fields if depth or field.message_type is None}
    return st.fixed_dictionaries({}, optional=fields).map(lambda values: _built(descriptor, values))


def _values(field: FieldDescriptor, depth: int) -> st.SearchStrategy[Any]:
    one: st.SearchStrategy[Any] = (
        st.deferred(lambda: _messages(field.message_type, depth - 1)) if field.message_type else _SCALARS[field.type]
    )
    return st.lists(one, max_size=_MOST) if field.is_repeated else one


def _built(descriptor: Descriptor, values: dict[str, Any]) -> Message:
    made: Message = GetMessageClass(descriptor)()
    for name, value in values.items():
        field = descriptor.fields_by_name[name]
        if field.is_repeated:
            getattr(made, name).extend(value)
        elif field.message_type is not None:
            getattr(made, name).CopyFrom(value)
        else:
            setattr(made, name, value)
    return made

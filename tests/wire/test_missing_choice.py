"""An event without a choice is refused with the names of the fields that it can have, as its message has them."""

from typing import Any

import pytest

from referee.v1 import mau_binh_pb2, tien_len_pb2
from referee.wire import mau_binh, tien_len
from referee.wire.refusal import RefusedError


def test_choices_are_named_as_the_fields_are():
    cases: list[tuple[Any, Any]] = [
        (tien_len.read_event, tien_len_pb2.TienLenEvent(seat=1)),
        (mau_binh.read_event, mau_binh_pb2.MauBinhEvent(seat=1)),
    ]
    for read_event, message in cases:
        with pytest.raises(RefusedError) as raised:
            read_event(message, time=1, round_id=bytes(32), field="event")
        names = [field.name for field in message.DESCRIPTOR.oneofs_by_name["choice"].fields]
        assert str(raised.value) == f"say what the seat did: {', '.join(names[:-1])} or {names[-1]}"
        assert len(names) > 2


def test_a_pass_is_named_by_its_field():
    with pytest.raises(RefusedError, match=r"\bpass_turn\b"):
        tien_len.read_event(tien_len_pb2.TienLenEvent(), time=1, round_id=bytes(32), field="event")

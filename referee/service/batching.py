"""Batches: many requests in one call, which counts against its caller's rate as many."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from google.rpc.status_pb2 import Status

from referee.service.status import status_of
from referee.wire.refusal import invalid_field

MAX_BATCH: Final = 256
RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


def answer_each(
    requests: Sequence[RequestT], answer: Callable[[RequestT], ResponseT], *, refused: Callable[[Status], ResponseT]
) -> list[ResponseT]:
    """Answer requests independently, in their order; the answer of one that is refused is ``refused(status)``."""
    check_batch(requests)
    answers = []
    for request in requests:
        try:
            answers.append(answer(request))
        except Exception as error:
            status = status_of(error)
            if status is None:
                raise
            answers.append(refused(status))
    return answers


def check_batch(requests: Sequence[object]) -> None:
    """Refuse a batch of more than ``MAX_BATCH`` requests."""
    if len(requests) > MAX_BATCH:
        raise invalid_field(
            f"a batch holds at most {MAX_BATCH}, not {len(requests)}",
            field="requests",
            limit=MAX_BATCH,
            found=len(requests),
        )

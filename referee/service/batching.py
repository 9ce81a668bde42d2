"""Batches: many requests in one call, which counts against its caller's rate as many."""

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from referee.wire.refusal import RefusedError, invalid_field

MAX_BATCH: Final = 256
RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


def answer_each(requests: Sequence[RequestT], answer: Callable[[RequestT], ResponseT]) -> list[ResponseT]:
    """Answer requests in their order; a refused one refuses the whole batch, with its index in the field."""
    check_batch(requests)
    answers = []
    for index, request in enumerate(requests):
        try:
            answers.append(answer(request))
        except RefusedError as refusal:
            path = f"requests[{index}]"
            raise refusal.within(path) from None
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

"""Batch forms: many questions in one call, because transport is the larger half of a small one."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from referee.service.status import CODES
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import RefusedRound
from referee.wire.refusal import RefusedError

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


def batched(requests: Sequence[RequestT], answer: Callable[[RequestT], ResponseT], *, limit: int) -> list[ResponseT]:
    """The answers in the order asked; a refused question refuses the whole batch, with its index in the field."""
    _check_size(requests, limit)
    answers = []
    for index, request in enumerate(requests):
        try:
            answers.append(answer(request))
        except RefusedError as refusal:
            path = f"requests[{index}]"
            raise refusal.within(path) from None
    return answers


def settled_or_refused(
    requests: Sequence[RequestT], begin: Callable[[RequestT], Callable[[], ResponseT]], *, limit: int
) -> list[ResponseT | RefusedRound]:
    """The results in the order asked, each on its own; all are begun before the first is waited for."""
    _check_size(requests, limit)
    begun: list[Callable[[], ResponseT] | RefusedRound] = []
    for request in requests:
        try:
            begun.append(begin(request))
        except RefusedError as refusal:
            begun.append(_refused(refusal))
    results: list[ResponseT | RefusedRound] = []
    for one in begun:
        if isinstance(one, RefusedRound):
            results.append(one)
            continue
        try:
            results.append(one())
        except RefusedError as refusal:
            results.append(_refused(refusal))
    return results


def _check_size(requests: Sequence[object], limit: int) -> None:
    if len(requests) > limit:
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_FIELD,
            f"a batch holds at most {limit}, not {len(requests)}",
            field="requests",
            limit=limit,
            found=len(requests),
        )


def _refused(refusal: RefusedError) -> RefusedRound:
    return RefusedRound(
        code=CODES[refusal.reason], message=refusal.message, reason=refusal.reason_name, field=refusal.field
    )

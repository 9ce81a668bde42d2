"""Batch forms: many questions in one call, because transport is the larger half of a small one."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from referee.service.status import CODES
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import RefusedRound
from referee.wire.refusal import RefusedError

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")
ResponseT_co = TypeVar("ResponseT_co", covariant=True)
RoundT_co = TypeVar("RoundT_co", covariant=True)


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


class SettledRound(Protocol[ResponseT_co]):
    """One round of a batch: the message of a game with its two cases."""

    @property
    def settled(self) -> ResponseT_co:
        """What settling it by itself would answer."""

    @property
    def refused(self) -> RefusedRound:
        """Why it was refused."""


class Rounds(Protocol[RoundT_co]):
    """The rounds of an answer."""

    def add(self) -> RoundT_co:
        """One more, at the end."""


def settle_each(
    requests: Sequence[RequestT],
    rounds: Rounds[SettledRound[ResponseT]],
    begin: Callable[[RequestT, ResponseT], Callable[[], None]],
    *,
    limit: int,
) -> None:
    """One round is added for each request, in the order asked, settled or refused each on its own.

    All are begun before the first is waited for. ``begin`` fills the empty answer, and what it returns finishes it.
    """
    _check_size(requests, limit)
    begun: list[tuple[SettledRound[ResponseT], Callable[[], None]]] = []
    for request in requests:
        one = rounds.add()
        try:
            begun.append((one, begin(request, one.settled)))
        except RefusedError as refusal:
            one.refused.CopyFrom(_refused(refusal))
    for one, finish in begun:
        try:
            finish()
        except RefusedError as refusal:
            one.refused.CopyFrom(_refused(refusal))


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

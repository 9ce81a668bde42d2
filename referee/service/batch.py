"""Batch forms: many questions in one call, because transport is the larger half of a small one."""

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from referee.service.status import CODES, refusal_of
from referee.storage import Append
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.round_pb2 import LogReceipt, RefusedRound
from referee.wire.refusal import RefusedError

RequestT = TypeVar("RequestT")
ResponseT = TypeVar("ResponseT")


class Receipted(Protocol):
    """An answer that holds a place in the log."""

    @property
    def log_receipt(self) -> LogReceipt:
        """The place, empty until it is filled."""


SettledT = TypeVar("SettledT", bound=Receipted)
ResponseT_co = TypeVar("ResponseT_co", bound=Receipted, covariant=True)
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
    rounds: Rounds[SettledRound[SettledT]],
    judge: Callable[[RequestT, SettledT], Append | None],
    log: Callable[[Sequence[tuple[LogReceipt, Append]]], Sequence[RefusedError | None]],
    *,
    limit: int,
) -> None:
    """One round is added for each request, in the order asked, settled or refused each on its own.

    All are judged before the first goes into the log, and then they go together. ``judge`` fills the empty answer and
    tells what to log, None for nothing; ``log`` fills the receipts, or tells why there is none.
    """
    _check_size(requests, limit)
    judged: list[tuple[SettledRound[SettledT], Append]] = []
    for request in requests:
        one = rounds.add()
        try:
            append = judge(request, one.settled)
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None:
                raise
            one.refused.CopyFrom(_refused(refusal))
        else:
            if append is not None:
                judged.append((one, append))
    refusals = log([(one.settled.log_receipt, append) for one, append in judged])
    for (one, _), refused in zip(judged, refusals, strict=True):
        if refused is not None:
            one.refused.CopyFrom(_refused(refused))


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

"""Appends to the log and seeds that are kept: each is submitted to the writer and awaited until it is durable."""

from collections.abc import Sequence
from concurrent.futures import CancelledError, Future
from typing import Final, TypeVar

from referee.service.call import note_leaf, submit_for_call
from referee.service.status import refusal_of
from referee.storage import Append, Contribution, LateLeafError, Logged, Writer
from referee.wire.refusal import RefusedError

T = TypeVar("T")

APPEND_SECONDS: Final = 30.0


def append_each(writer: Writer, appends: Sequence[Append]) -> list[Logged | RefusedError]:
    """Append each leaf independently, all in one commit where possible; return what is durable and what was refused.

    Raises LateLeafError where each leaf has waited too long, so that all are built again.
    """
    if not appends:
        return []
    replies = submit_for_call(lambda: writer.submit_each(appends))
    _error_of(replies[-1])  # which wakes this thread once for all
    results: list[Logged | RefusedError] = []
    late = 0
    for reply in replies:
        error = _error_of(reply)
        late += isinstance(error, LateLeafError)
        if late == len(replies) and error is not None:
            raise error
        refusal = None if error is None else refusal_of(error)
        if refusal is not None:
            results.append(refusal)
        elif error is not None:
            raise error
        else:
            (logged,) = reply.result()
            note_leaf(logged.receipt.index)
            results.append(logged)
    return results


def append_one(writer: Writer, append: Append) -> Logged:
    """Append a leaf and return it once it is durable; raise what the log raises."""
    (logged,) = _result_of(*submit_for_call(lambda: writer.submit_each([append])))
    note_leaf(logged.receipt.index)
    return logged


def contribute(writer: Writer, contribution: Contribution) -> Contribution:
    """Keep a seat's seed durably; return the seed that the seat contributed first."""
    return _result_of(*submit_for_call(lambda: [writer.submit_seed(contribution)]))


# An error that is raised holds its frames, and one of a reply's holds the reply if they do, which holds the error:
# such a cycle would keep the call, and one of its connection's streams, until garbage is collected.


def _error_of(reply: Future[T]) -> BaseException | None:
    """Return the error that is the reply, or that it is cancelled or late, without raising it."""
    try:
        return reply.exception(APPEND_SECONDS)
    except (TimeoutError, CancelledError) as error:
        return error.with_traceback(None)


def _result_of(reply: Future[T]) -> T:
    """Return the value that is the reply or raise its error; its caller has no name for the reply."""
    try:
        return reply.result(APPEND_SECONDS)
    finally:
        del reply

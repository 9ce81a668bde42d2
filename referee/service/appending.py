"""Appends to the log and seeds that are kept: each is submitted to the writer and awaited until it is durable."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Final, TypeAlias, TypeVar

from google.rpc.status_pb2 import Status

from referee.service.call import note_leaf, submit_for_call
from referee.service.status import refusal_of, status_of
from referee.storage import Append, Contribution, LateLeafError, Logged, Writer
from referee.wire.refusal import RefusedError

T = TypeVar("T")

APPEND_SECONDS: Final = 30.0

Appending: TypeAlias = Generator[Append, Logged, T]
"""Work that yields each leaf to append, gets the durable leaf or the log's error for it, and returns an answer."""


def append_each(writer: Writer, appends: Sequence[Append]) -> list[Logged | RefusedError]:
    """Append each leaf independently, all in one commit where possible; return what is durable and what was refused.

    Raises LateLeafError where each leaf has waited too long, so that all are built again.
    """
    replies = _submit(writer, appends)
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
            results.append(_logged(reply))
    return results


def append_one(writer: Writer, append: Append) -> Logged:
    """Append a leaf and return it once it is durable; raise what the log raises."""
    (logged,) = _result_of(*submit_for_call(lambda: writer.submit_each([append])))
    note_leaf(logged.receipt.index)
    return logged


def run(writer: Writer, work: Appending[T]) -> T:
    """Append the leaves that some work yields and return its answer; raise what it raises."""
    resume = partial(next, work)
    while True:
        try:
            append = resume()
        except StopIteration as ended:
            answer: T = ended.value
            return answer
        try:
            resume = partial(work.send, append_one(writer, append))
        except Exception as error:  # noqa: BLE001 - the work decides
            resume = partial(work.throw, error.with_traceback(None))


def run_each(writer: Writer, works: Sequence[Appending[T]], *, refused: Callable[[Status], T]) -> list[T]:
    """Run works together and independently; return their answers, ``refused`` making that of a refused one.

    The next leaves of all works are appended in one commit where possible.
    """
    answers: dict[int, T] = {}
    resumes: dict[int, Callable[[], Append]] = {index: partial(next, work) for index, work in enumerate(works)}
    while resumes:
        appends: dict[int, Append] = {}
        for index, resume in resumes.items():
            try:
                appends[index] = resume()
            except StopIteration as ended:
                answers[index] = ended.value
            except Exception as error:
                status = status_of(error)
                if status is None:
                    raise
                answers[index] = refused(status)
        resumes = {}
        for index, reply in zip(appends, _submit(writer, list(appends.values())), strict=True):
            failed = _error_of(reply)
            if failed is None:
                resumes[index] = partial(works[index].send, _logged(reply))
            else:
                resumes[index] = partial(works[index].throw, failed.with_traceback(None))
    return [answers[index] for index in range(len(works))]


def contribute(writer: Writer, contribution: Contribution) -> Contribution:
    """Keep a seat's seed durably; return the seed that the seat contributed first."""
    return _result_of(*submit_for_call(lambda: [writer.submit_seed(contribution)]))


def _submit(writer: Writer, appends: Sequence[Append]) -> Sequence[Future[tuple[Logged, ...]]]:
    """Submit leaves and wait for the last reply, which wakes this thread once for all."""
    replies = submit_for_call(lambda: writer.submit_each(appends)) if appends else []
    if replies:
        _error_of(replies[-1])
    return replies


def _logged(reply: Future[tuple[Logged, ...]]) -> Logged:
    (logged,) = reply.result()
    note_leaf(logged.receipt.index)
    return logged


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

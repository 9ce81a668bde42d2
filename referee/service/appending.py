"""Leaves and seats' seeds on their way into the log: submitted to the writer and awaited until they are durable."""

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import CancelledError, Future
from functools import partial
from typing import Final, TypeAlias, TypeVar

from google.rpc.status_pb2 import Status

from referee.service.call import note_leaf, submit_for_call
from referee.service.status import status_of
from referee.storage import Append, Contribution, LateLeafError, Logged, Writer
from referee.v1.round_pb2 import LogReceipt

T = TypeVar("T")

APPEND_SECONDS: Final = 30.0

Appending: TypeAlias = Generator[Append, Logged, T]
"""Generator that yields each leaf to append, is sent the durable leaf or thrown the error, and returns an answer."""


def append_one(writer: Writer, append: Append) -> Logged:
    """Append a leaf and return the leaf in the log once it is durable; raise the writer's error if that fails."""
    (logged,) = _result_of(*submit_for_call(lambda: writer.submit_each([append])))
    note_leaf(logged.receipt.index)
    return logged


def run(writer: Writer, work: Appending[T]) -> T:
    """Run a generator: append each leaf that it yields. Return its answer, or raise the error that it raises."""
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
    """Run generators side by side and independently; return their answers, in the order of ``works``.

    The next leaf of every generator is appended, all in one commit where possible. If a generator raises an error that
    is a refusal, its answer is ``refused(status)``; any other error is raised. Raises LateLeafError if every leaf of
    one commit has waited too long for it, so that the caller builds all of them again.
    """
    answers: dict[int, T] = {}
    resumes: dict[int, Callable[[], Append]] = {index: partial(next, work) for index, work in enumerate(works)}
    while resumes:
        appends: dict[int, Append] = {}
        late = 0
        for index, resume in resumes.items():
            try:
                appends[index] = resume()
            except StopIteration as ended:
                answers[index] = ended.value
            except Exception as error:
                status = status_of(error)
                late += isinstance(error, LateLeafError)
                if status is None or late == len(resumes):
                    raise
                answers[index] = refused(status)
                error.__traceback__ = None  # it holds this frame, which holds the error
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
    """Submit leaves; return their replies once the last one is there, so that this thread wakes once for all."""
    replies = submit_for_call(lambda: writer.submit_each(appends)) if appends else []
    if replies:
        _error_of(replies[-1])
    return replies


def _logged(reply: Future[tuple[Logged, ...]]) -> Logged:
    (logged,) = reply.result()
    note_leaf(logged.receipt.index)
    return logged


# A raised error holds its frames through its traceback. If one of these frames holds the reply, and the reply the
# error, the cycle would keep the call, and one of its connection's streams, until garbage is collected.


def _error_of(reply: Future[T]) -> BaseException | None:
    """Wait for a reply; return its error, None if it has none, or TimeoutError or CancelledError. Raise nothing."""
    try:
        return reply.exception(APPEND_SECONDS)
    except (TimeoutError, CancelledError) as error:
        return error.with_traceback(None)


def _result_of(reply: Future[T]) -> T:
    """Wait for a reply; return its value or raise its error. The caller must keep no variable for the reply."""
    try:
        return reply.result(APPEND_SECONDS)
    finally:
        del reply


def fill_receipt(message: LogReceipt, logged: Logged) -> None:
    """Fill an empty message with a leaf's receipt: the leaf, its index, its inclusion proof and the checkpoint."""
    receipt = logged.receipt
    message.leaf_index = receipt.index
    message.leaf_hash = receipt.leaf_hash
    message.leaf = logged.leaf
    message.inclusion_proof.extend(receipt.proof)
    message.checkpoint = receipt.checkpoint.decode()


def write_receipt(logged: Logged) -> LogReceipt:
    """Return the message of a leaf's receipt: the leaf, its index, its inclusion proof and the checkpoint."""
    message = LogReceipt()
    fill_receipt(message, logged)
    return message

"""Appends to the log for the current call."""

from collections.abc import Sequence
from concurrent.futures import wait
from typing import Final

from referee.service.call import note_leaf, submit_for_call
from referee.service.status import refusal_of
from referee.storage import Append, Contribution, Logged, Writer
from referee.wire.refusal import RefusedError

APPEND_SECONDS: Final = 30.0


def append_each(writer: Writer, appends: Sequence[Append]) -> list[Logged | RefusedError]:
    """Append each leaf independently, all in one commit where possible; return what is durable and what was refused."""
    if not appends:
        return []
    futures = submit_for_call(lambda: writer.submit_each(appends))
    if len(futures) > 1:
        wait(futures[-1:], timeout=APPEND_SECONDS)  # the last answer wakes this thread once for all
    results: list[Logged | RefusedError] = []
    for future in futures:
        try:
            (logged,) = future.result(APPEND_SECONDS)
        except Exception as error:
            refusal = refusal_of(error)
            if refusal is None:
                raise
            results.append(refusal)
        else:
            note_leaf(logged.receipt.index)
            results.append(logged)
    return results


def append_one(writer: Writer, append: Append) -> Logged:
    """Append a leaf and return it once it is durable; raise what the log raises."""
    (future,) = submit_for_call(lambda: writer.submit_each([append]))
    (logged,) = future.result(APPEND_SECONDS)
    note_leaf(logged.receipt.index)
    return logged


def contribute(writer: Writer, contribution: Contribution) -> Contribution:
    """Keep a seat's seed durably; return the seed that the seat contributed first."""
    (future,) = submit_for_call(lambda: [writer.submit_seed(contribution)])
    return future.result(APPEND_SECONDS)

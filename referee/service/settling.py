"""Settlements: judged, signed, and appended to the log.

A settlement belongs to its deal: the log takes it only where the table's slot holds a DEAL with the same round id and
deck root and no terminal leaf. The same settlement again is answered from the log, however late it is requested.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import Final, TypeVar

from referee.dealing.header import is_past
from referee.dealing.lead import Winner
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from referee.log import SettleStep, SlotKey, Stage, Unseal
from referee.service.call import note_leaf, submit_for_call
from referee.service.reading import ReadRound
from referee.service.status import refusal_of
from referee.service.verifying import VerifiedRound, check_unexpired
from referee.storage import Append, Contribution, LateLeafError, Logged, Reader, Writer
from referee.transcript.inputs import MEDIA_TYPE
from referee.transcript.replay import encode_inputs, repeat_key, write_transcript
from referee.verdict import Violation
from referee.wire.refusal import RefusedError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settler:
    """Judges settlements at the referee's clock, signs their transcripts and appends them."""

    signer: Signer
    writer: Writer
    reader: Reader
    clock: Callable[[], int]
    on_settled: Callable[[], None]

    def judge(self, read: ReadRound) -> Append | tuple[Violation, ...]:
        """Return the signed settlement of a round, or the violations that keep it from being settled now.

        Refuse a round that ended before it was settled, and one of which a section is not open.
        """
        verified, now = read.verified, self.clock()
        header = verified.header
        if is_past(header.round_deadline, time=now) and not self._is_settled(verified):
            check_unexpired(verified, now=now, field="round")
        closed = read.closing_time(now)
        violations = read.faults_at(closed)
        if violations and self._is_settled(verified):
            closed = header.round_deadline  # the clock was set back since; answer as at any later time
            violations = read.faults_at(closed)
        if violations:
            return violations
        results, inputs = read.results, encode_inputs(read.inputs(closed))
        leaf = Envelope.signed(MEDIA_TYPE, write_transcript(header, inputs, results), self.signer)
        links = read.played.course.links
        step = SettleStep(
            SlotKey(header.table_id, header.round_number),
            round_id=header.round_id,
            deck_root=verified.deck_root,
            unseals=tuple([Unseal(one.number, links[one.number - 1].history) for one in read.played.openings]),
            winner=_winner_record(read),
        )
        return Append(leaf=leaf.to_bytes(), step=step, request_digest=repeat_key(inputs), time=closed)

    def append(self, settlements: Sequence[Append | None]) -> list[Logged | RefusedError | None]:
        """Append settlements, each independently; return for each what is durable or why the log refuses it."""
        found = append_each(self.writer, [append for append in settlements if append is not None])
        if not all(isinstance(one, RefusedError) for one in found):
            self.on_settled()
        logged = iter(found)
        return [None if append is None else next(logged) for append in settlements]

    def _is_settled(self, verified: VerifiedRound) -> bool:
        found = self.reader.round(SlotKey(verified.header.table_id, verified.header.round_number))
        return found is not None and found.stage is Stage.SETTLED


def _winner_record(read: ReadRound) -> bytes:
    """Return who won a round, for the table's next one; empty in a game without a leader, and without a winner."""
    if read.service.game.lead is None:
        return b""
    winner = Winner.of_results(read.verified.header, bytes(read.results))
    return b"" if winner is None else winner.to_bytes()


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

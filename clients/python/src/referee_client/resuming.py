"""Continuing rounds after a crash: from the journal's record, or from the log and the players' courses.

With a record, calls that were not answered are sent again: OPEN, the last event, the opening of cards. Each of these is
idempotent or was recorded before it was sent, so nothing is decided twice. Without a record, events for which the
referee gave receipts may be missing, so a round is not settled if the settlement could leave one out.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from referee.dealing.leaf import UNSEAL_TYPE
from referee.evidence.dsse import Envelope
from referee.v1 import log_pb2
from referee_client.checks import read_course, same
from referee_client.errors import (
    BadRequestError,
    ConflictError,
    DeniedError,
    NotFoundError,
    NotReadyError,
    VerificationError,
)
from referee_client.record import Record, RecordError, read_record, read_recorded, state_of
from referee_client.round import AsyncRound
from referee_client.seat import SeatSecrets
from referee_client.session import Session
from referee_client.state import Outcome, RoundMessage, RoundState, Stage
from referee_client.terms import Bet, Terms, messages_of, read_header, round_request

Kinds: TypeAlias = "Mapping[str, type[ResumableRound[Any, Any]]]"
"""Classes of the rounds that have methods of their game's own, by the game's name."""

_STAGES: Final[Mapping[int, Stage]] = {
    log_pb2.ROUND_STAGE_SETTLED: Stage.SETTLED,
    log_pb2.ROUND_STAGE_ABORTED: Stage.ABORTED,
    log_pb2.ROUND_STAGE_REVEALED: Stage.REVEALED,
}
"""Stages of rounds that have ended."""
_REFUSED: Final = (BadRequestError, ConflictError, DeniedError, NotFoundError, NotReadyError)


class ResumableRound(AsyncRound[RoundMessage, Outcome]):
    """A round that another process can continue."""

    async def resume_recorded(self, record: Record) -> bool:
        """Continue a recorded round; return False if its OPEN is not in the log and can no longer be written."""
        believed = await self._session.believed()
        if self.header.origin != believed.origin:
            msg = f"the journal's round is of the log {self.header.origin}, and this server's is {believed.origin}"
            raise RecordError(msg)
        self._reach(Stage.PREPARED)
        logged = await read_logged(self._session, self.table, self.number)
        if logged is None:
            try:
                await self.open(
                    sealed=self.is_sealed, commitments=self.state.commitments, seat_tokens=self.state.tokens
                )
            except _REFUSED:
                return False
            logged = await read_logged(self._session, self.table, self.number)
        if logged is None or logged.round_id != self.round_id:
            return False
        await self._take_logged(logged)
        ended = _STAGES.get(logged.stage)
        if self.stage is Stage.DEALT:
            await self._take_recorded(record, has_ended=ended is not None)
        if ended is not None:
            self.state.unanswered = None
            self._reach(ended)
        await self._save()
        return True

    async def resume_logged(self, logged: log_pb2.GetTableRoundResponse, held: Sequence[bytes]) -> None:
        """Continue a round without a record, from its leaves in the log and the courses that players hold."""
        await self._take_logged(logged)
        if self.stage is Stage.OPENED:
            if not self.secrets:
                await self._abort_unseeded()
            return
        await self.deal()
        if any(Envelope.parse(one.leaf).payload_type == UNSEAL_TYPE for one in logged.leaves):
            self._lapse("cards were opened to a course of which nothing is recorded")
        else:
            await self._take_held(held)
        await self._save()

    async def _abort_unseeded(self) -> None:
        """Abort the round, unless a seat's seed was received: then the other seats may still send theirs."""
        try:
            await self.abort()
        except NotReadyError as error:
            if error.reason != "SEEDS_RECEIVED":
                raise

    async def _take_recorded(self, record: Record, *, has_ended: bool) -> None:
        """Take the recorded course; open its cards and hands again; send its unanswered event if it has not ended."""
        await self.deal()
        if read_recorded(type(self._given), record.message, "the course").certificates:
            await self._adopt(record.message)
        try:
            await self._open_newest()
            for seat in record.opened_hands:
                await self.open_hand(seat)
            if not has_ended and (sent := self._sent_event()) is not None:
                await self._send_again(sent)
            await self._open_left()
        except _REFUSED as error:
            if not has_ended:
                self._lapse(f"what was under way is refused by now: {error}")

    async def _take_held(self, held: Sequence[bytes]) -> None:
        """Take the longest course that the players hold; if two courses contradict each other, the round lapses."""
        courses = []
        for index, saved in enumerate(held):
            try:
                course = self._course_of(read_course(type(self._given), saved).events)
                same("the number of events with a receipt", course.received, course.number)
            except VerificationError as error:
                raise _held_error(index, error) from None
            courses.append((course.number, index, course, saved))
        for number, index, course, saved in sorted(courses, key=lambda one: one[:2]):
            former = self.course
            if course.hash_at(former.number) != former.event_hash:
                self._lapse(f"two of the courses that players hold differ at event {former.number}")
                return
            if number:
                try:
                    await self._adopt(saved)
                except VerificationError as error:
                    raise _held_error(index, error) from None
        await self._open_newest()

    async def _open_newest(self) -> None:
        """Open the cards that the newest receipt opens, unless they are open already."""
        if self._given.receipt:
            receipt = await self._receipted(self._given.receipt, self.course)
            section = receipt.opens_section
            if isinstance(section, int) and section not in self.state.sections:
                await self.open_section()


async def resume(
    session: Session, kinds: Kinds, table: str, *, held: Sequence[bytes], secrets: Sequence[SeatSecrets]
) -> ResumableRound[Any, Any] | None:
    """Continue a table's unfinished round; None if it has none. Arguments as in ``AsyncClient.resume``."""
    journal = session.journal
    saved = None if journal is None else await session.line.run(lambda: journal.load(table))
    if journal is not None and saved is not None:
        record = read_record(saved)
        name = _game_of(record.terms.ruleset)
        game = kinds.get(name, ResumableRound)(session, state_of(record, messages_of(name).round()))
        if await game.resume_recorded(record):
            return game
        await session.line.run(lambda: journal.forget(table, game.number))
    logged = await read_logged(session, table, 0)
    if logged is None or logged.stage in _STAGES:
        return None
    header = read_header(logged.header)
    name = _game_of(header.ruleset_id)
    state: RoundState[Any] = RoundState(
        terms=Terms(
            table=table,
            ruleset=header.ruleset_id,
            version=header.ruleset_version,
            seats=header.seat_count,
            currency=header.currency,
            stake=header.stake,
            bets=[Bet(*stake) for stake in header.seat_stakes],
        ),
        secrets={one.seat: one for one in secrets},
        seat_keys=header.seat_keys if any(map(any, header.seat_keys)) else [],
        message=messages_of(name).round(),
        is_partial=True,
    )
    game = kinds.get(name, ResumableRound)(session, state)
    await game.resume_logged(logged, held)
    return game


async def read_logged(session: Session, table: str, number: int) -> log_pb2.GetTableRoundResponse | None:
    """Read a table's round from the log, by number or 0 for its latest; None if it was never opened."""
    try:
        request = round_request(table, number)
        return await session.line.ask("referee.v1.LogService/GetTableRound", request, log_pb2.GetTableRoundResponse)
    except NotReadyError as error:
        if error.reason != "NOT_OPENED":
            raise
        return None


def _game_of(ruleset: str) -> str:
    return ruleset.partition(".")[0]


def _held_error(index: int, error: Exception) -> ValueError:
    return ValueError(f"held[{index}] is no course of this round that its receipt proves, leave it out: {error}")

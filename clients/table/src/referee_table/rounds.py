"""The rounds of a room, one after the other: from all being ready to the proof, and on after a restart."""

import contextlib
import logging
from collections.abc import Callable
from typing import Any, Final

from referee_client import RecordError, RefereeError, RoundLapsesError, Stage, VerificationError

from referee.dealing.leaf import AbortLeaf, read
from referee.v1 import shuffler_pb2
from referee_table import dealing
from referee_table.files import RoomFiles
from referee_table.games import GAMES
from referee_table.people import BETWEEN_ROUNDS, People
from referee_table.play import RETRY_MS, Play
from referee_table.records import proof_of, record_of, settled_record
from referee_table.state import Person, Round
from referee_table.words import notice

LOG: Final = logging.getLogger("referee_table")
KEPT_ROUNDS: Final = 50
FAULTS: Final = (RecordError, RefereeError, VerificationError, RoundLapsesError)
"""Errors of the SDK after which a round cannot go on."""


class Rounds:
    """The round of a room that is under way, and the records of those before it.

    ``game`` is the SDK's round in progress, ``play`` what the game makes of it from the deal on. ``post`` has the room
    call a function in its turn. Until ``again``, a time in ms, nothing is tried anew after an error.
    """

    def __init__(
        self,
        people: People,
        records: list[dict[str, Any]],
        files: RoomFiles,
        post: Callable[[Callable[[], None]], None],
    ) -> None:
        self.setup, self.state, self.people = people.setup, people.state, people
        self.records, self.files, self.post = records, files, post
        self.game: Any = None
        self.play: Play | None = None
        self.again = 0
        self._seating_time: int | None = None

    @property
    def table(self) -> str:
        """The table's name in the log, of the tenant whose tables this server may use."""
        tenant = f"{self.setup.plan.tenant}." if self.setup.plan.tenant else ""
        return f"{tenant}{self.state.room}.{self.state.generation}"

    @property
    def is_between(self) -> bool:
        """Whether no round is under way."""
        return self.state.phase in BETWEEN_ROUNDS

    def wakes(self) -> list[int]:
        """Return the times in ms at which something is to be done without a command."""
        if self.play is not None:
            return [self.play.wake]
        times = [self.state.phase_end_time, self._seating_time if self.is_between else None]
        return [time for time in times if time is not None]

    def stop(self) -> None:
        """Stop what goes on beside the room."""
        if self.play is not None:
            self.play.thinking.stop()

    def leave(self, person: Person) -> None:
        """End what waits for a person who goes before the deal."""
        made = self.state.round
        if made is not None and self.play is None and made.seat_of(person) is not None:
            if self.state.phase == "BINDING":
                self._lobby()
            else:
                self.state.phase_end_time = 0

    async def advance(self) -> None:
        """Do what is due now."""
        state, made = self.state, self.state.round
        is_late = state.phase_end_time is not None and self.setup.plan.clock.now() >= state.phase_end_time
        if self.play is not None:
            await self._go_on(self.play)
        elif made is not None and state.phase == "BINDING":
            await self._bind(made, is_late=is_late)
        elif made is not None and all(made.seeded):
            await self.game.deal()
            await self._begin(made)
        elif made is not None and is_late:
            await self._abort(made)
        elif state.phase == "ENDING" and is_late:
            self._lobby()
        if self.is_between:
            await self._seat()

    async def _seat(self) -> None:
        """Seat everybody; prepare the round once all are ready."""
        state = self.state
        seated, self._seating_time = await self.people.seat()
        if state.phase == "LOBBY":
            limits = [one.sit_out_time for one in state.people if one.sit_out_time is not None]
            state.phase_end_time = min(limits, default=None)  # the first person sits out then
        if seated is not None:
            state.round, self.game = await dealing.prepared(
                self.setup, seated, table=self.table, stake_minor=state.stake_minor
            )
            state.skipped = []
            state.phase, state.phase_end_time = "BINDING", self.setup.plan.clock.now() + self.setup.plan.pace.bind_ms

    async def _bind(self, made: Round, *, is_late: bool) -> None:
        """Open the round once every seat is bound to its seed; go back to the lobby without those that are late."""
        if all(made.commitments):
            self.files.save(self.state)  # the journal has the round from here on
            await dealing.opened(self.setup, made, self.game)
            self.state.phase, self.state.phase_end_time = "SEEDING", self.game.header.deal_deadline + 1
        elif is_late:
            late = {seat.person for seat, one in zip(made.seats, made.commitments, strict=True) if not one}
            self._lobby(unready=late)

    def _play_of(self, made: Round) -> Play:
        """Return the play of a round; the room goes on when one of its bots has thought."""
        self.play = GAMES[self.setup.law.game](self.setup, made, self.game)
        self.play.thinking.on_end = lambda: self.post(lambda: None)
        self.play.on_move = lambda: self.files.save(self.state)
        return self.play

    async def _begin(self, made: Round) -> None:
        """Begin to play a round that has been dealt."""
        play = self._play_of(made)
        await play.begin()
        made.own = play.state
        self.state.phase, self.state.phase_end_time = play.phase, play.deadline

    async def _go_on(self, play: Play) -> None:
        """Go on with the round that is played; settle it when it is over."""
        await play.advance()
        if play.phase == "SHOWDOWN" and self._have_all_skipped(play.round):
            play.skip()
        self.state.phase, self.state.phase_end_time = play.phase, play.deadline
        if play.is_over and (settled := await play.settle()) is not None:
            record = settled_record(play, *settled, time=self.setup.plan.clock.now())
            self.people.score(record)
            await self._end(record)

    def _have_all_skipped(self, made: Round) -> bool:
        """Return whether all who are present of the round's people have seen enough of its show."""
        present = {one.person for one in self.people.humans if one.away_time is None and made.seat_of(one) is not None}
        return bool(self.state.skipped) and present <= set(self.state.skipped)

    async def _abort(self, made: Round) -> None:
        """End a round by its abort, which the referee may have written before; ask again soon if it is too early."""
        try:
            ended = await self._aborted(made)
        except RefereeError as error:
            if error.reason != "DEADLINE_NOT_PASSED":
                raise
            self.again = self.setup.plan.clock.now() + RETRY_MS  # the referee's clock is behind the table's
        else:
            await self._end(ended)

    async def _aborted(self, made: Round) -> dict[str, Any]:
        """Return the record of a round that has an abort in the log: why, the seats at fault, and its proof."""
        is_dealt = self.game.dealt_time > 0
        reason = shuffler_pb2.ABORT_REASON_DEADLINE if is_dealt else shuffler_pb2.ABORT_REASON_SEED_MISSING
        leaf = await self.game.abort(reason=reason)
        found = read(leaf.payload, AbortLeaf)
        fault = {"fault": list(found.blamed)} if found.blamed else {}
        record = record_of(made, "ABORTED", time=self.setup.plan.clock.now())
        return record | {"reason": found.reason, **fault, "proof": proof_of(made, leaf)}

    async def give_up(self, error: Exception) -> None:
        """Give a round up: end it by its abort, or leave it to the referee, which aborts it at its deadline."""
        made, now = self.state.round, self.setup.plan.clock.now()
        LOG.warning("room %s gives up in %s: %s", self.state.room, self.state.phase, error)
        if made is None or self.state.phase == "BINDING":
            self.again = now + self.setup.plan.pace.bind_ms
            self._lobby(unready={one.person for one in self.state.people})
            return
        for person in self.people.humans:
            self.people.notify(person, notice("ROUND_GIVEN_UP"))
        record = record_of(made, "GIVEN_UP", time=now)
        if self.game is not None:
            with contextlib.suppress(*FAULTS):  # its deadline has not passed
                record = await self._aborted(made)
        self.state.generation += "proof" not in record
        await self._end(record)

    async def _end(self, record: dict[str, Any]) -> None:
        """Keep the record of a round, and show its end before people are asked whether they are ready.

        The log's seed is revealed, which completes the round's proof; only then the journal forgets the round.
        """
        others = [one for one in self.records if one["round_id"] != record["round_id"]]  # again, after a kill
        self.records = [*others[1 - KEPT_ROUNDS :], record]
        self.files.save_rounds(self.records)
        self.state.last = record
        game = self.game
        self._lobby(unready={one.person for one in self.state.people})
        if not self.setup.plan.pace.is_brisk:
            self.state.phase, self.state.phase_end_time = "ENDING", record["time"] + self.setup.plan.pace.scene_ms
        self.files.save(self.state)
        if "proof" in record:
            with contextlib.suppress(*FAULTS):  # the next start completes the proof
                await game.reveal()

    def _lobby(self, *, unready: set[str] | frozenset[str] = frozenset()) -> None:
        state = self.state
        self.stop()
        for one in state.people:
            if one.person in unready:
                one.ready_time = None
            elif state.phase == "ENDING" and one.ready_time is not None:
                one.ready_time = self.setup.plan.clock.now()  # the clock for being ready starts with the phase
        state.phase, state.phase_end_time, state.round = "LOBBY", None, None
        self.game = self.play = None

    async def resume(self) -> None:
        """Go on with the round that the room's file and the SDK's journal have, after a restart."""
        state, made = self.state, self.state.round
        if made is None:
            return
        if state.phase != "BINDING" or all(made.commitments):
            self.game = await self.setup.client.resume(self.table)
        if self.game is None or self.game.round_id != made.round_id:
            self._lobby()  # nothing of it was written: it is prepared again
        elif made.own is None and self.game.stage in {Stage.ABORTED, Stage.REVEALED}:
            await self._abort(made)
        elif self.game.stage is Stage.OPENED:
            if state.phase == "BINDING":
                await self._bind(made, is_late=False)
        elif made.own is None:
            await self._begin(made)
        else:
            play = self._play_of(made)
            await play.catch_up()
            made.own = play.state
            self._answer_moved(made, play)
            self.files.save(self.state)  # the next event makes the answer one that cannot be found

    def _answer_moved(self, made: Round, play: Play) -> None:
        """Store the answer to the command that became an event just before the kill."""
        by, command, number = made.moved or ("", "", 0)
        for person in self.people.humans:
            is_newest = number == len(play.message.events)
            if person.person == by and is_newest and play.message.events[-1].seat == made.seat_of(person):
                person.remember(command, {"type": "done", "id": command, "result": play.receipt()})

"""The rounds of a room, one after the other: from all being ready to the proof, and on after a restart."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import Any, Final, Protocol

from referee_client import RecordError, RefereeError, RoundLapsesError, Stage, VerificationError

from referee.v1 import log_pb2, shuffler_pb2
from referee_table import dealing
from referee_table.games import GAMES
from referee_table.people import BETWEEN_ROUNDS, People
from referee_table.play import Play, Setup
from referee_table.records import proof_of, record_of, settled_record
from referee_table.room_queue import Item, RoomQueue
from referee_table.state import Done, Move, Person, RoomState, Round
from referee_table.wording import notice

LOG: Final = logging.getLogger("referee_table")
REMEMBERED: Final = 64
"""Commands of each person whose answers a room remembers."""
KEPT_ROUNDS: Final = 50
FAULTS: Final = (RecordError, RefereeError, VerificationError, RoundLapsesError)
"""Errors of the SDK after which a round cannot go on."""


class Keeper(Protocol):
    """What a room asks of the house."""

    def save(self, room: "RoomRounds") -> None:
        """Write the room's file."""

    def record(self, room: "RoomRounds", given: dict[str, Any]) -> None:
        """Store the record of a finished round; the last one about a round counts."""

    def changed(self, room: "RoomRounds") -> None:
        """Show the room to the pages in it."""

    def notify(self, person: Person, message: dict[str, Any]) -> None:
        """Send a message to a person's page."""

    def gone(self, person: Person) -> None:
        """Show the lobby to somebody who has left."""

    def closed(self, room: "RoomRounds") -> None:
        """Delete the room's files."""


class RoomRounds:
    """The part of a room that plays rounds. ``state`` is what the room's file keeps.

    ``game`` is the SDK's round in progress, ``play`` what the game makes of it from the deal on.
    """

    def __init__(self, keeper: Keeper, setup: Setup, state: RoomState, records: list[dict[str, Any]]) -> None:
        self.keeper = keeper
        self.setup = setup
        self.state = state
        self.records = records
        self.people = People(setup, state, keeper.notify)
        self.is_closed = False
        self._queue = RoomQueue()
        self.game: Any = None
        self.play: Play | None = None
        self._again = self._seating_time = 0
        self._revealing: asyncio.Task[None] | None = None
        self._mover: tuple[Person, str] | None = None

    @property
    def table(self) -> str:
        """The table's name in the log, of the tenant whose tables this server may use."""
        tenant = f"{self.setup.tenant}." if self.setup.tenant else ""
        return f"{tenant}{self.state.room}.{self.state.generation}"

    @property
    def is_between(self) -> bool:
        """Whether no round is under way."""
        return self.state.phase in BETWEEN_ROUNDS

    def _play_of(self, made: Round) -> Play:
        """Return the play of a round; the room goes on when one of its bots has thought."""
        play = GAMES[self.setup.law.game].play(self.setup, made, self.game)
        play.thinking.on_end = lambda: self.post(lambda: None)
        play.on_move = self._note_move
        return play

    def _note_move(self, seat: int, number: int) -> None:
        """Store which command is about to become an event, so that it is answered after a kill as before."""
        made = self.state.round
        if made is not None and self._mover is not None and made.seats[seat].person == self._mover[0].person:
            made.move = Move(self._mover[0].person, self._mover[1], number)
            self._save()

    def post(self, do: Callable[[], None]) -> None:
        """Queue a function, which the room calls in its turn."""
        self._queue.put(Item(do=do))

    def _save(self) -> None:
        if self.play is not None:
            self.play.round.own = self.play.state
        self.keeper.save(self)

    async def _go_on(self, play: Play) -> None:
        """Go on with the round that is played; settle it when it is over."""
        await play.advance()
        if play.phase == "SHOWDOWN" and self._have_all_skipped(play.round):
            play.skip()
        self.state.phase, self.state.phase_end_time = play.phase, play.deadline
        if play.is_over:
            await self._settle(play)

    async def _bind(self, made: Round, *, is_late: bool) -> None:
        """Open the round once every seat is bound to its seed; go back to the lobby without those that are late."""
        if all(made.commitments):
            self._save()  # the journal has the round from here on
            await dealing.opened(self.setup, made, self.game)
            self.state.phase, self.state.phase_end_time = "SEEDING", self.game.header.deal_deadline + 1
        elif is_late:
            self._lobby(
                unready={seat.person for seat, one in zip(made.seats, made.commitments, strict=True) if not one}
            )

    async def _deal_or_abort(self, made: Round, *, is_late: bool) -> None:
        """Deal the round once every seat has shown its seed; abort it when that is late."""
        if all(made.seeds):
            await dealing.dealt(made, self.game)
            await self._begin(made)
        elif is_late:
            await self._abort(made)

    def _have_all_skipped(self, made: Round) -> bool:
        """Return whether all who are present of the round's people have seen enough of its show."""
        seated = {one.person for one in made.seats}
        present = {one.person for one in self.people.humans if one.away_time is None and one.person in seated}
        return bool(self.state.skipped) and present <= set(self.state.skipped)

    async def _seat(self) -> None:
        """Everybody has the place that they should have; the round is prepared once all are ready."""
        state = self.state
        seating = await self.people.seat()
        self._seating_time = seating.next_time or 0
        if state.phase == "LOBBY":
            state.phase_end_time = self.people.sit_out_time
        if seating.is_deal_due:
            if self._revealing is not None:  # the journal has one round of a table
                await self._revealing
            state.round, self.game = await dealing.prepared(
                self.setup, seating.seated, table=self.table, stake_minor=state.stake_minor
            )
            state.skipped = []
            state.phase, state.phase_end_time = "BINDING", self.setup.clock.now() + self.setup.pace.bind_ms

    async def _begin(self, made: Round) -> None:
        """Begin to play a round that has been dealt."""
        self.play = self._play_of(made)
        for one in self.state.people:
            one.has_acted = False
        await self.play.begin()
        self.state.phase, self.state.phase_end_time = self.play.phase, self.play.deadline

    async def _settle(self, play: Play) -> None:
        settled = await play.settle()
        if settled is None:
            return
        self.people.score(play.round, settled)
        self._end(settled_record(play, settled, time=self.setup.clock.now()))

    async def _abort(self, made: Round) -> None:
        """End a round whose seeds did not come in time."""
        leaf = await self.game.abort(reason=shuffler_pb2.ABORT_REASON_SEED_MISSING)
        given = record_of(made, "ABORTED", time=self.setup.clock.now()) | {"reason": "SEED_MISSING"}
        given["proof"] = proof_of(made, leaf)
        self._end(given)

    async def _give_up(self, error: Exception) -> None:
        """Give a round up: take its end from the log, or wait until the referee aborts it at its deadline."""
        made = self.state.round
        LOG.warning("room %s gives up in %s: %s", self.state.room, self.state.phase, error)
        if made is None or self.state.phase == "BINDING":
            self._again = self.setup.clock.now() + self.setup.pace.bind_ms
            self._lobby(unready={one.person for one in self.state.people})
            return
        now = self.setup.clock.now()
        given = record_of(made, "GIVEN_UP", time=now)
        if await self.setup.client.stage(made.table, made.number) == log_pb2.ROUND_STAGE_ABORTED:
            given = record_of(made, "ABORTED", time=now) | {"reason": "DEADLINE"}
        for person in self.people.humans:
            self.keeper.notify(person, notice("ROUND_GIVEN_UP"))
        self.state.generation += 1
        self._end(given)

    def _end(self, given: dict[str, Any]) -> None:
        self.records = [*self.records[1 - KEPT_ROUNDS :], given]
        self.keeper.record(self, given)
        self.state.last = given
        game = self.game
        self._lobby(unready={one.person for one in self.state.people})
        if not self.setup.pace.is_brisk:
            self.state.phase, self.state.phase_end_time = "ENDING", given["time"] + self.setup.pace.scene_ms
        if "proof" in given:
            self._revealing = asyncio.get_running_loop().create_task(self._reveal(given, game))

    def _lobby(self, *, unready: set[str] | frozenset[str] = frozenset()) -> None:
        state = self.state
        if self.play is not None:
            self.play.thinking.stop()
        if state.phase == "ENDING":  # the clock for being ready starts with the phase
            for one in [one for one in state.people if one.ready_time is not None]:
                one.ready_time = self.setup.clock.now()
        state.phase, state.phase_end_time, state.round = "LOBBY", None, None
        self.game = self.play = None
        for one in state.people:
            if one.person in unready:
                one.ready_time = None

    async def _reveal(self, given: dict[str, Any], game: Any) -> None:  # noqa: ANN401 - the SDK's round of a game
        """Have the log's seed of an ended round revealed, which completes its proof; ``game`` is None if it is."""
        with contextlib.suppress(*FAULTS):
            if game is not None:
                await game.reveal()
            self.post(lambda: self._note_revealed(given))

    def _note_revealed(self, given: dict[str, Any]) -> None:
        given["proof"]["is_revealed"] = True
        last = self.state.last
        if last is not None and (last["table"], last["number"]) == (given["table"], given["number"]):
            self.state.last = given
        self.keeper.record(self, given)

    async def _resume(self) -> None:
        """Go on with the round that the room's file and the SDK's journal have, after a restart."""
        state, made = self.state, self.state.round
        unrevealed = [one for one in self.records if "proof" in one and not one["proof"]["is_revealed"]]
        if made is None:
            if unrevealed:
                game = await self.setup.client.resume(self.table)
                self._revealing = asyncio.get_running_loop().create_task(self._reveal(unrevealed[-1], game))
            return
        if state.phase != "BINDING" or all(made.commitments):
            self.game = await self.setup.client.resume(self.table)
        if self.game is None or self.game.round_id != made.round_id:
            self._lobby()  # nothing of it was written: it is prepared again
        elif self.game.stage is Stage.OPENED and state.phase == "BINDING":
            await self._bind(made, is_late=False)
        elif self.game.stage is not Stage.OPENED and made.own is None:
            await self._begin(made)
        elif self.game.stage is not Stage.OPENED:
            self.play = self._play_of(made)
            await self.play.catch_up()
            self._answer_moved(made)

    def _answer_moved(self, made: Round) -> None:
        """Store the answer to the command that became an event just before the kill."""
        move, play = made.move, self.play
        if move is None or play is None or len(play.message.events) != move.number:
            return
        for person in self.people.humans:
            if person.person == move.person and all(done.id != move.id for done in person.done):
                answer = {"type": "done", "id": move.id, "result": play.receipt()}
                person.done = [*person.done[1 - REMEMBERED :], Done(move.id, answer)]

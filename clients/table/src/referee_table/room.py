"""A room: one task that does everything in it, one thing after the other.

Commands, streams that come and go, and clocks all reach the room through one inbox, so nothing here is ever done by two
at once. After each step the room's file is written, then the answer is given, then pages see the new view: what
any page has seen is never lost with the process.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from referee.v1 import round_pb2
from referee_table import dealing
from referee_table.advice import Advice
from referee_table.commands import (
    Bind,
    Command,
    History,
    InRound,
    Join,
    Leave,
    Members,
    Replay,
    Review,
    Seed,
    Share,
    Suggest,
)
from referee_table.company import Company
from referee_table.games import GAMES
from referee_table.inbox import Inbox, Item
from referee_table.judge import RefereeRefusedError
from referee_table.kept import count as count_kept
from referee_table.play import Bench, Play
from referee_table.records import proof_of, record_at, record_of, remembered, settled_record
from referee_table.reviews import Reviews
from referee_table.state import Done, Person, RoomState, Round
from referee_table.wording import Code, RefusedError, notice

if TYPE_CHECKING:
    from referee_table.hall import Hall

LOG: Final = logging.getLogger("referee_table")
REMEMBERED: Final = 64
KEPT_ROUNDS: Final = 50


class Room:
    """A room that runs as a task. ``state`` is the part that its file keeps, ``play`` the round in progress."""

    def __init__(self, keeper: "Hall", bench: Bench, state: RoomState, records: list[dict[str, Any]]) -> None:
        self.keeper = keeper
        self.bench = bench
        self.state = state
        self.records = records
        self.people = Company(bench, state, self)
        self.is_closed = False
        self._inbox = Inbox()
        self.play: Play | None = None
        if state.round is not None and state.round.message:
            self.play = self._play_of(state.round)
        self.reviews = Reviews()
        self.advice = Advice()
        self._again = 0
        self._contributed: set[bytes] = set()
        self._revealing: set[asyncio.Task[None]] = set()
        for one in [one for one in records if "proof" in one and not one["proof"]["is_revealed"]]:
            self._await_seed(one)

    @property
    def table(self) -> str:
        """The table's name in the log."""
        return f"{self.state.room}.{self.state.generation}"

    def _play_of(self, made: Round) -> Play:
        """Return the play of a round; the room goes on when one of its bots has thought."""
        play = GAMES[self.bench.law.game].play(self.bench, made)
        play.thinking.on_end = lambda: self.post(lambda: None)
        return play

    def post(self, do: Callable[[], None]) -> None:
        """Queue a function, which the room calls in its turn."""
        self._inbox.put(Item(do=do))

    async def ask(self, person: Person, command: Command) -> dict[str, Any]:
        """Queue a command and return its result."""
        if self.is_closed:
            return RefusedError(Code.NO_ROOM).message(command.id)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._inbox.put(Item(person=person, command=command, answer=answer))
        return await answer

    async def run(self) -> None:
        """Run the room until it is closed."""
        try:
            while not self.is_closed:
                item = await self._inbox.next(self.bench.clock, self.wake())
                await self._step(item)
                await asyncio.sleep(0)
        finally:
            self.reviews.close()
            self.advice.close()
            if self.play is not None:
                self.play.thinking.stop()
            for task in self._revealing:
                task.cancel()
            self._inbox.close()

    def wake(self) -> int | None:
        """Return the time in ms at which the room acts without a command; None if it never does."""
        state = self.state
        if self.play is not None:
            return max(0 if self.play.round.is_opening_due else self.play.wake, self._again)
        times = [] if state.deadline is None else [state.deadline]
        if state.phase == "LOBBY":
            times += self.people.away_limits
            times += [] if state.kept is None or self.people.humans else [state.kept.until]
        return max(min(times), self._again) if times else None

    @property
    def _is_kept(self) -> bool:
        """Whether the room remains when it is empty."""
        return self.state.kept is not None and self.bench.clock.now() < self.state.kept.until

    async def _step(self, item: Item | None) -> None:
        if item is not None and item.do is not None:
            item.do()
        if item is not None and item.command is not None and item.person is not None and item.answer is not None:
            await self._answer(item.person, item.command, item.answer)
        try:
            await self._advance()
        except (RefereeRefusedError, RefusedError) as error:
            await self._give_up(error)
        if self.state.phase == "LOBBY" and not self.people.humans and not self._is_kept:
            self.is_closed = True
            self.keeper.closed(self)
            return
        self.state.version += 1
        self._save()
        self.keeper.changed(self)

    def _save(self) -> None:
        if self.play is not None:
            self.play.freeze()
        self.keeper.save(self)

    async def _answer(self, person: Person, command: Command, answer: asyncio.Future[dict[str, Any]]) -> None:
        """Answer a command; carry it out once for its id. Advice is answered later, while the room goes on."""
        if isinstance(command, Suggest):
            await self.advice.ask(person, command, self._message(person, command), answer)
            return
        message = next((done.answer for done in person.done if done.id == command.id), None)
        if message is None:
            message = await self._message(person, command)
            if not isinstance(command, History | Replay | Review | Members):
                person.done = [*person.done[1 - REMEMBERED :], Done(command.id, message)]
        self._save()
        if not answer.done():
            answer.set_result(message)

    async def _message(self, person: Person, command: Command) -> dict[str, Any]:
        """Carry out a command; return its result or its refusal as pages read it."""
        try:
            return {"type": "done", "id": command.id, "result": await self._do(person, command)}
        except RefusedError as error:
            return error.message(command.id)
        except RefereeRefusedError as error:
            return RefusedError(Code.REFEREE_REFUSED, reason=error.reason).message(command.id)

    async def _do(self, person: Person, command: Command) -> dict[str, Any]:
        result: dict[str, Any] = {}
        match command:
            case Join():
                result = self.people.join(person, watch=command.watch)
            case Leave():
                await self.remove(person, command)
            case InRound():
                result = await self._do_in_round(person, command)
            case History() | Replay():
                result = remembered(self.records, command)
            case Review():
                result = self.reviews.ask(person, record_at(self.records, table=command.table, number=command.number))
            case Share():
                record = record_at(self.records, table=command.table, number=command.number)
                result = self.keeper.shares.make(person, self.state, record, has_names=command.has_names)
            case _:
                result = await self.people.do(person, command)
        return result

    async def _do_in_round(self, person: Person, command: InRound) -> dict[str, Any]:
        seat = self._seat_of(person, command)
        match command:
            case Bind():
                dealing.bind(self.bench, self.state, seat, command)
            case Seed():
                dealing.show_seed(self.state, seat, command)
            case _:
                if self.play is None:
                    raise RefusedError(Code.WRONG_PHASE)
                person.has_acted = True
                return await self.play.command(seat, command)
        return {}

    def _seat_of(self, person: Person, command: InRound) -> int:
        made = self.state.round
        if made is None or made.round_id.hex() != command.round_id:
            raise RefusedError(Code.OTHER_ROUND)
        for seat, one in enumerate(made.seats):
            if one.person == person.person:
                return seat
        raise RefusedError(Code.NOT_SEATED)

    async def remove(self, person: Person, command: Leave) -> None:
        """Take a person out of the room, and out of the round as far as the seat agrees to that."""
        made = self.state.round
        seats = [] if made is None else [seat for seat, one in enumerate(made.seats) if one.person == person.person]
        if self.play is not None and seats:
            with contextlib.suppress(RefusedError, RefereeRefusedError):  # it is over for the seat already
                await self.play.leave(seats[0], command)
        elif self.state.phase == "BINDING" and seats:
            self._lobby()
        elif self.state.phase == "SEEDING" and seats:
            self.state.deadline = 0
        self.state.people.remove(person)
        person.room = ""
        self.keeper.gone(self, person)

    async def _advance(self) -> None:
        """Do what is due now."""
        state, now = self.state, self.bench.clock.now()
        is_late = state.deadline is not None and now >= state.deadline
        made = state.round
        if self.play is not None:
            await self._open_due(self.play)
            await self.play.advance()
            await self._open_due(self.play)
            state.phase, state.deadline = self.play.phase, self.play.deadline
            if self.play.is_over:
                self._save()  # events made again after a restart have other times, and the log takes one settlement
                await self._settle(self.play)
        elif made is not None and state.phase == "BINDING":
            if all(made.commitments):
                await dealing.opened(self.bench, made)
                self._contributed.clear()
                header = round_pb2.RoundHeader.FromString(made.header)
                state.phase, state.deadline = "SEEDING", header.deal_deadline_time + 1
            elif is_late:
                unbound = {seat.person for seat, one in zip(made.seats, made.commitments, strict=True) if not one}
                self._lobby(unready=unbound)
        elif made is not None:
            if all(made.seeds):
                await self._deal(made)
            elif is_late:
                await self._abort(made)
            else:
                await self._contribute(made)
        if state.phase == "LOBBY":
            await self._seat()

    async def _open_due(self, play: Play) -> None:
        """Open the cards that an event opened, once its receipt is stored."""
        if play.round.is_opening_due:
            self._save()
            await play.open_due()

    async def _seat(self) -> None:
        """Everybody has the place that they should have; the round is prepared once all are ready."""
        state = self.state
        seating = await self.people.seat()
        state.deadline = seating.next_time
        if seating.is_deal_due and not state.is_paused:
            state.round = await dealing.prepared(
                self.bench, seating.seated, table=self.table, stake_minor=state.stake_minor
            )
            state.round.bot_level, state.round.bot_pace = state.bot_level, state.bot_pace
            state.scene_until = None
            state.phase, state.deadline = "BINDING", self.bench.clock.now() + self.bench.pace.bind_ms

    async def _deal(self, made: Round) -> None:
        dealt = await dealing.dealt(self.bench, made)
        self.play = self._play_of(made)
        for one in self.state.people:
            one.has_acted = False
        await self.play.begin(dealt)
        self.state.phase, self.state.deadline = self.play.phase, self.play.deadline

    async def _settle(self, play: Play) -> None:
        settled = await play.settle()
        if settled is None:
            return
        made = play.round
        self.people.score(made, settled)
        count_kept(self.state, made, settled.nets, settled.shown["transfers"], now=self.bench.clock.now())
        self.keeper.scores.count(self.state, self.bench.law.game, made, settled.nets)
        given = settled_record(made, settled, play.events(), time=self.bench.clock.now())
        self.reviews.add(play)
        self._end(given)

    async def _contribute(self, made: Round) -> None:
        """Give the shuffler the seeds that came since the last time; after a restart it is given all again."""
        for seat, seed in enumerate(made.seeds):
            if seed and seed not in self._contributed:
                await dealing.contributed(self.bench, made, seat)
                self._contributed.add(seed)

    async def _abort(self, made: Round) -> None:
        """End a round whose seeds did not come in time."""
        missing = [seat for seat, seed in enumerate(made.seeds) if not seed]
        log_receipt = await dealing.aborted(self.bench, made)
        given = record_of(made, "ABORTED", time=self.bench.clock.now()) | {"reason": "SEED_MISSING", "missing": missing}
        given["proof"] = proof_of(made, log_receipt)
        self._end(given)

    async def _give_up(self, error: Exception) -> None:
        """Give a round up: take its end from the log, or wait until the referee aborts it at its deadline."""
        made = self.state.round
        LOG.warning("room %s gives up in %s: %s", self.state.room, self.state.phase, error)
        if made is None or not made.server_commitment:
            self._again = self.bench.clock.now() + self.bench.pace.bind_ms
            self._lobby(unready={one.person for one in self.state.people})
            return
        header = round_pb2.RoundHeader.FromString(made.header)
        now = self.bench.clock.now()
        given = record_of(made, "GIVEN_UP", time=now) | {"abort_time": header.round_deadline_time}
        if await dealing.is_aborted(self.bench, made):
            given = record_of(made, "ABORTED", time=now) | {"reason": "DEADLINE"}
        for person in self.people.humans:
            self.keeper.notify(person, notice("ROUND_GIVEN_UP"))
        self.state.generation += 1
        self._end(given)

    def _end(self, given: dict[str, Any]) -> None:
        self.records = [*self.records[1 - KEPT_ROUNDS :], given]
        self.keeper.record(self, given)
        self.state.last = given
        self.state.scene_until = self.bench.clock.now() + (0 if self.bench.pace.is_brisk else self.bench.pace.scene_ms)
        self._lobby(unready={one.person for one in self.state.people})
        if "proof" in given:
            self._await_seed(given)

    def _lobby(self, *, unready: set[str] | frozenset[str] = frozenset()) -> None:
        state = self.state
        if self.play is not None:
            self.play.thinking.stop()
        state.phase, state.deadline, state.round, self.play = "LOBBY", None, None, None
        for one in state.people:
            if one.person in unready:
                one.ready_time = None

    def _await_seed(self, given: dict[str, Any]) -> None:
        """Complete the record once the log has the server's seed."""

        async def wait() -> None:
            with contextlib.suppress(RefereeRefusedError):
                await dealing.revealed(self.bench, table=given["table"], number=given["number"])
                self.post(lambda: self._reveal(given))

        task = asyncio.get_running_loop().create_task(wait())
        self._revealing.add(task)
        task.add_done_callback(self._revealing.discard)

    def _reveal(self, given: dict[str, Any]) -> None:
        given["proof"]["is_revealed"] = True
        last = self.state.last
        if last is not None and (last["table"], last["number"]) == (given["table"], given["number"]):
            self.state.last = given
        self.keeper.record(self, given)

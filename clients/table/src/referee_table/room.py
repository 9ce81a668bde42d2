"""A room: one task that does everything in it, one thing after the other.

Commands, streams that come and go, and clocks all reach the room through one queue, so nothing here is ever done by two
at once. After each step the room's file is written, then the answer is given, then pages see the new view: what
any page has seen is never lost with the process.
"""

import asyncio
import contextlib
import logging
from typing import Any, Final

from referee_client import RefereeError

from referee_table import dealing
from referee_table.advice import Advice
from referee_table.commands import (
    Bind,
    Command,
    History,
    InRound,
    Join,
    Leave,
    Replay,
    Seed,
    Skip,
    Suggest,
)
from referee_table.play import Setup
from referee_table.records import remembered
from referee_table.room_queue import Item
from referee_table.room_rounds import FAULTS, REMEMBERED, Keeper, RoomRounds
from referee_table.state import Done, Person, RoomState
from referee_table.wording import Code, RefusedError

LOG: Final = logging.getLogger("referee_table")
KEPT_MS: Final = 30 * 24 * 3600 * 1000
"""How long a room is stored after somebody was there last."""


class Room(RoomRounds):
    """A room that runs as a task."""

    def __init__(self, keeper: Keeper, setup: Setup, state: RoomState, records: list[dict[str, Any]]) -> None:
        super().__init__(keeper, setup, state, records)
        self.advice = Advice()

    async def ask(self, person: Person, command: Command) -> dict[str, Any]:
        """Queue a command and return its result."""
        if self.is_closed:
            return RefusedError(Code.NO_ROOM).message(command.id)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._queue.put(Item(person=person, command=command, answer=answer))
        return await answer

    async def run(self) -> None:
        """Run the room until it is closed."""
        try:
            try:
                await self._resume()
            except FAULTS as error:
                await self._give_up(error)
            await self._step(None)
            while not self.is_closed:
                item = await self._queue.next(self.setup.clock, self.wake())
                await self._step(item)
                await asyncio.sleep(0)
        finally:
            self.advice.close()
            if self.play is not None:
                self.play.thinking.stop()
            if self._revealing is not None:
                self._revealing.cancel()
            self._queue.close()

    def wake(self) -> int | None:
        """Return the time in ms at which the room acts without a command; None if it never does."""
        state = self.state
        if self.play is not None:
            return max(self.play.wake, self._again)
        times = [] if state.phase_end_time is None else [state.phase_end_time]
        if self.is_between:
            times += [*self.people.away_limits, *([self._seating_time] if self._seating_time else [])]
            times += [] if self.people.is_somebody_here else [state.used_time + KEPT_MS]
        return max(min(times), self._again) if times else None

    def close(self) -> None:
        """Close the room for good; its files are deleted."""
        self.is_closed = True
        self.keeper.closed(self)
        self.post(lambda: None)

    async def _step(self, item: Item | None) -> None:
        if item is not None and item.do is not None:
            item.do()
        if item is not None and item.command is not None and item.person is not None and item.answer is not None:
            await self._answer(item.person, item.command, item.answer)
        try:
            await self._advance()
        except (*FAULTS, RefusedError) as error:
            await self._give_up(error)
        now = self.setup.clock.now()
        if self.people.is_somebody_here:
            self.state.used_time = now
        elif self.is_between and now >= self.state.used_time + KEPT_MS:
            self.close()
            return
        self.state.version += 1
        self._save()
        self.keeper.changed(self)

    async def _answer(self, person: Person, command: Command, answer: asyncio.Future[dict[str, Any]]) -> None:
        """Answer a command; carry it out once for its id. Advice is answered later, while the room goes on."""
        if isinstance(command, Suggest):
            await self.advice.ask(person, command, self._message(person, command), answer)
            return
        message = next((done.answer for done in person.done if done.id == command.id), None)
        if message is None:
            message = await self._message(person, command)
            if not isinstance(command, History | Replay):
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
        except FAULTS as error:
            reason = error.reason if isinstance(error, RefereeError) else type(error).__name__
            return RefusedError(Code.REFEREE_REFUSED, reason=reason).message(command.id)

    async def _do(self, person: Person, command: Command) -> dict[str, Any]:
        result: dict[str, Any] = {}
        match command:
            case Join():
                if person.room != self.state.room and (before := self.people.longest_away()) is not None:
                    await self.remove(before, Leave(id="out"))
                result = self.people.join(person, watch=command.watch)
            case Leave():
                await self.remove(person, command)
            case InRound():
                result = await self._do_in_round(person, command)
            case History() | Replay():
                result = remembered(self.records, command)
            case _:
                self.people.do(person, command)
        return result

    async def _do_in_round(self, person: Person, command: InRound) -> dict[str, Any]:
        seat = self._seat_of(person, command)
        match command:
            case Bind():
                dealing.bind(self.setup, self.state, seat, command)
            case Seed():
                await dealing.show_seed(self.state, self.game, seat, command)
            case Skip():
                if self.state.phase != "SHOWDOWN":
                    raise RefusedError(Code.WRONG_PHASE)
                self.state.skipped.append(person.person)
            case _:
                if self.play is None:
                    raise RefusedError(Code.WRONG_PHASE)
                person.has_acted, self._mover = True, (person, command.id)
                try:
                    return await self.play.command(seat, command)
                finally:
                    self._mover = None
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
            with contextlib.suppress(RefusedError, *FAULTS):  # it is over for the seat already
                await self.play.leave(seats[0], command)
        elif self.state.phase == "BINDING" and seats:
            self._lobby()
        elif self.state.phase == "SEEDING" and seats:
            self.state.phase_end_time = 0
        self.state.people.remove(person)
        person.room = ""
        self.keeper.gone(person)

    async def _advance(self) -> None:
        """Do what is due now."""
        state = self.state
        is_late = state.phase_end_time is not None and self.setup.clock.now() >= state.phase_end_time
        if self.play is not None:
            await self._go_on(self.play)
        elif state.round is not None and state.phase == "BINDING":
            await self._bind(state.round, is_late=is_late)
        elif state.round is not None:
            await self._deal_or_abort(state.round, is_late=is_late)
        elif state.phase == "ENDING" and is_late:
            self._lobby()
        if self.is_between:
            await self._seat()

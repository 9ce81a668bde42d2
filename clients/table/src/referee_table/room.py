"""A room: one task that does everything in it, one thing after the other.

Commands, streams that come and go, and clocks all reach the room through one queue, so nothing here is ever done by two
at once. After each step the room's file is written, then the answer is given, then pages see the new view: what
any page has seen is never lost with the process.
"""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Final

from referee_client import RefereeError

from referee_table import dealing
from referee_table.commands import Bind, Command, History, InRound, Join, Leave, Replay, Seed, Skip, Suggest
from referee_table.files import RoomFiles
from referee_table.people import People
from referee_table.play import Setup
from referee_table.records import remembered
from referee_table.rounds import FAULTS, Rounds
from referee_table.state import Person, RoomState
from referee_table.view import view_of
from referee_table.visitors import Visitors
from referee_table.words import RefusedError, notice

KEPT_MS: Final = 30 * 24 * 3600 * 1000
"""How long a room is stored after somebody was there last."""

Message = dict[str, Any]


class Room:
    """A room that runs as a task until it is closed. ``views`` has what people were last shown, by a person's key.

    Views are made between two steps, after the file was written. ``_questions`` are the open questions for advice by
    person, each with its command's id: the room goes on while the referee thinks.
    """

    def __init__(
        self, setup: Setup, state: RoomState, records: list[Message], files: RoomFiles, visitors: Visitors
    ) -> None:
        self.setup, self.state, self.files, self.visitors = setup, state, files, visitors
        self.people = People(setup, state, visitors.say)
        self.rounds = Rounds(self.people, records, files, self.post)
        self.views: dict[str, Message] = {}
        self.is_closed = False
        self._queue: asyncio.Queue[Callable[[], Any]] = asyncio.Queue()
        self._questions: dict[str, tuple[str, asyncio.Future[Message]]] = {}
        self.task = asyncio.get_running_loop().create_task(self._run())

    def post(self, do: Callable[[], Any]) -> None:
        """Queue a function, which the room calls in its turn."""
        self._queue.put_nowait(do)

    async def ask(self, person: Person, command: Command) -> Message:
        """Have a command carried out and return its answer; refuse it with NO_ROOM if the room closes first.

        The room carries out one command after the other. A question for advice is answered beside them: the same one
        again gets the same answer, another one of the person TOO_MANY until then.
        """
        answer: asyncio.Future[Message]
        if isinstance(command, Suggest):
            asked, answer = self._questions.get(person.person) or self._begin_question(person, command)
            if asked != command.id:
                return RefusedError("TOO_MANY").message(command.id)
        else:
            answer = asyncio.get_running_loop().create_future()
            self.post(lambda: self._answer(person, command, answer))
        ends: set[asyncio.Future[Any]] = {answer, self.task}
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        is_answered = answer.done() and not answer.cancelled()
        return answer.result() if is_answered else RefusedError("NO_ROOM").message(command.id)

    def _begin_question(self, person: Person, command: Suggest) -> tuple[str, asyncio.Future[Message]]:
        task = asyncio.get_running_loop().create_task(self._message(person, command))
        self._questions[person.person] = command.id, task
        task.add_done_callback(lambda _: self._questions.pop(person.person))
        return command.id, task

    async def _run(self) -> None:
        try:
            try:
                await self.rounds.resume()
            except FAULTS as error:
                await self.rounds.give_up(error)
            await self._step(None)
            while not self.is_closed:
                await self._step(await self._next())
                await asyncio.sleep(0)
        finally:
            self.is_closed = True
            self.rounds.stop()
            for _, question in self._questions.values():
                question.cancel()

    async def _next(self) -> Callable[[], Any] | None:
        """Return what was queued first, None if the clock has something due before that."""
        wake = self.wake()
        if not self._queue.empty() or wake is None:
            return await self._queue.get()
        if wake <= self.setup.plan.clock.now():
            return None
        getting = asyncio.ensure_future(self._queue.get())
        waiting = asyncio.ensure_future(self.setup.plan.clock.wait_until(wake))
        try:
            await asyncio.wait({getting, waiting}, return_when=asyncio.FIRST_COMPLETED)
            return getting.result() if getting.done() else None
        finally:
            getting.cancel()
            waiting.cancel()

    def wake(self) -> int | None:
        """Return the time in ms at which the room acts without a command; None if it never does."""
        times = self.rounds.wakes()
        if self.rounds.is_between:
            times += self.people.away_limits
            times += [] if self.people.is_somebody_here else [self.state.used_time + KEPT_MS]
        return max(min(times), self.rounds.again) if times else None

    def close(self) -> None:
        """Close the room for good, with its files."""
        self.empty()
        self.files.delete()
        self.post(lambda: None)

    def empty(self) -> None:
        """Send everybody to the lobby; the room does nothing more."""
        self.is_closed = True
        for person in self.people.humans:
            self.visitors.say(person, notice("ROOM_CLOSED"))
            self.visitors.leave(person)

    async def _step(self, do: Callable[[], Any] | None) -> None:
        doing = None if do is None or self.is_closed else do()
        if doing is not None:
            await doing
        if self.is_closed:
            return
        try:
            await self.rounds.advance()
        except (*FAULTS, RefusedError) as error:
            await self.rounds.give_up(error)
        now = self.setup.plan.clock.now()
        if self.people.is_somebody_here:
            self.state.used_time = now
        elif self.rounds.is_between and now >= self.state.used_time + KEPT_MS:
            self.close()
        if self.is_closed:
            return
        self.state.version += 1
        self.files.save(self.state)
        self.views = {person.key: view_of(self.setup, self.state, self.rounds, person) for person in self.people.humans}
        for person in self.people.humans:
            self.visitors.refresh(person)

    async def _answer(self, person: Person, command: Command, answer: asyncio.Future[Message]) -> None:
        """Answer a command; carry it out once for its id."""
        message = person.answers.get(command.id)
        if message is None:
            message = await self._message(person, command)
            if not isinstance(command, History | Replay):
                person.remember(command.id, message)
        self.files.save(self.state)
        answer.set_result(message)

    async def _message(self, person: Person, command: Command) -> Message:
        """Carry out a command; return its result or its refusal as pages read it."""
        try:
            return {"type": "done", "id": command.id, "result": await self._do(person, command)}
        except RefusedError as error:
            return error.message(command.id)
        except FAULTS as error:
            reason = error.reason if isinstance(error, RefereeError) else type(error).__name__
            return RefusedError("REFEREE_REFUSED", reason=reason).message(command.id)

    async def _do(self, person: Person, command: Command) -> Message:
        result: Message = {}
        match command:
            case Join():
                if person.room != self.state.room and (before := self.people.longest_away()) is not None:
                    await self.remove(before, Leave(id="out"))
                result = self.people.join(person)
            case Leave():
                await self.remove(person, command)
            case InRound():
                result = await self._do_in_round(person, command)
            case History() | Replay():
                result = remembered(self.rounds.records, command)
            case _:
                self.people.do(person, command)
        return result

    async def _do_in_round(self, person: Person, command: InRound) -> Message:
        made, play = self.state.round, self.rounds.play
        if made is None or made.round_id.hex() != command.round_id:
            raise RefusedError("OTHER_ROUND")
        if (seat := made.seat_of(person)) is None:
            raise RefusedError("NOT_SEATED")
        match command:
            case Bind():
                dealing.bind(self.setup, self.state, seat, command)
            case Seed():
                await dealing.show_seed(self.state, self.rounds.game, seat, command)
            case Skip() if self.state.phase == "SHOWDOWN":
                self.state.skipped.append(person.person)
            case Skip():
                raise RefusedError("WRONG_PHASE")
            case _ if play is None:
                raise RefusedError("WRONG_PHASE")
            case Suggest():
                return await play.command(seat, command)
            case _:
                play.mover = person.person, command.id
                try:
                    return await play.command(seat, command)
                finally:
                    play.mover = None
        return {}

    async def remove(self, person: Person, command: Leave) -> None:
        """Take a person out of the room, and out of the round as far as the seat agrees to that."""
        made, play = self.state.round, self.rounds.play
        seat = None if made is None else made.seat_of(person)
        if play is not None and seat is not None:
            with contextlib.suppress(RefusedError, *FAULTS):  # it is over for the seat already
                await play.leave(seat, command)
        self.rounds.leave(person)
        self.state.people.remove(person)
        self.visitors.leave(person)

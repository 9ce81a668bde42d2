"""The house: all rooms, the people in them, and what pages see of the referee."""

import asyncio
import contextlib
import logging
from typing import Any, Final

from referee_client import AsyncClient, Stage

from referee_table.commands import Command, Create, InRound, Join, Leave, Preview
from referee_table.files import RoomFiles, read_rooms
from referee_table.law import STAKES, Law
from referee_table.loading import load_laws
from referee_table.play import Plan, Setup
from referee_table.room import Room
from referee_table.rounds import FAULTS, KEPT_ROUNDS
from referee_table.state import Person, RoomState
from referee_table.visitors import Stream, Visitors
from referee_table.words import RefusedError, notice

LOG: Final = logging.getLogger("referee_table")
MOST_ROOMS: Final = 1000
"""Rooms of a table server; the one that has been empty for longest gives way to a new one."""
_ANSWER_SECONDS: Final = 20
"""After what time the referee is asked again."""
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"


class House:
    """All rooms and their tasks, and the one client of the referee for them."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.clock = plan, plan.clock
        self.server = plan.entropy(8).hex()
        self.client = AsyncClient(
            plan.referee,
            credentials=plan.credentials,
            token=plan.token,
            timeout=_ANSWER_SECONDS,
            journal=plan.folder / "rounds.sqlite3",
            on_reach=self._on_reach,
        )
        self.is_reached = True
        self.laws: dict[str, Law] = {}
        self.keys: dict[str, str] = {}
        self.rooms: dict[str, Room] = {}
        self.visitors = Visitors(plan.entropy)

    async def start(self) -> None:
        """Load the rulesets and keys, and continue the rooms of the folder."""
        self.laws = await load_laws(self.client)
        keys = await self.client.keys()
        self.keys = {"origin": keys.origin, "log_key": keys.log_key, "root_key": keys.root_key}
        rooms = read_rooms(self.plan.folder)
        await self._reveal_ended(played={state.round.table for state, _ in rooms if state.round is not None})
        for state, records in rooms:
            if state.ruleset not in self.laws:
                LOG.warning("room %s is played by %s, which the referee does not have", state.room, state.ruleset)
                continue
            for person in state.people:
                if not person.is_bot:
                    self.visitors.restore(person, now=self.clock.now())
            self._open(state, records[-KEPT_ROUNDS:])

    async def _reveal_ended(self, *, played: set[str]) -> None:
        """Complete the proofs of rounds in the SDK's journal that have ended and that no room plays any more."""
        for table in [table for table in self.client.unfinished() if table not in played]:
            with contextlib.suppress(*FAULTS):
                game = await self.client.resume(table)
                if game is not None and game.stage in {Stage.SETTLED, Stage.ABORTED, Stage.REVEALED}:
                    await game.reveal()

    async def stop(self) -> None:
        """Notify every page, and stop all rooms."""
        for stream in list(self.visitors.streams.values()):
            stream.end("STOPPING")
        tasks = [room.task for room in self.rooms.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.client.close()

    @property
    def referee(self) -> str:
        """``REACHED`` if the referee answers, ``AWAY`` if not."""
        return "REACHED" if self.is_reached else "AWAY"

    def _on_reach(self, is_reached: bool) -> None:  # noqa: FBT001 - as the SDK calls it
        """Notify every page that the referee cannot be reached, or can be again; rooms wait meanwhile."""
        self.is_reached = is_reached
        for room in self.rooms.values():
            room.state.version += 1  # pages drop what is not newer
            room.views = {key: view | {"version": room.state.version} for key, view in room.views.items()}
        for stream in list(self.visitors.streams.values()):
            stream.say(notice("REFEREE_BACK" if is_reached else "REFEREE_AWAY"))
            stream.refresh()

    def welcome(self, person: Person) -> dict[str, Any]:
        """Return the first message to a page."""
        return {
            "type": "welcome",
            "server": self.server,
            "time": self.clock.now(),
            "person": person.person,
            "gateway": self.plan.gateway,
            "log": self.keys,
            "stakes": list(STAKES),
            "rulesets": [law.shown for law in self.laws.values()],
        }

    def sees(self, person: Person) -> dict[str, Any] | None:
        """Return what the person's page shows: the room, or the lobby; None for a room that has not admitted it yet."""
        now = self.clock.now()
        if person.room in self.rooms:
            view = self.rooms[person.room].views.get(person.key)
            return None if view is None else view | {"time": now, "referee": self.referee}
        return {"type": "lobby", "time": now}

    def arrive(self, person: Person, stream: Stream) -> None:
        """Make this page the person's current one."""
        self.visitors.arrive(person, stream)
        self._note_presence(person)
        stream.refresh()

    def depart(self, person: Person, stream: Stream) -> None:
        """Forget the page of a stream that has ended."""
        if self.visitors.depart(person, stream):
            self._note_presence(person)

    def _note_presence(self, person: Person) -> None:
        """Have the person's room note since when the person has no stream, None for one who has."""
        room, now = self.rooms.get(person.room), self.clock.now()
        if room is not None:
            room.post(lambda: setattr(person, "away_time", None if person.key in self.visitors.streams else now))

    async def do(self, person: Person, command: Command) -> dict[str, Any]:
        """Carry out a command and return the answer for the page: a result or a refusal.

        A command id that the person used recently gets its earlier answer; nothing is carried out twice.
        """
        if command.id in person.answers:
            return person.answers[command.id]
        room = self.rooms.get(person.room)
        try:
            match command:
                case Create() | Join():
                    return await self._enter(person, command)
                case Preview():
                    return {"type": "done", "id": command.id, "result": self._preview(command)}
        except RefusedError as error:
            return error.message(command.id)
        if room is None:
            return RefusedError("OTHER_ROUND" if isinstance(command, InRound) else "NO_ROOM").message(command.id)
        return await room.ask(person, command)

    def _preview(self, command: Preview) -> dict[str, Any]:
        """Describe a room as its link shows it."""
        room = self._room(command.room)
        return {
            "room": room.state.room,
            "ruleset": room.state.ruleset,
            "stake_minor": room.state.stake_minor,
            "sealed": room.state.is_sealed,
            "persons": [one.name for one in room.state.people],
            "open_seats": room.people.open_seats,
        }

    async def _enter(self, person: Person, command: Create | Join) -> dict[str, Any]:
        """Move the person to an existing or a new room."""
        room = self._create(command) if isinstance(command, Create) else self._room(command.room)
        before = self.rooms.get(person.room)
        if before is not None and before is not room:
            await before.ask(person, Leave(id=f"{command.id}/leave"[-64:]))
        answer = await room.ask(person, Join(id=command.id, room=room.state.room))
        for _ in range(command.bots if isinstance(command, Create) else 0):
            room.post(room.people.add_bot)
        self._note_presence(person)
        self.visitors.refresh(person)
        return answer

    def _room(self, name: str) -> Room:
        if name not in self.rooms:
            raise RefusedError("NO_ROOM")
        return self.rooms[name]

    def _create(self, command: Create) -> Room:
        law = self.laws.get(command.ruleset)
        if law is None or command.stake_minor not in STAKES or command.bots >= law.max_seats:
            raise RefusedError("BAD_COMMAND", detail="no such ruleset, stake or number of bots")
        if command.sealed and (not law.shown["can_seal"] or self.plan.gateway is None):
            raise RefusedError("BAD_COMMAND", detail=f"{law.game} cannot be sealed here")
        if len(self.rooms) >= MOST_ROOMS:
            empty = [one for one in self.rooms.values() if not one.people.is_somebody_here and one.rounds.is_between]
            if not empty:
                raise RefusedError("TOO_MANY")
            oldest = min(empty, key=lambda one: one.state.used_time)
            oldest.close()
            del self.rooms[oldest.state.room]
        state = RoomState(
            room="".join(_ALPHABET[byte % len(_ALPHABET)] for byte in self.plan.entropy(10)),
            ruleset=law.id,
            stake_minor=command.stake_minor,
            is_sealed=command.sealed,
            used_time=self.clock.now(),
        )
        return self._open(state, [])

    def _open(self, state: RoomState, records: list[dict[str, Any]]) -> Room:
        """Run a room from its state."""
        setup = Setup(self.plan, self.client, self.laws[state.ruleset], state.is_sealed)
        room = Room(setup, state, records, RoomFiles(self.plan.folder, state.room), self.visitors)
        self.rooms[state.room] = room
        room.task.add_done_callback(lambda _: self._ended(room))
        return room

    def _ended(self, room: Room) -> None:
        """Handle the end of a room: closed, stopped, or failed, which takes its people out and logs the error.

        The files of a room that failed stay, for the next start.
        """
        if not room.task.cancelled():
            self.rooms.pop(room.state.room, None)
            if (error := room.task.exception()) is not None:
                LOG.error("room %s failed", room.state.room, exc_info=error)
                room.empty()

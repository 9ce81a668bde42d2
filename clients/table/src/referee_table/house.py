"""The house: all people present, all rooms, and the folder that stores them.

A person is identified by a secret, of which the house keeps only the hash, and is present while a stream is open. Each
person has one stream: a newer one replaces it.
"""

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec
from referee_client import AsyncClient, Stage

from referee_table.clock import Clock
from referee_table.commands import Command, Create, Hello, InRound, Join, Leave, Preview, Rename, Rules
from referee_table.files import delete_halves, write_whole
from referee_table.laws import STAKES, Law
from referee_table.loading import load_laws
from referee_table.people import rename
from referee_table.play import Pace, Setup
from referee_table.records import read_records, read_room
from referee_table.room import Room
from referee_table.room_rounds import FAULTS, KEPT_ROUNDS, RoomRounds
from referee_table.rulebook import rules_of
from referee_table.signing import read_key
from referee_table.state import Person, RoomState
from referee_table.view import preview_of, view_of
from referee_table.wording import Code, RefusedError, notice

LOG: Final = logging.getLogger("referee_table")
PROTOCOL: Final = 1
MOST_RECORDED: Final = 4 * 1024 * 1024
"""Size of a room's file of rounds after which it is written anew, with the rounds that the room keeps."""
MOST_ROOMS: Final = 1000
"""Rooms of a table server; the one that has been empty for longest gives way to a new one."""
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"


class Stream(Protocol):
    """One page that is connected."""

    def say(self, message: dict[str, Any]) -> None:
        """Send the message, in order."""

    def refresh(self) -> None:
        """Send the page its new view."""

    def end(self, code: str) -> None:
        """Close the stream with a last message."""


@dataclass(slots=True, kw_only=True)
class House:
    """All rooms and the people in them. ``folder`` is None if nothing is kept on the disk.

    ``views`` has what each person was last shown of a room. They are made between two of its steps, after its file was
    written.
    """

    client: AsyncClient
    clock: Clock
    pace: Pace
    entropy: Callable[[int], bytes]
    folder: Path | None
    gateway: str | None
    server: str
    tenant: str = ""
    is_reached: bool = True
    laws: dict[str, Law] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    rooms: dict[str, Room] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    views: dict[str, dict[str, Any]] = field(default_factory=dict)
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    restored: set[str] = field(default_factory=set)

    async def start(self) -> None:
        """Load the rulesets and keys, and continue the rooms of the folder."""
        self.laws = await load_laws(self.client)
        keys = await self.client.keys()
        self.keys = {"origin": keys.origin, "log_key": keys.log_key, "root_key": keys.root_key}
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            delete_halves(self.folder)
            for path in sorted(self.folder.glob("*.room.json")):
                self._restore(path)
            await self._end_abandoned()

    async def stop(self) -> None:
        """Notify every page, and stop all rooms."""
        for stream in list(self.streams.values()):
            stream.end("STOPPING")
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def referee(self) -> str:
        """``REACHED`` if the referee answers, ``AWAY`` if not."""
        return "REACHED" if self.is_reached else "AWAY"

    def person_of(self, hello: Hello, *, name: str) -> Person:
        """Return the person with the hello's secret, or a new one; set the person's name, language and key."""
        key = hashlib.sha256(hello.secret.encode()).hexdigest()
        person = self.people.get(key)
        if person is None:
            person = self.people[key] = Person(person=f"p{self.entropy(8).hex()}", key=key, name=name)
        person.name, person.language = name, hello.language
        person.seat_key = read_key(hello.seat_key)
        return person

    def welcome(self, person: Person) -> dict[str, Any]:
        """Return the first message to a page."""
        return {
            "type": "welcome",
            "server": self.server,
            "time": self.clock.now(),
            "person": person.person,
            "gateway": self.gateway,
            "log": self.keys,
            "stakes": list(STAKES),
            "rulesets": [law.shown for law in self.laws.values()],
        }

    def arrive(self, person: Person, stream: Stream) -> None:
        """Make this page the person's current one."""
        before = self.streams.get(person.key)
        self.streams[person.key] = stream
        if before is not None:
            before.end("TAKEN_OVER")
        if person.key in self.restored:
            self.restored.discard(person.key)
            stream.say(notice("RESTARTED"))
        self._note_presence(person)
        stream.refresh()

    def depart(self, person: Person, stream: Stream) -> None:
        """Forget the page of a stream that has ended."""
        if self.streams.get(person.key) is stream:
            del self.streams[person.key]
            self._note_presence(person)
            self._forget(person)

    def sees(self, person: Person) -> dict[str, Any] | None:
        """Return what the person's page shows: the room, or the lobby; None for a room that has not admitted it yet."""
        now = self.clock.now()
        if person.room in self.rooms:
            view = self.views.get(person.key)
            return None if view is None else view | {"time": now, "referee": self.referee}
        return {"type": "lobby", "time": now}

    async def do(self, person: Person, command: Command) -> dict[str, Any]:
        """Carry out a command and return the answer for the page: a result or a refusal.

        A command id that the person used recently gets its earlier answer; nothing is carried out twice.
        """
        for done in person.done:
            if done.id == command.id:
                return done.answer
        room = self.rooms.get(person.room)
        try:
            if isinstance(command, Create | Join):
                return await self._enter(person, command)
            if isinstance(command, Preview | Rules) or (room is None and isinstance(command, Rename)):
                return {"type": "done", "id": command.id, "result": self._answer(person, command)}
        except RefusedError as error:
            return error.message(command.id)
        if room is None:
            code = Code.OTHER_ROUND if isinstance(command, InRound) else Code.NO_ROOM
            return RefusedError(code).message(command.id)
        return await room.ask(person, command)

    def _answer(self, person: Person, command: Preview | Rules | Rename) -> dict[str, Any]:
        """Answer a command that needs no room."""
        match command:
            case Preview():
                return preview_of(self._room(command.room))
            case Rules():
                if command.ruleset not in self.laws:
                    raise RefusedError(Code.BAD_COMMAND, detail="no such ruleset")
                return rules_of(self.laws[command.ruleset])
            case Rename():
                rename(person, command, self.notify)
        return {}

    async def _enter(self, person: Person, command: Create | Join) -> dict[str, Any]:
        """Move the person to an existing or a new room."""
        is_new = isinstance(command, Create)
        room = self._create(command) if isinstance(command, Create) else self._room(command.room)
        before = self.rooms.get(person.room)
        if before is not None and before is not room:
            await before.ask(person, Leave(id=f"{command.id}/leave"[-64:]))
        watch = isinstance(command, Join) and command.watch
        answer = await room.ask(person, Join(id=command.id, room=room.state.room, watch=watch))
        for _ in range(command.bots if is_new and isinstance(command, Create) else 0):
            room.post(room.people.add_bot)
        self._note_presence(person)
        self.show(person)
        return answer

    def _room(self, name: str) -> Room:
        if name not in self.rooms:
            raise RefusedError(Code.NO_ROOM)
        return self.rooms[name]

    def _create(self, command: Create) -> Room:
        law = self.laws.get(command.ruleset)
        if law is None or command.stake_minor not in STAKES or command.bots >= law.max_seats:
            raise RefusedError(Code.BAD_COMMAND, detail="no such ruleset, stake or number of bots")
        if command.sealed and (not law.shown["can_seal"] or self.gateway is None):
            raise RefusedError(Code.BAD_COMMAND, detail=f"{law.game} cannot be sealed here")
        if len(self.rooms) >= MOST_ROOMS:
            empty = [room for room in self.rooms.values() if not room.people.is_somebody_here and room.is_between]
            if not empty:
                raise RefusedError(Code.TOO_MANY)
            min(empty, key=lambda room: room.state.used_time).close()
        name = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in self.entropy(10))
        state = RoomState(
            room=name,
            ruleset=law.id,
            stake_minor=command.stake_minor,
            is_sealed=command.sealed,
            used_time=self.clock.now(),
        )
        return self._open(state, [])

    def _open(self, state: RoomState, records: list[dict[str, Any]]) -> Room:
        """Run a room from its state."""
        setup = Setup(
            client=self.client,
            law=self.laws[state.ruleset],
            clock=self.clock,
            pace=self.pace,
            entropy=self.entropy,
            is_sealed=state.is_sealed,
            tenant=self.tenant,
        )
        room = Room(self, setup, state, records)
        self.rooms[state.room] = room
        task = asyncio.get_running_loop().create_task(room.run())
        self.tasks[state.room] = task
        task.add_done_callback(lambda task: self._ended(room, task))
        return room

    def _ended(self, room: Room, task: asyncio.Task[None]) -> None:
        """Handle the end of a room's task: closed, stopped, or failed, which takes its people out and logs the error.

        The files of a room that failed stay, for the next start.
        """
        self.tasks.pop(room.state.room, None)
        if not task.cancelled() and task.exception() is not None:
            LOG.error("room %s failed", room.state.room, exc_info=task.exception())
            room.is_closed = True
            self._empty(room)

    def _note_presence(self, person: Person) -> None:
        """Have the person's room note since when the person has no stream, None for one who has."""
        room, now = self.rooms.get(person.room), self.clock.now()

        def note() -> None:
            person.away_time = None if person.key in self.streams else now

        if room is not None:
            room.post(note)

    # What rooms ask of the house.

    def save(self, room: RoomRounds) -> None:
        """Write the room's file, which holds hands and seeds, atomically."""
        if self.folder is not None and not room.is_closed:
            write_whole(self.folder / f"{room.state.room}.room.json", msgspec.json.encode(room.state))

    def record(self, room: RoomRounds, given: dict[str, Any]) -> None:
        """Append the line of a finished round; the last line about a round counts."""
        if self.folder is None:
            return
        path = self.folder / f"{room.state.room}.rounds.jsonl"
        path.touch(mode=0o600)
        if path.stat().st_size > MOST_RECORDED:
            write_whole(path, b"".join(msgspec.json.encode(line) + b"\n" for line in room.records))
        with path.open("ab") as file:
            file.write(msgspec.json.encode(given) + b"\n")

    def changed(self, room: RoomRounds) -> None:
        """Send the room's view to the pages in it."""
        for person in room.people.humans:
            self.views[person.key] = view_of(room, person)
            self.show(person)

    def notify(self, person: Person, message: dict[str, Any]) -> None:
        """Send a message to the person's page."""
        stream = self.streams.get(person.key)
        if stream is not None:
            stream.say(message)

    def gone(self, person: Person) -> None:
        """Move a person who has left a room to the lobby."""
        self.views.pop(person.key, None)
        self.show(person)
        self._forget(person)

    def closed(self, room: RoomRounds) -> None:
        """Delete a room and its files."""
        self._empty(room)
        for suffix in ("room.json", "rounds.jsonl"):
            if self.folder is not None:
                (self.folder / f"{room.state.room}.{suffix}").unlink(missing_ok=True)

    def _empty(self, room: RoomRounds) -> None:
        """Take a room that ends, and the people in it, out of the house."""
        self.rooms.pop(room.state.room, None)
        for person in room.people.humans:
            person.room = ""
            self.notify(person, notice("ROOM_CLOSED"))
            self.gone(person)

    def _forget(self, person: Person) -> None:
        """Forget a person without a page and without a room."""
        if person.key not in self.streams and not person.room:
            self.people.pop(person.key, None)

    def show(self, person: Person) -> None:
        """Have the person's page shown what it may see now."""
        stream = self.streams.get(person.key)
        if stream is not None:
            stream.refresh()

    def on_reach(self, is_reached: bool) -> None:  # noqa: FBT001 - as the SDK calls it
        """Notify every page that the referee cannot be reached, or can be again."""
        self.is_reached = is_reached
        code = "REFEREE_BACK" if is_reached else "REFEREE_AWAY"
        for room in self.rooms.values():
            room.state.version += 1  # pages drop what is not newer
        for key, view in self.views.items():
            if view["room"] in self.rooms:
                self.views[key] = view | {"version": self.rooms[view["room"]].state.version}
        for stream in list(self.streams.values()):
            stream.say(notice(code))
            stream.refresh()

    async def _end_abandoned(self) -> None:
        """Take out of the SDK's journal what has ended of rounds that rooms gave up."""
        played = {room.table for room in self.rooms.values()}
        for table in [table for table in self.client.unfinished() if table not in played]:
            with contextlib.suppress(*FAULTS):
                game = await self.client.resume(table)
                if game is not None and game.stage in {Stage.SETTLED, Stage.ABORTED}:
                    await game.reveal()

    def _restore(self, path: Path) -> None:
        """Continue a room from its file; leave a file that cannot be read where it is, and log that."""
        state = read_room(path)
        if state is None:
            return
        if state.ruleset not in self.laws:
            LOG.warning("%s is played by %s, which the referee does not have", path, state.ruleset)
            return
        records = read_records(path.with_name(f"{state.room}.rounds.jsonl"))
        now = self.clock.now()
        for person in state.people:
            if not person.is_bot:
                person.away_time = now if person.away_time is None else person.away_time
                self.people[person.key] = person
                self.restored.add(person.key)
        self._open(state, records[-KEPT_ROUNDS:])

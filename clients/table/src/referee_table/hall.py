"""The house: all people present, all rooms, and the folder that stores them.

A person is identified by a secret, of which the hall keeps only the hash, and is present while a stream is open. Each
person has one stream: a newer one replaces it.
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import msgspec

from referee.v1 import log_pb2
from referee_table import reception
from referee_table.clock import Clock
from referee_table.commands import (
    AtTable,
    Command,
    Create,
    Hello,
    InRound,
    Join,
    Leave,
    Quick,
    Rename,
)
from referee_table.files import delete_halves, write_whole
from referee_table.judge import Judge
from referee_table.kept import member_of, require_room
from referee_table.laws import STAKES, Law
from referee_table.loading import load_laws
from referee_table.phrases import AVATARS, shown_avatars, shown_phrases
from referee_table.play import Bench, Pace
from referee_table.reception import set_away
from referee_table.records import read_records, read_room
from referee_table.room import KEPT_ROUNDS, Room
from referee_table.scores import Scores
from referee_table.shares import Shares
from referee_table.signing import read_key
from referee_table.state import Person, RoomState
from referee_table.view import listing_of, reached, table_of, view_of
from referee_table.wording import Code, RefusedError, notice

LOG: Final = logging.getLogger("referee_table")
PROTOCOL: Final = 1
MOST_RECORDED: Final = 4 * 1024 * 1024
"""Size of a room's file of rounds after which it is written anew, with the rounds that the room keeps."""


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
    """Parts that the hall is built from. ``folder`` is None if nothing is kept on the disk."""

    judge: Judge
    clock: Clock
    pace: Pace
    entropy: Callable[[int], bytes]
    folder: Path | None
    gateway: str | None
    server: str


@dataclass(slots=True)
class Hall:
    """All rooms and the people in them.

    ``views`` has what each person was last shown of a room. They are made between two of its steps, after its file was
    written.
    """

    house: House
    laws: dict[str, Law] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)
    rooms: dict[str, Room] = field(default_factory=dict)
    people: dict[str, Person] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    views: dict[str, dict[str, Any]] = field(default_factory=dict)
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)
    restored: set[str] = field(default_factory=set)
    shares: Shares = field(init=False)
    scores: Scores = field(init=False)

    def __post_init__(self) -> None:
        folder, clock = self.house.folder, self.house.clock
        self.shares = Shares(None if folder is None else folder / "shares", clock, self.house.entropy)
        self.scores = Scores(None if folder is None else folder / "scores", clock)

    async def start(self) -> None:
        """Load the rulesets and keys, and continue the rooms of the folder."""
        judge = self.house.judge
        self.laws = await load_laws(judge)
        keys = await judge.ask(judge.log.GetKeys, log_pb2.GetKeysRequest())
        self.keys = {"origin": keys.origin, "log_key": keys.log_key, "root_key": keys.root_key}
        judge.listeners.append(self._on_referee)
        if self.house.folder is not None:
            self.house.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            delete_halves(self.house.folder)
            self.shares.start()
            self.scores.start()
            for path in sorted(self.house.folder.glob("*.room.json")):
                self._restore(path)

    async def stop(self) -> None:
        """Notify every page, and stop all rooms."""
        for stream in list(self.streams.values()):
            stream.end("STOPPING")
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def person_of(self, hello: Hello, *, name: str) -> Person:
        """Return the person with the hello's secret, or a new one; set the person's name and language."""
        key = hashlib.sha256(hello.secret.encode()).hexdigest()
        person = self.people.get(key)
        if person is None:
            members = (member_of(room.state, key) for room in self.rooms.values())
            public = next((member.person for member in members if member is not None), "")
            person = Person(person=public or f"p{self.house.entropy(8).hex()}", key=key, name=name)
            self.people[key] = person
        person.name, person.language = name, hello.language
        person.avatar = hello.avatar if hello.avatar in AVATARS else person.avatar
        person.seat_key = read_key(hello.seat_key)
        return person

    def welcome(self, person: Person) -> dict[str, Any]:
        """Return the first message to a page."""
        return {
            "type": "welcome",
            "protocol": PROTOCOL,
            "server": self.house.server,
            "time": self.house.clock.now(),
            "person": person.person,
            "gateway": self.house.gateway,
            "log": self.keys,
            "room": person.room or None,
            "stakes": list(STAKES),
            "phrases": shown_phrases(),
            "avatars": shown_avatars(),
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
        room = self.rooms.get(person.room)
        if room is not None:
            room.post(lambda: set_away(person, None))
        stream.refresh()

    def depart(self, person: Person, stream: Stream) -> None:
        """Forget the page of a stream that has ended."""
        if self.streams.get(person.key) is not stream:
            return
        del self.streams[person.key]
        room, now = self.rooms.get(person.room), self.house.clock.now()
        if room is not None:
            room.post(lambda: set_away(person, None if person.key in self.streams else now))
        elif not person.room:
            self._forget(person)

    def sees(self, person: Person) -> dict[str, Any] | None:
        """Return what the person's page shows: the room, or the lobby; None for a room that has not admitted it yet."""
        now, judge = self.house.clock.now(), self.house.judge
        if person.room in self.rooms:
            view = self.views.get(person.key)
            return None if view is None else view | {"time": now, "referee": reached(judge)}
        rooms = [listing_of(room) for room in self.rooms.values() if room.state.is_listed]
        back = self.rooms.get(person.back)
        yours = [table_of(room, person) for room in self.rooms.values() if member_of(room.state, person.key)]
        shown = {"rooms": rooms, "yours": yours, "back": None if back is None else listing_of(back)}
        return {"type": "lobby", "time": now} | shown

    async def do(self, person: Person, command: Command) -> dict[str, Any]:
        """Carry out a command and return the answer for the page: a result or a refusal.

        A command id that the person used recently gets its earlier answer; nothing is carried out twice.
        """
        room = self.rooms.get(person.room)
        if isinstance(command, AtTable) and command.room:
            room = self.rooms.get(command.room)
            if room is not None and person.room != command.room and member_of(room.state, person.key) is None:
                room = None
        for done in person.done:
            if done.id == command.id:
                return done.answer
        if isinstance(command, Create | Join | Quick):
            return await reception.go(self, person, command)
        if isinstance(command, reception.Roomless) or (room is None and isinstance(command, Rename)):
            return reception.answered(self, person, command)
        if room is None:
            code = Code.OTHER_ROUND if isinstance(command, InRound) else Code.NO_ROOM
            return RefusedError(code).message(command.id)
        answer = await room.ask(person, command)
        if isinstance(command, Leave):
            self.show(person)
        return answer

    def open(self, state: RoomState, records: list[dict[str, Any]]) -> Room:
        """Run a room from its state."""
        bench = Bench(
            judge=self.house.judge,
            law=self.laws[state.ruleset],
            clock=self.house.clock,
            pace=self.house.pace,
            entropy=self.house.entropy,
            is_sealed=state.is_sealed,
        )
        room = Room(self, bench, state, records)
        self.rooms[state.room] = room
        task = asyncio.get_running_loop().create_task(room.run())
        self.tasks[state.room] = task
        task.add_done_callback(lambda task: self._ended(state.room, task))
        return room

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        """Handle the end of a room's task: closed, stopped, or failed, which closes the room and logs the error."""
        self.tasks.pop(name, None)
        if task.cancelled() or task.exception() is None:
            return
        LOG.error("room %s failed", name, exc_info=task.exception())
        room = self.rooms.get(name)
        if room is not None:
            room.is_closed = True
            self.closed(room, is_failed=True)

    # What rooms ask of the house.

    def save(self, room: Room) -> None:
        """Write the room's file, which holds hands and seeds, atomically."""
        if self.house.folder is None or room.is_closed:
            return
        path = self.house.folder / f"{room.state.room}.room.json"
        write_whole(path, msgspec.json.encode(room.state))

    def record(self, room: Room, given: dict[str, Any]) -> None:
        """Append the line of a finished round; the last line about a round counts."""
        if self.house.folder is None:
            return
        path = self.house.folder / f"{room.state.room}.rounds.jsonl"
        path.touch(mode=0o600)
        if path.stat().st_size > MOST_RECORDED:
            write_whole(path, b"".join(msgspec.json.encode(line) + b"\n" for line in room.records))
        with path.open("ab") as file:
            file.write(msgspec.json.encode(given) + b"\n")

    def require_room(self, person: Person, *, is_new: bool) -> None:
        """Raise TOO_MANY if the person cannot be a member of one more kept table."""
        require_room([room.state for room in self.rooms.values()], person, is_new=is_new)

    def changed(self, room: Room) -> None:
        """Send the room's view to the pages in it, and the list of rooms to the pages in the lobby."""
        for person in room.people.humans:
            self.views[person.key] = view_of(room, person)
            self.show(person)
        self._show_lobby()

    def notify(self, person: Person, message: dict[str, Any]) -> None:
        """Send a message to the person's page."""
        stream = self.streams.get(person.key)
        if stream is not None:
            stream.say(message)

    def gone(self, room: Room, person: Person) -> None:
        """Move the person to the lobby."""
        del room
        self.views.pop(person.key, None)
        self.show(person)
        self._forget(person)

    def closed(self, room: Room, *, is_failed: bool = False) -> None:
        """Delete the room and its files; those of a kept table that failed stay, for the next start."""
        self.rooms.pop(room.state.room, None)
        for person in [one for one in room.state.people if not one.is_bot]:
            person.room = ""
            self.views.pop(person.key, None)
            self.notify(person, notice("ROOM_CLOSED"))
            self.show(person)
        if self.house.folder is not None and not (is_failed and room.state.kept is not None):
            for suffix in ("room.json", "rounds.jsonl"):
                (self.house.folder / f"{room.state.room}.{suffix}").unlink(missing_ok=True)
        for person in [one for one in self.people.values() if one.back == room.state.room]:
            self._forget(person)
        self._show_lobby()

    def _forget(self, person: Person) -> None:
        """Forget a person without a page, a room, or a way back to one."""
        if person.key not in self.streams and not person.room and person.back not in self.rooms:
            self.people.pop(person.key, None)

    def show(self, person: Person) -> None:
        """Have the person's page shown what it may see now."""
        stream = self.streams.get(person.key)
        if stream is not None:
            stream.refresh()

    def _show_lobby(self) -> None:
        for key, stream in self.streams.items():
            person = self.people.get(key)
            if person is not None and not person.room:
                stream.refresh()

    def _on_referee(self) -> None:
        code = "REFEREE_BACK" if self.house.judge.is_reached else "REFEREE_AWAY"
        for room in self.rooms.values():
            room.state.version += 1  # pages drop what is not newer
        for key, view in self.views.items():
            if view["room"] in self.rooms:
                self.views[key] = view | {"version": self.rooms[view["room"]].state.version}
        for stream in list(self.streams.values()):
            stream.say(notice(code))
            stream.refresh()

    def _restore(self, path: Path) -> None:
        """Continue a room from its file; leave a file that cannot be read where it is, and log that."""
        state = read_room(path)
        if state is None:
            return
        if state.ruleset not in self.laws:
            LOG.warning("%s is played by %s, which the referee does not have", path, state.ruleset)
            return
        records = read_records(path.with_name(f"{state.room}.rounds.jsonl"))
        now = self.house.clock.now()
        for person in state.people:
            if not person.is_bot:
                person.away_time = now if person.away_time is None else person.away_time
                self.people[person.key] = person
                self.restored.add(person.key)
        room = self.open(state, records[-KEPT_ROUNDS:])
        for person in room.people.humans:
            self.views[person.key] = view_of(room, person)

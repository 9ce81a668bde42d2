"""The people of a room: who is there, under which name, ready or not, and the bots among them."""

from collections.abc import Callable
from typing import Any, Final

from msgspec.structs import replace

from referee_table.commands import Bots, Ready, Rename, Say
from referee_table.games import GAMES
from referee_table.kept import is_kept_by, member_of
from referee_table.names import clean_name, is_changed
from referee_table.phrases import AVATARS, MOST_SAID, SAID_MS, SAYABLE
from referee_table.play import Bench
from referee_table.signing import bot_key
from referee_table.state import Person, RoomState, Said, Stats
from referee_table.wording import Code, RefusedError, notice

NAMES: Final = ("Máy An", "Máy Bình", "Máy Châu", "Máy Dũng", "Máy Giang", "Máy Hà")
MOST_PEOPLE: Final = 24
"""People of a room, those included who watch."""


class People:
    """The people in a room, in the order of its state."""

    def __init__(self, bench: Bench, state: RoomState) -> None:
        self._bench = bench
        self._state = state

    @property
    def all(self) -> list[Person]:
        """All people, bots included."""
        return self._state.people

    @property
    def humans(self) -> list[Person]:
        """All people who are no bots."""
        return [one for one in self.all if not one.is_bot]

    @property
    def players(self) -> list[Person]:
        """All who have a seat or want one, bots included."""
        return [one for one in self.all if not one.is_sitting_out]

    @property
    def host(self) -> Person | None:
        """The host of a kept table if present, otherwise the person who has been here longest."""
        kept = (person for person in self.humans if is_kept_by(self._state, person))
        return next(kept, next(iter(self.humans), None))

    @property
    def free_seats(self) -> int:
        """Seats that nobody has."""
        return max(0, self._bench.law.max_seats - len(self.players))

    @property
    def open_seats(self) -> int:
        """Number of seats that people could still take, those of bots included, because bots give way."""
        return max(0, self._bench.law.max_seats - sum(not one.is_bot for one in self.players))

    @property
    def kick_time(self) -> int | None:
        """Time in ms at which the first person is sent out for not being ready; None if nobody will be."""
        return min([one.kick_time for one in self.all if one.kick_time is not None], default=None)

    @property
    def away_limits(self) -> list[int]:
        """Times in ms until which people without a stream keep their seats."""
        return [one.away_time + self._bench.pace.away_ms for one in self.humans if one.away_time is not None]

    def join(self, person: Person, *, watch: bool = False) -> dict[str, Any]:
        """Add a person to the room, to play or to watch."""
        if person not in self.all:
            if person.key in self._state.banned:
                raise RefusedError(Code.KICKED)
            if len(self.humans) >= MOST_PEOPLE:
                raise RefusedError(Code.ROOM_FULL)
            place = "WATCHING" if watch else "SEAT" if self.open_seats else "WAITING"
            person.room, person.came_time, person.back = self._state.room, self._bench.clock.now(), ""
            person.seated_time = person.ready_time = person.away_time = person.kick_time = person.said = None
            person.ante_minor = person.trips_minor = 0
            person.is_sitting_out, person.is_auto_ready, person.wants_ready = watch, False, False
            member = member_of(self._state, person.key)
            person.stats = Stats() if member is None else replace(member.stats)
            self.all.append(person)
            return {"room": self._state.room, "place": place}
        if person.is_sitting_out and not watch:
            self.sit_out(person, is_out=False)
        return {"room": self._state.room, "place": place_of(person)}

    def ready(self, person: Person, command: Ready) -> None:
        """Note whether a person wants the next round, and with what bets."""
        if person.seated_time is None:
            raise RefusedError(Code.NOT_SEATED)
        if self._state.phase != "LOBBY":
            raise RefusedError(Code.WRONG_PHASE)
        if GAMES[self._bench.law.game].has_bets and command.is_ready:
            law = self._bench.law
            ante = command.ante_minor or person.ante_minor or law.default_ante(self._state.stake_minor)
            trips = person.trips_minor if command.trips_minor is None else command.trips_minor
            if fault := law.bet_fault(ante=ante, trips=trips):
                raise RefusedError(Code.BAD_COMMAND, detail=fault)
            person.ante_minor, person.trips_minor = ante, trips
        person.ready_time = self._bench.clock.now() if command.is_ready else None
        person.is_auto_ready = person.is_auto_ready and command.is_ready

    def sit_out(self, person: Person, *, is_out: bool) -> None:
        """Let a person watch from now on, or have a seat again; a round that they play in goes on."""
        person.is_sitting_out = is_out
        if is_out:
            person.is_auto_ready = person.wants_ready = False
            if self._state.phase == "LOBBY":
                person.seated_time = person.ready_time = None

    def say(self, person: Person, command: Say) -> None:
        """Note what a person says: a phrase of the list, and not too many of them."""
        now = self._bench.clock.now()
        if command.phrase not in SAYABLE:
            raise RefusedError(Code.BAD_COMMAND, detail=f"phrases are {', '.join(sorted(SAYABLE))}")
        recent = [time for time in person.said_times if time > now - SAID_MS]
        if len(recent) >= MOST_SAID:
            raise RefusedError(Code.TOO_MANY)
        person.said, person.said_times = Said(command.phrase, now), [*recent, now]

    def require_host(self, person: Person) -> None:
        """Raise NOT_HOST unless the person is the host."""
        if person is not self.host:
            raise RefusedError(Code.NOT_HOST)

    def named(self, name: str) -> Person:
        """Return who has this public name in the room; raise BAD_COMMAND if nobody does."""
        for one in self.all:
            if one.person == name:
                return one
        raise RefusedError(Code.BAD_COMMAND, detail="nobody of that name is in the room")

    def add_bot(self) -> None:
        """Seat a bot at a free seat."""
        if not self.free_seats:
            raise RefusedError(Code.NO_SEAT_FREE)
        taken = {one.name for one in self.all}
        name = next(name for name in NAMES if name not in taken)
        identity = self._bench.entropy(8).hex()
        now = self._bench.clock.now()
        private, public = bot_key(self._bench.entropy(32))
        bot = Person(person=f"b{identity}", key="", name=name, is_bot=True, room=self._state.room, came_time=now)
        bot.signing_key, bot.seat_key = private, public
        self.all.append(bot)

    def remove_bot(self) -> None:
        """Send the last bot away, between rounds."""
        if self._state.phase != "LOBBY" or len(self.humans) == len(self.all):
            raise RefusedError(Code.WRONG_PHASE)
        self.drop_bot()

    def set_bots(self, command: Bots) -> None:
        """Set how well bots play and how long they think, between rounds."""
        if self._state.phase != "LOBBY":
            raise RefusedError(Code.WRONG_PHASE)
        self._state.bot_level = command.bot_level or self._state.bot_level
        self._state.bot_pace = command.bot_pace or self._state.bot_pace

    def drop_bot(self) -> None:
        """Remove the bot that came last."""
        self.all.remove([one for one in self.all if one.is_bot][-1])

    def make_way(self) -> None:
        """Remove bots whose seats people want, and take seats from those who sit out."""
        for one in self.humans:
            if one.is_sitting_out:
                one.seated_time = one.ready_time = None
        while len(self.players) > self._bench.law.max_seats and any(one.is_bot for one in self.all):
            self.drop_bot()

    def ready_by_themselves(self) -> None:
        """Make those ready who asked to be, once their seat is free and the last round has been shown."""
        now = self._bench.clock.now()
        for one in self.humans:
            is_asked = one.wants_ready or (one.is_auto_ready and now >= (self._state.scene_until or 0))
            if is_asked and one.seated_time is not None and one.ready_time is None and one.away_time is None:
                one.ready_time, one.wants_ready = now, False

    def ready_bots(self) -> bool:
        """Make bots ready as soon as a person is; return whether one is."""
        ready = [one.ready_time for one in self.humans if one.ready_time is not None]
        for one in self.all:
            if one.is_bot:
                is_ready = bool(ready) and one.seated_time is not None
                one.ready_time = max(min(ready), one.seated_time or 0) if is_ready else None
        return bool(ready)


def place_of(person: Person) -> str:
    """Return ``SEAT``, ``WAITING`` for a seat or ``WATCHING``, by what the person does."""
    if person.seated_time is not None:
        return "SEAT"
    return "WATCHING" if person.is_sitting_out else "WAITING"


def rename(person: Person, command: Rename, notify: Callable[[Person, dict[str, Any]], None]) -> None:
    """Set a person's name, language and avatar; notify the person if ``clean_name`` changed the name.

    Raise BAD_COMMAND for a name without a visible character or an unknown avatar.
    """
    name = clean_name(command.person_name)
    if not name:
        raise RefusedError(Code.BAD_COMMAND, detail="the name has no visible character")
    if command.avatar is not None:
        if command.avatar and command.avatar not in AVATARS:
            raise RefusedError(Code.BAD_COMMAND, detail=f"avatars are {', '.join(AVATARS)}")
        person.avatar = command.avatar
    person.name, person.language = name, command.language
    if is_changed(command.person_name, name):
        notify(person, notice("NAME_CHANGED"))

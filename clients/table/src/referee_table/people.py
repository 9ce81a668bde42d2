"""The people of a room: who is there, under which name, ready or not, and the bots among them."""

from collections.abc import Callable
from typing import Any, Final

from referee_table.commands import Ready, Rename
from referee_table.names import clean_name, is_changed
from referee_table.play import Bench
from referee_table.state import Person, RoomState
from referee_table.wording import Code, RefusedError, notice

NAMES: Final = ("Máy An", "Máy Bình", "Máy Châu", "Máy Dũng", "Máy Giang", "Máy Hà")


class People:
    """Everybody in a room, in order, as its state keeps them."""

    def __init__(self, bench: Bench, state: RoomState) -> None:
        self._bench = bench
        self._state = state

    @property
    def all(self) -> list[Person]:
        """Everybody, bots included."""
        return self._state.people

    @property
    def humans(self) -> list[Person]:
        """Everybody who is no bot."""
        return [one for one in self.all if not one.is_bot]

    @property
    def free_seats(self) -> int:
        """Seats that nobody has."""
        return max(0, self._bench.law.max_seats - len(self.all))

    @property
    def away_limits(self) -> list[int]:
        """Until when each person without a stream keeps the seat."""
        return [one.away_time + self._bench.pace.away_ms for one in self.humans if one.away_time is not None]

    def join(self, person: Person) -> dict[str, Any]:
        """Add a person to the room."""
        if person not in self.all:
            person.room, person.came_time = self._state.room, self._bench.clock.now()
            person.seated_time = person.ready_time = person.away_time = None
            person.score_minor = person.ante_minor = person.trips_minor = 0
            self.all.append(person)
        return {"room": self._state.room}

    def rename(self, person: Person, command: Rename, notify: Callable[[Person, dict[str, Any]], None]) -> None:
        """Give a person another name; notify them if it was changed on the way."""
        name = clean_name(command.person_name)
        if not name:
            raise RefusedError(Code.BAD_COMMAND, detail="the name has no visible character")
        person.name, person.language = name, command.language
        if is_changed(command.person_name, name):
            notify(person, notice("NAME_CHANGED"))

    def ready(self, person: Person, command: Ready) -> None:
        """Note whether a person wants the next round, and with what bets."""
        if person.seated_time is None:
            raise RefusedError(Code.NOT_SEATED)
        if self._state.phase != "LOBBY":
            raise RefusedError(Code.WRONG_PHASE)
        if self._bench.law.game == "ultimate_texas" and command.is_ready:
            ante = command.ante_minor or person.ante_minor or self._state.stake_minor
            trips = person.trips_minor if command.trips_minor is None else command.trips_minor
            if ante % self._bench.law.bet_unit:
                raise RefusedError(Code.BAD_COMMAND, detail=f"the ante is a multiple of {self._bench.law.bet_unit}")
            person.ante_minor, person.trips_minor = ante, trips
        person.ready_time = self._bench.clock.now() if command.is_ready else None

    def add_bot(self) -> None:
        """Seat a bot at a free seat."""
        if not self.free_seats:
            raise RefusedError(Code.NO_SEAT_FREE)
        taken = {one.name for one in self.all}
        name = next(name for name in NAMES if name not in taken)
        identity = self._bench.entropy(8).hex()
        now = self._bench.clock.now()
        self.all.append(
            Person(person=f"b{identity}", key="", name=name, is_bot=True, room=self._state.room, came_time=now)
        )

    def remove_bot(self) -> None:
        """Send the last bot away, between rounds."""
        if self._state.phase != "LOBBY" or len(self.humans) == len(self.all):
            raise RefusedError(Code.WRONG_PHASE)
        self.drop_bot()

    def drop_bot(self) -> None:
        """Remove the bot that came last."""
        self.all.remove([one for one in self.all if one.is_bot][-1])

    def ready_bots(self) -> bool:
        """Make bots ready as soon as a person is; return whether one is."""
        ready = [one.ready_time for one in self.humans if one.ready_time is not None]
        for one in self.all:
            if one.is_bot:
                is_ready = bool(ready) and one.seated_time is not None
                one.ready_time = max(min(ready), one.seated_time or 0) if is_ready else None
        return bool(ready)

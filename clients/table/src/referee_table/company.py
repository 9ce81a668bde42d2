"""What people in a room do beside the round: being ready, sitting out, talking, and what the host may do."""

from typing import Any, Protocol

from referee_table.commands import (
    AddBot,
    AutoReady,
    Bots,
    Command,
    Kick,
    Leave,
    Pause,
    Ready,
    RemoveBot,
    Rename,
    Say,
    SitOut,
)
from referee_table.people import People, rename
from referee_table.play import Bench, Settled
from referee_table.seating import Seating, judged
from referee_table.state import Person, RoomState, Round
from referee_table.wording import Code, RefusedError, notice


class Notifier(Protocol):
    """Somebody who can send a message to a person's page."""

    def notify(self, person: Person, message: dict[str, Any]) -> None:
        """Send a message to a person's page, if one is connected."""


class Rooms(Protocol):
    """Room, as far as the commands of its people need it."""

    @property
    def keeper(self) -> Notifier:
        """The house around the room."""

    async def remove(self, person: Person, command: Leave) -> None:
        """Take a person out of the room."""


class Company(People):
    """The people of a room and their commands."""

    def __init__(self, bench: Bench, state: RoomState, room: Rooms) -> None:
        super().__init__(bench, state)
        self._room = room

    async def do(self, person: Person, command: Command) -> None:
        """Carry out a command that concerns no round."""
        match command:
            case Rename():
                rename(person, command, self._room.keeper.notify)
            case Ready():
                self.ready(person, command)
            case AutoReady():
                person.is_auto_ready = command.is_on and not person.is_sitting_out
            case SitOut():
                self.sit_out(person, is_out=command.is_out)
            case Say():
                self.say(person, command)
            case AddBot() | RemoveBot() | Bots() | Pause() | Kick():
                self.require_host(person)
                await self._do_as_host(person, command)
            case _:
                raise RefusedError(Code.WRONG_PHASE)

    async def seat(self) -> Seating:
        """Give everybody the place that they should have; say whether to deal."""
        state, now = self._state, self._bench.clock.now()
        for person in [one for one in self.humans if one.away_time is not None]:
            if now >= (person.away_time or 0) + self._bench.pace.away_ms:
                await self._send_out(person, "AWAY_TOO_LONG")
        self.make_way()
        while True:
            self.ready_by_themselves()
            is_wanted = self.ready_bots()
            seating = await judged(self._bench, state, self.players, now=now)
            for person in seating.sent_out:
                await self._send_out(person, "SENT_OUT")
            newly = [one for one in seating.seated if one.seated_time is None]
            for one in newly:
                one.seated_time = now
            if not newly and not seating.sent_out:
                break
        for one in self.all:
            one.kick_time = seating.kick_times.get(one.person)
        return seating if is_wanted else seating.without_deal()

    def score(self, made: Round, settled: Settled) -> None:
        """Add a settled round to what its players have won in this room."""
        by_person = {one.person: one for one in self.all}
        is_played = not settled.shown.get("instant_wins")
        for seat, net in zip(made.seats, settled.nets, strict=True):
            one = by_person.get(seat.person)
            if one is None:
                continue
            one.score_minor += net
            stats = one.stats
            stats.best_minor = net if not stats.rounds else max(stats.best_minor, net)
            stats.worst_minor = net if not stats.rounds else min(stats.worst_minor, net)
            stats.rounds += 1
            stats.won += net > 0
            if one.is_auto_ready and is_played and not one.has_acted:
                one.is_auto_ready = False
                self._room.keeper.notify(one, notice("AUTO_READY_OFF"))

    async def _do_as_host(self, host: Person, command: AddBot | RemoveBot | Bots | Pause | Kick) -> None:
        match command:
            case AddBot():
                self.add_bot()
            case RemoveBot():
                self.remove_bot()
            case Bots():
                self.set_bots(command)
            case Pause():
                self._state.is_paused = command.is_paused
            case Kick():
                await self._kick(host, self.named(command.person))

    async def _kick(self, host: Person, person: Person) -> None:
        if self._state.phase != "LOBBY" or person is host:
            raise RefusedError(Code.WRONG_PHASE)
        if person.is_bot:
            self.all.remove(person)
            return
        self._state.banned.append(person.key)
        self._room.keeper.notify(person, notice("KICKED"))
        await self._room.remove(person, Leave(id="kick"))

    async def _send_out(self, person: Person, code: str) -> None:
        self._room.keeper.notify(person, notice(code, room=self._state.room))
        person.back = self._state.room
        await self._room.remove(person, Leave(id="out"))

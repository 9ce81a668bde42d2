"""What people in a room do beside the round: being ready, sitting out, talking, and what the host may do."""

import contextlib
from typing import TYPE_CHECKING, Any, Final

from referee_table.commands import (
    AddBot,
    AutoReady,
    Bots,
    Command,
    HandOver,
    Keep,
    Kick,
    Leave,
    Members,
    Pause,
    Ready,
    RemoveBot,
    Rename,
    Say,
    SitOut,
    Unkeep,
)
from referee_table.kept import forget, hand_over, is_kept_by, member_of, remember, shown
from referee_table.people import People, rename
from referee_table.play import Bench, Settled
from referee_table.seating import Seating, judged
from referee_table.state import Person, RoomState, Round
from referee_table.wording import Code, RefusedError, notice

if TYPE_CHECKING:
    from referee_table.room import Room

MOST_BANNED: Final = 100
"""Devices that a room refuses, those sent away last."""


class Company(People):
    """The people of a room and their commands."""

    def __init__(self, bench: Bench, state: RoomState, room: "Room") -> None:
        super().__init__(bench, state)
        self._room = room

    def join(self, person: Person, *, watch: bool = False) -> dict[str, Any]:
        """Add a person to the room; a kept table remembers each player, as far as it has room for members."""
        joined = super().join(person, watch=watch)
        if self._state.kept is not None and not watch:
            with contextlib.suppress(RefusedError):
                self._remember(person)
        self._rename_member(person)
        return joined

    async def do(self, person: Person, command: Command) -> dict[str, Any]:
        """Carry out a command that concerns no round, and return its result."""
        match command:
            case Members():
                return shown(self._state)
            case Keep() | HandOver() | Unkeep():
                self._keep(person, command)
            case _:
                await self._do(person, command)
        return {}

    def _keep(self, person: Person, command: Keep | HandOver | Unkeep) -> None:
        """Change who is a member of a kept table, who its host is, or whether it is kept."""
        match command:
            case Keep(is_kept=True):
                self._remember(person)
            case Keep():
                member = member_of(self._state, person.key)
                if member is not None:
                    forget(self._state, member)
            case HandOver():
                self._require_keeper(person)
                hand_over(self._state, command.person)
            case Unkeep():
                self._require_keeper(person)
                self._state.kept = None

    def _remember(self, person: Person) -> None:
        if member_of(self._state, person.key) is None:
            if self._state.kept is None:
                self.require_host(person)
            self._room.keeper.require_room(person, is_new=self._state.kept is None)
            remember(self._state, person, now=self._bench.clock.now())

    def _rename_member(self, person: Person) -> None:
        member = member_of(self._state, person.key)
        if member is not None:
            member.name, member.avatar = person.name, person.avatar

    def _require_keeper(self, person: Person) -> None:
        if not is_kept_by(self._state, person):
            raise RefusedError(Code.NOT_KEPT if self._state.kept is None else Code.NOT_HOST)

    async def _do(self, person: Person, command: Command) -> None:
        match command:
            case Rename():
                rename(person, command, self._room.keeper.notify)
                self._rename_member(person)
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
            one.stats.add(net)
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
                await self._kick(host, command.person)

    async def _kick(self, host: Person, name: str) -> None:
        """Send somebody out; at a kept table its host alone, who so forgets the member, also one who is away."""
        kept = self._state.kept
        if kept is not None:
            self._require_keeper(host)
        member = next((member for member in kept.members if member.person == name), None) if kept is not None else None
        if member is not None and member.key != host.key and self._state.phase == "LOBBY":
            forget(self._state, member)
            if all(person.person != name for person in self.all):
                self._ban(member.key)
                return
        person = self.named(name)
        if self._state.phase != "LOBBY" or person is host:
            raise RefusedError(Code.WRONG_PHASE)
        if person.is_bot:
            self.all.remove(person)
            return
        self._ban(person.key)
        self._room.keeper.notify(person, notice("KICKED"))
        await self._room.remove(person, Leave(id="kick"))

    def _ban(self, key: str) -> None:
        self._state.banned = [*self._state.banned[-MOST_BANNED + 1 :], key]

    async def _send_out(self, person: Person, code: str) -> None:
        self._room.keeper.notify(person, notice(code, room=self._state.room))
        person.back = self._state.room
        await self._room.remove(person, Leave(id="out"))

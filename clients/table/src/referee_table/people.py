"""The people of a room and its bots: who is there, under which name, with a seat or watching, ready or not."""

from collections.abc import Callable
from typing import Any, Final

from referee_table.commands import AddBot, AutoReady, Command, Ready, RemoveBot, Rename, SitOut
from referee_table.games import GAMES
from referee_table.names import clean_name, is_changed
from referee_table.play import Settled, Setup
from referee_table.seating import Seating, judged
from referee_table.signing import bot_key
from referee_table.state import Person, RoomState, Round
from referee_table.wording import Code, RefusedError, notice

NAMES: Final = ("Máy An", "Máy Bình", "Máy Châu", "Máy Dũng", "Máy Giang", "Máy Hà")
MOST_PEOPLE: Final = 24
"""People of a room, those included who watch or are absent."""
BETWEEN_ROUNDS: Final = frozenset({"LOBBY", "ENDING"})

Notify = Callable[[Person, dict[str, Any]], None]


class People:
    """The people in a room, in the order of its state. ``notify`` sends a message to a person's page."""

    def __init__(self, setup: Setup, state: RoomState, notify: Notify) -> None:
        self._setup, self._state, self._notify = setup, state, notify

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
    def open_seats(self) -> int:
        """Number of seats that people could still take, those of bots included, because bots give way."""
        return max(0, self._setup.law.max_seats - sum(not one.is_bot for one in self.players))

    @property
    def is_somebody_here(self) -> bool:
        """Whether a person has a page open."""
        return any(one.away_time is None for one in self.humans)

    @property
    def sit_out_time(self) -> int | None:
        """Time in ms at which the first person sits out for not being ready; None if nobody will."""
        return min([one.sit_out_time for one in self.all if one.sit_out_time is not None], default=None)

    @property
    def away_limits(self) -> list[int]:
        """Times in ms until which people without a stream keep their seats."""
        away = [one.away_time for one in self.humans if one.away_time is not None and not one.is_sitting_out]
        return [time + self._setup.pace.away_ms for time in away]

    def join(self, person: Person, *, watch: bool) -> dict[str, Any]:
        """Add a person to the room: to play if a seat is free and wanted, to watch otherwise."""
        if person not in self.all:
            person.room, person.came_time = self._state.room, self._setup.clock.now()
            person.seated_time = person.ready_time = person.away_time = person.sit_out_time = None
            person.ante_minor = person.trips_minor = person.score_minor = 0
            person.is_sitting_out, person.is_auto_ready = watch or not self.open_seats, False
            self.all.append(person)
        elif person.is_sitting_out and not watch and self.open_seats:
            person.is_sitting_out = False
        return {"room": self._state.room, "place": place_of(person)}

    def longest_away(self) -> Person | None:
        """Return the absent person who gives way to a new one in a full room; None if it is not full.

        Raise ROOM_FULL if it is full of people who are here or play.
        """
        if len(self.humans) < MOST_PEOPLE:
            return None
        away = [one for one in self.humans if one.away_time is not None and one.is_sitting_out]
        if not away:
            raise RefusedError(Code.ROOM_FULL)
        return min(away, key=lambda one: one.away_time or 0)

    def do(self, person: Person, command: Command) -> None:
        """Carry out a command that concerns no round."""
        match command:
            case Rename():
                rename(person, command, self._notify)
            case Ready():
                self._ready(person, command)
            case AutoReady():
                person.is_auto_ready = command.is_on and not person.is_sitting_out
            case SitOut(is_out=True):
                self._sit_out(person)
            case SitOut():
                if person.is_sitting_out and not self.open_seats:
                    raise RefusedError(Code.NO_SEAT_FREE)
                person.is_sitting_out = False
            case AddBot() | RemoveBot():
                self._change_bots(person, command)
            case _:
                raise RefusedError(Code.WRONG_PHASE)

    def _change_bots(self, person: Person, command: AddBot | RemoveBot) -> None:
        """Seat a bot, or send the last one away between rounds; for people who play."""
        if person.is_sitting_out:
            raise RefusedError(Code.NOT_SEATED)
        if isinstance(command, AddBot):
            self.add_bot()
        elif self._state.phase not in BETWEEN_ROUNDS or len(self.humans) == len(self.all):
            raise RefusedError(Code.WRONG_PHASE)
        else:
            self._drop_bot()

    def add_bot(self) -> None:
        """Seat a bot at a free seat."""
        if len(self.players) >= self._setup.law.max_seats:
            raise RefusedError(Code.NO_SEAT_FREE)
        taken = {one.name for one in self.all}
        name = next(name for name in NAMES if name not in taken)
        identity = self._setup.entropy(8).hex()
        private, public = bot_key(self._setup.entropy(32))
        bot = Person(
            person=f"b{identity}",
            key="",
            name=name,
            is_bot=True,
            room=self._state.room,
            came_time=self._setup.clock.now(),
            seat_key=public,
            signing_key=private,
        )
        self.all.append(bot)

    async def seat(self) -> Seating:
        """Give everybody the place that they should have; say whether to deal."""
        state, now = self._state, self._setup.clock.now()
        for person in self.humans:
            if person.away_time is not None and now >= person.away_time + self._setup.pace.away_ms:
                self._sit_out(person)
            elif person.is_sitting_out:
                person.seated_time = person.ready_time = None
        while len(self.players) > self._setup.law.max_seats and any(one.is_bot for one in self.all):
            self._drop_bot()
        while True:
            self._ready_by_themselves()
            is_wanted = self._ready_bots()
            seating = await judged(self._setup, state, self.players, now=now)
            for person in seating.late:
                self._sit_out(person)
                self._notify(person, notice("SITS_OUT"))
            newly = [one for one in seating.seated if one.seated_time is None]
            for one in newly:
                one.seated_time = now
            if not newly and not seating.late:
                break
        for one in self.all:
            one.sit_out_time = seating.limits.get(one.person)
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
            if one.is_auto_ready and is_played and not one.has_acted:
                one.is_auto_ready = False
                self._notify(one, notice("AUTO_READY_OFF"))

    def _ready(self, person: Person, command: Ready) -> None:
        """Note whether a person wants the next round, and with what bets."""
        if person.seated_time is None:
            raise RefusedError(Code.NOT_SEATED)
        if self._state.phase not in BETWEEN_ROUNDS:
            raise RefusedError(Code.WRONG_PHASE)
        if GAMES[self._setup.law.game].has_bets and command.is_ready:
            law = self._setup.law
            ante = command.ante_minor or person.ante_minor or law.default_ante(self._state.stake_minor)
            trips = person.trips_minor if command.trips_minor is None else command.trips_minor
            if fault := law.bet_fault(ante=ante, trips=trips):
                raise RefusedError(Code.BAD_COMMAND, detail=fault)
            person.ante_minor, person.trips_minor = ante, trips
        person.ready_time = self._setup.clock.now() if command.is_ready else None
        person.is_auto_ready = person.is_auto_ready and command.is_ready

    def _sit_out(self, person: Person) -> None:
        """Let a person watch from now on; a round that they play in goes on."""
        person.is_sitting_out, person.is_auto_ready = True, False
        if self._state.phase in BETWEEN_ROUNDS:
            person.seated_time = person.ready_time = None

    def _drop_bot(self) -> None:
        """Remove the bot that came last."""
        self.all.remove([one for one in self.all if one.is_bot][-1])

    def _ready_by_themselves(self) -> None:
        """Make those ready who asked to be for every round, once the last one has been shown."""
        for one in self.humans if self._state.phase == "LOBBY" else ():
            if one.is_auto_ready and one.seated_time is not None and one.ready_time is None and one.away_time is None:
                one.ready_time = self._setup.clock.now()

    def _ready_bots(self) -> bool:
        """Make bots ready as soon as a person is; return whether one is."""
        ready = [one.ready_time for one in self.humans if one.ready_time is not None]
        for one in self.all:
            if one.is_bot:
                is_ready = bool(ready) and one.seated_time is not None
                one.ready_time = max(min(ready), one.seated_time or 0) if is_ready else None
        return bool(ready)


def place_of(person: Person) -> str:
    """Return ``SEAT``, ``WAITING`` for the seat of the next round, or ``WATCHING``."""
    if person.seated_time is not None:
        return "SEAT"
    return "WATCHING" if person.is_sitting_out else "WAITING"


def rename(person: Person, command: Rename, notify: Notify) -> None:
    """Set a person's name and language; notify the person if ``clean_name`` changed the name.

    Raise BAD_COMMAND for a name without a visible character.
    """
    name = clean_name(command.person_name)
    if not name:
        raise RefusedError(Code.BAD_COMMAND, detail="the name has no visible character")
    person.name, person.language = name, command.language
    if is_changed(command.person_name, name):
        notify(person, notice("NAME_CHANGED"))

"""The people of a room and its bots: who is there, under which name, with a seat or watching, ready or not."""

from collections.abc import Callable
from typing import Any, Final

from nacl.signing import SigningKey

from referee_table.commands import AddBot, Command, Ready, RemoveBot, SitOut
from referee_table.games import GAMES
from referee_table.play import Setup
from referee_table.seating import judged
from referee_table.state import Person, RoomState
from referee_table.words import RefusedError, notice

NAMES: Final = ("Máy An", "Máy Bình", "Máy Châu", "Máy Dũng", "Máy Giang", "Máy Hà")
MOST_PEOPLE: Final = 24
"""People of a room, those included who watch or are absent."""
BETWEEN_ROUNDS: Final = frozenset({"LOBBY", "ENDING"})

Notify = Callable[[Person, dict[str, Any]], None]


class People:
    """The people in a room, in the order of its state. ``notify`` sends a message to a person's page."""

    def __init__(self, setup: Setup, state: RoomState, notify: Notify) -> None:
        self.setup, self.state, self.notify = setup, state, notify

    @property
    def humans(self) -> list[Person]:
        """All people who are no bots."""
        return [one for one in self.state.people if not one.is_bot]

    @property
    def players(self) -> list[Person]:
        """All who have a seat or want one, bots included."""
        return [one for one in self.state.people if not one.is_sitting_out]

    @property
    def open_seats(self) -> int:
        """Number of seats that people could still take, those of bots included, because bots give way."""
        return max(0, self.setup.law.max_seats - sum(not one.is_bot for one in self.players))

    @property
    def is_somebody_here(self) -> bool:
        """Whether a person has a page open."""
        return any(one.away_time is None for one in self.humans)

    @property
    def away_limits(self) -> list[int]:
        """Times in ms until which people without a stream keep their seats."""
        away = [one.away_time for one in self.humans if one.away_time is not None and not one.is_sitting_out]
        return [time + self.setup.plan.pace.away_ms for time in away]

    def join(self, person: Person) -> dict[str, Any]:
        """Add a person to the room: to play if a seat is free, to watch otherwise."""
        if person not in self.state.people:
            person.room, person.came_time = self.state.room, self.setup.plan.clock.now()
            person.seated_time = person.ready_time = person.away_time = person.sit_out_time = None
            person.ante_minor = person.trips_minor = person.score_minor = 0
            person.is_sitting_out = not self.open_seats
            self.state.people.append(person)
        elif person.is_sitting_out and self.open_seats:
            person.is_sitting_out = False
        return {"room": self.state.room, "place": place_of(person)}

    def longest_away(self) -> Person | None:
        """Return the absent person who gives way to a new one in a full room; None if it is not full.

        Raise ROOM_FULL if it is full of people who are here or play.
        """
        if len(self.humans) < MOST_PEOPLE:
            return None
        away = [one for one in self.humans if one.away_time is not None and one.is_sitting_out]
        if not away:
            raise RefusedError("ROOM_FULL")
        return min(away, key=lambda one: one.away_time or 0)

    def do(self, person: Person, command: Command) -> None:
        """Carry out a command that concerns no round."""
        match command:
            case Ready():
                self._ready(person, command)
            case SitOut(is_out=True):
                self._sit_out(person)
            case SitOut():
                if person.is_sitting_out and not self.open_seats:
                    raise RefusedError("NO_SEAT_FREE")
                person.is_sitting_out = False
            case AddBot() | RemoveBot():
                self._change_bots(person, command)
            case _:
                raise RefusedError("WRONG_PHASE")

    def _change_bots(self, person: Person, command: AddBot | RemoveBot) -> None:
        """Seat a bot, or send the last one away between rounds; for people who play."""
        if person.is_sitting_out:
            raise RefusedError("NOT_SEATED")
        if isinstance(command, AddBot):
            self.add_bot()
        elif self.state.phase not in BETWEEN_ROUNDS or len(self.humans) == len(self.state.people):
            raise RefusedError("WRONG_PHASE")
        else:
            self._drop_bot()

    def add_bot(self) -> None:
        """Seat a bot at a free seat."""
        if len(self.players) >= self.setup.law.max_seats:
            raise RefusedError("NO_SEAT_FREE")
        taken = {one.name for one in self.state.people}
        name = next(name for name in NAMES if name not in taken)
        bot = Person(
            person=f"b{self.setup.plan.entropy(8).hex()}", key="", name=name, is_bot=True, room=self.state.room
        )
        bot.came_time, bot.signing_key = self.setup.plan.clock.now(), self.setup.plan.entropy(32)
        bot.seat_key = bytes(SigningKey(bot.signing_key).verify_key)
        self.state.people.append(bot)

    async def seat(self) -> tuple[list[Person] | None, int | None]:
        """Give everybody the place that they should have.

        Return the people to deal to, in order of seats, None if no deal is due; and when to do this again.
        """
        state, now = self.state, self.setup.plan.clock.now()
        for person in self.humans:
            if person.away_time is not None and now >= person.away_time + self.setup.plan.pace.away_ms:
                self._sit_out(person)
            elif person.is_sitting_out:
                person.seated_time = person.ready_time = None
        while len(self.players) > self.setup.law.max_seats and any(one.is_bot for one in self.state.people):
            self._drop_bot()
        while True:
            is_wanted = self._ready_bots()
            seating = await judged(self.setup, state, self.players, now=now)
            for person in seating.late:
                self._sit_out(person)
                self.notify(person, notice("SITS_OUT"))
            newly = [one for one in seating.seated if one.seated_time is None]
            for one in newly:
                one.seated_time = now
            if not newly and not seating.late:
                break
        for one in self.state.people:
            one.sit_out_time = seating.limits.get(one.person)
        return seating.seated if is_wanted and seating.is_deal_due else None, seating.next_time

    def score(self, record: dict[str, Any]) -> None:
        """Add a settled round to what its players have won in this room."""
        nets = {seat["person"]: seat["net_minor"] for seat in record["seats"]}
        for one in self.state.people:
            one.score_minor += nets.get(one.person, 0)

    def _ready(self, person: Person, command: Ready) -> None:
        """Note whether a person wants the next round, and with what bets."""
        if person.seated_time is None:
            raise RefusedError("NOT_SEATED")
        if self.state.phase not in BETWEEN_ROUNDS:
            raise RefusedError("WRONG_PHASE")
        if GAMES[self.setup.law.game].has_bets and command.is_ready:
            law = self.setup.law
            ante = command.ante_minor or person.ante_minor or law.default_ante(self.state.stake_minor)
            trips = person.trips_minor if command.trips_minor is None else command.trips_minor
            if fault := law.bet_fault(ante=ante, trips=trips):
                raise RefusedError("BAD_COMMAND", detail=fault)
            person.ante_minor, person.trips_minor = ante, trips
        person.ready_time = self.setup.plan.clock.now() if command.is_ready else None

    def _sit_out(self, person: Person) -> None:
        """Let a person watch from now on; a round that they play in goes on."""
        person.is_sitting_out = True
        if self.state.phase in BETWEEN_ROUNDS:
            person.seated_time = person.ready_time = None

    def _drop_bot(self) -> None:
        """Remove the bot that came last."""
        self.state.people.remove([one for one in self.state.people if one.is_bot][-1])

    def _ready_bots(self) -> bool:
        """Make bots ready as soon as a person is; return whether one is."""
        first = min([one.ready_time for one in self.humans if one.ready_time is not None], default=None)
        for one in self.state.people:
            if one.is_bot:
                one.ready_time = None if first is None or one.seated_time is None else max(first, one.seated_time)
        return first is not None


def place_of(person: Person) -> str:
    """Return ``SEAT``, ``WAITING`` for the seat of the next round, or ``WATCHING``."""
    if person.seated_time is not None:
        return "SEAT"
    return "WATCHING" if person.is_sitting_out else "WAITING"

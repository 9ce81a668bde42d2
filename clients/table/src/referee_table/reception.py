"""Ways into a room: a new one, an invitation, a seat at once; and what is asked before going in."""

from typing import TYPE_CHECKING, Any, Final

from referee_table.commands import Create, DeviceScores, ForgetScores, Join, Leave, Preview, Quick, Rename, Rules
from referee_table.laws import STAKES
from referee_table.people import rename
from referee_table.room import Room
from referee_table.rulebook import rules_of
from referee_table.state import Person, RoomState
from referee_table.view import listing_of
from referee_table.wording import Code, RefusedError

if TYPE_CHECKING:
    from referee_table.hall import Hall

Roomless = Preview | Rules | DeviceScores | ForgetScores
"""Commands that are answered alike inside and outside a room."""
MOST_ROOMS: Final = 1000
QUICK_SEATS: Final = 4
"""Number of seats that quick play fills with bots, if the game has that many."""
_ALPHABET: Final = "abcdefghjkmnpqrstuvwxyz23456789"


def answered(hall: "Hall", person: Person, command: Roomless | Rename) -> dict[str, Any]:
    """Answer a command that needs no room."""
    try:
        return {"type": "done", "id": command.id, "result": _answer(hall, person, command)}
    except RefusedError as error:
        return error.message(command.id)


def _answer(hall: "Hall", person: Person, command: Roomless | Rename) -> dict[str, Any]:
    match command:
        case Preview():
            room = hall.rooms.get(command.room)
            if room is None or not (room.people.humans or room.state.kept):
                raise RefusedError(Code.NO_ROOM)
            return listing_of(room)
        case Rules():
            law = hall.laws.get(command.ruleset)
            if law is None:
                raise RefusedError(Code.BAD_COMMAND, detail="no such ruleset")
            return rules_of(law)
        case Rename():
            rename(person, command, hall.notify)
            return {}
        case ForgetScores():
            hall.scores.forget(person.key)
    return hall.scores.shown(person.key)


async def go(hall: "Hall", person: Person, command: Create | Join | Quick) -> dict[str, Any]:
    """Move the person to an existing or a new room."""
    if isinstance(command, Quick):
        return await _quick(hall, person, command)
    try:
        room = _made(hall, command) if isinstance(command, Create) else hall.rooms.get(command.room)
    except RefusedError as error:
        return error.message(command.id)
    if room is None:
        return RefusedError(Code.NO_ROOM).message(command.id)
    watch = isinstance(command, Join) and command.watch
    bots = command.bots if isinstance(command, Create) else 0
    return await _enter(hall, person, room, Join(id=command.id, room=room.state.room, watch=watch), bots=bots)


async def _quick(hall: "Hall", person: Person, command: Quick) -> dict[str, Any]:
    """Seat a person at any open table of a ruleset, or at a new one with bots, and make them ready."""
    stake = command.stake_minor or STAKES[0]
    law = hall.laws.get(command.ruleset)
    room = next((one for one in hall.rooms.values() if _is_quick(one, person, command.ruleset, stake)), None)
    bots = 0
    try:
        if room is None:
            bots = 0 if law is None else min(law.max_seats, QUICK_SEATS) - 1
            room = _made(hall, Create(id=command.id, ruleset=command.ruleset, stake_minor=stake, bots=bots))
    except RefusedError as error:
        return error.message(command.id)
    answer = await _enter(hall, person, room, Join(id=command.id, room=room.state.room), bots=bots)
    if answer["type"] == "done":
        answer["result"]["is_new"] = bool(bots)
        room.post(lambda: _want_ready(person))
    return answer


async def _enter(hall: "Hall", person: Person, room: Room, command: Join, *, bots: int) -> dict[str, Any]:
    before = hall.rooms.get(person.room)
    if before is not None and before is not room:
        await before.ask(person, Leave(id=f"{command.id}/leave"[-64:]))
    answer = await room.ask(person, command)
    for _ in range(bots):
        room.post(room.people.add_bot)
    if person.room == room.state.room and person.key not in hall.streams:
        now = hall.house.clock.now()
        room.post(lambda: set_away(person, now))
    hall.show(person)
    return answer


def _made(hall: "Hall", command: Create) -> Room:
    law = hall.laws.get(command.ruleset)
    if law is None or command.stake_minor not in STAKES or command.bots >= law.max_seats:
        raise RefusedError(Code.BAD_COMMAND, detail="no such ruleset, stake or number of bots")
    if command.sealed and (not law.shown["can_seal"] or hall.house.gateway is None):
        raise RefusedError(Code.BAD_COMMAND, detail=f"{law.game} cannot be sealed here")
    if len(hall.rooms) >= MOST_ROOMS:
        raise RefusedError(Code.TOO_MANY)
    name = "".join(_ALPHABET[byte % len(_ALPHABET)] for byte in hall.house.entropy(10))
    state = RoomState(
        room=name,
        ruleset=law.id,
        stake_minor=command.stake_minor,
        is_sealed=command.sealed,
        is_listed=command.listed,
        made_time=hall.house.clock.now(),
        bot_level=command.bot_level,
        bot_pace=command.bot_pace,
    )
    return hall.open(state, [])


def _is_quick(room: Room, person: Person, ruleset: str, stake: int) -> bool:
    """Return whether quick play may lead to this room: open, between rounds, with a free seat and a person present.

    A room in a round would make the person watch, for as long as its players take.
    """
    state = room.state
    is_open = state.is_listed and not state.is_sealed and not state.is_paused and state.phase == "LOBBY"
    is_fit = is_open and room.people.open_seats > 0 and any(one.away_time is None for one in room.people.humans)
    return is_fit and (state.ruleset, state.stake_minor) == (ruleset, stake) and person.key not in state.banned


def _want_ready(person: Person) -> None:
    person.wants_ready = True


def set_away(person: Person, moment: int | None) -> None:
    """Note since when a person has no stream, None for one who has."""
    person.away_time = moment

"""A room as one person sees it. Nothing that the person may not know is in it, whatever the page does with it."""

import base64
from typing import Any

from google.protobuf.json_format import MessageToDict

from referee_table.cards import texts
from referee_table.games import GAMES
from referee_table.people import place_of
from referee_table.records import shown, shown_seat
from referee_table.room_rounds import RoomRounds
from referee_table.state import Person, Round


def view_of(room: RoomRounds, person: Person) -> dict[str, Any]:
    """Return the whole room, as PROTOCOL.md describes it."""
    state = room.state
    law = room.setup.law
    ante = law.default_ante(state.stake_minor) if GAMES[law.game].has_bets else None
    return {
        "type": "view",
        "room": state.room,
        "version": state.version,
        "time": room.setup.clock.now(),
        "ruleset": state.ruleset,
        "stake_minor": state.stake_minor,
        "sealed": state.is_sealed,
        "phase": state.phase,
        "phase_end_time": state.phase_end_time,
        "you": person.person,
        "persons": [_person(one, ante=ante) for one in state.people],
        "round": None if state.round is None else _round(room, state.round, person),
        "last": None if state.last is None else shown(state.last),
    }


def preview_of(room: RoomRounds) -> dict[str, Any]:
    """Return the room as a link to it shows it."""
    state = room.state
    return {
        "room": state.room,
        "ruleset": state.ruleset,
        "stake_minor": state.stake_minor,
        "sealed": state.is_sealed,
        "persons": [one.name for one in state.people],
        "open_seats": room.people.open_seats,
    }


def _person(one: Person, *, ante: int | None) -> dict[str, Any]:
    given: dict[str, Any] = {
        "person": one.person,
        "name": one.name,
        "is_bot": one.is_bot,
        "is_away": one.away_time is not None,
        "is_ready": one.ready_time is not None,
        "is_auto_ready": one.is_auto_ready,
        "place": place_of(one),
        "score_minor": one.score_minor,
    }
    if one.sit_out_time is not None:
        given["sit_out_time"] = one.sit_out_time
    if ante is not None:
        given |= {"ante_minor": one.ante_minor or ante, "trips_minor": one.trips_minor}
    return given


def _round(room: RoomRounds, made: Round, person: Person) -> dict[str, Any]:
    state, seats = room.state, [one.person for one in made.seats]
    seat = seats.index(person.person) if person.person in seats else None
    given: dict[str, Any] = {
        "number": made.number,
        "table": made.table,
        "round_id": made.round_id.hex(),
        "seats": [shown_seat(one) for one in made.seats],
        "you": seat,
    }
    game = room.game
    if game is None:
        return given
    given["header"] = MessageToDict(game.message.header)
    if state.phase != "BINDING":
        given["server_commitment"] = game.server_commitment.hex()
    play = room.play
    if play is None:
        given["bound"] = [place for place, one in enumerate(made.commitments) if one]
        given["seeded"] = [place for place, one in enumerate(made.seeds) if one and state.phase != "BINDING"]
        return given
    given["dealt_time"] = game.dealt_time
    if room.setup.is_sealed:
        given["certificates"] = [base64.b64encode(one).decode() for one in play.message.certificates]
    elif seat is not None:
        given["hand"] = texts(play.hands[seat])
    return given | play.view(seat) | play.course(seat)

"""A room as one person sees it. Nothing that the person may not know is in it, whatever the page does with it."""

import base64
from typing import Any

from google.protobuf.json_format import MessageToDict

from referee_table.people import place_of
from referee_table.play import Setup
from referee_table.records import shown_record, shown_seat
from referee_table.rounds import Rounds
from referee_table.shown import fields, texts
from referee_table.state import Person, RoomState, Round


def view_of(setup: Setup, state: RoomState, rounds: Rounds, person: Person) -> dict[str, Any]:
    """Return the whole room, as PROTOCOL.md describes it."""
    return fields(state, "room version ruleset stake_minor phase phase_end_time") | {
        "type": "view",
        "time": setup.plan.clock.now(),
        "sealed": state.is_sealed,
        "you": person.person,
        "persons": [_person(one) for one in state.people],
        "round": None if state.round is None else _round(setup, state, rounds, state.round, person),
        "last": None if state.last is None else shown_record(state.last),
    }


def _person(one: Person) -> dict[str, Any]:
    given = fields(one, "person name is_bot score_minor") | {
        "is_away": one.away_time is not None,
        "is_ready": one.ready_time is not None,
        "place": place_of(one),
    }
    if one.sit_out_time is not None:
        given["sit_out_time"] = one.sit_out_time
    return given


def _round(setup: Setup, state: RoomState, rounds: Rounds, made: Round, person: Person) -> dict[str, Any]:
    game, play, seat = rounds.game, rounds.play, made.seat_of(person)
    given = fields(made, "number table") | {
        "round_id": made.round_id.hex(),
        "seats": [shown_seat(one) for one in made.seats],
        "you": seat,
    }
    if game is None:
        return given
    given["header"] = MessageToDict(game.message.header)
    if state.phase != "BINDING":
        given["server_commitment"] = game.server_commitment.hex()
    if play is None:
        given["bound"] = [place for place, one in enumerate(made.commitments) if one]
        given["seeded"] = [place for place, one in enumerate(made.seeded) if one]
        return given
    given["dealt_time"] = game.dealt_time
    if setup.is_sealed:
        given["certificates"] = [base64.b64encode(one).decode() for one in play.message.certificates]
    elif seat is not None:
        given["hand"] = texts(play.hands[seat])
    return given | play.view(seat) | play.course(seat)

"""A room as one person sees it. Nothing that the person may not know is in it, whatever the page does with it."""

import base64
from functools import lru_cache
from typing import Any

import msgspec
from google.protobuf.json_format import MessageToDict

from referee.v1 import round_pb2
from referee_table.cards import texts
from referee_table.dealing import CURRENCY
from referee_table.games import GAMES
from referee_table.judge import Judge
from referee_table.kept import member_of
from referee_table.people import place_of
from referee_table.records import shown, shown_seat
from referee_table.room import Room
from referee_table.state import Person, Round


def view_of(room: Room, person: Person) -> dict[str, Any]:
    """Return the whole room, as PROTOCOL.md describes it."""
    state = room.state
    law, host = room.bench.law, room.people.host
    ante = law.default_ante(state.stake_minor) if GAMES[law.game].has_bets else None
    return {
        "type": "view",
        "room": state.room,
        "version": state.version,
        "time": room.bench.clock.now(),
        "ruleset": state.ruleset,
        "stake_minor": state.stake_minor,
        "currency": CURRENCY,
        "sealed": state.is_sealed,
        "phase": state.phase,
        "deadline": room.people.kick_time if state.phase == "LOBBY" else state.deadline,
        "referee": reached(room.bench.judge),
        "scene_until": state.scene_until,
        "is_paused": state.is_paused,
        "bot_level": state.bot_level,
        "bot_pace": state.bot_pace,
        "kept_until": None if state.kept is None else state.kept.until,
        "is_member": member_of(state, person.key) is not None,
        "you": person.person,
        "persons": [_person(one, is_host=one is host, ante=ante) for one in state.people],
        "round": None if state.round is None else _round(room, state.round, person),
        "last": None if state.last is None else shown(state.last),
    }


def reached(judge: Judge) -> str:
    """Return ``REACHED`` if the referee answers, ``AWAY`` if not."""
    return "REACHED" if judge.is_reached else "AWAY"


def listing_of(room: Room) -> dict[str, Any]:
    """Return the room in the lobby's list, and as an invitation shows it."""
    state, host = room.state, room.people.host
    kept = {} if state.kept is None else {"kept_until": state.kept.until}
    name = state.kept.members[0].name if state.kept is not None else "" if host is None else host.name
    return kept | {
        "room": state.room,
        "ruleset": state.ruleset,
        "stake_minor": state.stake_minor,
        "sealed": state.is_sealed,
        "phase": state.phase,
        "persons": [one.name for one in state.people],
        "free_seats": room.people.free_seats,
        "open_seats": room.people.open_seats,
        "max_seats": room.bench.law.max_seats,
        "host": name,
        "bots": sum(one.is_bot for one in state.people),
        "watchers": len(state.people) - len(room.people.players),
    }


def table_of(room: Room, person: Person) -> dict[str, Any]:
    """Return a kept table as its member's lobby lists it: the members, the own score, and the last round's time."""
    member, last = member_of(room.state, person.key), room.state.last
    return listing_of(room) | {
        "members": [each.name for each in room.state.kept.members] if room.state.kept is not None else [],
        "score_minor": 0 if member is None else member.stats.net_minor,
        "time": None if last is None else last["time"],
    }


def _person(one: Person, *, is_host: bool, ante: int | None) -> dict[str, Any]:
    given: dict[str, Any] = {
        "person": one.person,
        "name": one.name,
        "is_bot": one.is_bot,
        "is_away": one.away_time is not None,
        "is_ready": one.ready_time is not None,
        "is_seated": one.seated_time is not None,
        "place": place_of(one),
        "is_host": is_host,
        "is_auto_ready": one.is_auto_ready,
        "avatar": one.avatar,
        "score_minor": one.stats.net_minor,
        "stats": msgspec.structs.asdict(one.stats),
    }
    if one.kick_time is not None:
        given["kick_time"] = one.kick_time
    if one.said is not None:
        given["said"] = msgspec.structs.asdict(one.said)
    if ante is not None:
        given |= {"ante_minor": one.ante_minor or ante, "trips_minor": one.trips_minor}
    return given


def _round(room: Room, made: Round, person: Person) -> dict[str, Any]:
    seats = [one.person for one in made.seats]
    seat = seats.index(person.person) if person.person in seats else None
    given: dict[str, Any] = {
        "number": made.number,
        "table": made.table,
        "round_id": made.round_id.hex(),
        "header": _header(made.header),
        "seats": [shown_seat(one) for one in made.seats],
        "you": seat,
    }
    if made.server_commitment:
        given["server_commitment"] = made.server_commitment.hex()
    play = room.play
    if play is None:
        given["bound"] = [place for place, one in enumerate(made.commitments) if one]
        given["seeded"] = [place for place, one in enumerate(made.seeds) if one and made.server_commitment]
        return given
    given["dealt_time"] = made.dealt_time
    if room.bench.is_sealed:
        given["certificates"] = [base64.b64encode(one).decode() for one in play.certificates()]
    elif seat is not None:
        given["hand"] = texts(made.hands[seat])
    return given | play.view(seat) | play.course(seat)


@lru_cache(maxsize=1024)
def _header(data: bytes) -> dict[str, Any]:
    """Return the header as proto JSON; sent, never changed."""
    return MessageToDict(round_pb2.RoundHeader.FromString(data))

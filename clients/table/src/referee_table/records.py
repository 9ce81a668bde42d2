"""Records of ended rounds, for the room's file and for pages."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from referee_client import Proved

from referee.evidence.outside import OutsideError, read_json
from referee_table.cards import texts
from referee_table.commands import Command, History, Replay
from referee_table.play import Play, Settled
from referee_table.state import RoomState, Round, RoundSeat
from referee_table.wording import Code, RefusedError

LOG: Final = logging.getLogger("referee_table")


def record_of(made: Round, end: str, *, time: int) -> dict[str, Any]:
    """Return the record of a round, however it ended."""
    return {
        "number": made.number,
        "table": made.table,
        "round_id": made.round_id.hex(),
        "time": time,
        "end": end,
        "seats": [shown_seat(one) for one in made.seats],
    }


def shown_seat(one: RoundSeat) -> dict[str, Any]:
    """Return who sits in a seat of a round, with the seat's public key where it has one."""
    given = {"person": one.person, "name": one.name, "is_bot": one.is_bot}
    return given | ({"key": one.key.hex()} if one.key else {})


def settled_record(play: Play, settled: Settled, *, time: int) -> dict[str, Any]:
    """Return the record of a settled round; "replay" has what only a replay needs."""
    made, hands = play.round, [texts(hand) for hand in play.hands]
    given = record_of(made, "SETTLED", time=time)
    lines = zip(given["seats"], settled.shown["seats"], hands, strict=True)
    seats = [who | line | {"hand": hand} for who, line, hand in lines]
    leads = {} if play.game.leader is None else {"leader": play.game.leader}
    replay = {"hands": hands, **leads, "events": play.events()}
    return given | settled.shown | {"seats": seats, "proof": proof_of(made, settled.leaf), "replay": replay}


def shown(given: dict[str, Any]) -> dict[str, Any]:
    """Return a finished round without what only a replay needs."""
    return {name: value for name, value in given.items() if name != "replay"}


def proof_of(made: Round, leaf: Proved) -> dict[str, Any]:
    """Place of a round's end in the log."""
    return {
        "leaf_index": leaf.index,
        "leaf_hash": leaf.leaf_hash.hex(),
        "bundle": f"/api/bundles/{made.table}/{made.number}",
        "is_revealed": False,
    }


def remembered(records: Sequence[dict[str, Any]], command: Command) -> dict[str, Any]:
    """Return the rounds that have ended, or the one that is asked for."""
    if isinstance(command, History):
        return {"rounds": [shown(one) for one in reversed(records)]}
    if not isinstance(command, Replay):
        raise RefusedError(Code.WRONG_PHASE)
    one = record_at(records, table=command.table, number=command.number)
    return {**shown(one), **one.get("replay", {})}


def record_at(records: Sequence[dict[str, Any]], *, table: str, number: int) -> dict[str, Any]:
    """Return the record of a round; raise NO_ROUND if the room does not keep it."""
    for one in records:
        if (one["table"], one["number"]) == (table, number):
            return one
    raise RefusedError(Code.NO_ROUND)


def read_room(path: Path) -> RoomState | None:
    """Read a room's file; log one that cannot be read, which stays where it is, and return None."""
    try:
        return read_json(path.read_bytes(), RoomState)
    except (OSError, OutsideError) as error:
        LOG.warning("%s cannot be read: %s", path, error)
        return None


def read_records(path: Path) -> list[dict[str, Any]]:
    """Read the newest record of each round of a room's file; skip lines that are none, such as one cut off."""
    records: dict[tuple[str, int], dict[str, Any]] = {}
    for line in path.read_bytes().splitlines() if path.exists() else []:
        try:
            record = read_json(line, dict[str, Any])
            records[str(record["table"]), int(record["number"])] = record
        except (ValueError, TypeError, LookupError):
            continue
    return list(records.values())

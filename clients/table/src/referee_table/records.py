"""Records of ended rounds, for the room's file and for pages."""

from collections.abc import Sequence
from typing import Any

from referee_client import Proved

from referee_table.commands import History, Replay
from referee_table.play import Play
from referee_table.shown import fields, texts
from referee_table.state import Round, RoundSeat
from referee_table.words import RefusedError


def record_of(made: Round, end: str, *, time: int) -> dict[str, Any]:
    """Return the record of a round, however it ended."""
    seats = [shown_seat(one) for one in made.seats]
    return fields(made, "number table") | {"round_id": made.round_id.hex(), "time": time, "end": end, "seats": seats}


def settled_record(play: Play, outcome: dict[str, Any], leaf: Proved, *, time: int) -> dict[str, Any]:
    """Return the record of a settled round; "replay" has what only a replay needs."""
    made, record = play.round, record_of(play.round, "SETTLED", time=time)
    seats = [who | line for who, line in zip(record["seats"], outcome["seats"], strict=True)]
    leads = {} if play.game.leader is None else {"leader": play.game.leader}
    replay = {"hands": [texts(hand) for hand in play.hands], **leads, **play.replay()}
    return record | outcome | {"seats": seats, "proof": proof_of(made, leaf), "replay": replay}


def proof_of(made: Round, leaf: Proved) -> dict[str, Any]:
    """Return the place of a round's end in the log."""
    bundle = f"/api/bundles/{made.table}/{made.number}"
    return {"leaf_index": leaf.index, "leaf_hash": leaf.leaf_hash.hex(), "bundle": bundle}


def shown_seat(one: RoundSeat) -> dict[str, Any]:
    """Return who sits in a seat of a round, with the seat's public key where it has one."""
    return fields(one, "person name") | ({"key": one.key.hex()} if one.key else {})


def shown_record(record: dict[str, Any]) -> dict[str, Any]:
    """Return a finished round without what only a replay needs."""
    return {name: value for name, value in record.items() if name != "replay"}


def remembered(records: Sequence[dict[str, Any]], command: History | Replay) -> dict[str, Any]:
    """Return the rounds that have ended, or the one that is asked for; raise NO_ROUND if the room does not keep it."""
    if isinstance(command, History):
        return {"rounds": [shown_record(record) for record in reversed(records)]}
    for record in records:
        if (record["table"], record["number"]) == (command.table, command.number):
            return {**shown_record(record), **record.get("replay", {})}
    raise RefusedError("NO_ROUND")

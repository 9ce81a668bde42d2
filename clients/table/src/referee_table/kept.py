"""Kept tables: rooms that stay when everybody has left, and remember their members, their scores and their nets.

A kept table is a room like any other while it is played. Only its link leads there; who comes by it to play becomes a
member, who watches does not. It is deleted 90 days after its last round, or when its last member leaves it.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from referee_table.records import pairs_of
from referee_table.state import Kept, Member, Net, Person, RoomState, Round
from referee_table.wording import Code, RefusedError

KEPT_MS: Final = 90 * 24 * 3600 * 1000
"""Time after a kept table's last round until it is deleted."""
MOST_MEMBERS: Final = 24
MOST_KEPT: Final = 200
"""Kept tables of a table server."""
MOST_OF_A_DEVICE: Final = 20
"""Kept tables that one device is a member of."""


def member_of(state: RoomState, key: str) -> Member | None:
    """Return the member whose device this is; None in a room that does not remember it."""
    return None if state.kept is None else next((each for each in state.kept.members if each.key == key), None)


def is_kept_by(state: RoomState, person: Person) -> bool:
    """Return whether the person is the host of a kept table."""
    return state.kept is not None and state.kept.members[0].key == person.key


def require_room(states: Sequence[RoomState], person: Person, *, is_new: bool) -> None:
    """Raise TOO_MANY if the person cannot be a member of one more table, or no more tables can be kept."""
    if sum(member_of(state, person.key) is not None for state in states) >= MOST_OF_A_DEVICE:
        raise RefusedError(Code.TOO_MANY, detail=f"you are a member of {MOST_OF_A_DEVICE} tables; leave one of them")
    if is_new and sum(state.kept is not None for state in states) >= MOST_KEPT:
        raise RefusedError(Code.TOO_MANY, detail=f"this table server keeps at most {MOST_KEPT} tables")


def remember(state: RoomState, person: Person, *, now: int) -> None:
    """Make the person a member, the first one the host of a table that is kept from now on."""
    if state.kept is None:
        state.kept, state.is_listed = Kept(until=now + KEPT_MS), False
    if len(state.kept.members) >= MOST_MEMBERS:
        raise RefusedError(Code.ROOM_FULL, detail=f"a table has at most {MOST_MEMBERS} members")
    stats = msgspec.structs.replace(person.stats)
    named = {"person": person.person, "name": person.name, "avatar": person.avatar}
    state.kept.members.append(Member(key=person.key, stats=stats, **named))


def forget(state: RoomState, member: Member) -> None:
    """Remove a member with its scores and nets; the table is kept for the others, the next of whom is then its host."""
    kept = state.kept
    if kept is not None:
        kept.members.remove(member)
        kept.nets = [net for net in kept.nets if member.person not in {net.payer, net.payee}]
        if not kept.members:
            state.kept = None


def hand_over(state: RoomState, name: str) -> None:
    """Make the member of this public name the host; raise BAD_COMMAND if there is none."""
    members = [] if state.kept is None else state.kept.members
    for member in members:
        if member.person == name:
            members.remove(member)
            members.insert(0, member)
            return
    raise RefusedError(Code.BAD_COMMAND, detail="nobody of that name is a member of this table")


def count(state: RoomState, made: Round, nets: Sequence[int], transfers: Sequence[dict[str, Any]], *, now: int) -> None:
    """Add a settled round to the members' scores and to what they have paid each other."""
    if state.kept is None:
        return
    state.kept.until = now + KEPT_MS
    seated = [member_of(state, seat.device) for seat in made.seats]
    for member, net in zip(seated, nets, strict=True):
        if member is not None:
            member.stats.add(net)
    for pair in pairs_of(transfers):
        both = [seated[seat] if seat < len(seated) else None for seat in (pair["payer"], pair["payee"])]
        if both[0] is not None and both[1] is not None:
            _pay(state.kept, both[0].person, both[1].person, pair["amount_minor"])


def _pay(kept: Kept, payer: str, payee: str, amount: int) -> None:
    for net in kept.nets:
        if {net.payer, net.payee} == {payer, payee}:
            net.amount_minor += amount if net.payer == payer else -amount
            return
    kept.nets.append(Net(payer, payee, amount))


def shown(state: RoomState) -> dict[str, Any]:
    """Return a kept table as its members see it: until when, who they are, and the net of each pair."""
    kept = state.kept
    if kept is None:
        raise RefusedError(Code.NOT_KEPT)
    here = {person.key for person in state.people if person.away_time is None}
    members = [
        {
            "person": member.person,
            "name": member.name,
            "avatar": member.avatar,
            "is_host": member is kept.members[0],
            "is_here": member.key in here,
            "stats": msgspec.to_builtins(member.stats),
        }
        for member in kept.members
    ]
    turned = [net if net.amount_minor > 0 else Net(net.payee, net.payer, -net.amount_minor) for net in kept.nets]
    pairs = [msgspec.to_builtins(net) for net in turned if net.amount_minor]
    return {"room": state.room, "until": kept.until, "members": members, "pairs": pairs}

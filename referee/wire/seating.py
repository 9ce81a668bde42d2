"""Messages of SeatingService: the people in a room, and the decision for each."""

from collections.abc import Sequence

from referee.games.seating import Person, Seating
from referee.rulesets import Ruleset
from referee.v1 import seating_pb2
from referee.wire.refusal import invalid_field, missing_field

MAX_PERSONS = 256


def read_people(messages: Sequence[seating_pb2.Person], *, field: str) -> list[Person]:
    """Read the people in a room; refuse more than 256 of them, and a person without a name."""
    if len(messages) > MAX_PERSONS:
        raise invalid_field(f"{len(messages)} people are too many for a room", field=field)
    for index, message in enumerate(messages):
        if not message.person_id:
            raise missing_field("name the person", field=f"{field}[{index}].person_id")
    return [
        Person(
            name=message.person_id,
            came_time=message.came_time,
            seated_time=message.seated_time if message.HasField("seated_time") else None,
            ready_time=message.ready_time if message.HasField("ready_time") else None,
        )
        for message in messages
    ]


def write_seating(seating: Seating, people: Sequence[Person], ruleset: Ruleset) -> seating_pb2.DecideSeatingResponse:
    """Write the decision for each person, in the order of the request."""
    action = seating_pb2.SEATING_ACTION_DEAL if seating.is_deal_due else seating_pb2.SEATING_ACTION_WAIT
    return seating_pb2.DecideSeatingResponse(
        decisions=[_write_decision(seating, person) for person in people],
        action=action,
        next_time=seating.next_time,
        ruleset_digest=ruleset.digest,
    )


def _write_decision(seating: Seating, person: Person) -> seating_pb2.SeatingDecision:
    if person.name in seating.sent_out:
        verdict = seating_pb2.SEATING_VERDICT_KICK
    elif person.name in seating.watching:
        verdict = seating_pb2.SEATING_VERDICT_WATCH
    elif person.ready_time is not None:
        verdict = seating_pb2.SEATING_VERDICT_READY
    else:
        verdict = seating_pb2.SEATING_VERDICT_SEATED
    seat = seating.seated.index(person.name) if person.name in seating.seated else None
    return seating_pb2.SeatingDecision(person_id=person.name, verdict=verdict, seat=seat)

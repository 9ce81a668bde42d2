"""SeatingService: who sits, waits, watches or goes, judged from what the frontend tells."""

from collections.abc import Callable

import grpc

from referee.games.mau_binh.seating import SeatingError, seat_people
from referee.rulesets import Catalogue
from referee.v1 import seating_pb2, seating_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.ruleset import find_ruleset, mau_binh_rules
from referee.wire.seating import read_people, write_seating


class SeatingService(seating_pb2_grpc.SeatingServiceServicer):
    """Judges rooms by the clock handed in, where the caller names no moment."""

    def __init__(self, catalogue: Catalogue, clock: Callable[[], int]) -> None:
        self._catalogue = catalogue
        self._clock = clock

    def DecideSeating(
        self, request: seating_pb2.DecideSeatingRequest, context: grpc.ServicerContext
    ) -> seating_pb2.DecideSeatingResponse:
        """What follows for everybody in the room."""
        del context
        ruleset = find_ruleset(self._catalogue, request.ruleset_id, request.ruleset_version, field="ruleset_id")
        rules = mau_binh_rules(ruleset, field="ruleset_id")
        people = read_people(request.persons, field="persons")
        now = request.now_time if request.HasField("now_time") else self._clock()
        try:
            seating = seat_people(rules, people, now=now)
        except SeatingError as error:
            raise RefusedError(ErrorReason.ERROR_REASON_INVALID_FIELD, str(error), field="persons") from None
        return write_seating(seating, people, ruleset)

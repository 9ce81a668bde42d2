"""RulesetService and SeatingService, which answer from the loaded rulesets without the log."""

from collections.abc import Callable
from typing import Final

import grpc

from referee.games.seating import SeatingError, decide_seating
from referee.rulesets import Catalogue, Ruleset
from referee.service.registry import GAME_SERVICES, game_service
from referee.v1 import ruleset_pb2, ruleset_pb2_grpc, seating_pb2, seating_pb2_grpc
from referee.wire.page import read_page_size, refuse_token
from referee.wire.refusal import invalid_field
from referee.wire.round import find_ruleset
from referee.wire.seating import read_people, write_seating
from referee.wire.values import write_name

MAX_PAGE: Final = 256


class RulesetService(ruleset_pb2_grpc.RulesetServiceServicer):
    """Servicer of the rulesets of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def ListRulesets(
        self, request: ruleset_pb2.ListRulesetsRequest, context: grpc.ServicerContext
    ) -> ruleset_pb2.ListRulesetsResponse:
        """List a page of the rulesets, ordered by id and version, after the one that ``page_token`` names."""
        size = read_page_size(request, most=MAX_PAGE)
        rulesets = list(self._catalogue)
        tokens = [f"{ruleset.id}@{ruleset.version}" for ruleset in rulesets]
        start = tokens.index(request.page_token) + 1 if request.page_token in tokens else 0
        if request.HasField("page_token") and not start:
            refuse_token()
        end = start + size
        return ruleset_pb2.ListRulesetsResponse(
            rulesets=[_write_ruleset(ruleset) for ruleset in rulesets[start:end]],
            next_page_token=tokens[end - 1] if end < len(tokens) else None,
        )

    def GetRuleset(
        self, request: ruleset_pb2.GetRulesetRequest, context: grpc.ServicerContext
    ) -> ruleset_pb2.GetRulesetResponse:
        """Return a ruleset, the bytes of its file, and the texts of all codes that its answers use."""
        ruleset = find_ruleset(
            self._catalogue, request.ruleset_id, request.version, field="ruleset_id", version_field="version"
        )
        return ruleset_pb2.GetRulesetResponse(
            ruleset=_write_ruleset(ruleset), toml=ruleset.source, tables=_write_codes(ruleset)
        )


class SeatingService(seating_pb2_grpc.SeatingServiceServicer):
    """Servicer of seating; ``clock`` gives the time in ms since 1970 UTC if a request names none."""

    def __init__(self, catalogue: Catalogue, clock: Callable[[], int]) -> None:
        self._catalogue = catalogue
        self._clock = clock

    def DecideSeating(
        self, request: seating_pb2.DecideSeatingRequest, context: grpc.ServicerContext
    ) -> seating_pb2.DecideSeatingResponse:
        """Decide for each person in a room whether to sit, watch or go, and for the table whether to deal."""
        ruleset = find_ruleset(self._catalogue, request.ruleset_id, request.ruleset_version, field="ruleset_id")
        ready_limit = game_service(ruleset, field="ruleset_id").ready_limit
        if ready_limit is None:
            raise invalid_field(
                f"{ruleset.id} is a ruleset of {ruleset.game}, which has no rules of seating", field="ruleset_id"
            )
        people = read_people(request.persons, field="persons")
        now = request.now_time if request.HasField("now_time") else self._clock()
        try:
            seating = decide_seating(people, now=now, seats=ruleset.rules.seats, ready_limit=ready_limit(ruleset.rules))
        except SeatingError as error:
            raise invalid_field(str(error), field="persons") from None
        return write_seating(seating, people, ruleset)


def _write_codes(ruleset: Ruleset) -> list[ruleset_pb2.CodeTable]:
    """Write the tables of a ruleset's codes; leave out that of violations if the game's service is not installed."""
    service = GAME_SERVICES.get(ruleset.game)
    tables = {} if service is None else {"violation": service.texts.violations}
    return [
        ruleset_pb2.CodeTable(
            name=table,
            codes=[ruleset_pb2.NamedCode(code=code, text=write_name(name)) for code, name in names.items()],
        )
        for table, names in (*tables.items(), *ruleset.names.items())
    ]


def _write_ruleset(ruleset: Ruleset) -> ruleset_pb2.Ruleset:
    seats = ruleset.rules.seats
    return ruleset_pb2.Ruleset(
        ruleset_id=ruleset.id,
        version=ruleset.version,
        digest=ruleset.digest,
        game=ruleset.game,
        name=write_name(ruleset.title),
        bet_unit_minor=ruleset.bet_unit,
        min_seats=seats.minimum,
        max_seats=seats.maximum,
    )

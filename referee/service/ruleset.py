"""RulesetService: the laws as the data files they are."""

import grpc

from referee.rulesets import Catalogue
from referee.v1 import ruleset_pb2, ruleset_pb2_grpc
from referee.wire.ruleset import find_ruleset, write_ruleset


class RulesetService(ruleset_pb2_grpc.RulesetServiceServicer):
    """Answers from one catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def ListRulesets(
        self, request: ruleset_pb2.ListRulesetsRequest, context: grpc.ServicerContext
    ) -> ruleset_pb2.ListRulesetsResponse:
        """All rulesets in order of id and version."""
        del request, context
        return ruleset_pb2.ListRulesetsResponse(rulesets=[write_ruleset(ruleset) for ruleset in self._catalogue])

    def GetRuleset(
        self, request: ruleset_pb2.GetRulesetRequest, context: grpc.ServicerContext
    ) -> ruleset_pb2.GetRulesetResponse:
        """One ruleset with its bytes."""
        del context
        ruleset = find_ruleset(
            self._catalogue, request.ruleset_id, request.version, field="ruleset_id", version_field="version"
        )
        return ruleset_pb2.GetRulesetResponse(ruleset=write_ruleset(ruleset), toml=ruleset.source)

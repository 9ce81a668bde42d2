"""The methods that each role may call, also printed by ``referee token roles``.

Methods not listed here are denied. A role may call a method for its own tables only, a seat for its own round and
itself only. Anyone may read what verifies the log: keys, checkpoints, proofs, rulesets. Leaves are for auditors, or for
anyone where the operator publishes them. Only the seat opens a sealed hand. A seat accepts no event: two receipts of
one number prove that a frontend reported a round in two ways, and a seat could obtain the second.

>>> rule = TABLE["/referee.v1.ShufflerService/OpenHand"]
>>> sorted(rule.roles), rule.seat
([<CallerRole.SEAT: 'seat'>], ('seat',))
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from referee.server.settings.caller_role import CallerRole
from referee.service.advising import ADVISING, AdvisingService
from referee.service.game_service import GameService
from referee.service.registry import GAME_SERVICES


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Rule of a method: the callers that it admits."""

    roles: frozenset[CallerRole]
    seat: tuple[str, ...] = ()
    """Path, in a request, of the acting seat; empty for none."""
    shows_all: bool = False
    """Whether it shows every table, so that only a caller who has all tables may call it."""


_ANYONE: Final = frozenset(CallerRole)
_KNOWN: Final = _ANYONE - {CallerRole.ANYONE}
_TABLES: Final = frozenset({CallerRole.FRONTEND})
_DEALS: Final = _TABLES | {CallerRole.SHUFFLER}
_PLAYS: Final = _TABLES | {CallerRole.SEAT}


def _rules_of(service: GameService | AdvisingService) -> dict[str, Rule]:
    """Return the rules of a service of rounds: a frontend may call every method, a seat those of its own."""
    seats = {method.name: service.seat_methods.get(method.name, ()) for method in service.descriptor.methods}
    return {name: Rule(roles=_PLAYS if seat else _TABLES, seat=seat) for name, seat in seats.items()}


_SERVICES: Final = {
    "referee.v1.RulesetService": {name: Rule(roles=_ANYONE) for name in ("ListRulesets", "GetRuleset")},
    "referee.v1.SeatingService": {"DecideSeating": Rule(roles=_TABLES)},
    "referee.v1.ShufflerService": {
        "PrepareRound": Rule(roles=_DEALS),
        "OpenRound": Rule(roles=_DEALS),
        "OpenRounds": Rule(roles=_DEALS),
        "ContributeSeed": Rule(roles=_DEALS | {CallerRole.SEAT}, seat=("seat",)),
        "DealRound": Rule(roles=_DEALS),
        "DealRounds": Rule(roles=_DEALS),
        "OpenHand": Rule(roles=frozenset({CallerRole.SEAT}), seat=("seat",)),
        "OpenSection": Rule(roles=_DEALS | {CallerRole.SEAT}),
        "OpenSections": Rule(roles=_DEALS),
        "AbortRound": Rule(roles=_DEALS | {CallerRole.ADMIN}),
        "RevealRound": Rule(roles=_KNOWN),
        "RevealRounds": Rule(roles=_KNOWN - {CallerRole.SEAT}),
    },
    **{service.full_name: _rules_of(service) for service in GAME_SERVICES.values()},
    **{service.full_name: _rules_of(service) for service in ADVISING.values()},
    "referee.v1.LogService": {
        "GetTableRound": Rule(roles=_KNOWN),
        "ListRounds": Rule(roles=_TABLES | {CallerRole.AUDITOR, CallerRole.ADMIN}),
        "ListSeatRounds": Rule(roles=_ANYONE),
        "GetStatus": Rule(roles=frozenset({CallerRole.ADMIN}), shows_all=True),
        "GetCheckpoint": Rule(roles=_ANYONE),
        "ListCosignedCheckpoints": Rule(roles=_ANYONE),
        "GetKeys": Rule(roles=_ANYONE),
        "ListEntries": Rule(roles=frozenset({CallerRole.AUDITOR, CallerRole.ADMIN}), shows_all=True),
        "GetInclusionProof": Rule(roles=_ANYONE),
        "GetConsistencyProof": Rule(roles=_ANYONE),
    },
    "grpc.reflection.v1.ServerReflection": {"ServerReflectionInfo": Rule(roles=_KNOWN)},
    "grpc.reflection.v1alpha.ServerReflection": {"ServerReflectionInfo": Rule(roles=_KNOWN)},
}
_RULES: Final = {
    f"/{service}/{method}": rule for service, methods in _SERVICES.items() for method, rule in methods.items()
}

TABLE: Final = MappingProxyType(_RULES)
"""The rule of each method, by its full name."""

PUBLIC_LOG: Final = MappingProxyType(_RULES | {"/referee.v1.LogService/ListEntries": Rule(roles=_ANYONE)})
"""The same where anyone may read the log's leaves."""


def markdown() -> str:
    """Format the table as Markdown, a row for each method and a column for each role."""
    head = ["method", *CallerRole]
    rows = [head, ["---"] * len(head)]
    for name, rule in TABLE.items():
        service, _, method = name[1:].partition("/")
        rows.append([f"{service.rpartition('.')[2]}.{method}", *(_cell(rule, role) for role in CallerRole)])
    rows.append(["Health, all methods", *("yes" for _ in CallerRole)])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _cell(rule: Rule, role: CallerRole) -> str:
    if role not in rule.roles:
        return ""
    if rule.shows_all:
        return "of every tenant"
    if role is CallerRole.SEAT and rule.seat:
        return "for itself"
    return "yes"

"""Which role may ask which method: one table, read by the server, printed by ``referee token roles``.

The law: what does not stand here is asked by nobody. A role that may ask a method may ask it of its own tables only,
and a seat of its own round and for itself only; ``Rule.seat`` says where a request names the seat that acts. Anyone
reads what lets a stranger check the log: keys, checkpoints, proofs, rulesets. The log's leaves are read by auditors, or
by anyone where the operator publishes them. Nobody but the seat opens a sealed hand. A seat accepts no event: two
receipts of one number prove that a frontend told a round in two ways, and a seat could ask for the second one.

>>> rule = TABLE["/referee.v1.ShufflerService/OpenHand"]
>>> sorted(rule.roles), rule.seat
([<CallerRole.SEAT: 'seat'>], ('seat',))
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from referee.server.access.caller import CallerRole

HEALTH: Final = "/grpc.health.v1.Health/"
"""Methods that are asked by anyone, and of which nobody is asked who they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Who may ask a method."""

    roles: frozenset[CallerRole]
    seat: tuple[str, ...] = ()
    """The path, in a request, of the seat that acts; empty where none does."""
    shows_all: bool = False
    """Whether it shows what is of every table, so that only a caller who has all of them may ask."""


_ANYONE: Final = frozenset(CallerRole)
_KNOWN: Final = _ANYONE - {CallerRole.ANYONE}
_TABLES: Final = frozenset({CallerRole.FRONTEND})
_DEALS: Final = _TABLES | {CallerRole.SHUFFLER}
_SEES: Final = _KNOWN


def _of(service: str, methods: dict[str, Rule]) -> dict[str, Rule]:
    return {f"/{service}/{method}": rule for method, rule in methods.items()}


_RULES: Final = (
    _of(
        "referee.v1.RulesetService",
        {
            "ListRulesets": Rule(roles=_ANYONE),
            "GetRuleset": Rule(roles=_ANYONE),
        },
    )
    | _of(
        "referee.v1.SeatingService",
        {
            "DecideSeating": Rule(roles=_TABLES),
        },
    )
    | _of(
        "referee.v1.ShufflerService",
        {
            "PrepareRound": Rule(roles=_DEALS),
            "OpenRound": Rule(roles=_DEALS),
            "ContributeSeed": Rule(roles=_DEALS | {CallerRole.SEAT}, seat=("seat",)),
            "DealRound": Rule(roles=_DEALS),
            "OpenHand": Rule(roles=frozenset({CallerRole.SEAT}), seat=("seat",)),
            "OpenSection": Rule(roles=_DEALS | {CallerRole.SEAT}),
            "AbortRound": Rule(roles=_DEALS | {CallerRole.ADMIN}),
            "RevealRound": Rule(roles=_SEES),
        },
    )
    | _of(
        "referee.v1.MauBinhService",
        {
            "CheckArrangement": Rule(roles=_TABLES | {CallerRole.SEAT}, seat=("seat",)),
            "CheckArrangements": Rule(roles=_TABLES | {CallerRole.SEAT}, seat=("requests", "seat")),
            "SuggestArrangement": Rule(roles=_TABLES | {CallerRole.SEAT}, seat=("dealt", "seat")),
            "AcceptEvent": Rule(roles=_TABLES),
            "PreviewRound": Rule(roles=_TABLES),
            "SettleRound": Rule(roles=_TABLES),
            "SettleRounds": Rule(roles=_TABLES),
        },
    )
    | _of(
        "referee.v1.TienLenService",
        {
            "CheckPlay": Rule(roles=_TABLES),
            "CheckPlays": Rule(roles=_TABLES),
            "ListPlays": Rule(roles=_TABLES),
            "SuggestPlay": Rule(roles=_TABLES),
            "AcceptEvent": Rule(roles=_TABLES),
            "PreviewRound": Rule(roles=_TABLES),
            "SettleRound": Rule(roles=_TABLES),
            "SettleRounds": Rule(roles=_TABLES),
        },
    )
    | _of(
        "referee.v1.UltimateTexasService",
        {
            "CheckDecision": Rule(roles=_TABLES | {CallerRole.SEAT}, seat=("event", "seat")),
            "CheckDecisions": Rule(roles=_TABLES | {CallerRole.SEAT}, seat=("requests", "event", "seat")),
            "Advise": Rule(roles=_TABLES | {CallerRole.SEAT}, seat=("seat",)),
            "AcceptEvent": Rule(roles=_TABLES),
            "PreviewRound": Rule(roles=_TABLES),
            "SettleRound": Rule(roles=_TABLES),
            "SettleRounds": Rule(roles=_TABLES),
        },
    )
    | _of(
        "referee.v1.LogService",
        {
            "GetTableRound": Rule(roles=_SEES),
            "GetCheckpoint": Rule(roles=_ANYONE),
            "ListCosignedCheckpoints": Rule(roles=_ANYONE),
            "GetKeys": Rule(roles=_ANYONE),
            "ListEntries": Rule(roles=frozenset({CallerRole.AUDITOR, CallerRole.ADMIN}), shows_all=True),
            "GetInclusionProof": Rule(roles=_ANYONE),
            "GetConsistencyProof": Rule(roles=_ANYONE),
        },
    )
    | _of("grpc.reflection.v1alpha.ServerReflection", {"ServerReflectionInfo": Rule(roles=_KNOWN)})
)

TABLE: Final = MappingProxyType(_RULES)
"""The rule of each method, by its full name."""

PUBLIC_LOG: Final = MappingProxyType(
    _RULES | {name: Rule(roles=_ANYONE) for name, rule in _RULES.items() if rule.shows_all}
)
"""The same where the log's leaves are for anyone."""


def markdown() -> str:
    """The table as Markdown: a row a method, a column a role, and what of a method is a role's."""
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

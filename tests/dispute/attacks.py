"""The attacks of ``tests/attacks``, run again, and quarrels about the rounds that they leave.

Each test function there is one attack for each of its parameters. It runs as it is, on a server of its own; every audit
that it makes is kept, with the log and what people held.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, Final

import msgspec
import pytest

from referee.audit import AuditTerms, AuditTime, MemoryLog, Report, TrustedKeys, audit_log
from referee.audit.cosignatures import NO_WITNESSING, Witnessing
from referee.audit.dispute.case import case_of_log
from referee.audit.dispute.dispute import Dispute, settle_dispute
from referee.audit.dispute.held import HeldPart, read_held
from referee.audit.documents import NO_DOCUMENTS, Documents
from referee.audit.source import LogSource
from tests.attacks import (
    test_attack_abort_after_a_seed,
    test_attack_aborts_by_cards,
    test_attack_advice_flood,
    test_attack_choose_the_leader,
    test_attack_commitment_after_the_hands,
    test_attack_deadlines,
    test_attack_dropped_move,
    test_attack_empty_tables,
    test_attack_fast_clock,
    test_attack_forbidden_stakes,
    test_attack_given_up,
    test_attack_moved_clocks,
    test_attack_repeated_receipts,
    test_attack_replaced_ruleset,
    test_attack_rewound_course,
    test_attack_timeouts_at_the_deal,
    test_attack_unsigned_departure,
)

MODULES: Final[Sequence[ModuleType]] = (
    test_attack_abort_after_a_seed,
    test_attack_aborts_by_cards,
    test_attack_advice_flood,
    test_attack_choose_the_leader,
    test_attack_commitment_after_the_hands,
    test_attack_deadlines,
    test_attack_dropped_move,
    test_attack_empty_tables,
    test_attack_fast_clock,
    test_attack_forbidden_stakes,
    test_attack_given_up,
    test_attack_moved_clocks,
    test_attack_repeated_receipts,
    test_attack_replaced_ruleset,
    test_attack_rewound_course,
    test_attack_timeouts_at_the_deal,
    test_attack_unsigned_departure,
)
"""All modules of attacks."""
MOST: Final = 3
"""Rounds of one log about which a quarrel is answered: those with findings first, then the latest."""


@dataclass(frozen=True)
class Attack:
    """A test function of an attack, with one of its sets of parameters."""

    module: ModuleType
    function: Callable[..., None]
    parameters: Mapping[str, Any]
    name: str

    @property
    def key(self) -> str:
        """Name of the attack without its parameters."""
        return f"{name_of(self.module)}.{self.function.__name__}"

    @property
    def fixtures(self) -> list[str]:
        """Names of its arguments that are no parameters."""
        return [one for one in inspect.signature(self.function).parameters if one not in self.parameters]


def name_of(module: ModuleType) -> str:
    """Return the name of a module of attacks without its package's."""
    return module.__name__.rpartition(".")[2]


def attacks_of(module: ModuleType) -> Iterator[Attack]:
    """Yield the attacks of a module."""
    for function_name, function in inspect.getmembers(module, inspect.isfunction):
        if function_name.startswith("test_") and function.__module__ == module.__name__:
            for number, parameters in enumerate(_parameters(function)):
                yield Attack(module, function, parameters, f"{name_of(module)}.{function_name}-{number}")


def _parameters(function: Callable[..., None]) -> Iterator[dict[str, Any]]:
    marks = [mark for mark in getattr(function, "pytestmark", ()) if mark.name == "parametrize"]
    sets = [[_named(mark.args[0], values) for values in mark.args[1]] for mark in marks]
    for chosen in itertools.product(*sets):
        yield {name: value for one in chosen for name, value in one.items()}


def _named(names: str | tuple[str, ...], values: Any) -> dict[str, Any]:  # noqa: ANN401 - any value, or pytest.param
    """Return one set of values of a parametrisation by the names of its parameters."""
    listed = [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)
    given = getattr(values, "values", values) if hasattr(values, "marks") else values
    single = len(listed) == 1 and not hasattr(values, "marks")
    return dict(zip(listed, (given,) if single else given, strict=True))


@dataclass(frozen=True)
class Audit:
    """An audit that an attack made: its log, its terms and its report."""

    source: LogSource
    terms: tuple[AuditTerms, TrustedKeys, AuditTime]
    report: Report
    witnessing: Witnessing = NO_WITNESSING
    documents: Documents = NO_DOCUMENTS

    @property
    def held(self) -> tuple[HeldPart, ...]:
        """What people held, as files."""
        files = [*self.documents.certificates, *self.documents.event_receipts]
        seeds = [msgspec.json.encode(one) for one in self.documents.seeds]
        return tuple(part for number, data in enumerate([*files, *seeds]) for part in read_held(f"held-{number}", data))

    def disputes(self) -> Iterator[Dispute]:
        """Answer quarrels about rounds of the log: those with findings first, then the latest of each table."""
        named = [
            (one.table_id, one.round_number)
            for one in self.report.findings
            if one.table_id is not None and one.round_number is not None
        ]
        chosen = list(dict.fromkeys([*named, *((table, 0) for table in self.report.tables)]))[:MOST]
        for key in chosen:
            case = case_of_log(self.source, key, *self.terms, witnessing=self.witnessing, seeds=self.documents.seeds)
            yield settle_dispute(case, self.held)


@dataclass
class Recorder:
    """Keeps every audit that is made through it."""

    audits: list[Audit] = field(default_factory=list)

    def __call__(
        self,
        source: LogSource,
        *terms: Any,  # noqa: ANN401 - what audit_log takes
        witnessing: Witnessing = NO_WITNESSING,
        documents: Documents = NO_DOCUMENTS,
        **options: Any,  # noqa: ANN401 - as above
    ) -> Report:
        """Audit a log and keep the audit."""
        witnessing = replace(witnessing, cosigned=list(witnessing.cosigned))
        report = audit_log(source, *terms, witnessing=witnessing, documents=documents, **options)
        size = int(source.checkpoint.split(b"\n", 2)[1])
        log = MemoryLog(checkpoint=source.checkpoint, entries=tuple(source.leaves(0, size)))
        self.audits.append(Audit(log, terms, report, witnessing, documents))
        return report

    def watch(self, patch: pytest.MonkeyPatch) -> None:
        """Have the audits of the attack and of ``referee audit`` recorded."""
        patch.setattr("tests.driver.auditing.audit_log", self)
        patch.setattr("referee.cli.audit.audit_log", self)

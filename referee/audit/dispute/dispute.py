"""The answer to a quarrel about a round: a verdict, the exhibits, who can have done it, what nobody can prove."""

import enum
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from referee.audit.cause import sort_findings
from referee.audit.dispute.case import UNREADABLE, Case
from referee.audit.dispute.exhibit import Exhibit, Weight, findings_together, weigh
from referee.audit.dispute.held import HeldKind, HeldPart
from referee.audit.dispute.limits import Condition, conditions
from referee.audit.dispute.words import Limit, dispute_words
from referee.audit.explanation import Honest, Party, explain
from referee.audit.page.text import moment
from referee.audit.report import DealingLevel
from referee.dealing.header import tenant_of
from referee.finding import Code, Finding, Phrase, Severity
from referee.transcript.proof import EventLevel

FORMAT: Final = 1
BY_OMISSION: Final = frozenset(
    {
        Code.ABORT_MISMATCH,
        Code.CERTIFICATES_DISAGREE,
        Code.HISTORY_ALTERED,
        Code.HISTORY_REWRITTEN,
        Code.KEY_NOT_VALID,
        Code.LEAF_OF_NO_ROUND,
        Code.OPENED_WITHOUT_UNSEAL,
        Code.REVEALED_EARLY,
        Code.SETTLED_UNDEALT,
        Code.SIGNATURE_FORGED,
        Code.STREET_OPENED_EARLY,
        Code.UNSEAL_NOT_IN_COURSE,
        Code.UNSEAL_REFUSED,
        Code.WRONG_PREVIOUS_LEAF,
        Code.WRONG_ROLE,
    }
)
"""Codes that a bundle shows where its maker left a leaf or a proof out of it, so that only the log proves them."""


class Verdict(enum.StrEnum):
    """The answer in one word."""

    SOUND = "SOUND"
    AT_FAULT = "AT_FAULT"
    """A promise was broken, and a finding proves by whom."""
    UNPROVED = "UNPROVED"
    """A promise was broken, and others than one party can have caused each of the findings."""
    UNFINISHED = "UNFINISHED"
    UNREADABLE = "UNREADABLE"
    """The keys are not the log's, or its copy is damaged: nobody can be held to what it says."""


class Certainty(enum.StrEnum):
    """Certainty that a party caused the findings."""

    PROVED = "PROVED"
    POSSIBLE = "POSSIBLE"


class Suspect(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A party that can have caused findings of these codes; ``honest`` are causes that look the same."""

    party: Party
    certainty: Certainty
    codes: tuple[Code, ...]
    tenant: str | None = None
    honest: tuple[Honest, ...] = ()


class RoundFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The round in the log. A level that the round does not have is None."""

    table_id: str
    round_number: int
    round_id: str
    ruleset_id: str
    ruleset_version: str
    stage: str
    replayed: bool
    dealt_again: bool
    dealing_level: DealingLevel | None
    event_level: EventLevel | None


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """The answer. ``findings`` are those of the round, its log and its exhibits, failures first.

    ``elsewhere`` counts the findings of other rounds. ``proofs`` are the exhibits' texts, in their order; ``round`` is
    None where it cannot be read.
    """

    format: int
    verdict: Verdict
    origin: str
    size: int
    checkpoint: str
    is_whole_log: bool
    round: RoundFacts | None
    exhibits: tuple[Exhibit, ...]
    proofs: tuple[Phrase, ...]
    findings: tuple[Finding, ...]
    elsewhere: int
    unchecked: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    unprovable: tuple[Limit, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing that was found or handed in breaks a promise, and the log could be read."""
        return self.verdict in {Verdict.SOUND, Verdict.UNFINISHED}

    @property
    def failures(self) -> tuple[Finding, ...]:
        """Findings of broken promises."""
        return tuple([one for one in self.findings if one.severity is Severity.FAIL])

    @property
    def asks(self) -> tuple[Phrase, ...]:
        """Documents that would help to prove more."""
        return tuple([limit.ask for limit in self.unprovable if limit.ask is not None])


def settle_dispute(case: Case, parts: Sequence[HeldPart]) -> Dispute:
    """Answer a quarrel about a round with what people hold of it."""
    exhibits = weigh(case, parts)
    is_cosigned = any(one.weight is Weight.AGREES and "cosigned_time" in one.facts for one in exhibits)
    own = [one for one in case.findings if not (is_cosigned and one.code is Code.QUORUM_UNMET)]
    found = [*own, *findings_together(case, parts, exhibits)]
    for exhibit in exhibits:
        if exhibit.weight is not Weight.PROVES_NOTHING:
            found += [one for one in exhibit.findings if one not in found]
    findings = tuple(sort_findings(found))
    suspects = () if any(one.code in UNREADABLE for one in case.findings) else _suspects(case, findings)
    held = conditions(case, exhibits, findings, is_witnessed=case.quorum is not None)
    return Dispute(
        format=FORMAT,
        verdict=_verdict(case, findings, suspects),
        origin=case.terms.origin,
        size=case.size,
        checkpoint=case.checkpoint,
        is_whole_log=case.is_whole,
        round=_facts(case),
        exhibits=exhibits,
        proofs=tuple([_proof(one) for one in exhibits]),
        findings=findings,
        elsewhere=case.elsewhere,
        unchecked=case.unchecked,
        suspects=suspects,
        unprovable=tuple([_asking(limit, held) for limit in dispute_words().limits if held.issuperset(limit.when)]),
    )


def _asking(limit: Limit, held: frozenset[Condition]) -> Limit:
    """Return a limit; without its ``ask`` unless all conditions hold under which that is worth asking for."""
    return limit if held.issuperset(limit.ask_when) else msgspec.structs.replace(limit, ask=None)


def _verdict(case: Case, findings: Iterable[Finding], suspects: Iterable[Suspect]) -> Verdict:
    leaves, result = case.leaves, case.result
    if not case.is_readable:
        return Verdict.UNREADABLE
    if any(one.certainty is Certainty.PROVED for one in suspects):
        return Verdict.AT_FAULT
    if any(one.severity is Severity.FAIL for one in findings):
        return Verdict.UNPROVED
    has_ended = leaves is not None and (leaves.settle is not None or leaves.abort is not None)
    is_shown = leaves is not None and result is not None and (result.is_redealt or leaves.deal is None)
    return Verdict.SOUND if has_ended and is_shown else Verdict.UNFINISHED


def _suspects(case: Case, findings: Iterable[Finding]) -> tuple[Suspect, ...]:
    """Return who can have caused the failures, those that are proved first."""
    codes = list(dict.fromkeys([one.code for one in findings if one.severity is Severity.FAIL]))
    tenant = None if case.leaves is None else tenant_of(case.leaves.header.table_id)
    suspects = []
    for party in Party:
        own = [code for code in codes if party in _can_have_caused(case, code)]
        if not own:
            continue
        proved = [code for code in own if explain(code).at_fault is party and len(_can_have_caused(case, code)) == 1]
        honest = [cause for code in own if (cause := explain(code).honest) is not None]
        suspects.append(
            Suspect(
                party=party,
                certainty=Certainty.PROVED if proved else Certainty.POSSIBLE,
                codes=tuple(proved or own),
                tenant=tenant if party is Party.FRONTEND else None,
                honest=() if proved else tuple(dict.fromkeys(honest)),
            )
        )
    return tuple(sorted(suspects, key=lambda one: one.certainty is Certainty.POSSIBLE))


def _can_have_caused(case: Case, code: Code) -> tuple[Party, ...]:
    """Return the parties of which one can have caused a finding; in a bundle that may be who left something out."""
    who = explain(code).who
    return (*who, Party.MAKER) if not case.is_whole and code in BY_OMISSION else who


def _facts(case: Case) -> RoundFacts | None:
    leaves, result = case.leaves, case.result
    if leaves is None or result is None or not case.is_readable:
        return None
    header = leaves.header
    return RoundFacts(
        table_id=header.table_id,
        round_number=header.round_number,
        round_id=leaves.round_id.hex(),
        ruleset_id=header.ruleset_id,
        ruleset_version=header.ruleset_version,
        stage="SETTLED" if leaves.settle is not None else "ABORTED" if leaves.abort is not None else "RUNNING",
        replayed=result.is_replayed,
        dealt_again=result.is_redealt,
        dealing_level=result.dealing_level,
        event_level=result.event_level,
    )


def _proof(exhibit: Exhibit) -> Phrase:
    """Return what an exhibit proves, with its facts."""
    words = dispute_words()
    if exhibit.weight.value in words.proves_not:
        return words.proves_not[exhibit.weight.value]
    name = exhibit.kind.value
    if exhibit.kind is HeldKind.SIGNATURE and exhibit.facts.get("number") == 0:
        name = "SIGNATURE_OF_SEED"
    facts = defaultdict(lambda: "?", {key: str(fact) for key, fact in exhibit.facts.items()})
    for key in ("time", "cosigned_time"):
        if isinstance(time := exhibit.facts.get(key), int):
            facts[key] = moment(time)
    texts = [words.proves[name]]
    if "cosigned" in exhibit.facts:
        texts.append(words.proves["COSIGNED" if "cosigned_time" in exhibit.facts else "NOT_COSIGNED"])
    return Phrase(
        vi="; ".join([one.vi.format_map(facts) for one in texts]),
        en="; ".join([one.en.format_map(facts) for one in texts]),
    )

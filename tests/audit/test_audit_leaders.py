"""Who led a round, as an audit and the proof of one round check it."""

import json

import msgspec

from referee.audit import Code
from referee.audit.bundle import ProvedRound, prove_round
from referee.dealing.lead import dealt_leader
from referee.games import LeaderBy
from tests.audit.audit_attack import LEADING
from tests.audit.audit_attacks_leaders import led, played
from tests.audit.audit_builder import LOG, NOW, ORIGIN, ROOT, LogBuilder, abort, codes
from tests.audit.audit_bundles import bundle_of, rounds_of
from tests.audit.auditing import audited
from tests.driver.auditing import terms_of


def test_reason_that_the_ruleset_does_not_give_is_found() -> None:
    """The seat has the lowest card and the ruleset draws: only who has the ruleset's rules can say so."""
    log = LogBuilder.founded()
    parts = log.lay_out(LEADING)
    leader = int(dealt_leader(parts.header, parts.deal, LeaderBy.LOWEST_CARD))
    parts.dealt = msgspec.structs.replace(parts.dealt, leader=leader, leader_by=LeaderBy.LOWEST_CARD)
    log.append(parts, steps="OD")
    (found,) = [one for one in audited(log.bundle()).findings if one.code is Code.LEADER_MISMATCH]
    assert "the ruleset says DRAW" in found.detail


def test_drawn_leader_is_checked_once_the_seed_is_shown() -> None:
    log = LogBuilder.founded()
    parts = log.lay_out(LEADING)
    led(parts, 1 - int(dealt_leader(parts.header, parts.deal, LeaderBy.DRAW)), LeaderBy.DRAW)
    log.append(parts, steps="ODE")
    assert Code.LEADER_MISMATCH not in codes(audited(log.bundle()))
    log.entries.append(parts.reveal_leaf)
    assert codes(audited(log.bundle())) == [Code.LEADER_MISMATCH]


def proof_of_the_last_round(log: LogBuilder, *, without: int | None = None) -> ProvedRound:
    """Prove the newest round from its bundle, without one of the log's leaves."""
    entries = log.entries
    bundle = json.loads(bundle_of(entries, log.checkpoint(), list(rounds_of(entries))[-1]))
    bundle["leaves"] = [leaf for leaf in bundle["leaves"] if leaf["index"] != without]
    terms = terms_of(origin=ORIGIN, log_key=LOG.text, root_key=ROOT.text, now=NOW)
    return prove_round(json.dumps(bundle).encode(), *terms)


def test_bundle_without_the_winners_settlement_says_that_the_leader_is_not_checked() -> None:
    log = played()
    settled = len(log.entries) - 2
    given_up = log.lay_out(LEADING)
    abort(given_up, stage="OPENED", reason="SEED_MISSING")
    log.append(given_up, steps="OER")
    log.play(LEADING)
    whole, cut = proof_of_the_last_round(log), proof_of_the_last_round(log, without=settled)
    assert (whole.findings, whole.is_proved, whole.unchecked) == ((), True, ())
    assert (cut.findings, cut.is_proved) == ((), True)
    assert [line.partition(":")[0] for line in cut.unchecked] == ["leader not checked"]


def test_bundle_with_the_winners_settlement_shows_a_false_leader() -> None:
    log = played()
    settled = len(log.entries) - 2
    parts = log.lay_out(LEADING)
    assert isinstance(parts.dealt.leader, int)
    led(parts, 1 - parts.dealt.leader, LeaderBy.WINNER)
    log.append(parts)
    assert codes(proof_of_the_last_round(log)) == [Code.LEADER_MISMATCH]
    cut = proof_of_the_last_round(log, without=settled)
    assert cut.findings == ()
    assert "leader not checked" in cut.unchecked[-1]

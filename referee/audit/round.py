"""Examination of one round: every signature, commitment and rule of its leaves, from OPEN to REVEAL.

OPEN has the shuffler's signature, a header of this log that hashes to the round id, and a known ruleset; DEAL and ABORT
agree with the commitments in OPEN (``deal``); the settled course names each UNSEAL (``openings``); SETTLE follows from
its inputs (``settlement``, ``course``); the seed in REVEAL gives the same cards again (``redeal``); documents that
people kept agree with all this (``round_documents``). A fault is reported once: checks that would fail only because of
it are left out.
"""

from typing import Final

from referee.audit.deal import (
    client_seeds,
    dealing_level,
    examine_deal,
    examine_dealt_leader,
    examine_leader,
    is_void,
    opens,
)
from referee.audit.openings import examine_unseals
from referee.audit.reading import Placed, signature_fault
from referee.audit.redeal import cards_differ, deal_given_up, examine_cards, examine_handed_in, opens_commitment
from referee.audit.round_documents import examine_certificates, examine_event_receipts, examine_exports
from referee.audit.round_leaves import AuditTerms, RoundLeaves, RoundResult, money_of
from referee.audit.settlement import Settled, examine_settlement
from referee.cards import Seat
from referee.dealing.abort import AbortFault, abort_faults
from referee.dealing.deadlines import ANY_BOUNDS, deadline_fault
from referee.dealing.deal import Deal
from referee.dealing.header import NO_KEY
from referee.dealing.leaf import AbortLeaf, DealLeaf
from referee.finding import Code, Difference, RoundFindings, shown
from referee.games import GAMES, LawError, under_ruleset
from referee.games import deal as game_law
from referee.games.game import RoundBounds
from referee.rulesets import Ruleset, UnknownRulesetError
from referee.verdict import Violation


def examine(leaves: RoundLeaves, terms: AuditTerms) -> RoundResult:
    """Examine a round by its own leaves and documents alone."""
    findings = RoundFindings((leaves.header.table_id, leaves.header.round_number))
    signatures = _examine_signatures(leaves, findings)
    ruleset = _examine_open(leaves, terms, findings)
    deal, settle, reveal = leaves.deal, leaves.settle, leaves.reveal
    seeds = () if deal is None else client_seeds(deal)
    is_sound = deal is not None and examine_deal(leaves, deal, seeds, findings)
    if deal is not None:
        examine_leader(leaves, deal, ruleset, findings)
    if leaves.abort is not None:
        _examine_abort(leaves, leaves.abort, findings)
    openings = examine_unseals(leaves, ruleset, findings)
    settled = Settled() if settle is None else examine_settlement(leaves, settle, ruleset, openings, findings)
    certified = examine_certificates(leaves, openings, findings)
    examine_event_receipts(leaves, settled.course, ruleset, findings)
    handed_in = examine_handed_in(leaves, findings)
    again = None
    if reveal is not None and opens_commitment(leaves, reveal, findings):
        if deal is None:
            again = deal_given_up(leaves, reveal, handed_in)
        elif is_sound:
            again = examine_cards(leaves, deal, reveal, findings, sections=settled.sections, roots=certified.roots)
    if deal is not None and again is not None:
        examine_dealt_leader(leaves, deal, again, findings)
    redealt = None if again is None or cards_differ(settled.sections, again) else again
    if ruleset is not None and deal is not None and redealt is not None:
        _examine_sealed_win(leaves, deal, ruleset, redealt, findings)
    if ruleset is not None and leaves.abort is not None and again is not None:
        _note_instant_win(leaves, leaves.abort, ruleset, again, findings)
    examine_exports(leaves, again, findings)
    level = None if deal is None else dealing_level(leaves, deal, seeds, findings)
    return RoundResult(
        findings=tuple(findings.listed),
        dealing_level=level,
        event_level=settled.event_level,
        client_seeds=seeds,
        client_seeds_leaf=-1 if deal is None else deal.index,
        open_leaf=leaves.open.index,
        server_seed=None if reveal is None else bytes.fromhex(reveal.leaf.server_seed),
        server_seed_leaf=-1 if reveal is None else reveal.index,
        signatures=signatures + len(openings.receipts) + settled.signatures,
        is_replayed=settled.is_replayed,
        is_redealt=deal is not None and redealt is not None,
        opened=certified.opened,
        has_law=ruleset is not None,
        deck=() if redealt is None else redealt.numbers,
        handed_in=tuple(sorted(handed_in)),
        shown=settled.sections,
        net=settled.net,
        money=money_of(
            leaves.header, transferred=settled.transferred if settled.is_replayed else None, house=settled.house
        ),
    )


def _examine_sealed_win(
    leaves: RoundLeaves, deal: Placed[DealLeaf], ruleset: Ruleset, again: Deal, findings: RoundFindings
) -> None:
    """Check that the deal of a sealed table opens the hands if one of them ends the round at once, and only then."""
    game, count = GAMES[ruleset.game], leaves.header.seat_count
    if not leaves.open.leaf.is_sealed or findings.has(Code.STREET_OPENED_EARLY):
        return
    try:
        with under_ruleset(ruleset.id, ruleset.version):
            is_won = game.later.opens_at_deal(ruleset.rules, again.sections[:count])
    except LawError as error:
        findings.add(Code.LAW_FAILED, str(error), deal.index)
        return
    if is_won != bool(deal.leaf.opened_sections):
        detail = "the deal opens the hands of a sealed table, and none of them wins at the deal"
        if is_won:
            detail = "a hand of a sealed table wins at the deal, and the deal does not open the hands"
        findings.add(Code.STREET_OPENED_EARLY, detail, deal.index)


def _note_instant_win(
    leaves: RoundLeaves, abort: Placed[AbortLeaf], ruleset: Ruleset, again: Deal, findings: RoundFindings
) -> None:
    """Note a round that was given up although a hand in its deck wins at the deal."""
    game, header = GAMES[ruleset.game], leaves.header
    deal = game_law.DealtRound(
        seat_count=header.seat_count,
        stake=header.stake,
        sections=again.sections[: len(game.layout(header.seat_count).shown)],
        dealt_time=abort.leaf.aborted_time,
        seat_stakes=header.seat_stakes,
        bet_unit=ruleset.bet_unit,
        leader=again.drawn,
        round_id=header.round_id,
    )
    try:
        with under_ruleset(ruleset.id, ruleset.version):
            is_won = game.begin(ruleset.rules, deal).is_over
    except LawError as error:
        findings.add(Code.LAW_FAILED, str(error), abort.index)
        return
    if is_won:
        findings.add(Code.INSTANT_WIN_GIVEN_UP, "a hand of the deck that was given up wins at the deal", abort.index)


def _examine_signatures(leaves: RoundLeaves, findings: RoundFindings) -> int:
    """Verify the signatures of the leaves; return the number of valid ones."""
    verified = 0
    for placed in leaves.placed:
        fault = signature_fault(placed.envelope, placed.ring)
        if fault is None:
            verified += placed.envelope.signature is not None
        else:
            findings.add(fault[0], fault[1], placed.index)
    return verified


def _examine_open(leaves: RoundLeaves, terms: AuditTerms, findings: RoundFindings) -> Ruleset | None:
    """Check the header; return its ruleset.

    None if the ruleset is unknown, is not the one that the header names, or does not allow the header's terms or
    layout.
    """
    header, index = leaves.header, leaves.open.index
    if header.round_id != leaves.round_id:
        findings.add(
            Code.ROUND_ID_MISMATCH,
            "the header does not hash to the round id",
            index,
            difference=Difference("round_id", leaves.round_id.hex(), header.round_id.hex()),
        )
    if header.origin != terms.origin:
        difference = Difference("header.origin", header.origin, terms.origin)
        findings.add(Code.WRONG_ORIGIN, "the round is of another log", index, difference=difference)
    _examine_seat_keys(leaves, findings)
    named = f"{header.ruleset_id} {header.ruleset_version}"
    try:
        ruleset = terms.catalogue.of_digest(header.ruleset_digest)
    except UnknownRulesetError as error:
        is_known = any((one.id, one.version) == (header.ruleset_id, header.ruleset_version) for one in terms.catalogue)
        code = Code.WRONG_RULESET if is_known else Code.RULESET_UNKNOWN
        findings.add(code, f"the header names {named}, but {error}", index)
        _examine_deadlines(leaves, ANY_BOUNDS, findings)
        return None
    if (ruleset.id, ruleset.version) != (header.ruleset_id, header.ruleset_version):
        found = f"{ruleset.id} {ruleset.version}"
        difference = Difference("header.ruleset_id", named, found)
        findings.add(Code.WRONG_RULESET, "the digest is another ruleset's", index, difference=difference)
        return None
    _examine_deadlines(leaves, ruleset.rules.round.bounds, findings)
    if not _examine_terms(leaves, ruleset, findings):
        return None
    try:
        sizes: tuple[int, ...] = GAMES[ruleset.game].layout(header.seat_count).sizes
    except ValueError:
        sizes = ()
    if header.layout != sizes:
        difference = Difference("header.layout", shown(list(header.layout)), shown(list(sizes)))
        detail = f"the layout is not that of {ruleset.game} for {header.seat_count} seats"
        findings.add(Code.SECTION_WRONG_SIZE, detail, index, difference=difference)
        return None
    return ruleset


def _examine_terms(leaves: RoundLeaves, ruleset: Ruleset, findings: RoundFindings) -> bool:
    """Check that the ruleset allows the round's seats, stake and bets; return whether it does."""
    header, seats = leaves.header, ruleset.rules.seats
    if not seats.minimum <= header.seat_count <= seats.maximum:
        difference = Difference("header.seat_keys", f"{header.seat_count} seats", f"{seats.minimum} to {seats.maximum}")
        detail = f"{ruleset.id} is played by {seats.minimum} to {seats.maximum} seats, not {header.seat_count}"
        findings.add(Code.TERMS_FORBIDDEN, detail, leaves.open.index, difference=difference)
        return False
    try:
        with under_ruleset(ruleset.id, ruleset.version):
            faults = GAMES[ruleset.game].check_stakes(
                ruleset.rules,
                seat_count=header.seat_count,
                stake=header.stake,
                seat_stakes=header.seat_stakes,
                bet_unit=ruleset.bet_unit,
            )
    except LawError as error:
        findings.add(Code.LAW_FAILED, str(error), leaves.open.index)
        return False
    if faults:
        detail = f"{ruleset.id} forbids the stakes of the header: {', '.join(map(_named_fault, faults))}"
        findings.add(Code.TERMS_FORBIDDEN, detail, leaves.open.index)
    return not faults


def _named_fault(fault: Violation) -> str:
    """Name a fault of stakes by its code, with those of its facts that are set: seat, found and allowed values."""
    facts = {"seat": fault.seat, "found": fault.found, "allowed": fault.expected}
    named = ", ".join(f"{name} {value}" for name, value in facts.items() if value is not None)
    return f"{fault.code} ({named})" if named else str(fault.code)


def _examine_seat_keys(leaves: RoundLeaves, findings: RoundFindings) -> None:
    """Check that no two seats have the same key, and that no seat has one of the log's own keys."""
    keys = leaves.header.seat_keys
    if not any(key != NO_KEY for key in keys):
        return
    placed = [one for one in (leaves.open, leaves.deal, leaves.settle, leaves.abort, leaves.reveal) if one is not None]
    own = {key: role for one in placed for role, key, _ in one.ring.known}
    for seat, key in enumerate(keys):
        if key != NO_KEY and (key in own or key in keys[:seat]):
            whose = f"the log's own {own[key].value}" if key in own else f"seat {keys.index(key)} too"
            findings.add(Code.SEAT_KEY_SHARED, f"the key of seat {seat} is that of {whose}", leaves.open.index)


def _examine_deadlines(leaves: RoundLeaves, bounds: RoundBounds, findings: RoundFindings) -> None:
    """Check the deadlines of the deal and of the round against the ruleset's bounds."""
    fault = deadline_fault(leaves.header, bounds, opened_time=leaves.open.leaf.opened_time)
    if fault is not None:
        detail = f"the {fault.field} is {fault.found}, and {fault.earliest} to {fault.latest} is allowed"
        findings.add(Code.DEADLINE_OUT_OF_BOUNDS, detail, leaves.open.index)


def _examine_abort(leaves: RoundLeaves, abort: Placed[AbortLeaf], findings: RoundFindings) -> None:
    header, leaf = leaves.header, abort.leaf

    def contradicts(detail: str) -> None:
        findings.add(Code.ABORT_MISMATCH, detail, abort.index)

    if len(leaf.client_seeds) != header.seat_count:
        contradicts(f"{header.seat_count} seats have {len(leaf.client_seeds)} places for seeds")
        return
    _examine_aborted_seeds(leaves, abort, findings)
    is_dealt = leaf.stage == "DEALT"
    deadline = header.round_deadline if is_dealt else header.deal_deadline
    faults = abort_faults(
        leaf.reason,
        is_dealt=is_dealt,
        seeds=leaf.client_seeds,
        commitments=leaves.open.leaf.client_commitments,
        deadline=deadline,
        time=leaf.aborted_time,
    )
    if AbortFault.SEED_RECEIVED in faults:
        detail = "the operator gave it up although a seat's seed was there, so that somebody could know the cards"
        findings.add(Code.ABORTED_AFTER_SEED, detail, abort.index)
    elif is_dealt and (AbortFault.WRONG_REASON in faults or not all(leaf.client_seeds)):
        contradicts(
            f"a dealt round has all its seeds, and ends without a settlement by its deadline, not {leaf.reason}"
        )
    elif AbortFault.WRONG_REASON in faults or _has_deck(leaves, abort):
        contradicts(_WRONG_REASONS[leaf.reason])
    elif AbortFault.NOT_DEALT in faults:
        detail = "all seats gave their seeds, so it was to be dealt, and it was ended instead"
        findings.add(Code.NEVER_DEALT, detail, abort.index)
    if AbortFault.TOO_EARLY in faults:
        contradicts(f"it was aborted at {leaf.aborted_time}, and for its reason that is lawful after {deadline} only")


def _examine_aborted_seeds(leaves: RoundLeaves, abort: Placed[AbortLeaf], findings: RoundFindings) -> None:
    """Check that the seeds of an ABORT agree with the DEAL, and open their commitments."""
    dealt = dict(enumerate(() if leaves.deal is None else leaves.deal.leaf.client_seeds))
    for seat, text in enumerate(abort.leaf.client_seeds):
        if text and text != dealt.get(seat, text):
            detail = f"the seed of seat {seat} is not the one it was dealt with"
            findings.add(Code.CLIENT_SEED_MISMATCH, detail, abort.index)
        elif text:
            opens(leaves, Seat(seat), bytes.fromhex(text), findings, leaf_index=abort.index)


def _has_deck(leaves: RoundLeaves, abort: Placed[AbortLeaf]) -> bool:
    """Return whether the reason of an ABORT is VOID although the round was dealt or its seeds give a deck."""
    return abort.leaf.reason == "VOID" and (leaves.deal is not None or not is_void(leaves, abort))


_WRONG_REASONS: Final = {
    "SEED_MISSING": "it blames seats for a missing seed, and none is missing or none was expected",
    "DEADLINE": "its reason is DEADLINE, and seeds were expected: it was to name the seats without one",
    "VOID": "its reason is VOID, and its seeds give a deck",
}
"""Details of an undealt round's ABORT whose reason contradicts the round's seeds, by that reason."""

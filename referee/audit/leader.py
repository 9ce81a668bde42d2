"""Checks of who leads: the last winner as the log names it, or the seat that the deal, made again, gives.

A DEAL names the leader and the reason why it leads, and the transcript repeats both. In a round that no last winner
leads, the ruleset says whether a seat is drawn or the lowest card leads.
"""

import msgspec

from referee.audit.finding import Code, Difference, RoundFindings, shown
from referee.audit.reading import Placed
from referee.audit.round_leaves import RoundLeaves
from referee.dealing.deal import Deal, has_leader
from referee.dealing.lead import Lead, dealt_leader, winners_lead
from referee.dealing.leaf import DealLeaf
from referee.games import GAMES, LawError, LeaderBy, under_ruleset
from referee.rulesets import Ruleset
from referee.transcript.inputs import Transcript


def examine_leader(
    leaves: RoundLeaves, deal: Placed[DealLeaf], ruleset: Ruleset | None, findings: RoundFindings
) -> None:
    """Check the leader that a DEAL names against the log's last winner, and its reason against the ruleset."""
    lead = Lead.of(deal.leaf.leader, deal.leaf.leader_by)
    if lead is None or not has_leader(leaves.header):
        if has_leader(leaves.header) != (lead is not None):
            detail = "it names a leader, and this game has none" if lead else "it names no leader"
            findings.add(Code.LEADER_MISMATCH, detail, leaf_index=deal.index)
        return
    if leaves.is_winner_known:
        try:
            fault = _fault(lead, winners_lead(leaves.header, leaves.last_winner), ruleset)
        except LawError as error:
            findings.add(Code.LAW_FAILED, str(error), leaf_index=deal.index)
            return
        if fault:
            findings.add(Code.LEADER_MISMATCH, fault, leaf_index=deal.index)


def examine_dealt_leader(leaves: RoundLeaves, deal: Placed[DealLeaf], again: Deal, findings: RoundFindings) -> None:
    """Check a leader by draw or lowest card against the deal that was made again from the seeds."""
    lead = Lead.of(deal.leaf.leader, deal.leaf.leader_by)
    if lead is None or lead.by is LeaderBy.WINNER or findings.has(Code.LEADER_MISMATCH):
        return
    seat = dealt_leader(leaves.header, again, lead.by)
    if lead.seat != seat:
        detail = f"seat {lead.seat} leads by {lead.by}, and the seeds give seat {seat}"
        difference = Difference("leader", shown(lead.seat), shown(seat))
        findings.add(Code.LEADER_MISMATCH, detail, leaf_index=deal.index, difference=difference)


def examine_settled_leader(deal: Placed[DealLeaf], settle: Placed[Transcript], findings: RoundFindings) -> None:
    """Check that a transcript has the leader of its DEAL, for the same reason."""
    inputs = settle.leaf.inputs
    for name in ("leader", "leader_by"):
        claimed, dealt = getattr(inputs, name), getattr(deal.leaf, name)
        if claimed != dealt:
            findings.add(
                Code.LEADER_MISMATCH,
                "the transcript has another leader than DEAL, or another reason",
                leaf_index=settle.index,
                difference=Difference(f"inputs.{name}", _text(claimed), _text(dealt)),
            )
            return


def _fault(lead: Lead, required: Lead | None, ruleset: Ruleset | None) -> str:
    """Describe the fault of a lead; an empty text if it is right.

    ``required`` is the lead of the last winner, None if no last winner leads.
    """
    if required is not None:
        detail = f"seat {lead.seat} leads by {lead.by}, and the last winner sits at {required.seat}"
        return "" if lead == required else detail
    if lead.by is LeaderBy.WINNER:
        return f"seat {lead.seat} leads as the last winner, and no winner leads this round"
    first = lead.by if ruleset is None else _first(ruleset)
    return "" if lead.by is first else f"seat {lead.seat} leads by {lead.by}, and the ruleset says {first}"


def _first(ruleset: Ruleset) -> LeaderBy | None:
    with under_ruleset(ruleset.id, ruleset.version):
        lead = GAMES[ruleset.game].lead
        return None if lead is None else lead.first_leader(ruleset.rules)


def _text(value: object) -> str:
    return shown("" if value is msgspec.UNSET else value)

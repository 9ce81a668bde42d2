"""The leader of a round at its deal, found from the log's record of the last winner, the deal and the ruleset."""

from referee.dealing.deal import Deal
from referee.dealing.header import Header
from referee.dealing.lead import Lead, Winner, lead_of
from referee.games import GAMES, under_ruleset
from referee.rulesets import Ruleset
from referee.v1 import shuffler_pb2


def find_lead(header: Header, ruleset: Ruleset, deal: Deal, *, winner: bytes) -> Lead | None:
    """Return the leader of a round and the reason that it leads; None in a game without a leader.

    ``winner`` is the log's record of the winner of the table's last settled round; empty if there is none.
    """
    game = GAMES[ruleset.game]
    if game.lead is None:
        return None
    with under_ruleset(ruleset.id, ruleset.version):
        first = game.lead.first_leader(ruleset.rules)
    return lead_of(header, deal, winner=Winner.of_bytes(winner), first=first)


def fill_leader(answer: shuffler_pb2.DealRoundResponse, lead: Lead | None) -> None:
    """Write the leading seat and the reason into the answer to a deal; leave both absent if ``lead`` is None."""
    if lead is not None:
        leader, by = lead
        answer.MergeFrom(shuffler_pb2.DealRoundResponse(leader=leader, leader_by=f"LEADER_BY_{by}"))

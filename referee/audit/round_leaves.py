"""Leaves of one round, the result of examining them, and the readers that get both.

A ``RoundLeaves`` has all the data of its round, so rounds can be examined in any order and in any process.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import msgspec

from referee.audit.documents import NO_DOCUMENTS, Documents
from referee.audit.reading import Payload, Placed
from referee.audit.report import DealingLevel, Report
from referee.dealing.header import Header
from referee.dealing.lead import Winner
from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf, RevealLeaf, UnsealLeaf
from referee.finding import Finding
from referee.rulesets import Catalogue, Ruleset
from referee.transcript.inputs import Transcript
from referee.transcript.proof import EventLevel


class RoundLeaves(msgspec.Struct, frozen=True, kw_only=True):
    """Leaves of one round, each None if the log lacks it, and the documents that people kept of the round.

    ``round_id`` is the one that its OPEN names; ``previous_round_id`` is the table's previous round, None if unknown.
    ``unseals`` are in the order of the log. ``is_lapsed`` says that the round's deadline has passed and it has not
    ended. ``last_winner`` won the table's last settled round. It is None if there was
    no winner, and if ``is_winner_known`` is False, because the leaf that names the winner is not available.
    """

    round_id: bytes
    header: Header
    open: Placed[OpenLeaf]
    deal: Placed[DealLeaf] | None = None
    unseals: tuple[Placed[UnsealLeaf], ...] = ()
    settle: Placed[Transcript] | None = None
    abort: Placed[AbortLeaf] | None = None
    reveal: Placed[RevealLeaf] | None = None
    is_lapsed: bool = False
    previous_round_id: bytes | None = None
    last_winner: Winner | None = None
    is_winner_known: bool = True
    documents: Documents = NO_DOCUMENTS

    @property
    def placed(self) -> tuple[Placed[Payload], ...]:
        """The round's leaves, in the order of their kinds."""
        leaves = (self.open, self.deal, *self.unseals, self.settle, self.abort, self.reveal)
        return tuple([placed for placed in leaves if placed is not None])


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditTerms:
    """Terms of an audit that are the same for all rounds: the log's origin, and the available rulesets."""

    origin: str
    catalogue: Catalogue


class RoundMoney(msgspec.Struct, frozen=True, kw_only=True):
    """Money of one round; amounts are 0 unless its settlement was recomputed.

    ``terms`` are its ruleset's id, version and digest, and its currency.
    """

    terms: tuple[str, str, str, str]
    is_recomputed: bool = False
    staked: int = 0
    transferred: int = 0
    house: int = 0


def money_of(header: Header, *, transferred: int | None, house: int = 0) -> RoundMoney:
    """Return a round's money; ``transferred`` must be None unless its settlement was recomputed.

    The amount staked is the sum of the seats' bets before the deal, or in a game without bets the table's stake times
    the number of seats.
    """
    terms = header.ruleset_id, header.ruleset_version, header.ruleset_digest.hex(), header.currency
    if transferred is None:
        return RoundMoney(terms=terms)
    bets = header.seat_stakes
    staked = sum(map(sum, bets)) if bets else header.stake * header.seat_count
    return RoundMoney(terms=terms, is_recomputed=True, staked=staked, transferred=transferred, house=house)


class RoundResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of examining a round. The index of the leaf that shows seeds is -1 if there is no such leaf.

    ``dealing_level`` is None without a DEAL, ``event_level`` if the settlement was not recomputed. ``signatures``
    counts the valid signatures of leaves, events and receipts. ``is_replayed`` and ``is_redealt`` say that the
    settlement was recomputed, or the deck dealt again, with an equal result. ``opened`` are the sections that
    certificates open, each with its key. ``has_law`` says that the header's ruleset is known and allows its terms.

    ``deck`` has the card numbers of the deck dealt again, by section. It is empty if a seed is unknown or the deck
    contradicts the settlement. ``handed_in`` are the seats whose seeds the log lacks and people handed in. ``shown``
    are the card numbers of the settlement's sections, empty if they are no cards of this layout. ``net`` has the seats'
    net amounts, and is empty unless the settlement was recomputed.
    """

    findings: tuple[Finding, ...]
    dealing_level: DealingLevel | None
    event_level: EventLevel | None
    client_seeds: tuple[bytes, ...]
    client_seeds_leaf: int
    open_leaf: int
    server_seed: bytes | None
    server_seed_leaf: int
    signatures: int
    is_replayed: bool
    is_redealt: bool
    money: RoundMoney
    opened: tuple[tuple[int, bytes], ...] = ()
    has_law: bool = False
    deck: tuple[bytes, ...] = ()
    handed_in: tuple[int, ...] = ()
    shown: tuple[tuple[int, ...], ...] = ()
    net: tuple[int, ...] = ()


class ExaminedRound(msgspec.Struct, frozen=True):
    """A round as a reader of an audit gets it: its leaves, the result of their examination, and its ruleset.

    ``ruleset`` is None if it is unknown or does not allow the header's terms.
    """

    leaves: RoundLeaves
    result: RoundResult
    ruleset: Ruleset | None

    @property
    def leaf_index(self) -> int:
        """Index of the round's DEAL, or of its OPEN if it was not dealt."""
        return (self.leaves.deal or self.leaves.open).index


class RoundReader(Protocol):
    """Reader of the rounds of an audit, given-up rounds included, in the order in which their last leaves are read.

    Rounds that the end of the log finds incomplete come last, in the order of their OPENs.
    """

    def on_round(self, examined: ExaminedRound) -> None:
        """Read the next round."""

    def close(self, report: Report) -> Iterable[Finding]:
        """Return the findings to add; ``report`` has the numbers of all rounds."""

"""A round's leaves together, and what examining them gives.

The law: a gathered round is all that its examination needs, so rounds are examined in any order and in any process.
"""

from dataclasses import dataclass

import msgspec

from referee.audit.drawn import Drawn
from referee.audit.finding import Finding
from referee.audit.level import DealingLevel, EventLevel
from referee.audit.reading import Placed
from referee.audit.source import NO_EXHIBITS, Exhibits
from referee.dealing.header import Header
from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf, RevealLeaf
from referee.rulesets import Catalogue
from referee.transcript.leader import LastWinner
from referee.transcript.told import Transcript


class GatheredRound(msgspec.Struct, frozen=True, kw_only=True):
    """The leaves of one round, None where there is none, and what people hold of it.

    ``round_id`` is the one that its OPEN names, ``previous_round_id`` that of the table's round before, where known.
    ``last_winner`` won the table's last settled round before, where that was of the same game and its winner leads.
    """

    round_id: bytes
    header: Header
    open: Placed[OpenLeaf]
    deal: Placed[DealLeaf] | None = None
    settle: Placed[Transcript] | None = None
    abort: Placed[AbortLeaf] | None = None
    reveal: Placed[RevealLeaf] | None = None
    previous_round_id: bytes | None = None
    last_winner: LastWinner | None = None
    exhibits: Exhibits = NO_EXHIBITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    """What rounds are examined by: the log's origin, and the rulesets at hand."""

    origin: str
    catalogue: Catalogue


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a round. Seeds stand with the leaf that shows them; levels are None where there is none.

    ``signatures`` counts those of leaves, events and receipts in transcripts that hold; ``is_replayed`` and
    ``is_redealt`` say that these were done and held. ``drawn`` is for the statistics of the whole log, and
    ``section_keys`` are the sections that certificates open, each with its key.
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
    drawn: Drawn
    section_keys: tuple[tuple[int, bytes], ...] = ()

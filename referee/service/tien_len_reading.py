"""A round of Tiến Lên as a question tells it: what its events come to is remembered, see ``standing``."""

from collections.abc import Sequence

import msgspec

from referee.cards import Card
from referee.dealing.header import HeaderJson
from referee.games.tien_len import State, check_settlement
from referee.rulesets import Ruleset
from referee.service.leading import Lead
from referee.service.rounds import VerifiedRound
from referee.service.settling import Chain
from referee.service.standing import deal_of
from referee.transcript.inputs import Inputs, fitted
from referee.transcript.replay import encode_results
from referee.transcript.tien_len import Judged, close, found_json
from referee.v1.tien_len_pb2 import TienLenRound
from referee.verdict import Violation
from referee.wire.tien_len import write_outcome

Deal = tuple[tuple[bytes, bool], tuple[bytes, ...]]


def deal_asked(verified: VerifiedRound, message: TienLenRound) -> Deal:
    """What a round follows from besides its events: the verified deal, and what was told of the leader, as bytes."""
    winner = b"%d" % message.previous_winner_seat if message.HasField("previous_winner_seat") else b""
    return deal_of(verified), (
        winner,
        *[one.SerializeToString(deterministic=True) for one in message.previous_rounds],
    )


class Standing(msgspec.Struct, kw_only=True):
    """What a round's events come to: the state before the first unlawful one, and what is wrong with that one.

    What is private is filled in when it is first asked for.
    """

    deal: Deal
    events: tuple[bytes, ...]
    lead: Lead
    state: State
    chain: Chain
    violations: tuple[Violation, ...] = ()
    _judged: Judged | None = None
    _found: msgspec.Raw | None = None
    _shown: bytes | None = None

    @property
    def refused_event(self) -> int:
        """The number of the first unlawful event; 0 where all are lawful."""
        return self.state.event_count + 1 if self.violations else 0

    def judged(self, stake: int) -> Judged:
        """What the round comes to; it must be over."""
        if self._judged is None:
            self._judged = close(self.state, stake=stake, closed_time=self.state.last_time)
        return self._judged

    def found(self, stake: int) -> msgspec.Raw:
        """The same as it stands in a transcript."""
        if self._found is None:
            self._found = encode_results(found_json(self.judged(stake), events_hash=self.chain.last_hash))
        return self._found

    def shown(self, stake: int, ruleset: Ruleset) -> bytes:
        """The same as the bytes of the message that says it."""
        if self._shown is None:
            self._shown = write_outcome(self.judged(stake), ruleset).SerializeToString()
        return self._shown


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A round as read from a request: its terms and cards, and what its events come to."""

    verified: VerifiedRound
    hands: Sequence[Sequence[Card]]
    standing: Standing

    @property
    def chain(self) -> Chain:
        """All its events."""
        return self.standing.chain

    @property
    def refused_event(self) -> int:
        """The number of the first unlawful event; 0 where all are lawful."""
        return self.standing.refused_event

    def faults_at(self, time: int) -> tuple[Violation, ...]:
        """What keeps it from being settled at a time."""
        return self.standing.violations or check_settlement(self.standing.state, closed_time=time)

    def told_at(self, time: int) -> Inputs:
        """What its transcript tells when it is settled at a time."""
        verified, lead = self.verified, self.standing.lead
        return Inputs(
            header=HeaderJson.of(verified.header),
            deck_root=verified.deck_root.hex(),
            dealt_time=verified.dealt_time,
            closed_time=time,
            sections=tuple([tuple([card.number for card in hand]) for hand in self.hands]),
            events=fitted(self.standing.chain.events),
            leader=lead.leader,
            previous_winner_seat=msgspec.UNSET if lead.previous_winner_seat is None else lead.previous_winner_seat,
        )

    @property
    def found(self) -> msgspec.Raw:
        """What it comes to, as in a transcript; it has no faults."""
        return self.standing.found(self.verified.header.stake)

    @property
    def shown(self) -> bytes:
        """The same as the bytes of the answer's outcome."""
        return self.standing.shown(self.verified.header.stake, self.verified.ruleset)

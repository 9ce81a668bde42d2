"""A round of Ultimate Texas Hold'em as a question tells it: what its events come to is remembered, see ``standing``."""

import msgspec

from referee.cards import Card
from referee.dealing.header import HeaderJson
from referee.dealing.layout import BOARD_SECTIONS, layout_of
from referee.games.ultimate_texas import State, check_settlement
from referee.rulesets import Ruleset
from referee.service.rounds import VerifiedRound
from referee.service.settling import Chain
from referee.transcript.inputs import Inputs
from referee.transcript.replay import encode_results
from referee.transcript.ultimate_texas import GAME, Settled, found_json, settled
from referee.verdict import Violation
from referee.wire.ultimate_texas import write_outcome

Sections = tuple[tuple[Card, ...], ...]


class Standing(msgspec.Struct, kw_only=True):
    """What a round's events come to: the state before the first unlawful one, and what is wrong with that one.

    What is private is filled in when it is first asked for; it follows from the cards as well, and these from the deal.
    """

    deal: tuple[bytes, bool]
    events: tuple[bytes, ...]
    state: State
    chain: Chain
    violations: tuple[Violation, ...] = ()
    _settled: Settled | None = None
    _found: msgspec.Raw | None = None
    _shown: bytes | None = None

    @property
    def refused_event(self) -> int:
        """The number of the first unlawful event; 0 where all are lawful."""
        return self.state.event_count + 1 if self.violations else 0

    def settled(self, sections: Sections) -> Settled:
        """What the round comes to; it must be over."""
        if self._settled is None:
            self._settled = settled(self.state, sections)
        return self._settled

    def found(self, sections: Sections) -> msgspec.Raw:
        """The same as it stands in a transcript."""
        if self._found is None:
            self._found = encode_results(found_json(self.settled(sections), events_hash=self.chain.last_hash))
        return self._found

    def shown(self, sections: Sections, ruleset: Ruleset) -> bytes:
        """The same as the bytes of the message that says it."""
        if self._shown is None:
            self._shown = write_outcome(self.settled(sections), ruleset).SerializeToString()
        return self._shown


class Reading(msgspec.Struct, kw_only=True):
    """A round as read from a request: its terms and cards, and what its events come to."""

    verified: VerifiedRound
    standing: Standing
    _sections: Sections | None = None

    @property
    def chain(self) -> Chain:
        """All its events."""
        return self.standing.chain

    @property
    def refused_event(self) -> int:
        """The number of the first unlawful event; 0 where all are lawful."""
        return self.standing.refused_event

    @property
    def is_open(self) -> bool:
        """Whether every card is open that counts."""
        return len(self.verified.sections) == self.verified.header.seat_count + len(BOARD_SECTIONS)

    @property
    def sections(self) -> Sections:
        """All that a settlement needs, in the order of the layout; refuses a round of which something is not open."""
        if self._sections is None:
            layout = layout_of(GAME, seat_count=self.verified.header.seat_count)
            hands = [(hand, f"the hand of seat {hand}") for hand in layout.hands]
            board = [(layout.board(name), f"the section {name}") for name in BOARD_SECTIONS]
            named = (*hands, *board)
            self._sections = tuple([self.verified.section(index, name, field="round") for index, name in named])
        return self._sections

    def faults_at(self, time: int) -> tuple[Violation, ...]:
        """What keeps it from being settled at a time."""
        return self.standing.violations or check_settlement(self.standing.state, closed_time=time)

    def told_at(self, time: int) -> Inputs:
        """What its transcript tells when it is settled at a time; refuses a round whose cards are not all open."""
        verified = self.verified
        return Inputs(
            header=HeaderJson.of(verified.header),
            deck_root=verified.deck_root.hex(),
            dealt_time=verified.dealt_time,
            closed_time=time,
            sections=tuple([tuple([card.number for card in section]) for section in self.sections]),
            events=self.standing.chain.events,
            sealed=1 if verified.is_sealed else msgspec.UNSET,
        )

    @property
    def found(self) -> msgspec.Raw:
        """What it comes to, as in a transcript; it has no faults."""
        return self.standing.found(self.sections)

    @property
    def shown(self) -> bytes:
        """The same as the bytes of the answer's outcome."""
        return self.standing.shown(self.sections, self.verified.ruleset)

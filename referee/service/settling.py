"""Settlements: judged, signed, and appended to the log.

A settlement belongs to its deal: the log takes it only if the table's slot holds a DEAL with the same round id and deck
root, and the round has not ended. A repeated settlement is answered from the log, however late it is requested.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from referee.dealing.header import Header, is_past
from referee.dealing.lead import Winner, encode_winner
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from referee.games.questions import HouseQuestions
from referee.log import SettleStep, SlotKey, Stage, Unseal
from referee.rulesets import Ruleset
from referee.service.appending import append_each
from referee.service.reading import faults_at, require_sections
from referee.service.verifying import check_unexpired
from referee.storage import Append, Logged, Reader, Writer
from referee.transcript.inputs import MEDIA_TYPE
from referee.transcript.round import Round
from referee.verdict import Violation
from referee.wire.refusal import RefusedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Settler:
    """Judge of settlements at the referee's clock, which signs their transcripts and appends them."""

    signer: Signer
    writer: Writer
    reader: Reader
    clock: Callable[[], int]
    on_settled: Callable[[], None]
    on_returns: Callable[[Ruleset, Sequence[int]], None]

    def judge(self, played: Round) -> Append | tuple[Violation, ...]:
        """Return the signed settlement of a round to append, or the violations that keep it from being settled now.

        Refuse a round whose deadline passed before it was settled, and a round with a section that is not open.
        """
        header, now = played.header, self.clock()
        if is_past(header.round_deadline, time=now) and not self._is_settled(header):
            check_unexpired(header, now=now, field="round")
        closed = played.closing_time(now)
        violations = faults_at(played, closed)
        if violations and self._is_settled(header):
            closed = header.round_deadline  # the clock was set back after the settlement; judge as at a later time
            violations = faults_at(played, closed)
        if violations:
            return violations
        require_sections(played)
        payload, request_digest = played.transcript(closed)
        links = played.course.links
        step = SettleStep(
            SlotKey(header.table_id, header.round_number),
            round_id=header.round_id,
            deck_root=played.deck_root,
            unseals=tuple([Unseal(opening.number, links[opening.number - 1].history) for opening in played.openings]),
            winner=_winner_record(played),
        )
        leaf = Envelope.signed(MEDIA_TYPE, payload, self.signer).to_bytes()
        return Append(leaf=leaf, step=step, request_digest=request_digest, time=closed)

    def append(self, settlements: Sequence[Append | None]) -> list[Logged | RefusedError | None]:
        """Append settlements, each independently; return for each the durable leaf or the log's refusal, None for None.

        Call ``on_settled`` if at least one is durable.
        """
        found = append_each(self.writer, [append for append in settlements if append is not None])
        if not all(isinstance(one, RefusedError) for one in found):
            self.on_settled()
        logged = iter(found)
        return [None if append is None else next(logged) for append in settlements]

    def count(self, played: Round) -> None:
        """Report what the side bets of a round that was settled now got back by the cards, if there were any."""
        questions = played.game.questions
        if isinstance(questions, HouseQuestions) and (returns := questions.side_returns(played.state, played.outcome)):
            self.on_returns(played.ruleset, returns)

    def _is_settled(self, header: Header) -> bool:
        state = self.reader.round(SlotKey(header.table_id, header.round_number))
        return state is not None and state.stage is Stage.SETTLED


def _winner_record(played: Round) -> bytes:
    """Return the record of a round's winner, by which the next round finds its leader.

    It is empty in a game without a leader, and for a round without a winner.
    """
    winners = played.outcome.winners if played.game.lead is not None else ()
    if not winners:
        return b""
    header = played.header
    return encode_winner(Winner(header.ruleset_digest, header.currency, header.stake, header.seat_keys, winners[0]))

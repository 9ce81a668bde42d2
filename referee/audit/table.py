"""Tables: each leaf takes its step in its round's slot, rounds are gathered, and what each table did is counted.

The law is that of ``referee.log.slot``: OPEN < DEAL < SETTLE or ABORT < REVEAL, each once, and OPEN names the leaf that
ended the round before. A step that is refused is a finding; where it can be told which round is meant, the round goes
on from there, so that one fault is not found many times. A round is handed over once its seed is shown, or at the end
of the log; only rounds that wait for a leaf, and each table's last one, are kept.

It refuses to know whether a leaf is signed and what its cards are.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never, cast

import msgspec
from msgspec.structs import replace

from referee.audit.finding import Code, Difference, Finding
from referee.audit.gathered import GatheredRound
from referee.audit.reading import Placed
from referee.audit.settlement import header_fault
from referee.audit.source import NO_EXHIBITS, Exhibits
from referee.cards import Seat
from referee.dealing.deal import LEADING_GAMES
from referee.dealing.header import Header
from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf, RevealLeaf
from referee.evidence.canonical import Natural
from referee.log import (
    AbortStep,
    DealStep,
    OpenStep,
    RevealStep,
    Round,
    SettleStep,
    SlotError,
    SlotKey,
    SlotReason,
    Stage,
    Step,
    advance,
)
from referee.transcript.leader import LastWinner
from referee.transcript.told import Transcript

NOBODY: Final = "NOBODY"

_OPEN_CODES: Final = {
    SlotReason.ALREADY_OPENED: Code.OPENED_TWICE,
    SlotReason.PREVIOUS_ROUND_OPEN: Code.NEXT_ROUND_EARLY,
    SlotReason.WRONG_PREVIOUS: Code.WRONG_PREVIOUS_LEAF,
}
_SETTLE_CODES: Final = {
    SlotReason.NOT_DEALT: Code.SETTLED_UNDEALT,
    SlotReason.DECK_ROOT_MISMATCH: Code.DECK_ROOT_MISMATCH,
}
_NO_ROOT: Final = bytes(32)

RoundLeaf: TypeAlias = DealLeaf | Transcript | AbortLeaf | RevealLeaf
"""What follows an OPEN in its round."""


class _Winners(msgspec.Struct, frozen=True):
    winners: tuple[Natural, ...]


_winner_decoder: Final = msgspec.json.Decoder(_Winners)


class TableCounts(msgspec.Struct):
    """What a table did. Aborted rounds are counted by culprit: a seat's number, or ``NOBODY``.

    ``sealed`` are those opened as rounds of a sealed table, ``running`` ones have not ended, ``unrevealed`` ones have
    and their seed is not shown.
    """

    opened: int = 0
    sealed: int = 0
    dealt: int = 0
    settled: int = 0
    aborted_before_deal: dict[str, int] = msgspec.field(default_factory=dict)
    aborted_after_deal: dict[str, int] = msgspec.field(default_factory=dict)
    running: int = 0
    unrevealed: int = 0

    def add(self, other: "TableCounts") -> None:
        """The other table's counts are in these too."""
        self.opened += other.opened
        self.sealed += other.sealed
        self.dealt += other.dealt
        self.settled += other.settled
        self.running += other.running
        self.unrevealed += other.unrevealed
        for mine, theirs in (
            (self.aborted_before_deal, other.aborted_before_deal),
            (self.aborted_after_deal, other.aborted_after_deal),
        ):
            for culprit, count in theirs.items():
                mine[culprit] = mine.get(culprit, 0) + count


@dataclass(slots=True, kw_only=True)
class _Live:
    """A round whose leaves may still come. ``open`` is None once the round was handed over."""

    state: Round
    header: Header
    open: Placed[OpenLeaf] | None
    last_leaf: int
    previous_round_id: bytes | None
    last_winner: LastWinner | None
    deal: Placed[DealLeaf] | None = None
    settle: Placed[Transcript] | None = None
    abort: Placed[AbortLeaf] | None = None
    reveal: Placed[RevealLeaf] | None = None

    def hand_over(self, exhibits: Exhibits) -> GatheredRound | None:
        """The round as gathered, whose leaves are then let go; None where that was done before."""
        if self.open is None:
            return None
        gathered = GatheredRound(
            round_id=self.state.round_id,
            header=self.header,
            open=self.open,
            deal=self.deal,
            settle=self.settle,
            abort=self.abort,
            reveal=self.reveal,
            previous_round_id=self.previous_round_id,
            last_winner=self.last_winner,
            exhibits=exhibits,
        )
        self.open = self.deal = self.settle = self.abort = self.reveal = None
        return gathered


class Tables:
    """All tables of a log while its leaves go by.

    ``hear`` is told each finding, ``exhibits`` go by round id, and ``exhibited`` are those that there are.
    """

    def __init__(self, hear: Callable[[Finding], None], *, exhibits: Mapping[bytes, Exhibits]) -> None:
        self.counts: dict[str, TableCounts] = {}
        self.exhibited: set[bytes] = set()
        self._hear = hear
        self._exhibits = exhibits
        self._rounds: dict[bytes, _Live] = {}
        self._last: dict[str, _Live] = {}
        self._winners: dict[str, tuple[str, LastWinner]] = {}

    def remember(self, header: Header, *, round_id: bytes, stage: Stage, terminal_leaf: bytes) -> None:
        """The table's last round was this one, which has ended with this leaf, whose other leaves are not at hand."""
        state = Round(
            SlotKey(header.table_id, header.round_number),
            round_id=round_id,
            deal_deadline=header.deal_deadline,
            round_deadline=header.round_deadline,
            stage=stage,
            terminal_leaf=terminal_leaf,
            is_revealed=True,
        )
        self._last[header.table_id] = _Live(
            state=state, header=header, open=None, last_leaf=-1, previous_round_id=None, last_winner=None
        )

    def remember_winner(self, header: Header, winner: LastWinner) -> None:
        """The table's last settled round, of this header's game, was won by this player."""
        self._winners[header.table_id] = _game_of(header), winner

    def open(self, placed: Placed[OpenLeaf], header: Header) -> None:
        """An OPEN leaf, with its header, takes its place."""
        leaf = placed.leaf
        round_id = bytes.fromhex(leaf.round_id)
        last = self._last.get(header.table_id)
        step = OpenStep(
            SlotKey(header.table_id, header.round_number),
            round_id=round_id,
            previous_leaf=header.previous_leaf,
            deal_deadline=header.deal_deadline,
            round_deadline=header.round_deadline,
        )
        is_twice = is_refused = False
        try:
            state = _opened(step, placed.hash, None if last is None else last.state)
        except SlotError as error:
            self._find(_OPEN_CODES[error.reason], error.detail, placed.index, step.key)
            is_twice, is_refused = error.reason is SlotReason.ALREADY_OPENED, True
            state = Round(
                step.key,
                round_id=round_id,
                deal_deadline=header.deal_deadline,
                round_deadline=header.round_deadline,
            )
        if round_id in self._rounds:
            if not is_refused:
                self._find(Code.OPENED_TWICE, "its round id is that of another round", placed.index, step.key)
            return
        if round_id in self._exhibits:
            self.exhibited.add(round_id)
        self._rounds[round_id] = live = _Live(
            state=state,
            header=header,
            open=placed,
            last_leaf=placed.index,
            previous_round_id=None if last is None or is_twice else last.state.round_id,
            last_winner=self._last_winner(header),
        )
        counts = self.counts.setdefault(header.table_id, TableCounts())
        counts.opened += 1
        counts.sealed += leaf.is_sealed
        if not is_twice:
            self._last[header.table_id] = live
            if last is not None and last.open is None:
                self._rounds.pop(last.state.round_id, None)

    def take(self, placed: Placed[RoundLeaf]) -> GatheredRound | None:
        """The round that this leaf completes; None where it completes none."""
        live = self._rounds.get(bytes.fromhex(placed.leaf.round_id))
        if live is None:
            self._find_stray(placed)
            return None
        step = _step_of(placed.leaf, live.state)
        try:
            state = advance(step, leaf_hash=placed.hash, previous=None, current=live.state)
        except SlotError as error:
            code = _code_of(step, error.reason)
            if code is Code.DECK_ROOT_MISMATCH and isinstance(step, SettleStep) and live.state.deck_root is not None:
                difference = Difference("told.deck_root", step.deck_root.hex(), live.state.deck_root.hex())
                self._find(code, "another deck was settled than was dealt", placed.index, step.key, difference)
            else:
                self._find(code, f"the round {error.detail}", placed.index, step.key)
            if code in {Code.ENDED_TWICE, Code.DEALT_TWICE}:
                return None
            state = _forced(step, live.state, placed.hash)
        return self._place(live, placed, state)

    def close(self, *, now: int, grace: int) -> Iterator[GatheredRound]:
        """The rounds that still wait for a leaf, oldest first, after those past their deadline were found.

        ``grace`` is how long, in ms, a leaf may come after it was due.
        """
        for live in self._rounds.values():
            gathered = self._hand_over(live)
            if gathered is None:
                continue
            state, counts = live.state, self.counts[live.state.key.table_id]
            deadline = state.deadline
            if deadline is None:
                counts.unrevealed += 1
                if now > state.round_deadline + grace:
                    detail = f"the round has ended, its deadline was {state.round_deadline}, and no seed is shown"
                    self._find(Code.NEVER_REVEALED, detail, live.last_leaf, state.key)
            else:
                counts.running += 1
                if now > deadline + grace:
                    detail = f"the round is {state.stage.name}, its deadline was {deadline}, and it was not aborted"
                    self._find(Code.DEADLINE_PASSED, detail, live.last_leaf, state.key)
            yield gathered

    def _place(self, live: _Live, placed: Placed[RoundLeaf], state: Round) -> GatheredRound | None:
        counts, leaf = self.counts[state.key.table_id], placed.leaf
        if live.open is None:
            return None
        match leaf:
            case DealLeaf():
                counts.dealt += 1
                live.deal = cast("Placed[DealLeaf]", placed)
            case Transcript():
                counts.settled += 1
                self._keep_winner(live.header, leaf)
                live.settle = cast("Placed[Transcript]", placed)
            case AbortLeaf():
                by_culprit = counts.aborted_before_deal if live.deal is None else counts.aborted_after_deal
                culprit = str(leaf.culprit) if isinstance(leaf.culprit, int) else NOBODY
                by_culprit[culprit] = by_culprit.get(culprit, 0) + 1
                live.abort = cast("Placed[AbortLeaf]", placed)
            case RevealLeaf():
                live.reveal = cast("Placed[RevealLeaf]", placed)
            case _:
                assert_never(leaf)
        live.state, live.last_leaf = state, placed.index
        if not (state.stage.is_terminal and state.is_revealed):
            return None
        if self._last.get(state.key.table_id) is not live:
            del self._rounds[state.round_id]
        return self._hand_over(live)

    def _hand_over(self, live: _Live) -> GatheredRound | None:
        return live.hand_over(self._exhibits.get(live.state.round_id, NO_EXHIBITS))

    def _last_winner(self, header: Header) -> LastWinner | None:
        game, winner = self._winners.get(header.table_id, ("", None))
        return winner if game == _game_of(header) else None

    def _keep_winner(self, header: Header, leaf: Transcript) -> None:
        """The winner of a settled round is kept where the winner leads the next."""
        self._winners.pop(header.table_id, None)
        if _game_of(header) in LEADING_GAMES:
            try:
                winner = _winner_decoder.decode(leaf.found).winners[0]
                self._winners[header.table_id] = _game_of(header), LastWinner(Seat(winner), header.seat_keys[winner])
            except (msgspec.DecodeError, LookupError, RecursionError):
                return  # what the transcript found is examined with its round

    def _find_stray(self, placed: Placed[RoundLeaf]) -> None:
        """A leaf of a round that is not known, or was over and done with long before."""
        leaf = placed.leaf
        match leaf:
            case DealLeaf():
                detail = "no OPEN with its round id stands before it"
                self._hear(Finding.of(Code.DEAL_BEFORE_OPEN, detail, leaf_index=placed.index))
            case Transcript():
                self._find_stray_settlement(placed.index, leaf)
            case _:
                detail = "no round that waits for it has its round id"
                self._hear(Finding.of(Code.LEAF_OF_NO_ROUND, detail, leaf_index=placed.index))

    def _find_stray_settlement(self, index: int, leaf: Transcript) -> None:
        header = leaf.told.header
        last = self._last.get(header.table_id)
        difference = None
        if last is None or header.round_number > last.state.key.round_number:
            code, detail = Code.SETTLED_UNDEALT, "it settles a round that was never opened"
        elif header.round_number < last.state.key.round_number or last.open is None:
            code, detail = Code.ENDED_TWICE, "it settles a round that has ended"
        else:
            detail = "the transcript has another header than OPEN, and so another round id"
            fault = header_fault(header, last.open.leaf.header)
            code, difference = (Code.SETTLED_OTHER_ROUND, None) if fault is None else fault
        finding = Finding.of(
            code,
            detail,
            leaf_index=index,
            table_id=header.table_id,
            round_number=header.round_number,
            difference=difference,
        )
        self._hear(finding)

    def _find(
        self, code: Code, detail: str, leaf_index: int, key: SlotKey, difference: Difference | None = None
    ) -> None:
        self._hear(
            Finding.of(
                code,
                detail,
                leaf_index=leaf_index,
                table_id=key.table_id,
                round_number=key.round_number,
                difference=difference,
            )
        )


def _game_of(header: Header) -> str:
    return header.ruleset_id.partition(".")[0]


def _opened(step: OpenStep, leaf_hash: bytes, last: Round | None) -> Round:
    """The round that an OPEN opens behind the table's last one; SlotError where it does not fit there."""
    previous = current = None
    if last is not None and last.key.round_number >= step.key.round_number:
        current = last
    elif last is not None and last.key.round_number == step.key.round_number - 1:
        previous = last
    return advance(step, leaf_hash=leaf_hash, previous=previous, current=current)


def _step_of(leaf: RoundLeaf, state: Round) -> Step:
    """The step that a leaf takes."""
    key, round_id = state.key, state.round_id
    match leaf:
        case DealLeaf():
            return DealStep(key, round_id=round_id, deck_root=bytes.fromhex(leaf.deck_root))
        case Transcript():
            return SettleStep(key, round_id=round_id, deck_root=bytes.fromhex(leaf.told.deck_root))
        case AbortLeaf():
            dealt = None if leaf.stage == "OPENED" else state.deck_root or _NO_ROOT
            return AbortStep(key, round_id=round_id, deck_root=dealt)
        case RevealLeaf():
            return RevealStep(key, round_id=round_id)
        case _:
            assert_never(leaf)


def _forced(step: Step, state: Round, leaf_hash: bytes) -> Round:
    """The state that a refused step leaves where it is taken all the same."""
    match step:
        case SettleStep():
            return replace(state, stage=Stage.SETTLED, terminal_leaf=leaf_hash)
        case AbortStep():
            return replace(state, stage=Stage.ABORTED, terminal_leaf=leaf_hash)
        case RevealStep():
            return replace(state, is_revealed=True)
        case OpenStep() | DealStep():
            return state
        case _:
            assert_never(step)


def _code_of(step: Step, reason: SlotReason) -> Code:
    match step:
        case OpenStep():
            return _OPEN_CODES[reason]
        case DealStep():
            return Code.DEALT_TWICE
        case SettleStep():
            return _SETTLE_CODES.get(reason, Code.ENDED_TWICE)
        case AbortStep():
            is_over = reason in {SlotReason.ALREADY_SETTLED, SlotReason.ABORTED}
            return Code.ENDED_TWICE if is_over else Code.ABORT_MISTOLD
        case RevealStep():
            return Code.REVEALED_EARLY if reason is SlotReason.NOT_TERMINAL else Code.ENDED_TWICE
        case _:
            assert_never(step)

"""Order of leaves by table: applies each leaf to its round, hands over complete rounds, and counts rounds.

``referee.log.slot`` has the rules: OPEN < DEAL < UNSEAL* < SETTLE or ABORT < REVEAL, and OPEN names the leaf that ended
the table's previous round. A refused step is a finding. A refused SETTLE, ABORT or REVEAL is applied nevertheless, so
that one fault does not give many findings. A round is complete once its seed is revealed, or at the end of the log.
Memory holds only the incomplete rounds and each table's last round.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, assert_never

from msgspec.structs import replace

from referee.audit.documents import NO_DOCUMENTS, Documents
from referee.audit.reading import Placed
from referee.audit.report import TableCounts
from referee.audit.round_leaves import RoundLeaves
from referee.audit.settlement import header_fault
from referee.audit.steps import OPEN_CODES, RoundLeaf, code_of, forced, opened_after, step_of
from referee.audit.timeline import Timeline
from referee.dealing.deal import has_leader
from referee.dealing.header import Header
from referee.dealing.lead import Winner
from referee.dealing.leaf import AbortLeaf, DealLeaf, OpenLeaf, RevealLeaf, UnsealLeaf
from referee.finding import Code, Difference, Finding
from referee.log import OpenStep, SettleStep, Slot, SlotError, SlotKey, SlotReason, Stage, advance
from referee.transcript.inputs import Transcript

NOBODY: Final = "NOBODY"


@dataclass(slots=True, kw_only=True)
class _Live:
    """A round that may get more leaves. ``leaves`` is None once they were handed over."""

    state: Slot
    leaves: RoundLeaves | None
    last_leaf: int

    def hand_over(self) -> RoundLeaves | None:
        """Return the round's leaves and drop them here; None if it was called before."""
        leaves, self.leaves = self.leaves, None
        return leaves


class Tables:
    """All tables of a log while its leaves are read.

    ``documents`` has documents by round id; ``documented`` are the ids among these whose OPEN the log has. ``timeline``
    gets the time of each leaf that was applied to a round.
    """

    def __init__(
        self, report: Callable[[Finding], None], *, documents: Mapping[bytes, Documents], timeline: Timeline
    ) -> None:
        self.counts: dict[str, TableCounts] = {}
        self.documented: set[bytes] = set()
        self._report = report
        self._documents = documents
        self._timeline = timeline
        self._rounds: dict[bytes, _Live] = {}
        self._last: dict[str, _Live] = {}
        self._winners: dict[str, Winner | None] = {}
        self._without_winner: set[str] = set()

    def remember(self, header: Header, *, round_id: bytes, stage: Stage, terminal_leaf: bytes) -> None:
        """Set a table's last round, of which only the hash of the leaf that ended it is known."""
        state = Slot(
            SlotKey(header.table_id, header.round_number),
            round_id=round_id,
            deal_deadline=header.deal_deadline,
            round_deadline=header.round_deadline,
            stage=stage,
            terminal_leaf=terminal_leaf,
            is_revealed=True,
        )
        self._last[header.table_id] = _Live(state=state, leaves=None, last_leaf=-1)

    def remember_winner(self, table_id: str, winner: Winner | None) -> None:
        """Set the winner of a table's last settled round; None if that round had no winner."""
        self._winners[table_id] = winner

    def forget_winner(self, table_id: str) -> None:
        """Set that a table's last winner is unknown, because the leaf that names it is not available."""
        self._without_winner.add(table_id)

    def open(self, placed: Placed[OpenLeaf], header: Header) -> None:
        """Apply an OPEN leaf; ``header`` is the leaf's own, already read."""
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
            state = opened_after(step, placed.hash, None if last is None else last.state)
        except SlotError as error:
            self._find(OPEN_CODES[error.reason], error.detail, placed.index, step.key)
            is_twice, is_refused = error.reason is SlotReason.ALREADY_OPENED, True
            state = Slot(
                step.key, round_id=round_id, deal_deadline=header.deal_deadline, round_deadline=header.round_deadline
            )
        if round_id in self._rounds:
            if not is_refused:
                self._find(Code.OPENED_TWICE, "its round id is that of another round", placed.index, step.key)
            return
        self._timeline.add(placed.index, leaf.opened_time, step.key)
        if round_id in self._documents:
            self.documented.add(round_id)
        leaves = RoundLeaves(
            round_id=round_id,
            header=header,
            open=placed,
            previous_round_id=None if last is None or is_twice else last.state.round_id,
            last_winner=self._winners.get(header.table_id),
            is_winner_known=header.table_id not in self._without_winner,
            documents=self._documents.get(round_id, NO_DOCUMENTS),
        )
        self._rounds[round_id] = live = _Live(state=state, leaves=leaves, last_leaf=placed.index)
        counts = self.counts.setdefault(header.table_id, TableCounts())
        counts.opened += 1
        counts.sealed += leaf.is_sealed
        if not is_twice:
            self._last[header.table_id] = live
            if last is not None and last.leaves is None:
                self._rounds.pop(last.state.round_id, None)

    def add(self, placed: Placed[RoundLeaf]) -> RoundLeaves | None:
        """Apply a leaf that is no OPEN; return the round that it completes, or None."""
        live = self._rounds.get(bytes.fromhex(placed.leaf.round_id))
        if live is None:
            self._find_stray(placed)
            return None
        if isinstance(placed.leaf, UnsealLeaf) and live.leaves is not None:
            sections = len(live.leaves.header.layout)
            if len(live.leaves.unseals) >= sections:
                detail = f"it is one opening more than the round's {sections} sections"
                self._find(Code.STREET_OPENED_EARLY, detail, placed.index, live.state.key)
                return None
        step = step_of(placed.leaf, live.state)
        try:
            state = advance(step, leaf_hash=placed.hash, previous=None, current=live.state)
        except SlotError as error:
            code = code_of(step, error.reason)
            if code is Code.DECK_ROOT_MISMATCH and isinstance(step, SettleStep) and live.state.deck_root is not None:
                difference = Difference("inputs.deck_root", step.deck_root.hex(), live.state.deck_root.hex())
                self._find(code, "another deck was settled than was dealt", placed.index, step.key, difference)
            else:
                self._find(code, f"the round {error.detail}", placed.index, step.key)
            if code in {Code.ENDED_TWICE, Code.DEALT_TWICE, Code.UNSEAL_NOT_IN_COURSE}:
                return None
            state = forced(step, live.state, placed.hash)
        return self._place(live, placed, state)

    def opened(self, round_id: bytes) -> Placed[OpenLeaf] | None:
        """Return the OPEN of a round that is not complete; None if there is no such round."""
        live = self._rounds.get(round_id)
        return None if live is None or live.leaves is None else live.leaves.open

    def close(self, *, as_of: int, now: int | None, grace: int) -> Iterator[RoundLeaves]:
        """Yield the rounds that are not complete, oldest first, and report those past their deadline.

        ``as_of`` is the time by which deadlines are judged. A round that is late by ``now`` alone, None for no such
        time, is a note. ``grace`` is the time in ms by which a round may pass its deadline without a finding.
        """
        for live in self._rounds.values():
            leaves = live.hand_over()
            if leaves is None:
                continue
            state, counts = live.state, self.counts[live.state.key.table_id]
            has_ended = state.deadline is None
            deadline = state.round_deadline if state.deadline is None else state.deadline
            counts.unrevealed += has_ended
            counts.running += not has_ended
            is_late = as_of > deadline + grace
            if is_late or (now is not None and now > deadline + grace):
                self._find_late(live, deadline, has_ended=has_ended, as_of=None if is_late else as_of)
                leaves = leaves if has_ended else replace(leaves, is_lapsed=True)
            yield leaves

    def _find_late(self, live: _Live, deadline: int, *, has_ended: bool, as_of: int | None) -> None:
        """Report a round past its deadline; ``as_of`` is the time of a copy in which it was not, None if it was."""
        state = live.state
        ended = "has ended" if has_ended else f"is {state.stage.name}"
        missing = "its seed is not revealed" if has_ended else "it was not aborted"
        detail = f"the round {ended}, its deadline was {deadline}, and {missing}"
        if as_of is None:
            code = Code.NEVER_REVEALED if has_ended else Code.DEADLINE_PASSED
            self._find(code, detail, live.last_leaf, state.key)
            return
        slot, number = (state.key.table_id, state.key.round_number), 9 if has_ended else None
        detail += f" as of {as_of}"
        code = Code.UNFINISHED_IN_COPY
        self._report(Finding.of(code, detail, leaf_index=live.last_leaf, slot=slot, number=number))

    def _place(self, live: _Live, placed: Placed[RoundLeaf], state: Slot) -> RoundLeaves | None:
        counts, leaf = self.counts[state.key.table_id], placed.leaf
        leaves, time = live.leaves, None
        if leaves is None:
            return None
        match leaf:
            case DealLeaf():
                time = leaf.dealt_time
                counts.dealt += 1
                leaves = replace(leaves, deal=placed)
            case UnsealLeaf():
                time = leaf.unsealed_time
                leaves = replace(leaves, unseals=(*leaves.unseals, placed))
            case Transcript():
                time = leaf.inputs.closed_time
                counts.settled += 1
                self._winners[state.key.table_id] = last_winner_of(leaves.header, leaf)
                leaves = replace(leaves, settle=placed)
            case AbortLeaf():
                time = leaf.aborted_time
                by_blame = counts.aborted_before_deal if leaves.deal is None else counts.aborted_after_deal
                blamed = ", ".join(map(str, leaf.blamed)) or NOBODY
                by_blame[blamed] = by_blame.get(blamed, 0) + 1
                counts.unseeded += leaves.deal is None and not any(leaf.client_seeds)
                leaves = replace(leaves, abort=placed)
            case RevealLeaf():
                leaves = replace(leaves, reveal=placed)
            case _:
                assert_never(leaf)
        if time is not None:
            self._timeline.add(placed.index, time, state.key)
        live.state, live.leaves, live.last_leaf = state, leaves, placed.index
        if not (state.stage.is_terminal and state.is_revealed):
            return None
        if self._last.get(state.key.table_id) is not live:
            del self._rounds[state.round_id]
        return live.hand_over()

    def _find_stray(self, placed: Placed[RoundLeaf]) -> None:
        """Report a leaf whose round was never opened, or is complete and no longer in memory."""
        leaf = placed.leaf
        match leaf:
            case DealLeaf():
                detail = "no OPEN before it has its round id"
                self._report(Finding.of(Code.DEAL_BEFORE_OPEN, detail, leaf_index=placed.index))
            case Transcript():
                self._find_stray_settlement(placed.index, leaf)
            case _:
                detail = "no round that waits for it has its round id"
                self._report(Finding.of(Code.LEAF_OF_NO_ROUND, detail, leaf_index=placed.index))

    def _find_stray_settlement(self, index: int, leaf: Transcript) -> None:
        header = leaf.inputs.header
        last = self._last.get(header.table_id)
        difference = None
        if last is None or header.round_number > last.state.key.round_number:
            code, detail = Code.SETTLED_UNDEALT, "it settles a round that was never opened"
        elif header.round_number < last.state.key.round_number or last.leaves is None:
            code, detail = Code.ENDED_TWICE, "it settles a round that has ended"
        else:
            detail = "the transcript has another header than OPEN, and so another round id"
            fault = header_fault(header, last.leaves.open.leaf.header)
            code, difference = (Code.SETTLED_OTHER_ROUND, None) if fault is None else fault
        slot = header.table_id, header.round_number
        self._report(Finding.of(code, detail, leaf_index=index, slot=slot, difference=difference))

    def _find(
        self, code: Code, detail: str, leaf_index: int, key: SlotKey, difference: Difference | None = None
    ) -> None:
        slot = key.table_id, key.round_number
        self._report(Finding.of(code, detail, leaf_index=leaf_index, slot=slot, difference=difference))


def last_winner_of(header: Header, settled: Transcript) -> Winner | None:
    """Return the winner of a settled round; None in a game without a leader, or if the results name no winner."""
    return Winner.of_results(header, bytes(settled.results)) if has_leader(header) else None

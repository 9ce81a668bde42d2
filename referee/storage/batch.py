"""Requests made into one change of the log: each is appended whole or refused alone.

A step is checked against the state that the earlier requests of the batch leave behind. A step that was taken already
is answered from the log if its request digest is the same, and refused with a reason otherwise. A seat's first seed is
kept while its round waits for the deal; a round's last seed is kept together with the leaf that publishes the seeds. A
leaf is refused if a seed arrived or its round changed after it was built. All leaves of a batch are under one
checkpoint, signed inside the transaction that makes them durable.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

import msgspec

from referee.evidence.merkle import Growth, LeafIndex, grow, leaf_hash
from referee.log import (
    FIRST_ROUND,
    Checkpoint,
    CheckpointSigner,
    LogReceipt,
    OpenStep,
    Slot,
    SlotError,
    SlotKey,
    SlotReason,
    Stage,
    Step,
    StepKind,
    UnsealStep,
    advance,
)
from referee.log.noted import Noted, NotedKind
from referee.log.proof import TILE_HEIGHT
from referee.log.times import SLACK_MS
from referee.storage.record import (
    Append,
    Change,
    ClockError,
    Contribution,
    Head,
    LateLeafError,
    Logged,
    Mark,
    OutcomeUnknownError,
    StaleRoundError,
    StandbyAwayError,
    StoreError,
)
from referee.storage.round_index import Listed
from referee.storage.store import Store, Transaction

Request = Sequence[Append] | Contribution
"""Appends that succeed or fail together, or a seat's seed."""
Refused = SlotError | StaleRoundError | ClockError
"""Error that says why a request is refused."""
Answer = tuple[Logged, ...] | Contribution | Refused | StoreError
"""Answer to a request: one Logged for each of its appends, in their order; the seat's durable seed; the error that
refuses it; or the StoreError of reading an earlier leaf that answers it."""

STEPS: Final = ("BEGUN", "JUDGED", "SIGNED", "WRITTEN", "COMMITTED")
"""Names of the points of a batch at which ``probe`` is called, in their order."""


class _Place(msgspec.Struct, frozen=True):
    index: LeafIndex
    leaf_hash: bytes
    is_repeat: bool


@dataclass(slots=True)
class _Draft:
    """Additions that the batch has made so far to the contents of the store; nothing is written yet."""

    transaction: Transaction
    rounds: dict[SlotKey, Slot] = field(default_factory=dict)
    known: set[SlotKey] = field(default_factory=set)
    marks: dict[tuple[SlotKey, StepKind, int], Mark] = field(default_factory=dict)
    leaves: list[bytes] = field(default_factory=list)
    hashes: list[bytes] = field(default_factory=list)
    listed: list[Listed] = field(default_factory=list)
    noted: list[tuple[LeafIndex, Noted]] = field(default_factory=list)
    given: dict[SlotKey, dict[int, Contribution]] = field(default_factory=dict)
    contributed: list[Contribution] = field(default_factory=list)
    clock: Callable[[], int] | None = None
    newest_time: int = field(init=False)
    roundless: int = field(init=False)

    def __post_init__(self) -> None:
        self.newest_time = self.transaction.head.newest_time
        self.roundless = self.transaction.head.roundless

    def judge(self, request: Request) -> "list[_Place] | Contribution | Refused":
        """Add a request to the draft; return the places of its leaves, its seat's seed, or the error that refuses it.

        A refused request leaves the draft as it was.
        """
        if isinstance(request, Contribution):
            try:
                return self._contribute(request)
            except (SlotError, StaleRoundError) as error:
                return error.with_traceback(None)  # its frames would hold the replies, and these the error
        rounds, marks, count, seeds = self.rounds, self.marks, len(self.leaves), len(self.contributed)
        newest, roundless, listed, noted = self.newest_time, self.roundless, len(self.listed), len(self.noted)
        if len(request) > 1:
            self.rounds, self.marks = rounds.copy(), marks.copy()
        try:
            return [self._place(append) for append in request]
        except (SlotError, StaleRoundError, ClockError) as error:
            self.newest_time, self.roundless = newest, roundless
            self.rounds, self.marks = rounds, marks
            for one in self.contributed[seeds:]:
                del self.given[one.key][one.seat]
            del self.leaves[count:], self.hashes[count:], self.contributed[seeds:]
            del self.listed[listed:], self.noted[noted:]
            return error.with_traceback(None)

    def change(self, growth: Growth, head: Head) -> Change:
        """Return the draft as one change of the store; ``growth`` is that of the tree, ``head`` the new head."""
        nodes: list[tuple[int, int, bytes]] = []
        level = 0
        while growth.frontier.size >> TILE_HEIGHT * level:
            first, hashes = growth.completed(TILE_HEIGHT * level)
            nodes.extend((level, place, node) for place, node in enumerate(hashes, start=first))
            level += 1
        return Change(
            expected=self.transaction.head,
            head=head,
            leaves=self.leaves,
            hashes=nodes,
            opened=[state for key, state in self.rounds.items() if key not in self.known],
            advanced=[state for key, state in self.rounds.items() if key in self.known],
            marks=[(key, mark) for (key, *_), mark in self.marks.items()],
            listed=self.listed,
            noted=self.noted,
        )

    def _place(self, append: Append) -> _Place:
        hashed = leaf_hash(append.leaf)
        index = LeafIndex(self.transaction.head.size + len(self.leaves))
        step = append.step
        if step is None:
            noted = append.noted
            if noted is not None:
                self.roundless += noted.kind is NotedKind.KEY
                self.noted.append((index, noted))
        else:
            previous, current = self._states(step)
            try:
                state = advance(step, leaf_hash=hashed, previous=previous, current=current)
            except SlotError:
                place = self._repeated(step, append.request_digest)
                if place is None:
                    raise
                return place
            self._check_contributed(append.contributed, step.key)
            if append.time is not None:
                before = current or previous
                self._check_time(append.time, step.key, floor=0 if before is None else before.newest_time)
                state = msgspec.structs.replace(state, newest_time=append.time)
                self.newest_time = max(self.newest_time, append.time)
            if append.seed is not None:
                self._given(step.key)[append.seed.seat] = append.seed
                self.contributed.append(append.seed)
            if isinstance(step, OpenStep):
                listed = Listed(key=step.key, opened_time=append.time or 0, index=index, seat_keys=append.seat_keys)
                self.listed.append(listed)
            self.rounds[step.key] = state
            event = event_of(step)
            self.marks[step.key, step.kind, event] = Mark(step.kind, index, append.request_digest, append.memo, event)
        self.leaves.append(append.leaf)
        self.hashes.append(hashed)
        return _Place(index, hashed, is_repeat=False)

    def _contribute(self, one: Contribution) -> Contribution:
        """Return the seat's earlier contribution if it has one, at any stage of the round; else add this one.

        Raises SlotError if the round takes no seeds now, StaleRoundError if other seeds arrived meanwhile.
        """
        given, state = self._given(one.key), self._state(one.key)
        if one.seat in given:
            return given[one.seat]
        if state is None:
            raise SlotError(SlotReason.NOT_OPENED, one.key, "was never opened")
        if state.stage is not Stage.OPENED:
            reason = SlotReason.ALREADY_DEALT if state.deck_root is not None else SlotReason.ABORTED
            raise SlotError(reason, one.key, f"is {state.stage.name}")
        self._check_contributed(one.contributed, one.key)
        one = msgspec.structs.replace(one, contributed=None)
        given[one.seat] = one
        self.contributed.append(one)
        return one

    def _check_contributed(self, contributed: int | None, key: SlotKey) -> None:
        if contributed is not None and len(self._given(key)) != contributed:
            raise StaleRoundError(
                f"a seed of round {key.round_number} of table {key.table_id!r} arrived meanwhile; build the leaf again"
            )

    def _check_time(self, time: int, key: SlotKey, *, floor: int) -> None:
        """Check a leaf's time against ``floor``, its table's last time, and the log's newest time and the clock.

        Raises LateLeafError if the time was right when the leaf was built and has become too old since; ClockError if
        it is wrong otherwise.
        """
        now = time if self.clock is None else self.clock()
        if floor <= time and self.newest_time - SLACK_MS <= time and abs(time - now) <= SLACK_MS:
            return
        msg = (
            f"the leaf of round {key.round_number} of table {key.table_id!r} is of {time}; the one before it is of "
            f"{floor}, the log's newest of {self.newest_time}, and this clock shows {now}"
        )
        behind = self.newest_time - SLACK_MS - now
        if behind <= 0 and time < max(now, self.newest_time) - SLACK_MS:
            raise LateLeafError(msg)
        raise ClockError(f"{msg}: put the clocks right", seconds=behind / 1000 if behind > 0 else None)

    def _given(self, key: SlotKey) -> dict[int, Contribution]:
        if key not in self.given:
            self.given[key] = {one.seat: one for one in self.transaction.contributions(key)}
        return self.given[key]

    def _states(self, step: Step) -> tuple[Slot | None, Slot | None]:
        key = step.key
        current = self._state(key)
        if not isinstance(step, OpenStep) or current is not None or key.round_number == FIRST_ROUND:
            return None, current
        return self._state(SlotKey(key.table_id, key.round_number - 1)), None

    def _state(self, key: SlotKey) -> Slot | None:
        state = self.rounds.get(key)
        if state is None:
            state = self.transaction.round(key)
            if state is not None:
                self.known.add(key)
        return state

    def _repeated(self, step: Step, request_digest: bytes) -> _Place | None:
        event = event_of(step)
        mark = self.marks.get((step.key, step.kind, event)) or self.transaction.mark(step.key, step.kind, event)
        if mark is None or mark.request_digest != request_digest:
            return None
        new = mark.index - self.transaction.head.size
        return _Place(mark.index, self.hashes[new] if new >= 0 else b"", is_repeat=True)


def event_of(step: Step) -> int:
    """Return the number of the event whose receipt an UNSEAL step answers; 0 for any other step."""
    return step.unseal.number if isinstance(step, UnsealStep) else 0


def append_batch(  # noqa: PLR0913 - the last three only observe or check
    store: Store,
    signer: CheckpointSigner,
    requests: Iterable[Request],
    *,
    clock: Callable[[], int] | None = None,
    probe: Callable[[str], None] = lambda _: None,
    check_head: Callable[[Head], None] = lambda _: None,
) -> tuple[Head, list[Answer]]:
    """Append a batch; return the durable head and the answer to each request, in their order.

    Each request is taken from the iterable after the one before it has been judged. Times of leaves are compared with
    ``clock``, in ms since 1970 UTC; if it is None, only with those of other leaves. ``check_head`` gets the old head
    first and may raise. Raises the error of the store or the signer; then nothing was appended, except perhaps after
    OutcomeUnknownError: a commit was not answered, and the store could not be asked about it afterwards either.
    """
    draft = None
    try:
        with store.transaction() as transaction:
            probe("BEGUN")
            old = head = transaction.head
            check_head(old)
            draft = _Draft(transaction, clock=clock)
            judged = [(request, draft.judge(request)) for request in requests]
            probe("JUDGED")
            growth = None
            if draft.contributed:
                transaction.contribute(draft.contributed)
            if draft.leaves:
                growth = grow(old.frontier, draft.hashes)
                note = signer.sign(Checkpoint(store.origin, growth.frontier.size, growth.root))
                probe("SIGNED")
                head = Head(growth.frontier, growth.root, note, draft.newest_time, draft.roundless)
                transaction.write(draft.change(growth, head))
            if growth is not None or draft.contributed:
                probe("WRITTEN")
    except OutcomeUnknownError as error:
        if draft is not None and not draft.leaves and len(judged) > len(draft.contributed):
            raise  # nothing of the batch's own proves what it has read, which may be lost in a failover by now
        if draft is None or not _is_durable(store, draft, start=old.size):
            msg = "the commit was lost with the connection to the store; nothing was appended, try again"
            raise StoreError(msg) from error
    probe("COMMITTED")
    return head, [_answer(store, request, found, head=head, growth=growth) for request, found in judged]


def _is_durable(store: Store, draft: _Draft, *, start: int) -> bool:
    """Return whether the store holds the draft's seeds, and its leaves from index ``start`` on.

    Wait first until the draft's transaction has ended. Raises OutcomeUnknownError if the store cannot be asked.
    """
    try:
        with store.transaction():  # it begins once the lost one has ended
            pass
        return store.leaves(start, start + len(draft.leaves)) == draft.leaves and all(
            one in store.contributions(one.key) for one in draft.contributed
        )
    except StoreError as error:
        msg = f"a commit was not answered, and the store cannot be asked whether it happened: {error}"
        kind = StandbyAwayError if isinstance(error, StandbyAwayError) else OutcomeUnknownError
        raise kind(msg) from error


def _answer(
    store: Store, request: Request, found: "list[_Place] | Contribution | Refused", *, head: Head, growth: Growth | None
) -> Answer:
    if not isinstance(found, list) or isinstance(request, Contribution):
        return cast("Contribution | Refused", found)
    places, answers = found, list[Logged]()
    try:
        for append, place in zip(request, places, strict=True):
            if growth is not None and place.index >= growth.old_size:
                leaf = append.leaf if not place.is_repeat else store.leaf(place.index)
                receipt = LogReceipt(
                    index=place.index,
                    leaf_hash=place.leaf_hash,
                    proof=growth.inclusion_proof(place.index),
                    checkpoint=head.checkpoint,
                )
                answers.append(Logged(leaf=leaf, receipt=receipt, is_repeat=place.is_repeat))
            else:
                answers.append(store.logged(place.index))
    except StoreError as error:  # the other requests of the batch still get their answers
        return error.with_traceback(None)
    return tuple(answers)

"""A log on a sheet of paper: the second implementation that stores are held against, and words that make up plays."""

from dataclasses import dataclass, field
from typing import TypeAlias

from hypothesis import strategies as st

from referee.evidence.merkle import leaf_hash
from referee.log import Slot, SlotError, SlotKey, SlotReason, Step, StepKind, UnsealStep, advance
from referee.storage import Append
from tests.storage.log_bench import Bench

Shown: TypeAlias = SlotReason | list[tuple[int, bytes, bool]]
Words: TypeAlias = tuple[str, str, int, str, str]
"""Kind, table, round, variant of the request, and how the round before ended."""


@dataclass
class Paper:
    """The log as a list, and what is known of rounds and slots as plain dictionaries, copied for each request."""

    leaves: list[bytes] = field(default_factory=list)
    rounds: dict[SlotKey, Slot] = field(default_factory=dict)
    slots: dict[tuple[SlotKey, StepKind, int], tuple[bytes, int]] = field(default_factory=dict)

    def take(self, request: list[Append]) -> Shown:
        """Apply the request and return its result; restore everything if one of its appends is refused."""
        copy = self.copy()
        try:
            shown = [copy.place(append) for append in request]
        except SlotError as error:
            return error.reason
        self.leaves, self.rounds, self.slots = copy.leaves, copy.rounds, copy.slots
        return shown

    def copy(self) -> "Paper":
        """Return a copy of the sheet."""
        return Paper(self.leaves.copy(), self.rounds.copy(), self.slots.copy())

    def place(self, append: Append) -> tuple[int, bytes, bool]:
        """Append a leaf; return its index, the leaf and whether it was there before."""
        step = append.step
        if step is not None:
            slot = slot_of(step)
            digest, index = self.slots.get(slot, (b"", 0))
            if digest == append.request_digest:
                return index, self.leaves[index], True
            before = SlotKey(step.key.table_id, max(1, step.key.round_number - 1))
            self.rounds[step.key] = advance(
                step,
                leaf_hash=leaf_hash(append.leaf),
                previous=self.rounds.get(before) if step.key != before else None,
                current=self.rounds.get(step.key),
            )
            self.slots[slot] = append.request_digest, len(self.leaves)
        self.leaves.append(append.leaf)
        return len(self.leaves) - 1, append.leaf, False


WORDS = st.tuples(
    st.sampled_from(
        [
            *["OPEN", "OPEN", "DEAL", "DEAL", "SETTLE", "ABORT", "ABANDON", "REVEAL", "KEY"],
            *["UNSEAL", "UNSEAL", "UNSEAL-2", "UNSEAL-FORK", "SETTLE-1", "SETTLE-2"],
        ]
    ),
    st.sampled_from("ab"),
    st.integers(min_value=1, max_value=3),
    st.sampled_from(["", "", "", "otherwise"]),
    st.sampled_from(["SETTLE", "ABORT", "ABANDON"]),
)


def append_of(bench: Bench, words: Words) -> Append:
    """Return the append that these words describe."""
    kind, table, number, variant, end = words
    if kind == "KEY":
        return Append(leaf=f"key {table} {number}".encode())
    ended = bench.append(end, table, number - 1).leaf if number > 1 else None
    previous = leaf_hash(ended) if ended is not None else bytes(32)
    return bench.append(kind, table, number, variant=variant, previous=previous)


def slot_of(step: Step) -> tuple[SlotKey, StepKind, int]:
    """Return what a step takes once: its round, its kind, and the event of an UNSEAL."""
    return step.key, step.kind, step.unseal.number if isinstance(step, UnsealStep) else 0

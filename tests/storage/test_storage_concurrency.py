"""Several writers on one log, asked at once in any order: each answer was true at some moment of the wait for it."""

import shutil
import tempfile
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from referee.log import SlotError
from referee.storage import Append, Logged, Store, Writer, check_store
from referee.storage.sqlite import open_sqlite
from tests.budget import examples
from tests.storage.log_bench import Bench
from tests.storage.paper_log import WORDS, Paper, Words, append_of, slot_of

Answer: TypeAlias = "Future[tuple[Logged, ...]]"

WRITERS = st.integers(min_value=0, max_value=2)


@dataclass
class Asked:
    """A request, the leaves that the log surely had when it was made, and what is to come of it."""

    request: list[Append]
    size: int
    answer: Answer


class ManyWriters(RuleBasedStateMachine):
    """Three writers, each with a store of its own on one folder, as three processes would have."""

    @initialize()
    def begin(self) -> None:
        """Make an empty log."""
        self.bench = Bench()
        self.folder = Path(tempfile.mkdtemp())
        self.stores: list[Store] = []
        self.writers: list[Writer] = []
        for _ in range(3):
            self.stores.append(open_sqlite(self.folder))
            self.writers.append(self._writer(self.stores[-1]))
        self.asked: list[Asked] = []
        self.known: dict[bytes, list[Append]] = {}
        self.keys = 0

    def _writer(self, store: Store) -> Writer:
        return Writer(store, self.bench.signer, origin=self.bench.origin, batched=3)

    @rule(words=st.lists(WORDS, min_size=1, max_size=3), who=WRITERS)
    def ask(self, words: list[Words], who: int) -> None:
        """Submit a request without waiting for its answer."""
        self._ask([append_of(self.bench, each) for each in words], who)

    @rule(table=st.sampled_from("ab"), number=st.integers(1, 3), who=st.permutations(range(3)))
    def race(self, table: str, number: int, who: list[int]) -> None:
        """Play one round from all writers at once, each a step ahead of the other, the third with another request."""
        for kind in ("OPEN", "DEAL", "SETTLE", "REVEAL"):
            for writer, variant in zip(who, ("", "", "otherwise"), strict=True):
                self._ask([append_of(self.bench, (kind, table, number, variant, "SETTLE"))], writer)

    @rule(who=WRITERS)
    def name_key(self, who: int) -> None:
        """Append a leaf that takes no step; each is different."""
        self.keys += 1
        self._ask([Append(leaf=f"key {self.keys}".encode())], who)

    @rule(who=WRITERS)
    def restart(self, who: int) -> None:
        """Close a writer, which answers what it has queued, and open another in its place."""
        self.writers[who].close()
        self.stores[who].close()
        self.stores[who] = open_sqlite(self.folder)
        self.writers[who] = self._writer(self.stores[who])

    @rule()
    def wait(self) -> None:
        """Everything that was asked for is answered, and every answer fits the log."""
        answers = [(asked, asked.answer.exception(60)) for asked in self.asked]
        size = check_store(self.stores[0]).size
        states = self._states(size)
        for asked, error in answers:
            if error is None:
                self._check_answer(asked, states)
            else:
                assert isinstance(error, SlotError)
                reasons = [states[at].copy().take(asked.request) for at in range(asked.size, size + 1)]
                assert error.reason in reasons
        self.asked.clear()

    def teardown(self) -> None:
        """Check the last answers and remove the folder."""
        if not hasattr(self, "folder"):
            return
        self.wait()
        for writer, store in zip(self.writers, self.stores, strict=True):
            writer.close()
            store.close()
        shutil.rmtree(self.folder)

    def _ask(self, request: list[Append], who: int) -> None:
        size = self.stores[who].head().size
        self.asked.append(Asked(request, size, self.writers[who].submit(*request)))

    def _states(self, size: int) -> list[Paper]:
        """Replay the leaves on paper; fail the test on a leaf that the paper would not take there.

        Requests that name another leaf before them may have the same leaf; one of them must be lawful there.
        """
        for asked in self.asked:
            for append in asked.request:
                self.known.setdefault(append.leaf, []).append(append)
        states = [Paper()]
        for index, leaf in enumerate(self.stores[0].iterate(0, size)):
            states.append(states[-1].copy())
            there = [(index, leaf, False)]
            assert any(states[-1].take([append]) == there for append in self.known[leaf])
        return states

    def _check_answer(self, asked: Asked, states: list[Paper]) -> None:
        answers = asked.answer.result()
        new = [logged.receipt.index for logged in answers if not logged.is_repeat]
        assert new == list(range(new[0], new[0] + len(new))) if new else True
        for append, logged in zip(asked.request, answers, strict=True):
            index = logged.receipt.index
            assert states[-1].leaves[index] == logged.leaf
            assert self.bench.verify(logged.leaf, logged.receipt).size > index
            assert logged.is_repeat or (logged.leaf == append.leaf and index >= asked.size)
            if append.step is not None:
                assert states[-1].slots[slot_of(append.step)] == (append.request_digest, index)


ManyWriters.TestCase.settings = settings(
    max_examples=examples(8),
    stateful_step_count=30,
    phases=(Phase.explicit, Phase.generate),  # threads race anew at each attempt, so a failure cannot be made smaller
)
TestManyWriters: Any = ManyWriters.TestCase

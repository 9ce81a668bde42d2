"""The slot machine against a model written from the other side: what a table's history forbids, taken as sentences."""

import itertools
import pickle
from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.log import (
    NO_LEAF,
    AbortStep,
    DealStep,
    OpenStep,
    RevealStep,
    SettleStep,
    Slot,
    SlotError,
    SlotKey,
    SlotReason,
    Stage,
    Step,
    StepKind,
    Unseal,
    UnsealStep,
    advance,
)
from tests.budget import examples
from tests.vectors.reading import each

TABLES = ("table-a", "table-b")
IDS = (b"i" * 32, b"I" * 32)
DECKS = (b"d" * 32, b"D" * 32)
HISTORIES = (b"r" * 32, b"R" * 32)
LEAVES = tuple(bytes([n]) * 32 for n in range(1, 40))


@dataclass
class History:
    """All that was taken, as a list; every question is asked of the whole list."""

    taken: list[tuple[Step, bytes]] = field(default_factory=list)

    def of(self, key: SlotKey, *kinds: type[Step]) -> list[tuple[Step, bytes]]:
        """Return the steps of these kinds that this round has taken."""
        return [(step, leaf) for step, leaf in self.taken if step.key == key and isinstance(step, kinds)]

    def forbids(self, step: Step) -> SlotReason | None:
        """Why the step may not be taken, or None."""
        complaints = self._opening(step) if isinstance(step, OpenStep) else self._going_on(step)
        return next((reason for holds, reason in complaints if holds), None)

    def _opening(self, step: OpenStep) -> list[tuple[bool, SlotReason]]:
        number = step.key.round_number
        before = SlotKey(step.key.table_id, max(1, number - 1))
        ends = self.of(before, SettleStep, AbortStep)
        expected = ends[0][1] if ends and number > 1 else bytes(32)
        return [
            (bool(self.of(step.key, OpenStep)), SlotReason.ALREADY_OPENED),
            (number > 1 and not self.of(before, OpenStep), SlotReason.WRONG_PREVIOUS),
            (number > 1 and not ends, SlotReason.PREVIOUS_ROUND_OPEN),
            (step.previous_leaf != expected, SlotReason.WRONG_PREVIOUS),
        ]

    def _going_on(self, step: Step) -> list[tuple[bool, SlotReason]]:
        opened, dealt = self.of(step.key, OpenStep), self.of(step.key, DealStep)
        settled, aborted = bool(self.of(step.key, SettleStep)), bool(self.of(step.key, AbortStep))
        reveals, deals = isinstance(step, RevealStep), isinstance(step, DealStep)
        ends = isinstance(step, SettleStep | AbortStep)
        unseals = isinstance(step, UnsealStep)
        named = getattr(step, "deck_root", None)
        known = [getattr(deal, "deck_root", None) for deal, _ in dealt]
        return [
            (not opened, SlotReason.NOT_OPENED),
            (step.round_id not in {opening.round_id for opening, _ in opened}, SlotReason.ROUND_MISMATCH),
            (reveals and not settled and not aborted, SlotReason.NOT_TERMINAL),
            (reveals and bool(self.of(step.key, RevealStep)), SlotReason.ALREADY_REVEALED),
            (not reveals and aborted, SlotReason.ABORTED),
            (deals and bool(dealt), SlotReason.ALREADY_DEALT),
            ((ends or unseals) and settled, SlotReason.ALREADY_SETTLED),
            (unseals and not known, SlotReason.NOT_DEALT),
            (ends and named is not None and not known, SlotReason.NOT_DEALT),
            (ends and named is None and bool(known), SlotReason.ALREADY_DEALT),
            (ends and named is not None and named not in known, SlotReason.DECK_ROOT_MISMATCH),
            (not self._contains_openings(step), SlotReason.COURSE_FORKED),
        ]

    def _contains_openings(self, step: Step) -> bool:
        """Return whether a course holds its round's openings: a settlement exactly these, an opening all before it."""
        openings = [taken.unseal for taken, _ in self.of(step.key, UnsealStep) if isinstance(taken, UnsealStep)]
        if isinstance(step, SettleStep):
            return {(one.number, one.history) for one in step.unseals} == {
                (one.number, one.history) for one in openings
            }
        if isinstance(step, UnsealStep):
            course = set(step.course.items())
            return all((one.number, one.history) in course and one.number < step.unseal.number for one in openings)
        return True


def _take(rounds: dict[SlotKey, Slot], step: Step, leaf: bytes) -> SlotReason | None:
    """Lets the machine take the step; the reason where it refuses."""
    previous = None
    if step.key.round_number > 1:
        previous = rounds.get(SlotKey(step.key.table_id, step.key.round_number - 1))
    try:
        rounds[step.key] = advance(step, leaf_hash=leaf, previous=previous, current=rounds.get(step.key))
    except SlotError as error:
        return error.reason if error.key == step.key else None
    return None


def unseal_step(key: SlotKey, round_id: bytes, course: list[bytes]) -> UnsealStep:
    """Return the opening after the last event of a course."""
    histories = dict(enumerate(course, 1))
    return UnsealStep(key, round_id=round_id, unseal=Unseal(len(course), course[-1]), course=histories)


def settle_step(key: SlotKey, round_id: bytes, deck_root: bytes, course: list[bytes]) -> SettleStep:
    """Return the settlement of a course in which every event but the last opened cards."""
    unseals = tuple([Unseal(number, history) for number, history in enumerate(course[:-1], 1)])
    return SettleStep(key, round_id=round_id, deck_root=deck_root, unseals=unseals)


keys = st.builds(SlotKey, st.sampled_from(TABLES), st.integers(min_value=1, max_value=3))
ids = st.sampled_from([IDS[0]] * 5 + [IDS[1]])
decks = st.sampled_from([DECKS[0]] * 4 + [DECKS[1]])
courses = st.lists(st.sampled_from([HISTORIES[0]] * 4 + [HISTORIES[1]]), min_size=1, max_size=3)
previous_leaves = st.sampled_from((NO_LEAF, *LEAVES[:12]))
steps = st.one_of(
    st.builds(
        OpenStep,
        keys,
        round_id=ids,
        previous_leaf=previous_leaves,
        deal_deadline=st.integers(0, 9),
        round_deadline=st.integers(0, 9),
    ),
    st.builds(DealStep, keys, round_id=ids, deck_root=decks),
    st.builds(unseal_step, keys, ids, courses),
    st.builds(settle_step, keys, ids, decks, courses),
    st.builds(AbortStep, keys, round_id=ids, deck_root=st.none() | decks),
    st.builds(RevealStep, keys, round_id=ids),
)


@settings(max_examples=examples(100))
@given(taken=st.lists(steps, max_size=30), knows_previous=st.booleans())
def test_machine_and_model_agree_on_any_steps(taken: list[Step], *, knows_previous: bool):
    """Half of the runs let OPEN name the right leaf, so that tables come far."""
    history = History()
    rounds: dict[SlotKey, Slot] = {}
    for step, leaf in zip(taken, LEAVES, strict=False):
        asked = step
        if knows_previous and isinstance(step, OpenStep) and step.key.round_number > 1:
            ends = history.of(SlotKey(step.key.table_id, step.key.round_number - 1), SettleStep, AbortStep)
            if ends:
                asked = OpenStep(
                    step.key,
                    round_id=step.round_id,
                    previous_leaf=ends[0][1],
                    deal_deadline=step.deal_deadline,
                    round_deadline=step.round_deadline,
                )
        expected = history.forbids(asked)
        assert expected == _take(rounds, asked, leaf)
        if expected is None:
            history.taken.append((asked, leaf))


def _alphabet() -> list[Step]:
    first, second = SlotKey("t", 1), SlotKey("t", 2)
    deadlines = {"deal_deadline": 1, "round_deadline": 2}
    return [
        OpenStep(first, round_id=IDS[0], previous_leaf=NO_LEAF, **deadlines),
        OpenStep(first, round_id=IDS[0], previous_leaf=LEAVES[0], **deadlines),
        OpenStep(second, round_id=IDS[0], previous_leaf=LEAVES[2], **deadlines),
        DealStep(first, round_id=IDS[0], deck_root=DECKS[0]),
        DealStep(first, round_id=IDS[1], deck_root=DECKS[0]),
        settle_step(first, IDS[0], DECKS[0], [HISTORIES[0]]),
        settle_step(first, IDS[0], DECKS[1], [HISTORIES[0]]),
        settle_step(first, IDS[0], DECKS[0], [HISTORIES[0]] * 2),
        unseal_step(first, IDS[0], [HISTORIES[0]]),
        unseal_step(first, IDS[0], [HISTORIES[1]]),
        AbortStep(first, round_id=IDS[0], deck_root=None),
        AbortStep(first, round_id=IDS[0], deck_root=DECKS[0]),
        RevealStep(first, round_id=IDS[0]),
        DealStep(second, round_id=IDS[0], deck_root=DECKS[1]),
    ]


@pytest.mark.parametrize(
    "steps", [4, pytest.param(5, marks=pytest.mark.exhaustive("tries every sequence of five steps"))]
)
def test_machine_and_model_agree_on_every_sequence(steps: int):
    """All 38,416 sequences of four steps of fourteen, or 537,824 of five; every reason occurs."""
    seen = set()
    for taken in itertools.product(_alphabet(), repeat=steps):
        history = History()
        rounds: dict[SlotKey, Slot] = {}
        for step, leaf in zip(taken, LEAVES, strict=False):
            expected = history.forbids(step)
            assert expected == _take(rounds, step, leaf)
            seen.add(expected)
            if expected is None:
                history.taken.append((step, leaf))
    assert seen == {None, *SlotReason}


def _unseal_of(course: str) -> Unseal:
    """Return the opening after the last event of a course, of which each letter is an event."""
    return Unseal(len(course), sha256(f"course {course}".encode()).digest())


def _step_of(step: dict[str, Any], leaves: list[bytes]) -> Step:
    """Build a vector's step: ``previous`` is the place of a leaf in the sequence, ``deck`` and ``id`` are names."""
    key, round_id = SlotKey("t", step["round"]), sha256(f"id {step.get('id', '')}".encode()).digest()
    deck_root = sha256(f"deck {step.get('deck', 'dealt')}".encode()).digest()
    match step["kind"]:
        case "OPEN":
            previous = leaves[step["previous"]] if "previous" in step else NO_LEAF
            return OpenStep(key, round_id=round_id, previous_leaf=previous, deal_deadline=1, round_deadline=2)
        case "DEAL":
            return DealStep(key, round_id=round_id, deck_root=deck_root)
        case "UNSEAL":
            course = {one.number: one.history for one in map(_unseal_of, itertools.accumulate(step["course"]))}
            unseal = _unseal_of(step["course"])
            return UnsealStep(key, round_id=round_id, unseal=unseal, course=course)
        case "SETTLE":
            unseals = tuple([_unseal_of(course) for course in step.get("unseals", [])])
            return SettleStep(key, round_id=round_id, deck_root=deck_root, unseals=unseals)
        case "ABORT":
            return AbortStep(key, round_id=round_id, deck_root=None if step.get("deck") == "" else deck_root)
        case _:
            return RevealStep(key, round_id=round_id)


@each("log/slot", argument="vector")
def test_sequences(vector: dict[str, Any]):
    """``stored`` is the place of the leaf that answers a repeated opening, which is no step of its own."""
    rounds: dict[SlotKey, Slot] = {}
    opened: dict[tuple[SlotKey, Unseal], int] = {}
    leaves = [bytes([n + 1]) * 32 for n in range(len(vector["steps"]))]
    for place, (one, leaf) in enumerate(zip(vector["steps"], leaves, strict=True)):
        step = _step_of(one, leaves)
        if "stored" in one:
            assert isinstance(step, UnsealStep)
            assert opened[step.key, step.unseal] == one["stored"]
            assert step.unseal in rounds[step.key].unseals
            continue
        assert (_take(rounds, step, leaf) or "") == one["refused"]
        if isinstance(step, UnsealStep) and not one["refused"]:
            opened[step.key, step.unseal] = place


def test_round_goes_from_open_to_revealed():
    key = SlotKey("t", 1)
    opened = advance(
        OpenStep(key, round_id=IDS[0], previous_leaf=NO_LEAF, deal_deadline=10, round_deadline=20),
        leaf_hash=LEAVES[0],
        previous=None,
        current=None,
    )
    dealt = advance(
        DealStep(key, round_id=IDS[0], deck_root=DECKS[0]), leaf_hash=LEAVES[1], previous=None, current=opened
    )
    unsealed = advance(unseal_step(key, IDS[0], [HISTORIES[0]]), leaf_hash=LEAVES[4], previous=None, current=dealt)
    assert (unsealed.stage, unsealed.unseals) == (Stage.DEALT, (Unseal(1, HISTORIES[0]),))
    settled = advance(
        settle_step(key, IDS[0], DECKS[0], [HISTORIES[0]] * 2), leaf_hash=LEAVES[2], previous=None, current=unsealed
    )
    revealed = advance(RevealStep(key, round_id=IDS[0]), leaf_hash=LEAVES[3], previous=None, current=settled)
    states = (opened, dealt, settled, revealed)
    assert [state.stage for state in states] == [Stage.OPENED, Stage.DEALT, Stage.SETTLED, Stage.SETTLED]
    assert [state.deadline for state in states] == [10, 20, None, None]
    assert [state.terminal_leaf for state in states] == [None, None, LEAVES[2], LEAVES[2]]
    assert [state.is_revealed for state in states] == [False, False, False, True]


def test_refusal_survives_being_sent_between_processes():
    error = SlotError(SlotReason.NOT_DEALT, SlotKey("t", 3), "is OPENED")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (copy.reason, copy.key, str(copy)) == (error.reason, error.key, str(error))


def test_forked_course_names_the_newest_opening_on_record():
    key, known = SlotKey("t", 1), (Unseal(1, HISTORIES[0]), Unseal(3, HISTORIES[1]))
    state = Slot(key, round_id=IDS[0], deal_deadline=1, round_deadline=2, deck_root=DECKS[0], stage=Stage.DEALT)
    opened = msgspec.structs.replace(state, unseals=known)
    asked = [
        ({1: HISTORIES[1], 3: HISTORIES[1], 4: HISTORIES[0]}, 4, known[0]),
        ({1: HISTORIES[0], 3: HISTORIES[0], 4: HISTORIES[0]}, 4, known[1]),
        ({1: HISTORIES[0], 2: HISTORIES[0]}, 2, known[1]),
        ({1: HISTORIES[0], 3: HISTORIES[1]}, 3, known[1]),
    ]
    for course, number, contradicted in asked:
        step = UnsealStep(key, round_id=IDS[0], unseal=Unseal(number, course[number]), course=course)
        with pytest.raises(SlotError) as refused:
            advance(step, leaf_hash=LEAVES[0], previous=None, current=opened)
        assert (refused.value.reason, refused.value.unseal) == (SlotReason.COURSE_FORKED, known[1])
        assert f"after event {contradicted.number} of another course" in str(refused.value)
        assert pickle.loads(pickle.dumps(refused.value)).unseal == known[1]  # noqa: S301 - our own bytes
    for unseals in (known[:1], known[1:], (*known, Unseal(4, IDS[0]))):
        settle = SettleStep(key, round_id=IDS[0], deck_root=DECKS[0], unseals=unseals)
        with pytest.raises(SlotError) as refused:
            advance(settle, leaf_hash=LEAVES[0], previous=None, current=opened)
        assert (refused.value.reason, refused.value.unseal) == (SlotReason.COURSE_FORKED, known[1])


@pytest.mark.parametrize(
    ("table_id", "number"), [("", 1), ("x" * 65, 1), ("bàn", 1), ("t\n", 1), ("t", 0), ("t", -1), ("t", 2**53)]
)
def test_what_names_no_round_is_refused(table_id: str, number: int):
    with pytest.raises(ValueError, match="is no"):
        SlotKey(table_id, number)


def test_largest_numbers_and_longest_names_are_taken():
    key = SlotKey("x" * 64, 2**53 - 1)
    assert Unseal(2**32 - 1, HISTORIES[0]).number == 2**32 - 1
    assert SlotKey("t", 1).round_number == 1
    for times in ((0, 2**53 - 1), (2**53 - 1, 0)):
        step = OpenStep(key, round_id=IDS[0], previous_leaf=NO_LEAF, deal_deadline=times[0], round_deadline=times[1])
        assert (step.deal_deadline, step.round_deadline) == times


def test_facts_of_another_size_are_refused():
    key, short = SlotKey("t", 1), b"short"
    facts: dict[str, Any] = {"round_id": IDS[0], "deck_root": DECKS[0]}
    opened: dict[str, Any] = {"round_id": IDS[0], "previous_leaf": NO_LEAF, "deal_deadline": 0, "round_deadline": 0}
    unseal = Unseal(1, HISTORIES[0])
    wrong: list[Callable[[], object]] = [
        lambda: OpenStep(key, **{**opened, "round_id": short}),
        lambda: OpenStep(key, **{**opened, "previous_leaf": short}),
        lambda: DealStep(key, **{**facts, "round_id": short}),
        lambda: DealStep(key, **{**facts, "deck_root": short}),
        lambda: UnsealStep(key, round_id=short, unseal=unseal, course={}),
        lambda: SettleStep(key, **{**facts, "round_id": short}, unseals=()),
        lambda: SettleStep(key, **{**facts, "deck_root": short}, unseals=()),
        lambda: AbortStep(key, **{**facts, "round_id": short}),
        lambda: AbortStep(key, **{**facts, "deck_root": b""}),
        lambda: RevealStep(key, round_id=b""),
        lambda: Unseal(1, short),
    ]
    for make in wrong:
        with pytest.raises(ValueError, match=r"hashes have 32 bytes, not [05]$"):
            make()
    with pytest.raises(ValueError, match=r"hashes have 32 bytes, not 5$"):
        OpenStep(key, **{**opened, "round_id": short, "previous_leaf": b""})
    for number in (0, 2**32):
        with pytest.raises(ValueError, match="no number of an event"):
            Unseal(number, HISTORIES[0])
    for deadline in ("deal_deadline", "round_deadline"):
        for time in (-1, 2**53):
            with pytest.raises(ValueError, match="a deadline is milliseconds"):
                OpenStep(key, **{**opened, deadline: time})


def test_numbers_that_stores_keep_are_pinned():
    assert [(kind.name, kind.value) for kind in StepKind] == [
        ("OPEN", 0),
        ("DEAL", 1),
        ("UNSEAL", 2),
        ("SETTLE", 3),
        ("ABORT", 4),
        ("REVEAL", 5),
    ]
    stages = [(stage.name, stage.value, stage.is_terminal) for stage in Stage]
    assert stages == [("OPENED", 0, False), ("DEALT", 1, False), ("SETTLED", 2, True), ("ABORTED", 3, True)]
    assert bytes(32) == NO_LEAF


def test_settlement_that_leaves_out_an_opening_names_it():
    key, known = SlotKey("t", 1), (Unseal(1, HISTORIES[0]), Unseal(3, HISTORIES[1]))
    state = Slot(key, round_id=IDS[0], deal_deadline=1, round_deadline=2, deck_root=DECKS[0], stage=Stage.DEALT)
    opened = msgspec.structs.replace(state, unseals=known)
    for current, unseals, words in (
        (opened, known[:1], "opened cards after event 3 of another course"),
        (opened, known[1:], "opened cards after event 1 of another course"),
        (opened, (), "opened cards after event 1 of another course"),
        (opened, (*known, Unseal(4, IDS[0])), "opened no cards after some event of this course"),
        (state, known[:1], "opened no cards after some event of this course"),
    ):
        settle = SettleStep(key, round_id=IDS[0], deck_root=DECKS[0], unseals=unseals)
        with pytest.raises(SlotError, match=words) as refused:
            advance(settle, leaf_hash=LEAVES[0], previous=None, current=current)
        assert refused.value.unseal == (known[1] if current is opened else None)

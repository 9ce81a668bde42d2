"""Answers do not depend on what others asked: callers with different knowledge in random order against one server.

Each answer of a method without side effect, and of AcceptEvent under a stopped clock, equals byte for byte that of a
second process, whose servers were asked nothing before, to the whole message; of a settlement, the leaf.
"""

import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from google.protobuf.message_factory import GetMessageClass
from referee_client.abridging import WHOLE_ONLY

from tests.driver.messages import METHODS
from tests.randomness import random_from
from tests.service.abridging import course_of
from tests.service.differing_callers import Question, copied, following, question, questions, steps_of_a_round
from tests.service.fresh_answers import Answer, Fresh, ask, fresh_answers
from tests.service.house import House

SCENES: Final = {
    "mau_binh": ("mau_binh", False, False),
    "tien_len": ("tien_len", False, True),
    "ultimate_texas": ("ultimate_texas", False, True),
    "mau_binh sealed": ("mau_binh", True, True),
    "ultimate_texas sealed": ("ultimate_texas", True, False),
}
"""The game of a scene, whether its table is sealed, and whether its seats have keys."""
ASKED: Final = 60
"""Questions that are drawn for each scene; each is asked twice."""
FOLLOWED: Final = 10
"""Accepted events after which the caller goes on from the answer."""


def answer_of(method: str, answer: Answer) -> Any:  # noqa: ANN401 - of any method
    """Parse an answer; it is empty for a refusal."""
    kind: Any = GetMessageClass(METHODS[method].output_type)
    return kind.FromString(answer.data)


def is_unknown(answer: Answer) -> bool:
    return answer.refusal is not None and answer.refusal["reason"] == "ROUND_UNKNOWN"


class Busy:
    """A server that many ask, by whole rounds or by names, as chance has it; compared with servers that few ask."""

    def __init__(self, house: House, fresh: Fresh, chance: random.Random) -> None:
        self._house, self._fresh, self._chance = house, fresh, chance
        self.named: Counter[str] = Counter()

    def compare(self, asked: Question) -> Any:  # noqa: ANN401 - an answer of any method
        """Ask a question; assert that the answer is that of a server that was asked nothing else. Return it.

        A settlement that would be written is left out.
        """
        method, request = asked
        whole = request.SerializeToString()
        expected = self._fresh.answer(method, whole)
        parsed = answer_of(method, expected)
        if "log_receipt" not in parsed.DESCRIPTOR.fields_by_name or not parsed.HasField("log_receipt"):
            found = self._ask(method, request, whole)
            assert found == expected, (method, answer_of(method, found), parsed)
        return parsed

    def settle(self, asked: Question) -> None:
        """Settle a round; assert that leaf and outcome are those of a server that was asked nothing else."""
        method, request = asked
        whole = request.SerializeToString()
        found, expected = (
            answer_of(method, answer)
            for answer in (self._ask(method, request, whole), self._fresh.answer(method, whole))
        )
        assert found.log_receipt.leaf
        assert (found.log_receipt.leaf, found.outcome) == (expected.log_receipt.leaf, expected.outcome)

    def _ask(self, method: str, request: Any, whole: bytes) -> Answer:  # noqa: ANN401 - of any method
        """Ask by the name of the round message or by the whole; by the whole too where the name is unknown."""
        if method.rpartition("/")[2] not in WHOLE_ONLY and self._chance.random() < 2 / 3:
            short = copied(request)
            short.round.Clear()
            short.round.course.CopyFrom(course_of(request.round))
            found = ask(self._house, method, short.SerializeToString())
            self.named["unknown" if is_unknown(found) else "known"] += 1
            if not is_unknown(found):
                return found
        return ask(self._house, method, whole)


@pytest.mark.parametrize("scene", SCENES)
def test_answers_are_those_of_a_server_that_was_asked_nothing_else(
    make_house: Callable[..., House], scene: str
) -> None:
    game, sealed, keyed = SCENES[scene]
    house = make_house()
    table, steps = steps_of_a_round(house, game, sealed=sealed, keyed=keyed)
    everything, now = list(questions(table, steps)), house.clock.now
    settlement = question(table, "SettleRound", round=steps[-1].message)
    house.close()
    log = house.folder.with_name("log")
    shutil.copytree(house.folder, log)
    house.start()
    chance = random_from(scene)
    drawn = chance.sample(everything, min(ASKED, len(everything))) * 2
    chance.shuffle(drawn)
    with fresh_answers(log, now=now) as fresh:
        busy = Busy(house, fresh, chance)
        accepted = 0
        while drawn:
            asked = drawn.pop()
            after = following(asked, busy.compare(asked))
            if after is not None and accepted < FOLLOWED:
                accepted += 1
                drawn += _later(after)
                chance.shuffle(drawn)
        for _ in range(3):
            busy.settle(settlement)
    assert accepted == FOLLOWED
    assert busy.named["known"] > ASKED // 4


def _later(asked: Question) -> Iterator[Question]:
    """Yield what a caller asks about a round that went on."""
    yield asked  # whose event is a second one now, lawful or not
    method = asked.method.replace("AcceptEvent", "PreviewRound")
    kind: Any = GetMessageClass(METHODS[method].input_type)
    yield Question(method, kind(round=asked.request.round))

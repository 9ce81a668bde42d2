"""Violations on the wire, with their words in both languages filled in."""

from collections.abc import Iterable

from referee.rulesets import Language, Texts
from referee.v1.text_pb2 import Text
from referee.v1.violation_pb2 import Violation as Message
from referee.verdict import Violation
from referee.wire.card import numbers_of


def write_violations(violations: Iterable[Violation], texts: Texts) -> list[Message]:
    """The violations in their order."""
    return [
        Message(
            code=violation.code,
            seat=violation.seat,
            cards=numbers_of(violation.cards),
            against=numbers_of(violation.against),
            expected=violation.expected,
            found=violation.found,
            deadline_time=violation.deadline_time,
            received_time=violation.received_time,
            text=Text(vi=texts.say(violation, Language.VI), en=texts.say(violation, Language.EN)),
        )
        for violation in violations
    ]

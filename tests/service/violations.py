"""Violations as answers have them, in the form of the vectors."""

from typing import Any, Final

from referee.cards import DECK
from referee.v1 import violation_pb2

ABOUT_CARDS: Final = ("NOT_A_COMBINATION", "BACK_WRONG_SIZE", "MIDDLE_WRONG_SIZE", "FRONT_WRONG_SIZE")
"""Violations whose cards are named even where there are none."""


def facts_of(violation: violation_pb2.Violation) -> dict[str, Any]:
    """Return a violation's code and the facts it has, after a look at its words."""
    assert violation.text.vi != violation.text.en
    assert not set("{}?") & set(violation.text.vi + violation.text.en)
    assert violation.code not in {violation.text.vi, violation.text.en, ""}
    facts: dict[str, Any] = {"code": violation.code}
    for name in ("seat", "expected", "found", "deadline_time", "received_time"):
        if violation.HasField(name):
            facts[name] = getattr(violation, name)
    for name in ("cards", "against"):
        if getattr(violation, name) or (violation.code in ABOUT_CARDS and name == "cards"):
            facts[name] = " ".join(DECK[number - 1].text for number in getattr(violation, name))
    return facts

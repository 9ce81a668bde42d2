"""The values of hands on the wire."""

from referee.hands import HandValue
from referee.rulesets import Ruleset
from referee.v1.hand_pb2 import HandValue as Message
from referee.wire.ruleset import write_name


def write_value(value: HandValue, ruleset: Ruleset) -> Message:
    """A hand's value with its names."""
    return Message(
        strength=value.strength, category=value.category, name=write_name(ruleset.names["category"][value.category])
    )

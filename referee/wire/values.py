"""Values that messages of every game are made of: cards, names, hand values, transfers and violations."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from referee.cards import DECK, Card
from referee.hands import HandValue
from referee.money import Transfer
from referee.rulesets import Language, Ruleset, Texts
from referee.v1.card_pb2 import Card as CardMessage
from referee.v1.error_reason_pb2 import ErrorReason
from referee.v1.hand_pb2 import HandValue as HandValueMessage
from referee.v1.money_pb2 import Transfer as TransferMessage
from referee.v1.text_pb2 import Text
from referee.v1.violation_pb2 import Violation as ViolationMessage
from referee.verdict import Violation
from referee.wire.refusal import RefusedError, invalid_field, missing_field

MAX_CARDS: Final = 64
"""Most cards in one list of a request; a longer list is no mistake of a person."""
ChoiceT = TypeVar("ChoiceT")
_BY_NUMBER: Final = {card.number: card for card in DECK}


class NamedInTwoLanguages(Protocol):
    """Anything that has a name in both languages."""

    @property
    def vi(self) -> str:
        """Vietnamese name."""

    @property
    def en(self) -> str:
        """English name."""


def read_cards(numbers: Sequence[int], *, field: str) -> tuple[Card, ...]:
    """Read cards by number; refuse a number that names no card, and more than ``MAX_CARDS`` numbers."""
    if len(numbers) > MAX_CARDS:
        raise invalid_field(f"{len(numbers)} cards are too many; at most {MAX_CARDS} are read", field=field)
    try:
        return tuple([_BY_NUMBER[number] for number in numbers[:]])  # a list: repeated fields are slow to step through
    except KeyError:
        index = next(index for index, number in enumerate(numbers) if number not in _BY_NUMBER)
        raise RefusedError(
            ErrorReason.ERROR_REASON_INVALID_CARD,
            f"{numbers[index]} is no card; cards are numbered 1 to 52",
            field=f"{field}[{index}]",
            found=numbers[index],
        ) from None


def read_choice(number: int, choices: Mapping[int, ChoiceT], *, what: str, field: str) -> ChoiceT:
    """Return the choice that has a number of an enum; refuse 0, which is no choice, and numbers that have none."""
    if number in choices:
        return choices[number]
    if not number:
        raise missing_field(f"give the seat's {what}", field=field)
    numbers = ", ".join(map(str, sorted(choices)))
    raise invalid_field(f"{number} is no {what}; the numbers are {numbers}", field=field, found=number)


def numbers_of(cards: Iterable[Card]) -> list[CardMessage]:
    """Return the numbers of cards, in their order."""
    return [card.number for card in cards]  # type: ignore[misc] # the enum of the wire is the number itself


def write_name(name: NamedInTwoLanguages) -> Text:
    """Write a name in both languages."""
    return Text(vi=name.vi, en=name.en)


def write_value(value: HandValue, ruleset: Ruleset) -> HandValueMessage:
    """Write a hand's value with its name."""
    return HandValueMessage(
        strength=value.strength, category=value.category, name=write_name(ruleset.names["category"][value.category])
    )


def write_transfers(transfers: Iterable[Transfer]) -> list[TransferMessage]:
    """Write transfers in their order."""
    return [
        TransferMessage(
            payer=transfer.payer,
            payee=transfer.payee,
            amount_minor=transfer.amount,
            reason=transfer.reason,
            subject=transfer.subject or None,
        )
        for transfer in transfers
    ]


def write_violations(violations: Iterable[Violation], texts: Texts, ruleset: Ruleset) -> list[ViolationMessage]:
    """Write violations in their order, with their texts in both languages and the ruleset's own names."""
    return [
        ViolationMessage(
            code=violation.code,
            seat=violation.seat,
            cards=numbers_of(violation.cards),
            against=numbers_of(violation.against),
            expected=violation.expected,
            found=violation.found,
            deadline_time=violation.deadline_time,
            received_time=violation.received_time,
            text=Text(
                vi=texts.say(violation, Language.VI, ruleset.names), en=texts.say(violation, Language.EN, ruleset.names)
            ),
        )
        for violation in violations
    ]

"""Events as a step writes them: the seat, then what it does.

| game | events |
|---|---|
| every | ``1 leave``, ``1 timeout`` |
| Mậu Binh | ``0 arrange AS .. / .. / ..`` (back, middle, front), ``arrange as dealt``, ``commit ..``, ``open ..`` |
| Tiến Lên | ``0 3S 3C``, ``1 pass``, ``0 play`` (no card) |
| Ultimate Texas Hold'em | ``0 CHECK`` and the other decisions |

``as dealt`` are the seat's cards in the order dealt. ``commit`` and ``open`` are those of a sealed table. Numbers may
stand for cards, so that cards that do not exist can be sent. An event that is reported may end with its time:
``0 3S @5000`` is 5 s after the deal.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from referee.cards import parse_cards
from referee_harness.cases.members import put

_CHI: Final = (slice(0, 5), slice(5, 10), slice(10, None))
Hand = Callable[[int], Sequence[int]]
"""The cards of a seat's hand in the order dealt."""


def split_time(text: str) -> tuple[str, int | None]:
    """Separate an event from its time in ms after the deal; None if it has none."""
    event, _, time = text.partition(" @")
    return event, int(time) if time else None


def event_of(kind: type[Any], text: str, hand: Hand, *, seat_secrets: Any) -> Any:  # noqa: ANN401 - an event of any game
    """Make an event message of a game from its text; ``seat_secrets(seat)`` has the seat's nonce and commitments."""
    number, _, choice = text.partition(" ")
    seat, event = int(number), kind(seat=int(number))
    word, _, rest = choice.partition(" ")
    if "decision" in event.DESCRIPTOR.fields_by_name:
        put(event, "decision", int(word) if word.isdecimal() else word.upper())
    elif word in {"leave", "timeout"}:
        getattr(event, word).SetInParent()
    elif word == "pass":
        event.pass_turn.SetInParent()
    elif word in {"arrange", "commit", "open"}:
        cards = list(hand(seat)) if rest == "as dealt" else numbers(rest.replace("/", " "))
        chi = [numbers(part) for part in rest.split("/")] if "/" in rest else [cards[part] for part in _CHI]
        if word == "commit":
            event.commit.commitment = seat_secrets(seat).commitment(cards)
        else:
            for name, part in zip(("back", "middle", "front"), chi, strict=True):
                getattr(event.arrange, name).extend(part)
            event.arrange.SetInParent()
            if word == "open":
                event.nonce = seat_secrets(seat).nonce
    elif word:
        event.play.cards.extend([] if choice == "play" else numbers(choice))
        event.play.SetInParent()
    return event


def numbers(text: str) -> list[int]:
    """Return the numbers of cards that are written as text, or as numbers."""
    words = text.split()
    if all(word.lstrip("-").isdecimal() for word in words):
        return [int(word) for word in words]
    return [card.number for card in parse_cards(text)]

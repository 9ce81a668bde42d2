"""A sealed hand, and questions about it, asked of the referee itself: Connect over plain HTTP, JSON both ways.

The token goes to the referee's gateway and nowhere else, so the table server never sees the hand. What the
gateway refuses comes back with the referee's own words.
"""

import base64
from collections.abc import Mapping, Sequence
from typing import Any, Final

import aiohttp

_RANKS: Final = {
    "TWO": "2",
    "THREE": "3",
    "FOUR": "4",
    "FIVE": "5",
    "SIX": "6",
    "SEVEN": "7",
    "EIGHT": "8",
    "NINE": "9",
    "TEN": "T",
    "JACK": "J",
    "QUEEN": "Q",
    "KING": "K",
    "ACE": "A",
}
_NAMES: Final = {rank: name for name, rank in _RANKS.items()}
_SUITS: Final = {"S": "SPADES", "C": "CLUBS", "D": "DIAMONDS", "H": "HEARTS"}
SECONDS: Final = 10.0


class GatewayError(RuntimeError):
    """The gateway refused a question, or did not answer; says what it said."""


def enum_of(card: str) -> str:
    """Return a card's name in proto JSON.

    >>> enum_of("AS")
    'CARD_ACE_OF_SPADES'
    """
    return f"CARD_{_NAMES[card[0]]}_OF_{_SUITS[card[1]]}"


def card_of(name: str) -> str:
    """Return the card of a name in proto JSON.

    >>> card_of("CARD_TEN_OF_HEARTS")
    'TH'
    """
    rank, _, suit = name.removeprefix("CARD_").partition("_OF_")
    return _RANKS[rank] + suit[0]


class Gateway:
    """The referee's gateway at a base address."""

    def __init__(self, base: str, http: aiohttp.ClientSession) -> None:
        self._base: Final = base.rstrip("/")
        self._http: Final = http

    async def open_hand(self, table: str, number: int, seat: int, token: str) -> tuple[str, list[str]]:
        """Open the seat's hand; return its certificate in base64 and its cards; raise GatewayError on a wrong token."""
        given = {
            "tableId": table,
            "roundNumber": str(number),
            "seat": seat,
            "token": base64.b64encode(bytes.fromhex(token)).decode(),
        }
        answer = await self._ask("ShufflerService/OpenHand", given)
        return str(answer["certificate"]), [card_of(name) for name in answer["hand"]["cards"]]

    async def check(self, header: Any, certificate: str, seat: int, rows: Mapping[str, Sequence[str]]) -> Any:  # noqa: ANN401 - JSON
        """Ask the referee to check an arrangement."""
        given = {
            "round": {"header": header, "certificates": [certificate]},
            "seat": seat,
            "arrangement": {name: [enum_of(card) for card in cards] for name, cards in rows.items()},
        }
        return await self._ask("MauBinhService/CheckArrangement", given)

    async def suggest(self, header: Any, certificate: str, seat: int) -> list[dict[str, list[str]]]:  # noqa: ANN401 - JSON
        """Arrangements of a sealed hand, best first."""
        given = {"dealt": {"round": {"header": header, "certificates": [certificate]}, "seat": seat}, "count": 3}
        answer = await self._ask("MauBinhService/SuggestArrangement", given)
        return [
            {name: [card_of(card) for card in one["arrangement"].get(name, [])] for name in ("back", "middle", "front")}
            for one in answer.get("suggestions", [])
        ]

    async def advise(self, played: Mapping[str, Any], seat: int) -> Any:  # noqa: ANN401 - JSON
        """Ask the referee what each decision is worth to a seat of Ultimate Texas Hold'em."""
        return await self._ask("UltimateTexasService/Advise", {"round": played, "seat": seat})

    async def _ask(self, method: str, message: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
        headers = {"Connect-Protocol-Version": "1"}
        timeout = aiohttp.ClientTimeout(total=SECONDS)
        try:
            async with self._http.post(
                f"{self._base}/referee.v1.{method}", json=message, headers=headers, timeout=timeout
            ) as answer:
                given = await answer.json()
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            msg = f"the referee's gateway does not answer: {error or type(error).__name__}"
            raise GatewayError(msg) from error
        if answer.status != 200:  # noqa: PLR2004 - HTTP's OK
            raise GatewayError(str(given.get("message", answer.reason)))
        return given

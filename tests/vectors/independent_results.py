"""What a transcript says of cards and money, from ``README.md`` alone; whatever it holds, nothing is raised."""

from collections.abc import Sequence

from tests.vectors.independent_course import seat_of
from tests.vectors.independent_round import Row, arrangement, is_hex, is_list, is_natural

HOUSE = 255
PARTS = {"ARRANGE": ("back", "middle", "front"), "PLAY": ("cards",)}


def cards_used(event: Row) -> list[int]:
    """Return the cards that an event names; what is no card number is left out."""
    kind = event.get("kind")
    lists = [event.get(part) for part in PARTS.get(kind if isinstance(kind, str) else "", ())]
    return [card for cards in lists if isinstance(cards, list) for card in cards if isinstance(card, int)]


def holds_cards(events: Sequence[Row], hands: Sequence[Sequence[int]]) -> bool:
    """Whether every card in the events was in its hand, an arrangement is all of it, and none is played twice."""
    left = [set(hand) for hand in hands]
    for event in events:
        used, seat = cards_used(event), seat_of(event, len(hands))
        hand = left[seat] if seat >= 0 else set()
        is_whole = event.get("kind") != "ARRANGE" or len(used) == len(hand)
        if not set(used) <= hand or len(set(used)) < len(used) or not is_whole:
            return False
        if event.get("kind") == "PLAY":
            hand -= set(used)
    return True


def opens_arrangement(rid: bytes, event: Row, committed: dict[int, object]) -> bool:
    """Whether an ARRANGE of a sealed table is what its seat committed to."""
    seat, nonce, cards = event.get("seat"), event.get("nonce"), cards_used(event)
    if not isinstance(seat, int) or seat < 0 or seat not in committed:
        return False
    if not isinstance(nonce, str) or not is_hex(nonce) or not all(1 <= card <= 52 for card in cards):
        return False
    return committed[seat] == arrangement(rid, seat, cards, bytes.fromhex(nonce)).hex()


def is_balanced(results: Row, seats: int, *, has_house: bool) -> bool:
    """Whether net amounts are the sums of the transfers, and together zero."""
    lines, transfers, house = results.get("seats", []), results.get("transfers", 0), results.get("house", {})
    has_house = has_house or "house" in results  # a game against the house has it always
    if not is_list(lines, _has_net) or len(lines) != seats or (has_house and not _has_net(house)):
        return False
    nets = dict(enumerate(line["net"] for line in lines)) | ({HOUSE: house["net"]} if has_house else {})
    if not is_list(transfers, lambda one: _is_transfer(one, nets)) or sum(nets.values()):
        return False
    for transfer in transfers:
        nets[transfer["from"]] += transfer["amount"]
        nets[transfer["to"]] -= transfer["amount"]
    return not any(nets.values())


def _has_net(line: object) -> bool:
    return isinstance(line, dict) and isinstance(line.get("net"), int)


def _is_transfer(one: object, nets: dict[int, int]) -> bool:
    if not isinstance(one, dict) or not is_natural(one.get("amount"), 1):
        return False
    sides = one.get("from"), one.get("to")
    return all(is_natural(side) and side in nets for side in sides) and sides[0] != sides[1]


def winner_of(results: object, seats: int) -> int:
    """Return the seat that won a round; -1 if none is named."""
    winners = results.get("winners") if isinstance(results, dict) else None
    first = winners[0] if isinstance(winners, list) and winners else -1
    is_number = isinstance(first, int) and not isinstance(first, bool)
    return first if is_number and 0 <= first < seats else -1

"""Calls about rounds that are refused: what each is, its reason, and the field at fault."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from referee.audit import Code
from referee.dealing.commitment import deck_root, section_root
from referee.v1 import mau_binh_pb2, shuffler_pb2
from tests.named_signer import NamedSigner
from tests.service.house import House
from tests.service.table import Table

Call: TypeAlias = Callable[[], Any]
Prepare: TypeAlias = Callable[[House], Call]


@dataclass(frozen=True, slots=True)
class Case:
    """A call that is refused: why, and which field is at fault. ``prepare`` makes it ready on a server.

    ``finding`` is what an audit would say of the leaf that the call would append, if it would append any.
    """

    reason: str
    field: str
    prepare: Prepare
    finding: Code | None = None


CASES: list[Case] = []


def refused(reason: str, field: str = "", *, finding: Code | None = None) -> Callable[[Prepare], Prepare]:
    """Register a function that prepares a call refused with this reason and field."""

    def register(prepare: Prepare) -> Prepare:
        CASES.append(Case(reason, field, prepare, finding))
        return prepare

    return register


@refused("DUPLICATE_CARD", "round.certificates")
def card_in_two_hands(house: House) -> Call:
    """Have the shuffler itself sign two hands that share a card, each in a certificate of its own."""
    header = house.open().header
    deal = house.derive(header)
    first, other, stock = deal.sections
    sections = (first, (first[0], *other[1:]), stock)
    numbers = tuple([bytes([card.number for card in section]) for section in sections])
    roots = tuple(
        [
            section_root(key=key, round_id=deal.round_id, section=index, numbers=dealt)
            for index, (key, dealt) in enumerate(zip(deal.keys, numbers, strict=True))
        ]
    )
    root = deck_root(
        round_id=deal.round_id, commitment=deal.commitment, mixed=deal.mixed, layout=tuple(header.layout), roots=roots
    )
    doubled = msgspec.structs.replace(deal, sections=sections, numbers=numbers, roots=roots, deck_root=root)
    message = mau_binh_pb2.MauBinhRound(
        header=header, certificates=[house.certify(header, doubled, sections=[seat]) for seat in (0, 1)]
    )
    assert first[0] in sections[1]
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@refused("FORGED", "round.certificates[0]")
def certificate_by_somebody(house: House) -> Call:
    played = house.play()
    somebody = NamedSigner("a key that nobody named")
    played.message.certificates[0] = house.certify(played.header, house.derive(played.header), signer=somebody)
    return played.settle


@refused("FOREIGN", "round.header", finding=Code.SETTLED_OTHER_ROUND)
def certificate_of_another_round(house: House) -> Call:
    played, other = house.play(), house.play()
    played.message.certificates[0] = other.dealt.certificate
    return played.settle


@refused("SECTION_MISSING", "round.certificates")
def hand_that_no_certificate_opens(house: House) -> Call:
    header = house.open().header
    message = mau_binh_pb2.MauBinhRound(
        header=header, certificates=[house.certify(header, house.derive(header), sections=[0])]
    )
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@refused("NOT_DEALT", finding=Code.SETTLED_UNDEALT)
def settlement_of_a_round_never_dealt(house: House) -> Call:
    """Settle with a certificate of the shuffler's though the log has no deal."""
    return settlement_of_made_up_deal(house, house.open())


def settlement_of_made_up_deal(house: House, opened: shuffler_pb2.OpenRoundResponse) -> Call:
    header = opened.header
    message = mau_binh_pb2.MauBinhRound(header=header, certificates=[house.certify(header, house.derive(header))])
    house.clock.now += house.ARRANGING_MS
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@refused("DEAL_MISMATCH", finding=Code.DECK_ROOT_MISMATCH)
def settlement_over_another_deck(house: House) -> Call:
    """Have the shuffler sign a second deck for a round whose first deck is in the log."""
    return settlement_of_made_up_deal(house, house.play().opened)


def committed(house: House) -> Table:
    """Deal a sealed table whose seat 0 has committed."""
    table = house.sealed()
    table.accept(0, commit=mau_binh_pb2.Commit(commitment=bytes(32)))
    return table


@refused("COURSE_FORKED", finding=Code.UNSEAL_NOT_IN_COURSE)
def hands_opened_after_another_course(house: House) -> Call:
    """Let seat 1 leave to see the hands, and say afterwards that it committed in time."""
    table = committed(house)
    other = table.message.FromString(table.message.SerializeToString())
    table.accept(1, leave=True)
    table.open_section()
    table.message.CopyFrom(other)
    table.accept(1, commit=mau_binh_pb2.Commit(commitment=bytes(32)))
    return lambda: table.shuffler.OpenSection(table.section_request())

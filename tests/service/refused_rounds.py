"""Calls about rounds that are refused: what each is, its reason, and the field at fault."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import msgspec

from referee.audit import Code
from referee.dealing.commitment import deck_root, section_root
from referee.v1 import log_pb2, mau_binh_pb2, shuffler_pb2
from tests.named_signer import NamedSigner
from tests.service.courses import steps_of
from tests.service.house import House
from tests.service.opening import open_round, opening
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


@refused("MISSING_FIELD", "terms.table_id")
def table_without_a_name(house: House) -> Call:
    terms = house.terms()
    terms.ClearField("table_id")
    return lambda: open_round(house.shuffler, terms)


@refused("INVALID_FIELD", "terms.seat_count")
def seven_seats(house: House) -> Call:
    return lambda: house.open(seat_count=7)


@refused("UNKNOWN_RULESET", "terms.ruleset_id")
def ruleset_nobody_knows(house: House) -> Call:
    return lambda: house.open(ruleset_id="mau_binh.unheard_of")


@refused("INVALID_CARD", "arrangement.middle[2]")
def card_of_number_99(house: House) -> Call:
    played = house.play()
    hand = played.hands[0]
    return lambda: played.check(0, house.arranged(hand[:5], [*hand[5:7], 99, *hand[8:10]], hand[10:]))


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


@refused("INVALID_FIELD", "round.certificates[2]")
def certificate_twice(house: House) -> Call:
    opened = house.open().header
    deal = house.derive(opened)
    first, other = (house.certify(opened, deal, sections=sections) for sections in ([0], [1]))
    message = mau_binh_pb2.MauBinhRound(header=opened, certificates=[first, other, first])
    return lambda: house.referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=message))


@refused("INVALID_FIELD", "round.certificates")
def more_certificates_than_sections(house: House) -> Call:
    """Refuse a thousand before any of them is read."""
    header = house.open().header
    message = mau_binh_pb2.MauBinhRound(header=header, certificates=[b"%d" % index for index in range(1000)])
    return lambda: house.referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=message))


@refused("INVALID_SEAT", "seat")
def third_of_two_seats(house: House) -> Call:
    played = house.play()
    return lambda: played.check(2, house.as_dealt(played.hands[0]))


@refused("INVALID_STAKE", "terms.stake_minor", finding=Code.TERMS_FORBIDDEN)
def stake_of_zero(house: House) -> Call:
    return lambda: house.open(stake_minor=0)


@refused("INVALID_HEADER", "round.header.origin")
def header_of_another_log(house: House) -> Call:
    played = house.play()
    played.message.header.origin = "log.example/2"
    return played.settle


@refused("MALFORMED", "round.certificates[0]")
def certificate_of_garbage(house: House) -> Call:
    played = house.play()
    played.message.certificates[0] = b"{}"
    return played.settle


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


@refused("EXPIRED", "round.certificates")
def certificate_after_the_round(house: House) -> Call:
    played = house.play()
    house.clock.now = played.header.round_deadline_time + 1
    return lambda: played.check(0, house.as_dealt(played.hands[0]))


@refused("SECTION_MISSING", "round.certificates")
def hand_that_no_certificate_opens(house: House) -> Call:
    header = house.open().header
    message = mau_binh_pb2.MauBinhRound(
        header=header, certificates=[house.certify(header, house.derive(header), sections=[0])]
    )
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@refused("NOT_OPENED", finding=Code.DEAL_BEFORE_OPEN)
def deal_of_a_round_that_is_not(house: House) -> Call:
    request = shuffler_pb2.DealRoundRequest(
        round={"table_id": "nowhere", "round_number": 1}, client_seeds=house.seeds_of(2)
    )
    return lambda: house.shuffler.DealRound(request)


@refused("NOT_DEALT", finding=Code.SETTLED_UNDEALT)
def settlement_of_a_round_never_dealt(house: House) -> Call:
    """Settle with a certificate of the shuffler's though the log has no deal."""
    return settlement_of_made_up_deal(house, house.open())


def settlement_of_made_up_deal(house: House, opened: shuffler_pb2.OpenRoundResponse) -> Call:
    header = opened.header
    message = mau_binh_pb2.MauBinhRound(header=header, certificates=[house.certify(header, house.derive(header))])
    house.clock.now += house.ARRANGING_MS
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@refused("ALREADY_OPENED", finding=Code.OPENED_TWICE)
def round_opened_with_other_terms(house: House) -> Call:
    header = house.open().header
    header.stake_minor += 1
    return lambda: open_round(house.shuffler, header)


@refused("ALREADY_DEALT", "client_seeds[0]", finding=Code.DEALT_TWICE)
def table_that_deals_again(house: House) -> Call:
    played = house.play()
    return lambda: played.deal_again(name="better luck")


@refused("ALREADY_SETTLED", finding=Code.ENDED_TWICE)
def round_settled_otherwise(house: House) -> Call:
    played = house.play().report_all()
    played.settle()
    played.reveal()
    played.message.events[1].time += 1
    house.clock.now += 1
    return played.settle


@refused("ABORTED", finding=Code.ENDED_TWICE)
def settlement_of_an_aborted_round(house: House) -> Call:
    played = house.play().report_all()
    played.abort()
    played.reveal()
    return played.settle


@refused("DEADLINE_NOT_PASSED", finding=Code.ABORT_MISMATCH)
def abort_of_a_dealt_round_before_its_deadline(house: House) -> Call:
    played = house.play()
    request = shuffler_pb2.AbortRoundRequest(**played.name, reason=shuffler_pb2.ABORT_REASON_OPERATOR)
    return lambda: house.shuffler.AbortRound(request)


@refused("PREVIOUS_ROUND_OPEN", finding=Code.NEXT_ROUND_EARLY)
def next_round_before_the_end(house: House) -> Call:
    table = house.play().header.round.table_id
    return lambda: house.open(table, stake_minor=1)


@refused("WRONG_PREVIOUS", finding=Code.WRONG_PREVIOUS_LEAF)
def header_that_follows_another_leaf(house: House) -> Call:
    played = house.play().report_all()
    played.settle()
    played.reveal()
    terms = house.terms(played.header.round.table_id)
    header = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms)).header
    header.previous_leaf_hash = b"p" * 32
    return lambda: open_round(house.shuffler, header)


@refused("DEAL_MISMATCH", finding=Code.DECK_ROOT_MISMATCH)
def settlement_over_another_deck(house: House) -> Call:
    """Have the shuffler sign a second deck for a round whose first deck is in the log."""
    return settlement_of_made_up_deal(house, house.play().opened)


@refused("DEADLINE_PASSED", finding=Code.DEALT_LATE)
def deal_after_the_deadline(house: House) -> Call:
    opened = house.open()
    house.clock.now = opened.header.deal_deadline_time + 1
    return lambda: house.deal(opened)


@refused("DEADLINE_OUT_OF_BOUNDS", "terms.deal_deadline_time", finding=Code.DEADLINE_OUT_OF_BOUNDS)
def deal_in_an_hour(house: House) -> Call:
    return lambda: house.open(deal_deadline_time=house.clock.now + 3_600_000)


@refused("CLOCK_BEHIND", finding=Code.TIME_OUT_OF_ORDER)
def clock_that_was_set_back(house: House) -> Call:
    opened = house.open()
    house.clock.now -= 10_001
    return lambda: house.deal(opened)


@refused("SEED_MISMATCH", "client_seeds[1]", finding=Code.CLIENT_SEED_MISMATCH)
def seed_that_opens_nothing(house: House) -> Call:
    prepared = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=house.terms()))
    request = opening(prepared.header, commitments=[b"", b"c" * 32])
    opened = open_round(house.shuffler, request)
    return lambda: house.deal(opened)


@refused("NOT_TERMINAL", finding=Code.REVEALED_EARLY)
def seed_before_the_end(house: House) -> Call:
    return house.play().reveal


@refused("TOO_MANY_EVENTS", "round.events", finding=Code.LEAF_TOO_LONG)
def sixty_five_events(house: House) -> Call:
    played = house.play()
    for _ in range(65):
        played.message.events.add(time=house.clock.now, seat=0, arrange=house.as_dealt(played.hands[0]))
    return played.settle


@refused("SECTION_CLOSED", "receipt")
def section_that_no_receipt_names(house: House) -> Call:
    played = house.play()
    played.accept(0, played.arrangement(0))
    request = shuffler_pb2.OpenSectionRequest(
        **played.name, steps=steps_of(played.message), receipt=played.message.receipt
    )
    return lambda: house.shuffler.OpenSection(request)


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


@refused("NOT_RECEIVED", "round.events[1]")
def commitment_with_the_frontends_time(house: House) -> Call:
    table = committed(house)
    table.report(1, commit=mau_binh_pb2.Commit(commitment=bytes(32)))
    return table.preview


@refused("NOT_SEEN", "event")
def event_after_one_that_is_not_there(house: House) -> Call:
    table = committed(house)
    event = table.event(1, commit=mau_binh_pb2.Commit(commitment=bytes(32)), seen=2)
    return lambda: table.ask(event)


@refused("SIGNATURE_MISSING", "signature")
def departure_that_its_seat_did_not_sign(house: House) -> Call:
    table = committed(house)
    event = table.event(1, leave=True)
    return lambda: table.ask(event, b"")


@refused("CLOCK_BEHIND", "round.events")
def referees_clock_set_back(house: House) -> Call:
    played = house.play()
    house.clock.now -= 2_001
    return lambda: played.accept(0)


@refused("BAD_SIGNATURE", "signature", finding=Code.SEED_SIGNATURE_FORGED)
def seed_that_its_seat_did_not_sign(house: House) -> Call:
    table = house.table().open()
    return lambda: table.shuffler.ContributeSeed(table.contribution(1, signature=bytes(64)))


@refused("WRONG_TOKEN", "token")
def hand_for_another_seats_token(house: House) -> Call:
    table = house.sealed()
    return lambda: table.open_hand(1, token=table.players[0].token)


@refused("NOT_SEALED")
def hand_of_an_open_table_for_a_token(house: House) -> Call:
    table = house.table().play()
    return lambda: table.open_hand(0)


@refused("SEED_MISSING", "client_seeds")
def deal_without_every_seats_seed(house: House) -> Call:
    table = house.table().open()
    table.contribute(1)
    return lambda: table.shuffler.DealRound(shuffler_pb2.DealRoundRequest(**table.slot))


@refused("ALREADY_CONTRIBUTED", "seed")
def another_seed_of_a_seat(house: House) -> Call:
    table = house.table(keyed=False, commits=False).open()
    table.contribute(0)
    return lambda: table.shuffler.ContributeSeed(table.contribution(0, seed=bytes(32)))


@refused("SEEDS_RECEIVED", "reason", finding=Code.ABORTED_AFTER_SEED)
def round_given_up_after_a_seed(house: House) -> Call:
    table = house.table().open()
    table.contribute(0)
    reason = shuffler_pb2.ABORT_REASON_OPERATOR
    return lambda: table.shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**table.slot, reason=reason))


@refused("SIGNATURE_EXPIRED", "signed_time")
def list_that_was_signed_a_minute_ago(house: House) -> Call:
    request = log_pb2.ListSeatRoundsRequest(seat_key=bytes(32), signed_time=house.clock.now - 60_001)
    return lambda: house.log.ListSeatRounds(request)

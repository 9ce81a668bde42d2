"""Attacks on the deck: cards, roots, certificates and hands."""

import itertools
from collections.abc import Callable
from dataclasses import replace

import msgspec

from referee.audit import Code, Documents
from referee.cards import DECK, Seat
from referee.dealing import leaf as leaves
from referee.dealing.deal import cut
from referee.dealing.deck import STREAM_SIZE
from referee.evidence.dsse import Envelope
from referee.evidence.encoding import enc
from referee.evidence.hkdf import Prk
from referee.games.mau_binh import Arrange
from referee.games.mau_binh.game import GAME
from referee.transcript.round import write_transcript
from tests.audit.audit_attack import (
    WORD,
    Attacked,
    adopt,
    attack,
    begun,
    certified,
    ended,
    forged_payload,
    log_attack,
    mutation,
    redealt,
    rewrite,
)
from tests.audit.audit_builder import FAR, REFEREE, SHUFFLER, STRANGER, LogBuilder, Parts, digest, settle, sign


@attack(Code.CARDS_MISMATCH, "two cards change hands between the deal and the settlement", on=WORD)
def two_cards_swapped(parts: Parts) -> None:
    hands = [list(section) for section in parts.deal.sections]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    honest = parts.deal
    parts.deal = msgspec.structs.replace(honest, sections=tuple([tuple(hand) for hand in hands]))
    settle(parts)
    parts.deal = honest


@mutation(
    Code.DECK_NOT_FROM_SEEDS, "a shuffle by remainders alone favours low cards, and seeds no longer give the deck"
)
def biased_mapping() -> Attacked:
    for attempt in itertools.count():  # one seed in a hundred or so gives the same deck by both mappings
        log, parts = begun(replace(WORD, seats=4, name=f"biased-{attempt}"))
        prk = Prk.of(parts.server_seed, salt=parts.deal.mixed)
        stream = prk.expand(info=enc("deck", parts.header.round_id), length=STREAM_SIZE)
        deck = list(DECK)
        for i, byte in zip(range(51, 0, -1), stream, strict=False):
            deck[i], deck[byte % (i + 1)] = deck[byte % (i + 1)], deck[i]
        sections = cut(tuple(deck), parts.header.layout)
        if sections != parts.deal.sections:
            break
    adopt(parts, redealt(parts, sections))
    return ended(log, parts)


@log_attack(Code.HIDDEN_CARDS_DIFFER, "a card of a hand is in the unopened stock as well")
def duplicate_hidden_in_the_stock(log: LogBuilder, parts: Parts) -> None:
    *hands, stock = parts.deal.sections
    adopt(parts, redealt(parts, (*hands, (hands[0][0], *stock[1:]))))
    log.documents = Documents(certificates=(certified(parts),))


@attack(Code.DUPLICATE_CARD, "the transcript gives both seats the same card", on=WORD)
def duplicate_in_the_transcript(parts: Parts) -> None:
    one, other = parts.inputs.sections
    parts.inputs = msgspec.structs.replace(parts.inputs, sections=(one, (one[0], *other[1:])))
    found = msgspec.json.decode(parts.transcript)["results"]
    parts.transcript = write_transcript(parts.header, parts.inputs, found)


@attack(Code.DECK_ROOT_MISMATCH, "the deck root commits to nothing that was dealt, so no card can be proved")
def deck_root_of_nothing(parts: Parts) -> None:
    parts.dealt = msgspec.structs.replace(parts.dealt, deck_root=digest("another").hex())
    settle(parts)


@attack(Code.DECK_ROOT_MISMATCH, "another deck is settled than was dealt")
def settled_with_another_deck(parts: Parts) -> None:
    honest = parts.dealt
    parts.dealt = msgspec.structs.replace(parts.dealt, deck_root=digest("another").hex())
    settle(parts)
    parts.dealt = honest


def with_certificate(forge: Callable[[Parts], bytes]) -> Attacked:
    """Make a healthy log, and a certificate that a participant kept."""
    log, parts = begun()
    log.documents = Documents(certificates=(forge(parts),))
    return ended(log, parts)


@mutation(Code.CERTIFICATE_REFUSED, "a frontend makes a certificate of its own")
def certificate_forged() -> Attacked:
    return with_certificate(lambda parts: certified(parts, signer=STRANGER))


@mutation(Code.CERTIFICATE_REFUSED, "the referee signs what only the shuffler may")
def certificate_by_the_wrong_role() -> Attacked:
    return with_certificate(lambda parts: certified(parts, signer=REFEREE))


@mutation(Code.CERTIFICATE_REFUSED, "a leaf of the shuffler passes for a certificate")
def certificate_of_the_wrong_type() -> Attacked:
    return with_certificate(lambda parts: sign(leaves.DEAL_TYPE, Envelope.parse(certified(parts)).payload, SHUFFLER))


@mutation(Code.CERTIFICATE_REFUSED, "a section's cards are shown under another section's key")
def certificate_with_the_wrong_key() -> Attacked:
    deal = begun()[1].deal
    return with_certificate(
        lambda parts: certified(parts, deal=msgspec.structs.replace(parts.deal, keys=deal.keys[::-1]))
    )


@mutation(Code.CERTIFICATE_REFUSED, "a certificate is made to last longer than its round")
def certificate_that_lasts_longer() -> Attacked:
    return with_certificate(lambda parts: forged_payload(certified(parts), SHUFFLER, expires_time=FAR))


@mutation(Code.CERTIFICATE_REFUSED, "a certificate is of a round that the log never had")
def certificate_of_a_foreign_round() -> Attacked:
    return with_certificate(lambda parts: forged_payload(certified(parts), SHUFFLER, round_id=digest("another").hex()))


@mutation(Code.CERTIFICATES_DISAGREE, "the shuffler signed another deal than it logged")
def certificate_of_another_deal() -> Attacked:
    def other(parts: Parts) -> bytes:
        one, two, stock = parts.deal.sections
        return certified(parts, deal=redealt(parts, (two, one, stock)))

    return with_certificate(other)


@attack(Code.CARD_NOT_IN_HAND, "a card that was not dealt to the seat is played, and accepted", on=WORD)
def card_not_in_hand(parts: Parts) -> None:
    hands = parts.deal.sections
    foreign = (hands[1][0], *hands[0][1:])
    event = Arrange(Seat(0), foreign[:5], foreign[5:10], foreign[10:], 0)
    accept(parts, 0, GAME.events.encode(event))


@attack(Code.CARD_NOT_IN_HAND, "a card is played twice, and accepted", on=WORD)
def card_played_twice(parts: Parts) -> None:
    hand = parts.deal.sections[0]
    twice = (hand[1], *hand[1:])
    accept(parts, 0, GAME.events.encode(Arrange(Seat(0), twice[:5], twice[5:10], twice[10:], 0)))


def accept(parts: Parts, place: int, event: bytes) -> None:
    """Add an event that the rules refuse, with the result as if nothing were wrong."""
    events = list(parts.inputs.events)
    events[place] = msgspec.structs.replace(events[place], event=msgspec.Raw(event))
    rewrite(parts, tuple(events))


@attack(Code.SECTION_WRONG_SIZE, "the transcript gives a seat twelve cards", on=WORD)
def hand_of_twelve(parts: Parts) -> None:
    first, *others = parts.inputs.sections
    parts.inputs = msgspec.structs.replace(parts.inputs, sections=(first[:12], *others))
    found = msgspec.json.decode(parts.transcript)["results"]
    parts.transcript = write_transcript(parts.header, parts.inputs, found)


@mutation(Code.SECTION_WRONG_SIZE, "the header cuts the deck otherwise than the game does")
def layout_of_no_game() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(WORD, layout=(13, 12, 27))
    log.append(parts, steps="OD")
    return ended(log)

"""Every attack on a log that the audit must name: a healthy log with one thing changed, and the code expected first.

Each attacker has the keys that the attack needs: the changed leaf is signed again, the tree and the checkpoint are made
again, and whatever honest code would have derived from the change is derived again. So the one broken promise is all
that is left to find. ``number`` is the place in the list of what an audit must catch.
"""

import base64
import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import msgspec
from audit_builder import (
    FAR,
    LOG,
    REFEREE,
    ROOT,
    SHUFFLER,
    START,
    STRANGER,
    LogBuilder,
    NamedSigner,
    Parts,
    Table,
    abort,
    dealt_from,
    digest,
    key_leaf,
    plain,
    receipt_of,
    retell,
    settle,
    sign,
)

from referee.audit import Bundle, Code, Exhibits
from referee.audit.source import NO_EXHIBITS
from referee.cards import DECK, Card, Seat
from referee.dealing import certificate
from referee.dealing import leaf as leaves
from referee.dealing.commitment import client_commitment, server_commitment
from referee.dealing.deal import Deal, cut
from referee.dealing.deck import STREAM_SIZE
from referee.dealing.section import deck_root, section_root
from referee.evidence.dsse import Envelope
from referee.evidence.encoding import enc
from referee.evidence.hkdf import hkdf
from referee.evidence.merkle import leaf_hash
from referee.evidence.note import sign_note
from referee.games.mau_binh import Arrange
from referee.rulesets import get
from referee.transcript.chain import chain_hashes
from referee.transcript.mau_binh import encode_event
from referee.transcript.replay import write_transcript
from referee.transcript.told import MEDIA_TYPE, ToldEvent

TABLE: Final = Table(name="table-1", ruleset_id="mau_binh.classic", seats=2)
WORD: Final = replace(TABLE, attested="FRONTEND")
GROUP_ORDER: Final = 2**252 + 27742317777372353535851937790883648493


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacked:
    """A log after an attack, with what an auditor has besides it."""

    bundle: Bundle
    exhibits: Exhibits = NO_EXHIBITS
    witnessed: tuple[bytes, ...] = ()
    now: int = START


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """An attack: its id, its number in the list, the code expected first, why it matters, and how it is done."""

    id: str
    number: int
    code: Code
    why: str
    attack: Callable[[], Attacked]


MUTATIONS: Final[list[Mutation]] = []


def mutation(code: Code, why: str) -> Callable[[Callable[[], Attacked]], Callable[[], Attacked]]:
    """Enters an attack into the list under its function's name."""

    def enter(attack: Callable[[], Attacked]) -> Callable[[], Attacked]:
        name = attack.__name__
        MUTATIONS.append(Mutation(id=name, number=code.number, code=code, why=why, attack=attack))
        return attack

    return enter


def begun(table: Table = TABLE) -> tuple[LogBuilder, Parts]:
    """A log in which the table has played one round, and its next one laid out and settled, not yet in the log."""
    log = LogBuilder.founded()
    log.play(table)
    parts = log.lay_out(table)
    settle(parts)
    return log, parts


def ended(log: LogBuilder, parts: Parts | None = None, *, now: int = START) -> Attacked:
    """The attacked log as it is handed to an auditor."""
    if parts is not None:
        log.append(parts)
    return Attacked(bundle=log.bundle(), exhibits=log.exhibits, now=now)


def healthy() -> Attacked:
    """The log that all attacks start from: two rounds of one table, with the certificates of the second."""
    log, parts = begun()
    log.exhibits = Exhibits(certificates=(certified(parts),), event_receipts=(receipt(parts, 1),))
    return ended(log, parts)


def certified(parts: Parts, *, signer: NamedSigner = SHUFFLER, deal: Deal | None = None) -> bytes:
    """The certificate of all hands."""
    return certificate.issue(
        deal or parts.deal,
        parts.header,
        sections=range(parts.header.seat_count),
        dealt_time=parts.dealt.dealt_time,
        signer=signer,
    )


def receipt(parts: Parts, number: int, *, event: bytes | None = None) -> bytes:
    """The referee's receipt of an event of a round, or of another in its place."""
    assert parts.told is not None
    events = [bytes(one.event) for one in parts.told.events]
    if event is not None:
        events[number - 1] = event
    root = bytes.fromhex(parts.dealt.deck_root)
    hashes = chain_hashes(round_id=parts.header.round_id, deck_root=root, events=events)
    return receipt_of(parts, number, hashes[number], time=parts.told.events[number - 1].time)


def forged_payload(data: bytes, signer: NamedSigner, **changes: object) -> bytes:
    """A signed envelope with members of its payload changed, signed again."""
    envelope = Envelope.parse(data)
    payload = msgspec.json.decode(envelope.payload)
    payload.update(changes)
    return sign(envelope.payload_type, msgspec.json.encode(payload, order="sorted"), signer)


def redealt(parts: Parts, sections: tuple[tuple[Card, ...], ...]) -> Deal:
    """The deal with other cards, truly committed to."""
    deal = parts.deal
    roots = tuple(
        [
            section_root(key=key, round_id=deal.round_id, section=index, cards=cards)
            for index, (key, cards) in enumerate(zip(deal.keys, sections, strict=True))
        ]
    )
    root = deck_root(
        round_id=deal.round_id, commitment=deal.commitment, mixed=deal.mixed, layout=parts.header.layout, roots=roots
    )
    return replace(deal, sections=sections, roots=roots, deck_root=root)


def adopt(parts: Parts, deal: Deal) -> None:
    """The round is dealt, played and settled with another deal."""
    parts.deal = deal
    parts.dealt = msgspec.structs.replace(parts.dealt, deck_root=deal.deck_root.hex())
    settle(parts)


# --- randomness


@mutation(
    Code.SERVER_SEED_MISMATCH, "a seed that is not the one committed to lets the operator choose the deck afterwards"
)
def server_seed_swapped() -> Attacked:
    log, parts = begun()
    parts.revealed = msgspec.structs.replace(parts.revealed, server_seed=digest("another").hex())
    return ended(log, parts)


@mutation(Code.COMMITMENT_SWAPPED, "the commitment in OPEN is put in place of the one that was dealt under")
def commitment_swapped() -> Attacked:
    log, parts = begun()
    other = server_commitment(round_id=parts.header.round_id, seed=digest("another"))
    parts.opened = msgspec.structs.replace(parts.opened, server_commitment=other.hex())
    return ended(log, parts)


@mutation(Code.DEAL_BEFORE_OPEN, "cards are dealt before the terms and the commitment stand in the log")
def deal_before_open() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="DOER")
    return ended(log)


@mutation(Code.OPENED_TWICE, "one slot is opened twice, so that the operator can take the better round")
def opened_twice() -> Attacked:
    log, parts = begun()
    other = log.lay_out(TABLE, round_deadline=parts.header.round_deadline - 1)
    log.entries.append(other.open_leaf)
    return ended(log, parts)


@mutation(Code.CLIENT_SEED_MISMATCH, "the operator deals with another seed than the seat committed to")
def client_seed_edited() -> Attacked:
    log, parts = begun()
    parts = with_seeds(parts, (digest("another"), parts.client_seeds[1]))
    return ended(log, parts)


@mutation(Code.CLIENT_SEED_MISMATCH, "two seats' seeds change places, which gives another deck to choose from")
def client_seeds_swapped() -> Attacked:
    log, parts = begun()
    return ended(log, with_seeds(parts, (parts.client_seeds[1], parts.client_seeds[0])))


@mutation(Code.CLIENT_SEED_MISMATCH, "a seat's seed is dropped from the deal")
def client_seed_dropped() -> Attacked:
    log, parts = begun()
    parts.dealt = msgspec.structs.replace(parts.dealt, client_seeds=parts.dealt.client_seeds[:1])
    return ended(log, parts)


def with_seeds(parts: Parts, seeds: tuple[bytes, ...]) -> Parts:
    """The round dealt from other seeds, with the commitments as they were given."""
    other = dealt_from(parts.table, parts.header, server_seed=parts.server_seed, client_seeds=seeds)
    other.opened = parts.opened
    settle(other)
    return other


def committed(seeds: Callable[[Parts], tuple[bytes, ...]]) -> Attacked:
    """A log whose last round has these seeds, truly committed to."""
    log, parts = begun()
    other = dealt_from(parts.table, parts.header, server_seed=parts.server_seed, client_seeds=seeds(parts))
    settle(other)
    return ended(log, other)


@mutation(Code.CLIENT_SEED_TRIVIAL, "a seed of zeros is no chance of the player's, so the level drops")
def client_seed_zero() -> Attacked:
    return committed(lambda parts: (bytes(32), parts.client_seeds[1]))


@mutation(Code.CLIENT_SEED_TRIVIAL, "a counter as a seed can be guessed, so the level drops")
def client_seed_counter() -> Attacked:
    return committed(lambda parts: ((7).to_bytes(32, "big"), parts.client_seeds[1]))


@mutation(Code.CLIENT_SEEDS_EQUAL, "equal seeds come from one hand, so the level drops")
def client_seeds_equal() -> Attacked:
    return committed(lambda parts: (parts.client_seeds[0], parts.client_seeds[0]))


@mutation(Code.CLIENT_SEED_REPEATED, "a seed used before was known before, so the level drops")
def client_seed_repeated() -> Attacked:
    return committed(lambda parts: (digest("client", TABLE.name, 1, 0), parts.client_seeds[1]))


@mutation(Code.FOREIGN_COMMITMENT, "a commitment given for another round binds nobody in this one")
def commitment_of_another_round() -> Attacked:
    log = LogBuilder.founded()
    first = log.play(TABLE)
    parts = log.lay_out(TABLE)
    settle(parts)
    foreign = client_commitment(round_id=first.header.round_id, seat=Seat(0), seed=parts.client_seeds[0])
    commitments = (foreign.hex(), parts.opened.client_commitments[1])
    parts.opened = msgspec.structs.replace(parts.opened, client_commitments=commitments)
    return ended(log, parts)


@mutation(Code.SERVER_SEED_REPEATED, "a server seed that was shown before is known to everybody who saw it")
def server_seed_used_twice() -> Attacked:
    log, parts = begun()
    other = dealt_from(
        TABLE, parts.header, server_seed=digest("server", TABLE.name, 1), client_seeds=parts.client_seeds
    )
    settle(other)
    return ended(log, other)


@mutation(Code.NEVER_REVEALED, "a seed that is never shown hides how the deck was drawn")
def never_revealed() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="ODE")
    return ended(log, now=FAR)


@mutation(Code.STAKE_MISMATCH, "the stake is named after the cards were seen")
def stake_raised_at_settlement() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    told = parts.told
    raised = msgspec.structs.replace(told.header, stake=2 * told.header.stake)
    retell(parts, header=raised)
    parts.transcript = parts.transcript.replace(raised.to_header().round_id.hex().encode(), told_id(parts))
    return ended(log, parts)


@mutation(Code.STAKE_MISMATCH, "Trips is bet after the cards were seen")
def trips_bet_at_settlement() -> Attacked:
    log, parts = begun(Table(name=TABLE.name, ruleset_id="ultimate_texas.casino", seats=2, attested="FRONTEND"))
    assert parts.told is not None
    raised = msgspec.structs.replace(parts.told.header, seat_stakes=((20, 500), *parts.told.header.seat_stakes[1:]))
    retell(parts, header=raised)
    parts.transcript = parts.transcript.replace(raised.to_header().round_id.hex().encode(), told_id(parts))
    return ended(log, parts)


def told_id(parts: Parts) -> bytes:
    """The round's id as a transcript spells it."""
    return parts.header.round_id.hex().encode()


@mutation(Code.MIX_MISMATCH, "the mix is over a seed that nobody gave")
def mix_over_other_seeds() -> Attacked:
    log, parts = begun()
    parts.dealt = msgspec.structs.replace(parts.dealt, mix=digest("another").hex())
    return ended(log, parts)


@mutation(Code.ROUND_ID_MISMATCH, "the header is edited after its hash was taken")
def header_edited_in_open() -> Attacked:
    log, parts = begun()
    edited = msgspec.structs.replace(parts.opened.header, stake=parts.opened.header.stake * 2)
    parts.opened = msgspec.structs.replace(parts.opened, header=edited)
    return ended(log, parts)


@mutation(Code.HEADER_MISMATCH, "the transcript was settled in another currency than the round was opened in")
def header_edited_in_transcript() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    other = msgspec.structs.replace(parts.told.header, currency="GOLD")
    retell(parts, header=other)
    parts.transcript = parts.transcript.replace(other.to_header().round_id.hex().encode(), told_id(parts))
    return ended(log, parts)


# --- deck and hands


@mutation(Code.CARDS_MISMATCH, "two cards change hands between the deal and the settlement")
def two_cards_swapped() -> Attacked:
    log, parts = begun(WORD)
    hands = [list(section) for section in parts.deal.sections]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]
    honest = parts.deal
    parts.deal = replace(honest, sections=tuple([tuple(hand) for hand in hands]))
    settle(parts)
    parts.deal = honest
    return ended(log, parts)


@mutation(
    Code.DECK_NOT_FROM_SEEDS, "a shuffle by remainders alone favours low cards, and seeds no longer give the deck"
)
def biased_mapping() -> Attacked:
    log, parts = begun(replace(WORD, seats=4))
    stream = hkdf(parts.server_seed, salt=parts.deal.mixed, info=enc("deck", parts.header.round_id), length=STREAM_SIZE)
    deck = list(DECK)
    for i, byte in zip(range(51, 0, -1), stream, strict=False):
        deck[i], deck[byte % (i + 1)] = deck[byte % (i + 1)], deck[i]
    adopt(parts, redealt(parts, tuple(cut(deck, parts.header.layout))))
    return ended(log, parts)


@mutation(Code.HIDDEN_CARDS_DIFFER, "a card of a hand stands in the unopened stock as well")
def duplicate_hidden_in_the_stock() -> Attacked:
    log, parts = begun()
    *hands, stock = parts.deal.sections
    adopt(parts, redealt(parts, (*hands, (hands[0][0], *stock[1:]))))
    log.exhibits = Exhibits(certificates=(certified(parts),))
    return ended(log, parts)


@mutation(Code.DUPLICATE_CARD, "both seats are told to hold the same card")
def duplicate_told() -> Attacked:
    log, parts = begun(WORD)
    assert parts.told is not None
    one, other = parts.told.sections
    parts.told = msgspec.structs.replace(parts.told, sections=(one, (one[0], *other[1:])))
    found = msgspec.json.decode(parts.transcript)["found"]
    parts.transcript = write_transcript(parts.header, parts.told, found)
    return ended(log, parts)


@mutation(Code.DECK_ROOT_MISMATCH, "the deck root commits to nothing that was dealt, so no card can be proved")
def deck_root_of_nothing() -> Attacked:
    log, parts = begun()
    parts.dealt = msgspec.structs.replace(parts.dealt, deck_root=digest("another").hex())
    settle(parts)
    return ended(log, parts)


@mutation(Code.DECK_ROOT_MISMATCH, "another deck is settled than was dealt")
def settled_with_another_deck() -> Attacked:
    log, parts = begun()
    honest = parts.dealt
    parts.dealt = msgspec.structs.replace(parts.dealt, deck_root=digest("another").hex())
    settle(parts)
    parts.dealt = honest
    return ended(log, parts)


def with_certificate(forge: Callable[[Parts], bytes]) -> Attacked:
    """A healthy log beside which somebody holds a certificate."""
    log, parts = begun()
    log.exhibits = Exhibits(certificates=(forge(parts),))
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
    return with_certificate(lambda parts: certified(parts, deal=replace(parts.deal, keys=deal.keys[::-1])))


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


@mutation(Code.CARD_NOT_IN_HAND, "a card that was not dealt to the seat is played, and accepted")
def card_not_in_hand() -> Attacked:
    log, parts = begun(WORD)
    assert parts.told is not None
    hands = parts.deal.sections
    foreign = (hands[1][0], *hands[0][1:])
    event = Arrange(Seat(0), foreign[:5], foreign[5:10], foreign[10:], 0)
    accept(parts, 0, encode_event(event))
    return ended(log, parts)


@mutation(Code.CARD_NOT_IN_HAND, "a card is played twice, and accepted")
def card_played_twice() -> Attacked:
    log, parts = begun(WORD)
    hand = parts.deal.sections[0]
    twice = (hand[1], *hand[1:])
    accept(parts, 0, encode_event(Arrange(Seat(0), twice[:5], twice[5:10], twice[10:], 0)))
    return ended(log, parts)


def accept(parts: Parts, place: int, event: bytes) -> None:
    """An event is told that the rules refuse, with the result as if nothing were wrong."""
    assert parts.told is not None
    events = list(parts.told.events)
    events[place] = msgspec.structs.replace(events[place], event=msgspec.Raw(event))
    rewrite(parts, tuple(events))


def rewrite(parts: Parts, events: tuple[ToldEvent, ...], **found: object) -> None:
    """The transcript with other events, their hash, and the result as it was but for some members."""
    assert parts.told is not None
    parts.told = msgspec.structs.replace(parts.told, events=events)
    root = bytes.fromhex(parts.told.deck_root)
    hashes = chain_hashes(
        round_id=parts.header.round_id, deck_root=root, events=[bytes(event.event) for event in events]
    )
    result = msgspec.json.decode(parts.transcript)["found"]
    result |= {"events_hash": hashes[-1].hex(), **found}
    parts.transcript = write_transcript(parts.header, parts.told, result)


@mutation(Code.SECTION_WRONG_SIZE, "a seat is told to hold twelve cards")
def hand_of_twelve() -> Attacked:
    log, parts = begun(WORD)
    assert parts.told is not None
    first, *others = parts.told.sections
    parts.told = msgspec.structs.replace(parts.told, sections=(first[:12], *others))
    found = msgspec.json.decode(parts.transcript)["found"]
    parts.transcript = write_transcript(parts.header, parts.told, found)
    return ended(log, parts)


@mutation(Code.SECTION_WRONG_SIZE, "the header cuts the deck otherwise than the game does")
def layout_of_no_game() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(WORD, layout=(13, 12, 27))
    log.append(parts, steps="OD")
    return ended(log)


# --- rules


@mutation(Code.WRONG_RESULT, "money moves that the rules do not move")
def transfer_doubled() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    found = msgspec.json.decode(parts.transcript)["found"]
    found["transfers"][0]["amount"] *= 2
    parts.transcript = write_transcript(parts.header, parts.told, found)
    return ended(log, parts)


@mutation(Code.WRONG_RULESET, "the round names rules that nobody has, so nobody can check it")
def ruleset_digest_unknown() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(TABLE, ruleset_digest=digest("another"))
    settle(parts)
    return ended(log, parts)


@mutation(Code.WRONG_RULESET, "the round is called by one ruleset and played by another's digest")
def ruleset_of_another_name() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(TABLE, ruleset_digest=get("mau_binh.chi_2020").digest)
    settle(parts)
    return ended(log, parts)


@mutation(Code.ILLEGAL_EVENT, "an arrangement after its deadline is accepted")
def event_after_its_deadline() -> Attacked:
    log, parts = begun(WORD)
    assert parts.told is not None
    late = parts.told.dealt_time + 600_000
    events = parts.told.events
    parts.told = msgspec.structs.replace(parts.told, closed_time=late)
    rewrite(parts, (*events[:-1], msgspec.structs.replace(events[-1], time=late)))
    return ended(log, parts)


@mutation(Code.EVENTS_ALTERED, "the frontend edits what a seat did, after the referee gave its receipt")
def event_edited() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    hand = parts.deal.sections[0]
    events = list(parts.told.events)
    edited = encode_event(Arrange(Seat(0), hand[:5], hand[5:10], hand[10:], 0))
    events[0] = msgspec.structs.replace(events[0], event=msgspec.Raw(edited))
    retell(parts, events=tuple(events))
    return ended(log, parts)


@mutation(Code.EVENTS_ALTERED, "the frontend moves a seat's event in time")
def event_time_edited() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    first, *others = parts.told.events
    retell(parts, events=(msgspec.structs.replace(first, time=first.time + 1), *others))
    return ended(log, parts)


@mutation(Code.EVENTS_ALTERED, "the order of two events is changed")
def events_reordered() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    one, other = parts.told.events
    reordered = (msgspec.structs.replace(other, time=one.time), msgspec.structs.replace(one, time=other.time))
    retell(parts, events=reordered)
    return ended(log, parts)


@mutation(Code.EVENTS_ALTERED, "an event with a receipt is left out, and the seat's cards stand as dealt")
def event_dropped() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    retell(parts, events=parts.told.events[1:], closed_time=parts.told.dealt_time + 200_000)
    return ended(log, parts)


@mutation(Code.EVENTS_ALTERED, "an event is told twice")
def event_doubled() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    first, *others = parts.told.events
    retell(parts, events=(first, first, *others))
    return ended(log, parts)


@mutation(Code.EVENTS_ALTERED, "events of the frontend's word are edited under the old result")
def events_edited_without_receipts() -> Attacked:
    log, parts = begun(WORD)
    assert parts.told is not None
    hand = parts.deal.sections[0]
    edited = encode_event(Arrange(Seat(0), hand[:5], hand[5:10], hand[10:], 0))
    events = list(parts.told.events)
    events[0] = msgspec.structs.replace(events[0], event=msgspec.Raw(edited))
    parts.told = msgspec.structs.replace(parts.told, events=tuple(events))
    found = msgspec.json.decode(parts.transcript)["found"]
    parts.transcript = write_transcript(parts.header, parts.told, found)
    return ended(log, parts)


@mutation(Code.FORKED_RECEIPTS, "the referee accepted two continuations of one round")
def two_receipts_of_one_event() -> Attacked:
    log, parts = begun()
    hand = parts.deal.sections[0]
    other = encode_event(Arrange(Seat(0), hand[:5], hand[5:10], hand[10:], 0))
    log.exhibits = Exhibits(event_receipts=(receipt(parts, 1), receipt(parts, 1, event=other)))
    return ended(log, parts)


@mutation(Code.ENDED_TWICE, "a round is settled again, otherwise")
def settled_twice() -> Attacked:
    log, parts = begun(WORD)
    log.append(parts, steps="ODE")
    settle(parts, seed=1)
    log.entries += [parts.ended, parts.reveal_leaf]
    return ended(log)


@mutation(Code.SETTLED_OTHER_ROUND, "the transcript of one round is logged as that of another")
def settled_for_another_round() -> Attacked:
    log, parts = begun()
    assert parts.told is not None
    other = msgspec.structs.replace(parts.told.header, table_id="elsewhere")
    retell(parts, header=other)
    parts.transcript = parts.transcript.replace(other.to_header().round_id.hex().encode(), told_id(parts))
    return ended(log, parts)


@mutation(Code.SETTLED_UNDEALT, "a round is settled that was never dealt")
def settled_undealt() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.WRONG_ROLE, "the shuffler signs a settlement")
def settled_by_the_shuffler() -> Attacked:
    log, parts = begun()
    parts.judge = SHUFFLER
    return ended(log, parts)


@mutation(Code.WRONG_ROLE, "the referee signs a deal")
def dealt_by_the_referee() -> Attacked:
    log, parts = begun()
    parts.dealer = REFEREE
    return ended(log, parts)


@mutation(Code.SIGNATURE_FORGED, "a stranger signs a settlement")
def settled_by_a_stranger() -> Attacked:
    log, parts = begun()
    parts.judge = STRANGER
    return ended(log, parts)


@mutation(Code.KEY_NOT_VALID, "a revoked key signs on")
def settled_with_a_revoked_key() -> Attacked:
    log, parts = begun()
    log.entries += [key_leaf(REFEREE, "referee", action="REVOKE"), key_leaf(NamedSigner("referee/2"), "referee")]
    return ended(log, parts)


@mutation(Code.SIGNATURE_FORGED, "a key is added that the root never named")
def key_added_by_a_stranger() -> Attacked:
    log, parts = begun()
    log.entries.append(key_leaf(STRANGER, "referee", by=STRANGER))
    return ended(log, parts)


@mutation(Code.TYPE_CONFUSION, "a deal is signed as an opening")
def deal_signed_as_open() -> Attacked:
    log, parts = begun()
    log.entries += [parts.open_leaf, sign(leaves.OPEN_TYPE, plain(parts.dealt), SHUFFLER)]
    return ended(log)


@mutation(Code.TYPE_CONFUSION, "a certificate stands in the log as a leaf")
def certificate_as_a_leaf() -> Attacked:
    log, parts = begun()
    log.append(parts)
    log.entries.append(certified(parts))
    return ended(log)


@mutation(Code.NOT_CANONICAL, "white space in a payload gives one meaning two texts")
def payload_with_white_space() -> Attacked:
    log, parts = begun()
    log.entries += [parts.open_leaf, sign(leaves.DEAL_TYPE, plain(parts.dealt).replace(b",", b", ", 1), SHUFFLER)]
    return ended(log)


@mutation(Code.NOT_CANONICAL, "a transcript is written with its members in another order")
def transcript_out_of_order() -> Attacked:
    log, parts = begun()
    whole = msgspec.json.decode(parts.transcript)
    parts.transcript = msgspec.json.encode({name: whole[name] for name in sorted(whole, reverse=True)})
    return ended(log, parts)


@mutation(Code.NOT_CANONICAL, "upper-case digits give one hash two texts")
def hash_in_capitals() -> Attacked:
    log, parts = begun()
    parts.dealt = msgspec.structs.replace(parts.dealt, mix=parts.dealt.mix.upper())
    return ended(log, parts)


@mutation(Code.NOT_CANONICAL, "white space in an envelope gives one leaf two hashes")
def envelope_with_white_space() -> Attacked:
    log, parts = begun()
    log.entries += [parts.open_leaf, parts.deal_leaf.replace(b",", b", ", 1)]
    return ended(log)


@mutation(Code.SIGNATURE_MALFORMED, "adding the group order to S gives a second signature of one message")
def signature_with_s_too_large() -> Attacked:
    log, parts = begun()
    envelope = Envelope.parse(parts.ended)
    signature = envelope.signature or b""
    larger = int.from_bytes(signature[32:], "little") + GROUP_ORDER
    forged = replace(envelope, signature=signature[:32] + larger.to_bytes(32, "little"))
    log.entries += [parts.open_leaf, parts.deal_leaf, forged.to_bytes(), parts.reveal_leaf]
    return ended(log)


@mutation(Code.SIGNATURE_MALFORMED, "a signature of another length")
def signature_too_short() -> Attacked:
    log, parts = begun()
    log.entries += [parts.open_leaf, parts.deal_leaf.replace(b'=="}]}', b'"}]}')]
    return ended(log)


@mutation(Code.UNSOUND_KEY, "a key of small order verifies what nobody signed")
def small_order_key_added() -> Attacked:
    log, parts = begun()
    material = b"\x01" + b"\x01" + bytes(31)
    return ended_with_key(log, parts, material)


@mutation(Code.UNSOUND_KEY, "a key that is not the canonical encoding of its point has a second name")
def non_canonical_key_added() -> Attacked:
    log, parts = begun()
    return ended_with_key(log, parts, b"\x01" + (2**255 - 19 + 1).to_bytes(32, "little"))


def ended_with_key(log: LogBuilder, parts: Parts, material: bytes) -> Attacked:
    """The log with one more referee's key, in verifier key text that no library would write."""
    name = "weak"
    hint = hashlib.sha256(name.encode() + b"\n" + material).hexdigest()[:8]
    text = f"{name}+{hint}+{base64.b64encode(material).decode()}"
    payload = msgspec.json.encode({"action": "ADD", "key": text, "role": "referee"}, order="sorted")
    log.entries.append(sign(leaves.KEY_TYPE, payload, ROOT))
    return ended(log, parts)


@mutation(Code.KEY_REUSED, "one key in two roles lets the shuffler settle")
def key_in_two_roles() -> Attacked:
    log, parts = begun()
    log.entries.append(key_leaf(SHUFFLER, "referee"))
    return ended(log, parts)


@mutation(Code.KEY_NOT_VALID, "a key is revoked that the role never had")
def revoked_without_being_added() -> Attacked:
    log, parts = begun()
    log.entries.append(key_leaf(STRANGER, "referee", action="REVOKE"))
    return ended(log, parts)


@mutation(Code.LOG_KEY_UNREGISTERED, "the checkpoint is signed by a key that the root did not name for the log")
def log_key_never_named() -> Attacked:
    log = LogBuilder([key_leaf(STRANGER, "log"), key_leaf(SHUFFLER, "shuffler"), key_leaf(REFEREE, "referee")])
    log.play(TABLE)
    return ended(log)


@mutation(Code.UNSOUND_KEY, "a seat's key of small order would let anybody sign for the seat")
def small_order_seat_key() -> Attacked:
    log, parts = begun()
    weak = msgspec.structs.replace(parts.opened.header, seat_keys=("01" + "00" * 31, "00" * 32))
    log.entries.append(sign(leaves.OPEN_TYPE, plain(msgspec.structs.replace(parts.opened, header=weak)), SHUFFLER))
    return ended(log)


# --- slots


@mutation(Code.DEALT_TWICE, "the operator deals again until it likes the cards")
def dealt_again() -> Attacked:
    log, parts = begun()
    again = with_seeds(parts, (digest("another"), parts.client_seeds[1]))
    log.entries += [parts.open_leaf, parts.deal_leaf, again.deal_leaf, parts.ended, parts.reveal_leaf]
    return ended(log)


@mutation(Code.NEXT_ROUND_EARLY, "the next round begins while this one is still open to be dropped")
def next_round_early() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="OD")
    log.ends[TABLE.name] = leaf_hash(parts.ended)
    following = log.lay_out(TABLE)
    log.entries += [following.open_leaf, parts.ended, parts.reveal_leaf]
    return ended(log)


@mutation(Code.WRONG_PREVIOUS_LEAF, "a round was left out between two")
def round_left_out() -> Attacked:
    log, _parts = begun()
    skipping = log.lay_out(TABLE, round_number=3)
    settle(skipping)
    return ended(log, skipping)


@mutation(Code.WRONG_PREVIOUS_LEAF, "the round before is another than the one that stands in the log")
def previous_leaf_of_another_history() -> Attacked:
    log, _parts = begun()
    other = log.lay_out(TABLE, previous_leaf=digest("another"))
    settle(other)
    return ended(log, other)


@mutation(Code.DEADLINE_PASSED, "a dealt round is neither settled nor aborted")
def round_left_hanging() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="OD")
    return ended(log, now=FAR)


@mutation(Code.DEADLINE_PASSED, "an opened round is neither dealt nor aborted")
def opening_left_hanging() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="O")
    return ended(log, now=FAR)


@mutation(Code.NEVER_REVEALED, "an aborted deck is hidden, so nobody sees whether it was aborted for its cards")
def aborted_and_never_revealed() -> Attacked:
    log, parts = begun()
    abort(parts, stage="DEALT", reason="DEADLINE")
    log.append(parts, steps="ODE")
    return ended(log, now=FAR)


@mutation(Code.ABORT_MISTOLD, "a seat is blamed for a seed that it gave")
def abort_blames_a_seat() -> Attacked:
    log, parts = begun()
    abort(parts, stage="OPENED", reason="SEED_MISSING", culprit=1)
    assert parts.aborted is not None
    parts.aborted = msgspec.structs.replace(parts.aborted, client_seeds=parts.dealt.client_seeds)
    log.append(parts, steps="OER")
    return ended(log)


@mutation(Code.REVEALED_EARLY, "the seed is shown while the round is played, and with it every card")
def revealed_early() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="ODRE")
    return ended(log)


@mutation(Code.LEAF_OF_NO_ROUND, "a seed is shown of a round that was never opened")
def revealed_without_a_round() -> Attacked:
    log, parts = begun()
    log.append(parts, steps="R")
    return ended(log)


@mutation(Code.DEALT_LATE, "cards are dealt after the deadline at which the round was to be aborted")
def dealt_late() -> Attacked:
    log, parts = begun()
    parts.dealt = msgspec.structs.replace(parts.dealt, dealt_time=parts.header.deal_deadline + 1)
    settle(parts)
    return ended(log, parts)


@mutation(Code.SETTLED_LATE, "a round is settled after its deadline")
def settled_late() -> Attacked:
    log, parts = begun()
    retell(parts, closed_time=parts.header.round_deadline + 1)
    return ended(log, parts)


@mutation(Code.DEAL_MISTOLD, "the clocks of a round are started at another time than it was dealt")
def time_of_the_deal_edited() -> Attacked:
    log, parts = begun(WORD)
    assert parts.told is not None
    retell(parts, dealt_time=parts.told.dealt_time - 1)
    return ended(log, parts)


@mutation(Code.LEADER_MISMATCH, "a deal names a leader where nobody leads")
def leader_of_a_game_without_one() -> Attacked:
    log, parts = begun()
    parts.dealt = msgspec.structs.replace(parts.dealt, leader=0)
    return ended(log, parts)


@mutation(Code.HEADER_REFUSED, "a round is opened for a stake of nothing")
def stake_of_nothing() -> Attacked:
    log, parts = begun()
    header = msgspec.structs.replace(parts.opened.header, stake=0)
    log.entries.append(sign(leaves.OPEN_TYPE, plain(msgspec.structs.replace(parts.opened, header=header)), SHUFFLER))
    return ended(log)


@mutation(Code.RECEIPT_REFUSED, "somebody signs an event receipt without being the referee")
def event_receipt_forged() -> Attacked:
    log, parts = begun()
    forged = Envelope.parse(receipt(parts, 1))
    log.exhibits = Exhibits(event_receipts=(sign(forged.payload_type, forged.payload, STRANGER),))
    return ended(log, parts)


@mutation(Code.LEAF_TOO_LONG, "a leaf of more bytes than one may have")
def leaf_too_long() -> Attacked:
    log = LogBuilder.founded()
    log.entries.append(b'{"payload":"%b","payloadType":"x","signatures":[]}' % (b"AAAA" * 16_400))
    return ended(log)


# --- the log


@mutation(Code.ROOT_MISMATCH, "a leaf is edited where it is kept, under the old checkpoint")
def leaf_edited_in_place() -> Attacked:
    log, parts = begun()
    log.append(parts)
    honest = log.bundle()
    edited = [*honest.entries]
    place = len(edited) - 2
    edited[place] = sign(MEDIA_TYPE, parts.transcript.replace(b'"stake":', b'"stake": '), REFEREE)
    return Attacked(bundle=replace(honest, entries=tuple(edited)))


@mutation(Code.HISTORY_REWRITTEN, "the log is written anew and signed again; a checkpoint that somebody kept shows it")
def history_rewritten() -> Attacked:
    log, parts = begun()
    log.append(parts)
    kept = log.checkpoint()
    anew, other = begun(replace(TABLE, commits=False))
    anew.append(other)
    anew.play(TABLE)
    return Attacked(bundle=anew.bundle(), witnessed=(kept,))


@mutation(Code.SPLIT_VIEW, "two people are shown two logs of one size")
def split_view() -> Attacked:
    log, parts = begun()
    log.append(parts)
    kept = log.checkpoint()
    anew, other = begun(replace(TABLE, commits=False))
    anew.append(other)
    return Attacked(bundle=anew.bundle(), witnessed=(kept,))


@mutation(Code.LOG_TRUNCATED, "the last leaves are gone, and the checkpoint still counts them")
def leaves_cut_off() -> Attacked:
    attacked = healthy()
    return replace(attacked, bundle=replace(attacked.bundle, entries=attacked.bundle.entries[:-1]), exhibits=Exhibits())


@mutation(Code.LOG_TRUNCATED, "the log was set back and signed again; a checkpoint that somebody kept is larger")
def log_set_back() -> Attacked:
    log, parts = begun()
    shorter = log.bundle()
    log.append(parts)
    return Attacked(bundle=shorter, witnessed=(log.checkpoint(),))


def with_checkpoint(note: Callable[[LogBuilder], bytes]) -> Attacked:
    """A healthy log under a checkpoint that is wrong."""
    log, parts = begun()
    log.append(parts)
    return Attacked(bundle=replace(log.bundle(), checkpoint=note(log)))


@mutation(Code.CHECKPOINT_REFUSED, "the checkpoint is another log's")
def checkpoint_of_another_origin() -> Attacked:
    return with_checkpoint(lambda log: log.checkpoint(origin="log.example/2"))


@mutation(Code.CHECKPOINT_REFUSED, "the checkpoint is signed by another key under the log's name")
def checkpoint_by_another_key() -> Attacked:
    impostor = NamedSigner("impostor")
    impostor.name = LOG.name
    return with_checkpoint(lambda log: log.checkpoint(signer=impostor))


@mutation(Code.CHECKPOINT_REFUSED, "a line more in the note would be signed and not understood")
def checkpoint_with_another_line() -> Attacked:
    def note(log: LogBuilder) -> bytes:
        text = log.checkpoint().decode().partition("\n\n")[0] + "\nextra\n"
        return sign_note(text, name=LOG.name, signer=LOG).format()

    return with_checkpoint(note)


@mutation(Code.WRONG_ORIGIN, "a round that was opened for another log")
def round_of_another_log() -> Attacked:
    log = LogBuilder.founded()
    parts = log.lay_out(TABLE, origin="log.example/2")
    settle(parts)
    return ended(log, parts)

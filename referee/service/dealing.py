"""Deals: made once and durably from verified seeds, afterwards derived again from the log.

No deck, hand or server seed is kept: every call decrypts the sealed seed of the OPEN leaf. Answers come from the
leaf in the log, never from a submitted leaf.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import TypeVar

import msgspec

from referee.dealing import certificate
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import MAX_SEATS, is_past
from referee.dealing.lead import read_lead
from referee.dealing.leaf import MAX_NOTE_SIZE, DealLeaf, OpenLeaf, read_leaf, sign_leaf
from referee.evidence.note import Note
from referee.games import GAMES, under_ruleset
from referee.log import DealStep, Slot, SlotKey, Stage, StepKind
from referee.log.cosignature import claimed_times
from referee.log.times import is_between
from referee.rulesets import Ruleset
from referee.service.aborting import abort_of
from referee.service.appending import Appending, contribute, fill_receipt
from referee.service.contributing import (
    check_dealt_seeds,
    given_contributions,
    missing_seats,
    read_contribution,
    read_seeds,
)
from referee.service.leading import fill_leader, find_lead
from referee.service.lost_ruleset import lost_refusal
from referee.service.opened import deal_of, read_open
from referee.service.shuffler_parts import ShufflerParts
from referee.service.terms import leaf_time
from referee.storage import Append, Contribution, Logged, StaleRoundError
from referee.v1 import shuffler_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError, deadline_refusal, round_refusal

ResultT = TypeVar("ResultT")


class Dealer:
    """Dealer of rounds and issuer of deal certificates. The caller decides who may see a certificate."""

    def __init__(self, parts: ShufflerParts) -> None:
        self._parts = parts

    def find(self, key: SlotKey) -> tuple[Slot, OpenLeaf]:
        """Return the log's state of a round and the contents of its OPEN leaf; refuse a round that was never opened."""
        found, opened, _ = self._find(key)
        return found, opened

    def _find(self, key: SlotKey) -> tuple[Slot, OpenLeaf, int]:
        """Return the same as ``find``, and the number of seats that have contributed seeds to the round."""
        found = self._parts.reader.opened(key)
        if found is None:
            latest = self._parts.reader.latest_round(key.table_id)
            there = (
                "the table has no round; open one with ShufflerService.OpenRound"
                if latest is None
                else f"the table's newest round is {latest.key.round_number}, which is {latest.stage.name}"
            )
            message = f"round {key.round_number} of table {key.table_id} was never opened; {there}"
            reason = ErrorReason.ERROR_REASON_NOT_OPENED
            raise round_refusal(reason, message, table_id=key.table_id, round_number=key.round_number)
        slot, leaf, seeds = found
        return slot, read_open(leaf), seeds

    def with_seeds(
        self, key: SlotKey, make: Callable[[Slot, OpenLeaf, Sequence[Contribution]], Appending[ResultT]]
    ) -> Appending[ResultT]:
        """Run ``make`` to append a leaf built from a round and its seeds; run it again if a seed came meanwhile."""
        for _ in range(MAX_SEATS + 1):  # each seat contributes once
            found, opened, seeds = self._find(key)
            with suppress(StaleRoundError):
                return (yield from make(found, opened, self._parts.reader.contributions(key) if seeds else ()))
        raise RefusedError(ErrorReason.ERROR_REASON_LOG_BUSY, "seeds keep coming; ask again, the call is idempotent")

    def deal(self, key: SlotKey, request: shuffler_pb2.DealRoundRequest) -> Appending[shuffler_pb2.DealRoundResponse]:
        """Deal a round from the seeds of the request and the contributed ones; return the answer.

        Answer for a dealt round from its DEAL. Refuse to deal after the deadline; abort a round as void, and refuse the
        call, if its seeds give no deck.
        """
        return (yield from self.with_seeds(key, partial(self._deal, request)))

    def _deal(
        self,
        request: shuffler_pb2.DealRoundRequest,
        found: Slot,
        opened: OpenLeaf,
        contributed: Sequence[Contribution],
    ) -> Appending[shuffler_pb2.DealRoundResponse]:
        if self.is_lost(found, opened):
            self._keep(found, opened, request, contributed)
            raise lost_refusal(opened.header)
        if found.deck_root is not None:
            leaf = self.deal_leaf(found.key)
            check_dealt_seeds(opened, request, leaf.client_seeds)
            answer = self._answer(opened, self._derive(opened, leaf), leaf)
            fill_receipt(answer.log_receipt, self.stored_deal(found.key))
            return answer
        if found.stage is not Stage.OPENED:
            raise RefusedError(ErrorReason.ERROR_REASON_ABORTED, "the round was aborted before its deal")
        everything = read_seeds(opened, found.key, request, contributed)
        now = self._check_time(opened, found)
        dealt, append = self._deal_of(found, opened, everything, now=now, contributed=len(contributed))
        if dealt is None:
            yield append
            self._parts.on_ended()
            raise RefusedError(ErrorReason.ERROR_REASON_ABORTED, "its seeds give no deck; the round is void")
        deal, leaf = dealt
        answer = self._answer(opened, deal, leaf)  # before the append, which this thread waits for
        logged = yield append
        if logged.is_repeat:
            answer = self._answer(opened, deal, parse_deal(logged.leaf))
        fill_receipt(answer.log_receipt, logged)
        return answer

    def _answer(self, opened: OpenLeaf, deal: Deal, leaf: DealLeaf) -> shuffler_pb2.DealRoundResponse:
        """Return the answer for a deal and its DEAL leaf; its log receipt is still empty."""
        hands = leaf.opened_sections
        answer = shuffler_pb2.DealRoundResponse(
            certificate=self.certify(opened, deal, hands, leaf=leaf),
            dealt_time=leaf.dealt_time,
        )
        fill_leader(answer, read_lead(leaf.leader, leaf.leader_by))
        for hand in hands:
            answer.hands.add(seat=hand, cards=deal.numbers[hand])
        return answer

    def is_lost(self, found: Slot, opened: OpenLeaf) -> bool:
        """Return whether a round has not ended and this server has lost the round's ruleset."""
        ruleset = self._parts.header_maker.catalogue.find(opened.header.ruleset_digest)
        return ruleset is None and not found.stage.is_terminal

    def require_ruleset(self, found: Slot, opened: OpenLeaf) -> None:
        """Refuse the call if the round has not ended and this server has lost its ruleset."""
        if self.is_lost(found, opened):
            raise lost_refusal(opened.header)

    def _keep(
        self,
        found: Slot,
        opened: OpenLeaf,
        request: shuffler_pb2.DealRoundRequest,
        contributed: Sequence[Contribution],
    ) -> None:
        """Keep the seeds of a request to deal a round that cannot be dealt now; do nothing once the round is dealt."""
        if found.stage is not Stage.OPENED:
            return
        self._check_time(opened, found)
        for one in given_contributions(opened, found.key, request, contributed):
            contribute(self._parts.writer, one)

    def contribute(
        self, key: SlotKey, request: shuffler_pb2.ContributeSeedRequest
    ) -> Appending[Sequence[Contribution]]:
        """Keep a seat's seed and return all kept seeds. The last one deals the round, or aborts it as void."""
        return self.with_seeds(key, partial(self._contribute, request))

    def _contribute(
        self,
        request: shuffler_pb2.ContributeSeedRequest,
        found: Slot,
        opened: OpenLeaf,
        contributed: Sequence[Contribution],
    ) -> Appending[Sequence[Contribution]]:
        one = read_contribution(opened, found.key, request)
        kept = next((other for other in contributed if other.seat == one.seat), None)
        if kept is not None:
            _check_kept(kept, one)
        everything = contributed if kept is not None else (*contributed, one)
        if self._is_ready(found, opened, everything):  # also if the last seed came while the ruleset was lost
            dealt, append = self._deal_of(
                found,
                opened,
                everything,
                now=self._check_time(opened, found),
                contributed=len(contributed),
                last=one if kept is None else None,
            )
            yield append
            if dealt is None:
                self._parts.on_ended()
            return everything
        if kept is None:
            self._check_time(opened, found)
            kept = contribute(self._parts.writer, msgspec.structs.replace(one, contributed=len(contributed)))
            _check_kept(kept, one)
        self.require_ruleset(found, opened)
        return everything

    def _is_ready(self, found: Slot, opened: OpenLeaf, contributed: Sequence[Contribution]) -> bool:
        """Return whether a round is to be dealt now: not dealt or ended yet, all seeds there, its ruleset not lost."""
        is_whole = not missing_seats(opened.header.seat_count, contributed)
        return found.stage is Stage.OPENED and is_whole and not self.is_lost(found, opened)

    def _deal_of(  # noqa: PLR0913 - all that a DEAL is made of
        self,
        found: Slot,
        opened: OpenLeaf,
        everything: Sequence[Contribution],
        *,
        now: int,
        contributed: int,
        last: Contribution | None = None,
    ) -> tuple[tuple[Deal, DealLeaf] | None, Append]:
        """Return the deal of a round, its DEAL leaf and the append of that; None and an ABORT's append if it is void.

        ``everything`` has each seat's seed, and ``contributed`` is the number of kept ones. ``last`` is a further seed
        that the append keeps with the leaf.
        """
        signer = self._parts.signer
        by_seat = sorted(everything, key=lambda one: one.seat)
        seeds = tuple([one.seed.hex() for one in by_seat])
        signatures = tuple([one.signature.hex() for one in by_seat])
        try:
            deal = deal_of(opened, self._parts.sealing_key, [one.seed for one in by_seat])
        except StreamUsedUpError:
            return None, abort_of(
                found, "VOID", client_seeds=seeds, contributed=contributed, now=now, signer=signer, seed=last
            )
        ruleset = self._parts.header_maker.catalogue.of_digest(opened.header.ruleset_digest)
        lead = find_lead(opened.header, ruleset, deal, winner=found.winner)
        leaf = DealLeaf(
            client_seeds=seeds,
            dealt_time=now,
            deck_root=deal.deck_root.hex(),
            mix=deal.mixed.hex(),
            opened_sections=_opened_sections(opened, deal, ruleset),
            round_id=deal.round_id.hex(),
            cosigned_checkpoint=self._cosigned_checkpoint(found, now=now),
            leader=msgspec.UNSET if lead is None else lead[0],
            leader_by=msgspec.UNSET if lead is None else lead[1],
            seed_signatures=signatures if any(signatures) else msgspec.UNSET,
        )
        return (deal, leaf), Append(
            leaf=sign_leaf(leaf, signer),
            step=DealStep(found.key, round_id=deal.round_id, deck_root=deal.deck_root),
            request_digest=deal.mixed,
            contributed=contributed,
            seed=last,
            time=now,
        )

    def _cosigned_checkpoint(self, found: Slot, *, now: int) -> str | msgspec.UnsetType:
        """Return the newest cosigned checkpoint, in hexadecimal, if it proves when the round was opened; else UNSET.

        It must contain the round's OPEN, and its witnesses' times must lie between the OPEN's time and ``now``.
        """
        cosigned = self._parts.reader.newest_cosigned() if self._parts.has_witnesses else None
        if cosigned is None or len(cosigned.note) > MAX_NOTE_SIZE:
            return msgspec.UNSET
        open_index = next(mark.index for mark in self._parts.reader.marks(found.key) if mark.kind is StepKind.OPEN)
        times = [1000 * time for time in claimed_times(Note.parse(cosigned.note))]
        is_timely = all(is_between(time, opened=found.newest_time, dealt=now) for time in times)
        return cosigned.note.hex() if cosigned.size > open_index and is_timely else msgspec.UNSET

    def _check_time(self, opened: OpenLeaf, found: Slot) -> int:
        """Return the time that a leaf of the round gets now; refuse an undealt round whose deal deadline is past."""
        now, deadline = leaf_time(self._parts.clock(), floor=found.newest_time), opened.header.deal_deadline
        if found.stage is Stage.OPENED and is_past(deadline, time=now):
            message = f"the round was to be dealt by {deadline} and it is {now}; abort it"
            raise deadline_refusal(ErrorReason.ERROR_REASON_DEADLINE_PASSED, message, deadline=deadline, now=now)
        return now

    def derive(self, key: SlotKey, opened: OpenLeaf) -> tuple[Deal, DealLeaf]:
        """Derive the deal of a dealt round from its DEAL leaf; return the deal and the leaf."""
        leaf = self.deal_leaf(key)
        return self._derive(opened, leaf), leaf

    def _derive(self, opened: OpenLeaf, leaf: DealLeaf) -> Deal:
        seeds = [bytes.fromhex(seed) for seed in leaf.client_seeds]
        return deal_of(opened, self._parts.sealing_key, seeds)

    def certify(
        self,
        opened: OpenLeaf,
        deal: Deal,
        sections: Sequence[int],
        *,
        leaf: DealLeaf,
        unsealed_times: Mapping[int, int] = MappingProxyType({}),
    ) -> bytes:
        """Return a signed certificate that shows these sections of a deal, and the times of those opened later."""
        return certificate.issue(
            deal,
            opened.header,
            sections=sections,
            dealt_time=leaf.dealt_time,
            signer=self._parts.signer,
            lead=read_lead(leaf.leader, leaf.leader_by),
            is_sealed=opened.is_sealed,
            unsealed_times=unsealed_times,
        )

    def stored_deal(self, key: SlotKey) -> Logged:
        """Return the DEAL leaf of a dealt round with its receipt."""
        mark = next(mark for mark in self._parts.reader.marks(key) if mark.kind is StepKind.DEAL)
        return self._parts.reader.logged(mark.index)

    def ended_waiting(self, key: SlotKey) -> Logged | None:
        """Return the leaf that ended a round's wait for seeds, its DEAL or else its ABORT; None while it waits."""
        taken = {mark.kind: mark.index for mark in self._parts.reader.marks(key)}
        index = taken.get(StepKind.DEAL, taken.get(StepKind.ABORT))
        return None if index is None else self._parts.reader.logged(index)

    def deal_leaf(self, key: SlotKey) -> DealLeaf:
        """Return the contents of the DEAL leaf of a dealt round."""
        mark = next(mark for mark in self._parts.reader.marks(key) if mark.kind is StepKind.DEAL)
        return parse_deal(self._parts.reader.leaf(mark.index))


def _opened_sections(opened: OpenLeaf, deal: Deal, ruleset: Ruleset) -> tuple[int, ...]:
    """Return the sections that the frontend sees from the deal on: all hands, or none on a sealed table.

    On a sealed table all hands are open too if one of them ends the round at once.
    """
    game, seat_count = GAMES[ruleset.game], opened.header.seat_count
    hands = tuple(game.layout(seat_count).hands)
    if not opened.is_sealed:
        return hands
    with under_ruleset(ruleset.id, ruleset.version):
        is_won = game.later.opens_at_deal(ruleset.rules, deal.sections[:seat_count])
    return hands if is_won else ()


def _check_kept(kept: Contribution, one: Contribution) -> None:
    """Refuse a contribution with another seed than the one that is kept for its seat."""
    if kept.seed != one.seed:
        raise RefusedError(
            ErrorReason.ERROR_REASON_ALREADY_CONTRIBUTED, f"seat {one.seat} has contributed another seed", field="seed"
        )


def parse_deal(leaf: bytes) -> DealLeaf:
    """Read the contents of a DEAL leaf; its signature is not verified, so it must come from this log."""
    return read_leaf(leaf, DealLeaf)

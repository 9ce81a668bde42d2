"""Steps of a round that are the same in every game: prepare, open, deal, settle, abort, reveal, each verified.

A step is idempotent, so repeat a step whose answer was lost. Each answer is compared with the request, with earlier
answers and with the log; a difference raises VerificationError. The header must have the terms, and OPEN must have the
header, the commitments and the tokens. DEAL must mix the seats' own seeds, and certificates must open cards of that
deal. A receipt must be of the event that was sent. SETTLE must have the course that was played and follow from it by
the rules. The revealed seed must deal every known card again.
"""

from collections.abc import Sequence
from typing import Final, Generic

from referee.cards import Card, Seat
from referee.dealing.commitment import client_commitment, seed_statement, server_commitment
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.lead import dealt_leader, read_lead
from referee.dealing.leaf import (
    ABORT_TYPE,
    DEAL_TYPE,
    OPEN_TYPE,
    REVEAL_TYPE,
    AbortLeaf,
    DealLeaf,
    OpenLeaf,
    RevealLeaf,
)
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import is_signature
from referee.games import LeaderBy
from referee.transcript.inputs import MEDIA_TYPE, InputReceipt, Inputs, TranscriptError
from referee.transcript.inputs import parse as parse_transcript
from referee.transcript.replay import replay
from referee.v1 import log_pb2, shuffler_pb2
from referee_client import clock
from referee_client.cards import cards_of
from referee_client.checks import fail, read_leaf, read_transfers, same
from referee_client.errors import RoundLapsesError, WrongSecretsError
from referee_client.lapse import is_decided
from referee_client.playing import PlayedRound
from referee_client.state import Outcome, Revealed, RoundMessage, Settled, Stage
from referee_client.terms import read_header, round_request
from referee_client.trust import Proved

OPERATOR: Final = shuffler_pb2.ABORT_REASON_OPERATOR


class AsyncRound(PlayedRound[RoundMessage], Generic[RoundMessage, Outcome]):
    """A round, for asyncio: ``open``, ``deal``, play, ``settle``, ``reveal``, in this order; each may be repeated.

    ``AsyncClient.game`` makes it. Each step verifies the server's answer, and raises VerificationError if it is false.
    """

    async def prepare(self) -> bytes:
        """Fetch the header and return the round id, which seats commit to their seeds under; nothing is written yet."""
        state = self.state
        asked = shuffler_pb2.PrepareRoundRequest(terms=state.terms.write(seat_keys=state.seat_keys))
        state.asked_time = state.asked_time or clock.now()
        answer = await self._session.line.ask(
            "referee.v1.ShufflerService/PrepareRound", asked, shuffler_pb2.PrepareRoundResponse
        )
        header = read_header(answer.header)
        believed = await self._session.believed()
        state.terms.check(header, seat_keys=state.seat_keys, origin=believed.origin)
        if answer.round_id != header.round_id:
            fail("the round id is not the hash of the header")
        self._take_header(header, answer.header)
        self._reach(Stage.PREPARED)
        return header.round_id

    async def open(
        self, *, sealed: bool = False, commitments: Sequence[bytes] = (), seat_tokens: Sequence[bytes] = ()
    ) -> Proved:
        """Open the round; return its OPEN leaf with the terms, the server's commitment and the seats' commitments.

        If every seat plays through this client, its secrets make the commitments. If players keep their secrets
        elsewhere, give the ``commitments``, and on a sealed table the hashes of the ``seat_tokens``, of all seats in
        order. ``sealed`` hides the hands from this frontend.
        """
        state = self.state
        if state.header is None:
            await self.prepare()
        if state.opened is None:
            own = [state.secrets[seat] for seat in sorted(state.secrets)]
            is_whole = len(own) == state.terms.seats
            state.commitments = list(commitments) or (
                [one.seed_commitment(self.round_id) for one in own] if is_whole else []
            )
            state.tokens = list(seat_tokens) or ([one.token_hash(self.round_id) for one in own] if sealed else [])
            await self._save()
        request = shuffler_pb2.OpenRoundRequest(
            header=state.header_message, client_commitments=state.commitments, seat_tokens=state.tokens
        )
        answer = await self._session.line.ask(
            "referee.v1.ShufflerService/OpenRound", request, shuffler_pb2.OpenRoundResponse
        )
        proved = await self._proved(answer.log_receipt, OPEN_TYPE, role="shuffler")
        leaf = read_leaf(proved, OpenLeaf)
        expected = [one.hex() for one in state.commitments] or [""] * state.terms.seats
        same("the opened header", leaf.header, self.header)
        same("the header answered", answer.header, state.header_message)
        same("the seats' commitments in OPEN", list(leaf.client_commitments), expected)
        same("the seat tokens in OPEN", list(leaf.seat_tokens or ()), [one.hex() for one in state.tokens])
        same("the server's commitment", answer.server_commitment.hex(), leaf.server_commitment)
        state.opened, state.open_leaf = answer, proved
        self._reach(Stage.OPENED)
        await self._compare("OPEN", leaf.opened_time, since=state.asked_time)
        return proved

    async def join(self, number: int = 0) -> Proved:
        """Join a round that another frontend opened, by number or 0 for the latest; return its OPEN leaf.

        It takes the round's deal too if it was dealt. Players use it who do not run the frontend themselves. Raise
        WrongSecretsError if OPEN does not have the commitments of this client's secrets. The log has no events before
        the settlement: get them from the frontend and ``adopt`` them. A frontend that lost its memory uses the client's
        ``resume``.
        """
        request = round_request(self.table, number)
        answer = await self._session.line.ask(
            "referee.v1.LogService/GetTableRound", request, log_pb2.GetTableRoundResponse
        )
        return await self._take_logged(answer)

    async def _take_logged(self, answer: log_pb2.GetTableRoundResponse) -> Proved:
        """Take a round's OPEN from the log, and its DEAL if the round was dealt; verify both."""
        state = self.state
        header = read_header(answer.header)
        believed = await self._session.believed()
        state.terms.check(header, seat_keys=state.seat_keys, origin=believed.origin)
        proved = await self._proved(answer.leaves[0], OPEN_TYPE, role="shuffler")
        leaf = read_leaf(proved, OpenLeaf)
        same("the opened header", leaf.header, header)
        state.commitments = (
            [bytes.fromhex(one) for one in leaf.client_commitments] if any(leaf.client_commitments) else []
        )
        state.tokens = [bytes.fromhex(one) for one in leaf.seat_tokens or ()]
        for seat, own in state.secrets.items():
            if state.commitments:
                _require_own(seat, "seed", state.commitments[seat], own.seed_commitment(header.round_id))
            if state.tokens:
                _require_own(seat, "token", state.tokens[seat], own.token_hash(header.round_id))
        self._take_header(header, answer.header)
        state.opened = shuffler_pb2.OpenRoundResponse(
            header=answer.header,
            round_id=header.round_id,
            server_commitment=bytes.fromhex(leaf.server_commitment),
            log_receipt=answer.leaves[0],
        )
        state.open_leaf = proved
        self._reach(Stage.OPENED)
        await self._compare("OPEN", leaf.opened_time)
        if len(answer.leaves) > 1 and Envelope.parse(answer.leaves[1].leaf).payload_type == DEAL_TYPE:
            dealt = await self._proved(answer.leaves[1], DEAL_TYPE, role="shuffler")
            self._take_deal(read_leaf(dealt, DealLeaf), asked=())
            state.deal_leaf = dealt
            self._reach(Stage.DEALT)
            await self._compare("DEAL", state.dealt_time)
        return proved

    def check_seed(self, seat: int, seed: bytes, *, signature: bytes = b"") -> None:
        """Check the seed of a seat that keeps its secrets elsewhere, and the signature of a seat with a key.

        Raise WrongSecretsError if the seat did not commit to this seed, or the signature is not of it.
        """
        header, made = self.header, client_commitment(round_id=self.round_id, seat=Seat(seat), seed=seed)
        if made != self.state.commitments[seat]:
            raise WrongSecretsError(f"seat {seat} committed to another seed")
        statement = seed_statement(
            round_id=self.round_id,
            commitment=self.server_commitment,
            seat=Seat(seat),
            token_hash=self.state.tokens[seat] if self.is_sealed else b"",
            seed=seed,
        )
        key = header.seat_keys[seat]
        if any(key) and not is_signature(signature, statement, key):
            raise WrongSecretsError(f"the signature of the seed of seat {seat} does not verify")

    async def contribute(self, seat: int, *, seed: bytes = b"", signature: bytes = b"") -> list[int]:
        """Send a seat's seed to the shuffler; return the seats whose seeds are still missing.

        ``seed`` and ``signature`` are those of a seat that keeps its secrets elsewhere.
        """
        if not seed:
            secrets = self.secrets[seat]
            seed = secrets.seed
            signature = secrets.sign_seed(
                self.round_id, server_commitment=self.server_commitment, is_sealed=self.is_sealed
            )
        self.state.seeds_shown_time = self.state.seeds_shown_time or clock.now()
        request = shuffler_pb2.ContributeSeedRequest(round=self.ref, seat=seat, seed=seed, signature=signature)
        kind = shuffler_pb2.ContributeSeedResponse
        return list(
            (await self._session.line.ask("referee.v1.ShufflerService/ContributeSeed", request, kind)).missing_seats
        )

    async def deal(
        self, *, seeds: Sequence[bytes] = (), signatures: Sequence[bytes] = ()
    ) -> dict[int, tuple[Card, ...]]:
        """Deal the round; return the hands that this frontend may see, by seat; none on a sealed table.

        If every seat plays through this client, its secrets give the seeds and signatures. If players keep their
        secrets elsewhere, give the seeds and signatures of all seats in order, or neither if every seat called
        ``contribute``. With witnesses in the trust, the client sends no seed before a quorum of them has cosigned OPEN.
        """
        state, opened = self.state, self._opened
        if seeds:
            state.seeds, state.seed_signatures = list(seeds), list(signatures)
            await self._save()
        seeds, signatures = state.seeds, state.seed_signatures
        believed = await self._session.believed()
        if believed.quorum is not None and state.open_leaf is not None:
            await self._session.wait_cosigned(state.open_leaf.index + 1)
        own = [state.secrets[seat] for seat in sorted(state.secrets)]
        if not seeds and len(own) == state.terms.seats:
            seeds = [one.seed for one in own]
            signed = [
                one.sign_seed(self.round_id, server_commitment=opened.server_commitment, is_sealed=self.is_sealed)
                for one in own
            ]
            signatures = signed if any(signed) else []
            state.seeds_shown_time = state.seeds_shown_time or clock.now()
        request = shuffler_pb2.DealRoundRequest(round=self.ref, client_seeds=seeds, seed_signatures=signatures)
        answer = await self._session.line.ask(
            "referee.v1.ShufflerService/DealRound", request, shuffler_pb2.DealRoundResponse
        )
        proved = await self._proved(answer.log_receipt, DEAL_TYPE, role="shuffler")
        self._take_deal(read_leaf(proved, DealLeaf), asked=seeds)
        if state.deal_leaf is None:
            await self._compare("DEAL", state.dealt_time, since=state.seeds_shown_time or state.asked_time)
        state.deal_leaf = proved
        same("the leader", answer.leader if answer.HasField("leader") else None, self.leader)
        why = shuffler_pb2.LeaderBy.Name(answer.leader_by) if answer.HasField("leader_by") else None
        same("why it leads", why, self.leader_by and f"LEADER_BY_{self.leader_by}")
        same("the time of the deal", answer.dealt_time, state.dealt_time)
        await self._take_certificate(answer.certificate)
        self._check_hands(answer.hands)
        self._reach(Stage.DEALT)
        return self.hands

    async def open_hand(self, seat: int) -> tuple[Card, ...]:
        """Open a seat's own hand on a sealed table with the seat's token; return its cards in the order dealt."""
        request = shuffler_pb2.OpenHandRequest(round=self.ref, seat=seat, token=self.secrets[seat].token)
        answer = await self._session.line.ask(
            "referee.v1.ShufflerService/OpenHand", request, shuffler_pb2.OpenHandResponse
        )
        opened = await self._certified(answer.certificate)
        hand = opened.hand(Seat(seat))
        if hand is None or hand != cards_of(answer.hand.cards):
            fail(f"the certificate does not open the hand of seat {seat} that was dealt")
        self.state.private[seat] = answer.certificate, hand
        await self._save()
        return hand

    async def settle(self) -> Settled[Outcome]:
        """Settle the round; verify that its transcript is logged, has this client's events and follows from the rules.

        If the round cannot be settled yet, the result has ``violations``, and nothing was written. Raise
        RoundLapsesError for a resumed round whose settlement could leave out a move that the referee received.
        """
        async with self._turn():
            return await self._settle()

    async def _settle(self) -> Settled[Outcome]:
        self._require_going()
        await self._open_left()
        if (sent := self._sent_event()) is not None:
            await self._send_until_answered(sent)
            self._require_going()
        await self._require_moves()
        answer = await self.ask("SettleRound")
        if answer.violations:
            return Settled(violations=tuple(answer.violations))
        proved = await self._proved(answer.log_receipt, MEDIA_TYPE, role="referee")
        try:
            transcript = parse_transcript(proved.payload)
        except TranscriptError as error:
            fail(str(error))
        same("the settled round", transcript.round_id, self.round_id.hex())
        self._check_inputs(transcript.inputs)
        is_replayed = await self._is_replayed(transcript.inputs, proved.payload)
        transfers = read_transfers(bytes(transcript.results))
        paid = [(one.payer, one.payee, one.amount_minor, one.reason) for one in answer.outcome.transfers]
        same("the transfers", paid, [(one.payer, one.payee, one.amount, one.reason) for one in transfers])
        self._reach(Stage.SETTLED)
        return Settled(outcome=answer.outcome, receipt=proved, is_replayed=is_replayed)

    async def abort(self, *, reason: shuffler_pb2.AbortReason = OPERATOR) -> Proved:
        """Abort the round and return its ABORT leaf.

        The reason OPERATOR is allowed only before a seat's seed was received; afterwards a round can end only by its
        deadline.
        """
        request = shuffler_pb2.AbortRoundRequest(round=self.ref, reason=reason)
        answer = await self._session.line.ask(
            "referee.v1.ShufflerService/AbortRound", request, shuffler_pb2.AbortRoundResponse
        )
        proved = await self._proved(answer.log_receipt, ABORT_TYPE, role="shuffler")
        same("the aborted round", read_leaf(proved, AbortLeaf).round_id, self.round_id.hex())
        self._reach(Stage.ABORTED)
        return proved

    async def reveal(self) -> Revealed:
        """Reveal the server's seed of an ended round; verify the server's commitment and every known card with it.

        Afterwards the journal has no record of the round.
        """
        request = shuffler_pb2.RevealRoundRequest(round=self.ref)
        answer = await self._session.line.ask(
            "referee.v1.ShufflerService/RevealRound", request, shuffler_pb2.RevealRoundResponse
        )
        proved = await self._proved(answer.log_receipt, REVEAL_TYPE, role="")
        seed = bytes.fromhex(read_leaf(proved, RevealLeaf).server_seed)
        same("the revealed seed", answer.server_seed, seed)
        committed = server_commitment(round_id=self.round_id, seed=seed)
        same("what the revealed seed commits to", committed, self._opened.server_commitment)
        if not self.state.client_seeds:
            await self._end()
            return Revealed(seed, (), proved)
        try:
            deal = Deal.derive(self.header, server_seed=seed, client_seeds=self.state.client_seeds)
        except StreamUsedUpError as error:
            fail(f"a round that was dealt is void: {error}")
        same("the deck root dealt again", deal.deck_root, self.state.deck_root)
        for section, cards in self.state.sections.items():
            same(f"section {section} dealt again", deal.sections[section], cards)
        leader, by = self.state.lead or (None, None)
        if by is not None and by is not LeaderBy.WINNER:
            same("the leader by the deal made again", dealt_leader(self.header, deal, by), leader)
        await self._end()
        return Revealed(seed, deal.sections, proved)

    async def _end(self) -> None:
        self._reach(Stage.REVEALED)
        journal, table, number = self._session.journal, self.table, self.number
        if journal is not None:
            await self._session.line.run(lambda: journal.forget(table, number))

    async def _require_moves(self) -> None:
        """Raise RoundLapsesError if a timeout would replace a seat's move that may have been received and lost."""
        if not self.state.is_partial:
            return
        ruleset = await self._ruleset()
        if ruleset is None or not is_decided(self.state, ruleset, self.course):
            raise RoundLapsesError(
                "the round was resumed without a journal, and its moves alone do not decide it: a seat without one may "
                "have a receipt for it; take the missing moves, or the round lapses at its deadline, "
                f"{self.header.round_deadline}"
            )

    def _check_inputs(self, inputs: Inputs) -> None:
        state = self.state
        same("the settled header", inputs.header, self.header)
        same("the settled deal", (inputs.deck_root, inputs.dealt_time), (state.deck_root.hex(), state.dealt_time))
        same("the settled leader", read_lead(inputs.leader, inputs.leader_by), state.lead)
        for section, cards in enumerate(inputs.cards()):
            same(f"the settled section {section}", cards, state.sections.get(section, cards))
        course, given = self.course, self._given
        events = [(link.event, link.time, link.received) for link in course.links]
        same("the events settled", [(bytes(one.event), one.time, bool(one.received)) for one in inputs.events], events)
        signatures = [one.hex() for one in given.signatures] or [""] * self.header.seat_count
        same("the settled signatures", list(inputs.signatures), signatures)
        number = inputs.receipt.number if isinstance(inputs.receipt, InputReceipt) else 0
        same("the number of the settled receipt", number, course.received)
        opened = {section: one.time for one in inputs.unsealed for section in one.sections}
        same("the settled openings", opened, state.unsealed)

    async def _is_replayed(self, inputs: Inputs, payload: bytes) -> bool:
        ruleset = await self._ruleset()
        if ruleset is None:
            return False
        try:
            again = replay(inputs, ruleset)
        except TranscriptError as error:
            fail(f"the settlement does not follow from its inputs: {error}")
        same("the transcript made again", again.payload, payload)
        return True


def _require_own(seat: int, what: str, bound: bytes, made: bytes) -> None:
    """Raise WrongSecretsError unless the commitment in OPEN is the one that the seat's secrets make."""
    if bound != made:
        raise WrongSecretsError(
            f"these secrets are not those that the round was opened with: OPEN binds another {what} of seat {seat} "
            f"({bound.hex()}, and theirs gives {made.hex()}); give the secrets of that round, or none of this seat"
        )

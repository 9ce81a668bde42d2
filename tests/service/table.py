"""A round on stock stubs, in every game, played by players who compute every hash by themselves."""

from collections.abc import Sequence
from typing import Any, Final

from referee.v1 import log_pb2, mau_binh_pb2, money_pb2, shuffler_pb2
from tests.driver.messages import event_of, request_of, round_of
from tests.driver.player import Player
from tests.service.courses import is_timeout, payload_of, sign, steps_of, take
from tests.service.opening import open_round, opening
from tests.service.stubs import stub_of

RULESETS: Final = {
    "mau_binh": "mau_binh.classic",
    "tien_len": "tien_len.mien_nam",
    "ultimate_texas": "ultimate_texas.casino",
}


class Table:
    """One round on a server, played by such players. ``message`` is the round as a frontend reports it."""

    def __init__(  # noqa: PLR0913 - how a table is
        self,
        house: Any,  # noqa: ANN401 - the class of conftest
        game: str = "mau_binh",
        *,
        seats: int = 2,
        keyed: bool = True,
        sealed: bool = False,
        commits: bool = True,
        name: str = "",
        players: Sequence[Player] = (),
        **terms: Any,  # noqa: ANN401 - any field of RoundTerms
    ) -> None:
        self.house, self.game, self.keyed, self.sealed = house, game, keyed, sealed
        self.shuffler = house.shuffler
        self.name = name or f"{game}-{next(house._tables)}"  # noqa: SLF001 - a name that no other table has
        self.players = list(players) or [Player(self.name, seat) for seat in range(seats)]
        self.referee = stub_of(game, house.channel)
        fields: dict[str, Any] = {"ruleset_id": RULESETS[game], "seat_count": len(self.players)}
        if game == "ultimate_texas":
            fields["stake_minor"] = 2
            fields["seat_stakes"] = [money_pb2.SeatStake(bet_minor=20, side_bet_minor=4)] * seats
        if keyed:
            fields["seat_keys"] = [player.public_key for player in self.players]
        whole: dict[str, Any] = {"table_id": self.name, "currency": "VND", "stake_minor": 1000} | fields | terms
        prepared = self.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=shuffler_pb2.RoundTerms(**whole)))
        self.round_id: bytes = prepared.round_id
        self.request = opening(
            prepared.header,
            commitments=[player.seed_commitment(self.round_id) for player in self.players] if commits else [],
            tokens=[player.token_hash(self.round_id) for player in self.players] if sealed else [],
        )

    def open(self) -> "Table":
        """Open the round."""
        self.opened = open_round(self.shuffler, self.request)
        self.header = self.opened.header
        return self

    @property
    def slot(self) -> dict[str, Any]:
        """What names the round in a request."""
        return {"round": self.header.round}

    def contribution(self, seat: int, **changes: Any) -> shuffler_pb2.ContributeSeedRequest:  # noqa: ANN401 - any field
        """Return the request by which a seat contributes its seed."""
        player = self.players[seat]
        commitment, is_sealed = self.opened.server_commitment, self.sealed
        signed = player.sign_seed(self.round_id, commitment, is_sealed=is_sealed) if self.keyed else b""
        fields = {**self.slot, "seat": seat, "seed": player.seed, "signature": signed}
        return shuffler_pb2.ContributeSeedRequest(**fields | changes)

    def contribute(self, *seats: int) -> list[int]:
        """Contribute the seeds of these seats, or of all; return the seats still missing."""
        missing: list[int] = []
        for seat in seats or range(len(self.players)):
            missing = list(self.shuffler.ContributeSeed(self.contribution(seat)).missing_seats)
        return missing

    def deal_request(self) -> shuffler_pb2.DealRoundRequest:
        """Return the request that deals from the seeds in it, signed by every seat with a key."""
        commitment = self.opened.server_commitment
        signed = [player.sign_seed(self.round_id, commitment, is_sealed=self.sealed) for player in self.players]
        signed = signed if self.keyed else []
        seeds = [player.seed for player in self.players]
        return shuffler_pb2.DealRoundRequest(**self.slot, client_seeds=seeds, seed_signatures=signed)

    def deal(self, request: shuffler_pb2.DealRoundRequest | None = None) -> "Table":
        """Deal the round from seeds that each seat contributes, or as a request says."""
        if request is None:
            self.contribute()
        self.dealt = self.shuffler.DealRound(request or shuffler_pb2.DealRoundRequest(**self.slot))
        self.message = round_of(self.game, header=self.header, certificates=[self.dealt.certificate])
        return self

    def play(self) -> "Table":
        """Open and deal the round."""
        return self.open().deal()

    def open_hand(self, seat: int, *, token: bytes | None = None) -> shuffler_pb2.OpenHandResponse:
        """Open a seat's own hand with its token."""
        token = self.players[seat].token if token is None else token
        return self.shuffler.OpenHand(shuffler_pb2.OpenHandRequest(**self.slot, seat=seat, token=token))

    @property
    def deck_root(self) -> bytes:
        """The deck root, as the certificate of the deal says."""
        return bytes.fromhex(payload_of(self.dealt.certificate)["deck_root"])

    def asking(self, method: str, **fields: Any) -> Any:  # noqa: ANN401 - a request of the game
        """Return the request of a method that every game has, with the round as it is."""
        has_round = "round" in request_of(self.game, method).DESCRIPTOR.fields_by_name
        return request_of(self.game, method, **({"round": self.message} if has_round else {}) | fields)

    def event(self, seat: int, **choice: Any) -> Any:  # noqa: ANN401 - an event of the game
        """Make an event; True means a choice without fields. A seat with a key has seen the whole round."""
        event = event_of(self.game, seat=seat, **{name: value for name, value in choice.items() if value is not True})
        for name in [name for name, value in choice.items() if value is True]:
            getattr(event, name).SetInParent()
        if self.keyed and not event.HasField("seen") and not is_timeout(event):
            event.seen = len(self.message.events)
        return event

    def sign(self, event: Any) -> bytes:  # noqa: ANN401 - an event of the game
        """Sign an event as its seat, as the seat's next; empty for a seat without a key and for TIMEOUT."""
        is_signed = self.keyed and event.HasField("seen")
        return sign(self.message, event, self.players[event.seat].key) if is_signed else b""

    def ask(self, event: Any, signature: bytes | None = None) -> Any:  # noqa: ANN401 - an answer of the game
        """Ask to accept an event, signed by its seat unless a signature is given; keep it if it is accepted."""
        signature = self.sign(event) if signature is None else signature
        answer = self.referee.AcceptEvent(self.asking("AcceptEvent", event=event, signature=signature))
        if answer.event_number:
            take(self.message, answer.event, receipt=answer.receipt, signature=signature)
        return answer

    def accept(self, seat: int, **choice: Any) -> Any:  # noqa: ANN401 - an answer of the game
        """Ask to accept a lawful event, signed if the seat has a key."""
        answer = self.ask(self.event(seat, **choice))
        assert answer.event_number, answer
        return answer

    def report(self, seat: int, **choice: Any) -> None:  # noqa: ANN401 - any event
        """Append an event of this moment without asking the referee, signed if the seat has a key."""
        event = self.event(seat, time=self.house.clock.now, **choice)
        take(self.message, event, signature=self.sign(event))

    def section_request(self) -> shuffler_pb2.OpenSectionRequest:
        """Return the request that opens what the last event opens."""
        return shuffler_pb2.OpenSectionRequest(**self.slot, steps=steps_of(self.message), receipt=self.message.receipt)

    def open_section(self) -> shuffler_pb2.OpenSectionResponse:
        """Open the section that the last event's receipt names; keep the new certificate."""
        answer = self.shuffler.OpenSection(self.section_request())
        self.message.certificates[:] = [answer.certificate]
        return answer

    def arrangement(self, seat: int, cards: Sequence[int]) -> dict[str, Any]:
        """Return the choice that opens a seat's commitment to cards in the order back, middle, front."""
        return {
            "arrange": mau_binh_pb2.Arrangement(back=cards[:5], middle=cards[5:10], front=cards[10:]),  # type: ignore[arg-type] # numbers
            "nonce": self.players[seat].nonce,
        }

    def commit(self, seat: int, cards: Sequence[int]) -> Any:  # noqa: ANN401 - an answer of the game
        """Have a seat commit to cards in the order back, middle, front."""
        committed = mau_binh_pb2.Commit(commitment=self.players[seat].commitment(self.round_id, cards))
        return self.accept(seat, commit=committed)

    def settle(self) -> Any:  # noqa: ANN401 - an answer of the game
        """Settle the round, or return the violations."""
        return self.referee.SettleRound(self.asking("SettleRound"))

    def preview(self) -> Any:  # noqa: ANN401 - an answer of the game
        """Preview the settlement."""
        return self.referee.PreviewRound(self.asking("PreviewRound"))

    def abort(self, reason: shuffler_pb2.AbortReason = shuffler_pb2.ABORT_REASON_DEADLINE) -> Any:  # noqa: ANN401 - the answer
        """Abort the round."""
        return self.shuffler.AbortRound(shuffler_pb2.AbortRoundRequest(**self.slot, reason=reason))

    def reveal(self) -> shuffler_pb2.RevealRoundResponse:
        """Wait for the server's seed to be revealed."""
        return self.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(**self.slot))

    def find(self) -> log_pb2.GetTableRoundResponse:
        """Find the stage and leaves of the round in the log."""
        return self.house.log.GetTableRound(log_pb2.GetTableRoundRequest(**self.slot))

    def leaves(self) -> list[dict[str, Any]]:
        """Return the payloads of the round's leaves in order."""
        return [payload_of(one.leaf) for one in self.find().leaves]

"""A table of the demo: opens and deals rounds of any game, and prints the parts that all games share."""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
from rich.console import Console
from rich.table import Table as Grid

from referee.cards import Seat
from referee.cli.show import short_hash
from referee.dealing.commitment import client_commitment
from referee.rulesets import Ruleset
from referee.v1 import money_pb2, round_pb2, shuffler_pb2, shuffler_pb2_grpc

NAMES: Final = ("An", "Bình", "Chi", "Dũng", "Giang", "Hà")
STAKE: Final = 1000
CURRENCY: Final = "CHIP"
HOUSE_NAME: Final = "Nhà cái"
HOUSE_SEAT: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of the demo: the channel to the server, the ruleset, and the console to print on.

    ``played`` lists the rounds as values for JSON, in the order played.
    """

    channel: grpc.Channel
    ruleset: Ruleset
    seat_count: int
    console: Console
    played: list[dict[str, Any]] = field(default_factory=list)

    @property
    def table_id(self) -> str:
        """Name of the table in the log."""
        return f"demo.{self.ruleset.id}"

    @property
    def names(self) -> Sequence[str]:
        """Names of the players, by seat."""
        return NAMES[: self.seat_count]

    @property
    def shuffler(self) -> shuffler_pb2_grpc.ShufflerServiceStub:
        """Stub of the shuffler."""
        return shuffler_pb2_grpc.ShufflerServiceStub(self.channel)

    def name_of(self, seat: int) -> str:
        """Return the name of a seat's player, or the house's name."""
        return HOUSE_NAME if seat == HOUSE_SEAT else NAMES[seat]

    def word(self, code: str) -> str:
        """Return the Vietnamese name of a code in the ruleset's data, or the code itself if it has none."""
        tables = [self.ruleset.names.get("reason", {}), *self.ruleset.names.values()]
        return next((names[code].vi for names in tables if code in names), code)

    def deal(
        self, *, stronger: bool, seat_stakes: Sequence[money_pb2.SeatStake] = ()
    ) -> tuple[shuffler_pb2.OpenRoundResponse, shuffler_pb2.DealRoundResponse]:
        """Open, deal and print the table's next round; with ``stronger`` every seat commits to its seed beforehand."""
        terms = shuffler_pb2.RoundTerms(
            table_id=self.table_id,
            ruleset_id=self.ruleset.id,
            seat_count=self.seat_count,
            currency=CURRENCY,
            stake_minor=self.ruleset.bet_unit if seat_stakes else STAKE,
            seat_stakes=seat_stakes,
        )
        seeds = [secrets.token_bytes(32) for _ in self.names]
        shuffler = self.shuffler
        if stronger:
            prepared = shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms))
            commitments = [
                client_commitment(round_id=prepared.round_id, seat=Seat(seat), seed=seed)
                for seat, seed in enumerate(seeds)
            ]
            request = shuffler_pb2.OpenRoundRequest(header=prepared.header, client_commitments=commitments)
        else:
            request = shuffler_pb2.OpenRoundRequest(terms=terms)
        opened = shuffler.OpenRound(request)
        dealt = shuffler.DealRound(shuffler_pb2.DealRoundRequest(round=opened.header.round, client_seeds=seeds))
        self._print_deal(opened, dealt, stronger=stronger)
        number = int(opened.header.round.round_number)
        self.played.append({"table": self.table_id, "ruleset": self.ruleset.id, "round": number})
        return opened, dealt

    def print_settlement(self, transfers: Sequence[money_pb2.Transfer], receipt: round_pb2.LogReceipt) -> None:
        """Print the transfers and the settlement's leaf, and add them to ``played``."""
        self.played[-1] |= {
            "leaf": int(receipt.leaf_index),
            "transfers": [
                {"payer": one.payer, "payee": one.payee, "amount_minor": one.amount_minor, "reason": one.reason}
                for one in transfers
            ],
        }
        self.console.print(self._transfer_grid(transfers))
        digest = hashlib.sha256(receipt.leaf).digest()
        size = receipt.checkpoint.splitlines()[1]
        self.console.print(
            f"[dim]SETTLE is leaf {receipt.leaf_index}, envelope {short_hash(digest)}, proved by "
            f"{len(receipt.inclusion_proof)} hashes to a tree of {size} leaves[/]\n"
        )

    def _print_deal(
        self, opened: shuffler_pb2.OpenRoundResponse, dealt: shuffler_pb2.DealRoundResponse, *, stronger: bool
    ) -> None:
        path = (
            "every seat committed to its seed, every event has a receipt"
            if stronger
            else "seeds in one call, times are the frontend's word"
        )
        title = self.ruleset.title
        header = opened.header
        self.console.rule(f"[bold]{title.vi}[/] · round {header.round.round_number}")
        self.console.print(
            f"[dim]{title.en}\n"
            f"round {short_hash(opened.round_id)} · stake {header.stake_minor:,} {header.currency} · {path}\n"
            f"OPEN is leaf {opened.log_receipt.leaf_index}: server commitment "
            f"{short_hash(opened.server_commitment)} · DEAL is leaf {dealt.log_receipt.leaf_index}[/]"
        )

    def _transfer_grid(self, transfers: Sequence[money_pb2.Transfer]) -> Grid:
        pairs: dict[tuple[int, int], list[money_pb2.Transfer]] = {}
        for transfer in transfers:
            pairs.setdefault((transfer.payer, transfer.payee), []).append(transfer)
        grid = Grid.grid(padding=(0, 1))
        for (payer, payee), paid in pairs.items():
            reasons = ", ".join(f"{self.word(one.reason)}{self._about(one)} {one.amount_minor:,}" for one in paid)
            total = sum(one.amount_minor for one in paid)
            grid.add_row(
                f"  {self.name_of(payer)} → {self.name_of(payee)}", f"{total:,} {CURRENCY}", f"[dim]{reasons}[/]"
            )
        return grid

    def _about(self, transfer: money_pb2.Transfer) -> str:
        return f" ({self.word(transfer.subject)})" if transfer.subject else ""


def report(request: Any, played: Any, *, time: int, accept: Callable[[Any], Any] | None) -> None:  # noqa: ANN401 - messages of any game
    """Add the event of an AcceptEvent request to the round: as ``accept`` returns it with a receipt, or at a time."""
    event = request.event
    if accept is not None:
        accepted = accept(request)
        event, played.receipt = accepted.event, accepted.receipt
    else:
        event.time = time
    played.events.append(event)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoGame:
    """The demo of one game.

    ``seat_counts`` are numbers of seats, which the tables of its rulesets take in turn. ``play(table, *, stronger)``
    plays and prints one round; with ``stronger`` every seat commits to its seed and every event gets a receipt.
    """

    name: str
    seat_counts: tuple[int, ...]
    play: Callable[..., None]

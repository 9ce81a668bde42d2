"""A table of the demo: opens and deals rounds of any game through the SDK, and prints what all games share."""

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from referee_client import Bet, Client, Terms
from referee_client.sync import Round
from rich.console import Console
from rich.table import Table as Grid

from referee.cli.show import short_hash
from referee.dealing.leaf import OpenLeaf, read_leaf
from referee.rulesets import Ruleset
from referee.v1 import money_pb2

NAMES: Final = ("An", "Bình", "Chi", "Dũng", "Giang", "Hà")
STAKE: Final = 1000
CURRENCY: Final = "CHIP"
HOUSE_NAME: Final = "Nhà cái"
HOUSE_SEAT: Final = 255

AnyRound = TypeVar("AnyRound", bound=Round[Any, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoTable:
    """One table of the demo: the client of the server, the ruleset, and the console to print on.

    ``played`` lists the rounds as values for JSON, in the order played.
    """

    client: Client
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

    def name_of(self, seat: int) -> str:
        """Return the name of a seat's player, or the house's name."""
        return HOUSE_NAME if seat == HOUSE_SEAT else NAMES[seat]

    def word(self, code: str) -> str:
        """Return the Vietnamese name of a code in the ruleset's data, or the code itself if it has none."""
        tables = [self.ruleset.names.get("reason", {}), *self.ruleset.names.values()]
        return next((names[code].vi for names in tables if code in names), code)

    def terms(self, *, bets: Sequence[Bet] = ()) -> Terms:
        """Return the terms of the table's next round; with ``bets`` the stake is the ruleset's betting unit."""
        return Terms(
            table=self.table_id,
            ruleset=self.ruleset.id,
            seats=self.seat_count,
            currency=CURRENCY,
            stake=self.ruleset.bet_unit if bets else STAKE,
            bets=bets,
        )

    def seeds(self) -> list[bytes]:
        """Make a seed of 32 bytes for each seat."""
        return [secrets.token_bytes(32) for _ in self.names]

    def deal(self, game: AnyRound) -> AnyRound:
        """Open and deal a round, print it and return it; seats without secrets send new seeds, which OPEN lacks."""
        opened = game.open()
        game.deal(seeds=() if game.secrets else self.seeds())
        if game.deal_receipt is not None:
            self.print_deal(opened.leaf, open_index=opened.index, deal_index=game.deal_receipt.index)
        return game

    def settle(self, game: Round[Any, Any], *shown: Callable[[Any], Any]) -> None:
        """Settle a round and reveal its seed; print what each function makes of the outcome, then the payments."""
        settled = game.settle()
        outcome = settled.result
        for show in shown:
            self.console.print(show(outcome))
        if settled.receipt is not None:
            receipt = settled.receipt
            self.print_settlement(
                outcome.transfers, leaf=receipt.leaf, index=receipt.index, size=receipt.checkpoint.size
            )
        game.reveal()

    def print_deal(self, leaf: bytes, *, open_index: int, deal_index: int) -> None:
        """Print a dealt round from its OPEN leaf and the indices of OPEN and DEAL; add the round to ``played``."""
        opened = read_leaf(leaf, OpenLeaf)
        header, title = opened.header, self.ruleset.title
        path = "every seat committed to its seed" if any(opened.client_commitments) else "seeds in one call"
        self.console.rule(f"[bold]{title.vi}[/] · round {header.round_number}")
        self.console.print(
            f"[dim]{title.en}\n"
            f"round {short_hash(header.round_id)} · stake {header.stake:,} {header.currency} · {path}\n"
            f"OPEN is leaf {open_index}: server commitment "
            f"{short_hash(bytes.fromhex(opened.server_commitment))} · DEAL is leaf {deal_index}[/]"
        )
        self.played.append({"table": self.table_id, "ruleset": self.ruleset.id, "round": header.round_number})

    def print_settlement(self, transfers: Sequence[money_pb2.Transfer], *, leaf: bytes, index: int, size: int) -> None:
        """Print the transfers and the SETTLE leaf at its index of a log of this size; add both to ``played``."""
        self.played[-1] |= {
            "leaf": index,
            "transfers": [
                {"payer": one.payer, "payee": one.payee, "amount_minor": one.amount_minor, "reason": one.reason}
                for one in transfers
            ],
        }
        self.console.print(self._transfer_grid(transfers))
        digest = hashlib.sha256(leaf).digest()
        self.console.print(
            f"[dim]SETTLE is leaf {index}, envelope {short_hash(digest)}, proved in a tree of {size} leaves[/]\n"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoGame:
    """The demo of one game.

    ``seat_counts`` are numbers of seats, which the tables of its rulesets take in turn. ``play(table, *, stronger)``
    plays and prints one round; with ``stronger`` OPEN has every seat's commitment to its seed.
    """

    name: str
    seat_counts: tuple[int, ...]
    play: Callable[..., None]

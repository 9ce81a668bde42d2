"""Plays rounds through real services on loopback and shows them as a person would want to see them."""

import contextlib
import hashlib
import json
import random
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import grpc
import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table as Grid
from rich.text import Text as Line

from referee.cards import Seat
from referee.cli.audit import audit_folder
from referee.cli.bots import BOT_NAMES, arrange
from referee.cli.show import card_line, short_hash, signed
from referee.dealing.commitment import client_commitment
from referee.rulesets import Ruleset, get
from referee.v1 import (
    mau_binh_pb2,
    mau_binh_pb2_grpc,
    money_pb2,
    round_pb2,
    ruleset_pb2,
    ruleset_pb2_grpc,
    shuffler_pb2,
    shuffler_pb2_grpc,
)

START_SECONDS = 20
STAKE = 1000
CURRENCY = "CHIP"


class DemoError(RuntimeError):
    """The server of the demo did not start."""


@contextlib.contextmanager
def running_server(data: Path) -> Iterator[str]:
    """The address of a server started for the block, on a free loopback port, with its data in the folder."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--listen", "127.0.0.1:0", "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        try:
            line = process.stdout.readline() if process.stdout else ""
            try:
                yield json.loads(line)["address"]
            except json.JSONDecodeError:
                msg = f"the server did not say where it listens; run it alone to see why: {' '.join(command[2:])}"
                raise DemoError(msg) from None
        finally:
            process.terminate()
            process.wait(START_SECONDS)


@dataclass(frozen=True, slots=True)
class Services:
    """Stubs of the services that the demo uses."""

    rulesets: ruleset_pb2_grpc.RulesetServiceStub
    shuffler: shuffler_pb2_grpc.ShufflerServiceStub
    mau_binh: mau_binh_pb2_grpc.MauBinhServiceStub

    @classmethod
    def at(cls, channel: grpc.Channel) -> "Services":
        """Stubs on a channel."""
        return cls(
            ruleset_pb2_grpc.RulesetServiceStub(channel),
            shuffler_pb2_grpc.ShufflerServiceStub(channel),
            mau_binh_pb2_grpc.MauBinhServiceStub(channel),
        )


def play_mau_binh(
    services: Services,
    ruleset: ruleset_pb2.Ruleset,
    *,
    seat_count: int,
    rounds: int,
    console: Console,
    luck: random.Random,
) -> None:
    """Plays some rounds at one table and prints each; the last one takes the stronger, longer path."""
    table_id = f"demo.{ruleset.ruleset_id}"
    names = BOT_NAMES[:seat_count]
    for number in range(1, rounds + 1):
        terms = shuffler_pb2.RoundTerms(
            table_id=table_id,
            ruleset_id=ruleset.ruleset_id,
            seat_count=seat_count,
            currency=CURRENCY,
            stake_minor=STAKE,
        )
        stronger = number == rounds
        seeds = [secrets.token_bytes(32) for _ in names]
        opened = _open(services, terms, seeds=seeds, commit=stronger)
        dealt = services.shuffler.DealRound(
            shuffler_pb2.DealRoundRequest(
                table_id=table_id, round_number=opened.header.round_number, client_seeds=seeds
            )
        )
        played = mau_binh_pb2.MauBinhRound(header=opened.header, certificates=[dealt.certificate])
        _print_opening(console, opened, dealt, ruleset=ruleset, stronger=stronger)
        _play_events(services, played, dealt, names=names, luck=luck, receipts=stronger)
        preview = services.mau_binh.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=played))
        settled = services.mau_binh.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=played))
        _print_showdown(console, preview, settled, ruleset=get(ruleset.ruleset_id), names=names)


def _open(
    services: Services, terms: shuffler_pb2.RoundTerms, *, seeds: Sequence[bytes], commit: bool
) -> shuffler_pb2.OpenRoundResponse:
    if not commit:
        return services.shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms))
    prepared = services.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms))
    commitments = [
        client_commitment(round_id=prepared.round_id, seat=Seat(seat), seed=seed) for seat, seed in enumerate(seeds)
    ]
    return services.shuffler.OpenRound(
        shuffler_pb2.OpenRoundRequest(header=prepared.header, client_commitments=commitments)
    )


def _play_events(  # noqa: PLR0913 - one table's whole play
    services: Services,
    played: mau_binh_pb2.MauBinhRound,
    dealt: shuffler_pb2.DealRoundResponse,
    *,
    names: Sequence[str],
    luck: random.Random,
    receipts: bool,
) -> None:
    for hand in dealt.hands[: len(names)]:
        arrangement = arrange(services.mau_binh, played, seat=hand.seat, hand=hand.cards, luck=luck)
        event = mau_binh_pb2.MauBinhEvent(seat=hand.seat, arrange=arrangement)
        if receipts:
            accepted = services.mau_binh.AcceptEvent(
                mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=played, event=event)
            )
            if not accepted.event_number:  # an instant win has ended the round
                return
            played.events.append(accepted.event)
        else:
            answer = services.mau_binh.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=played))
            if not answer.violations and not answer.showdown.chi:
                return
            event.time = dealt.dealt_time
            played.events.append(event)


def _print_opening(
    console: Console,
    opened: shuffler_pb2.OpenRoundResponse,
    dealt: shuffler_pb2.DealRoundResponse,
    *,
    ruleset: ruleset_pb2.Ruleset,
    stronger: bool,
) -> None:
    path = (
        "every seat committed to its seed, every event has a receipt"
        if stronger
        else "seeds in one call, the frontend's word for times"
    )
    console.rule(f"[bold]{ruleset.name.vi}[/] · {ruleset.name.en} · round {opened.header.round_number}")
    console.print(
        f"[dim]round {short_hash(opened.round_id)} · stake {opened.header.stake_minor:,} {opened.header.currency} · "
        f"{path}\nOPEN is leaf {opened.log_receipt.leaf_index}: server commitment "
        f"{short_hash(opened.server_commitment)} · DEAL is leaf {dealt.log_receipt.leaf_index}[/]"
    )


def _print_showdown(
    console: Console,
    preview: mau_binh_pb2.MauBinhServicePreviewRoundResponse,
    settled: mau_binh_pb2.MauBinhServiceSettleRoundResponse,
    *,
    ruleset: Ruleset,
    names: Sequence[str],
) -> None:
    console.print(_showdown_grid(preview, settled, names=names))
    console.print(_transfer_grid(settled, ruleset=ruleset, names=names))
    receipt = settled.log_receipt
    digest = hashlib.sha256(receipt.leaf).hexdigest()[:8]
    console.print(
        f"[dim]SETTLE is leaf {receipt.leaf_index}, transcript {digest}…, proved by {len(receipt.inclusion_proof)} "
        f"hashes to a tree of {_tree_size(receipt)} leaves[/]\n"
    )


def _transfer_grid(
    settled: mau_binh_pb2.MauBinhServiceSettleRoundResponse, *, ruleset: Ruleset, names: Sequence[str]
) -> Grid:
    """Who pays whom in all, and what for."""
    pairs: dict[tuple[int, int], list[money_pb2.Transfer]] = {}
    for transfer in settled.outcome.transfers:
        pairs.setdefault((transfer.payer, transfer.payee), []).append(transfer)
    grid = Grid.grid(padding=(0, 1))
    for (payer, payee), transfers in pairs.items():
        reasons = ", ".join(
            f"{ruleset.names['reason'][one.reason].vi}{_about(one, ruleset)} {one.amount_minor:,}" for one in transfers
        )
        total = sum(one.amount_minor for one in transfers)
        grid.add_row(f"  {names[payer]} → {names[payee]}", f"{total:,} {CURRENCY}", f"[dim]{reasons}[/]")
    return grid


def _about(transfer: money_pb2.Transfer, ruleset: Ruleset) -> str:
    for table in ("category", "pattern", "walkover"):
        name = ruleset.names.get(table, {}).get(transfer.subject)
        if name is not None:
            return f" ({name.vi})"
    return ""


def _showdown_grid(
    preview: mau_binh_pb2.MauBinhServicePreviewRoundResponse,
    settled: mau_binh_pb2.MauBinhServiceSettleRoundResponse,
    *,
    names: Sequence[str],
) -> Grid:
    grid = Grid(show_lines=True)
    grid.add_column("", no_wrap=True)
    chi = preview.showdown.chi
    for shown in chi:
        grid.add_column(f"{shown.name.vi} · {shown.name.en}\n[dim]{shown.seconds} s[/]", no_wrap=True)
    if not chi:
        grid.add_column("bài · hand", no_wrap=True)
    grid.add_column("tổng kết · summary", justify="right", no_wrap=True)
    for result, summary in zip(settled.outcome.seats, preview.showdown.summary, strict=True):
        cells = [_shown(shown.hands[result.seat]) for shown in chi]
        if not chi:
            held = result.arrangement
            cells = [card_line([*held.back, *held.middle, *held.front])]
        grid.add_row(_who(names[result.seat], winner=result.winner), *cells, _total(summary))
    return grid


def _who(name: str, *, winner: bool) -> Line:
    return Line(f"★ {name}" if winner else f"  {name}", style="bold" if winner else "")


def _shown(shown: mau_binh_pb2.ShownHand) -> Line:
    if not shown.cards:
        return Line.assemble(("rời bàn\nleft ", "dim"), signed(-shown.units_lost))
    won, lost = int(shown.units_won), int(shown.units_lost)
    return Line.assemble(
        card_line(shown.cards),
        "\n",
        shown.name.vi,
        (f" {shown.name.en} ", "dim"),
        signed(won - lost),
        (f" (+{won} -{lost})" if won and lost else "", "dim"),
    )


def _total(summary: mau_binh_pb2.ShownSummary) -> Line:
    lines = [Line.assemble(signed(summary.net_minor), (f" {CURRENCY}", "dim"))]
    if summary.instant_win:
        lines.append(Line(f"{summary.instant_win_name.vi} · {summary.instant_win_name.en}", style="yellow"))
    if summary.fouled:
        lines.append(Line("binh lủng · fouled", style="yellow"))
    if summary.added_units:
        lines.append(Line.assemble(("sập, lủng · sweep, foul ", "dim"), signed(summary.added_units)))
    return Line("\n").join(lines)


def _tree_size(receipt: round_pb2.LogReceipt) -> int:
    return int(receipt.checkpoint.splitlines()[1])


def demo(
    *,
    rounds: Annotated[int, typer.Option(help="Rounds of each ruleset.", min=1, max=1000)] = 2,
    data: Annotated[Path | None, typer.Option("--data", help="A folder to keep; a new one otherwise.")] = None,
    seed: Annotated[int | None, typer.Option(help="Makes the bots' choices repeatable; the deals never are.")] = None,
) -> None:
    """Play rounds of each ruleset through real services on loopback, then audit the log they left."""
    console = Console()
    folder = data or Path(tempfile.mkdtemp(prefix="referee-demo-"))
    luck = random.Random(seed)  # noqa: S311 - the bots' taste, never a deal
    with running_server(folder) as address, grpc.insecure_channel(address) as channel:
        _print_title(console, address=address, data=folder)
        services = Services.at(channel)
        rulesets = services.rulesets.ListRulesets(ruleset_pb2.ListRulesetsRequest()).rulesets
        for index, ruleset in enumerate(one for one in rulesets if one.game == "mau_binh"):
            play_mau_binh(services, ruleset, seat_count=4 - index % 3, rounds=rounds, console=console, luck=luck)
    console.rule("[bold]audit")
    raise typer.Exit(audit_folder(folder, console=console))


def _print_title(console: Console, *, address: str, data: Path) -> None:
    console.print(
        Panel(
            f"A referee and a shuffler are serving on {address}, with separate keys and one log in {data}.\n"
            "Bots play over gRPC: open, deal, arrange, settle. Afterwards the log is audited from its bytes alone.",
            title="Referee",
        )
    )

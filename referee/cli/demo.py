"""``referee demo``: rounds played through real services on loopback, shown, then audited."""

import contextlib
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

import grpc
import typer
from rich.console import Console
from rich.panel import Panel

from referee.cli import table_mau_binh, table_tien_len, table_ultimate_texas
from referee.cli.audit import audit_folder
from referee.cli.table import Services, Table
from referee.rulesets import load_builtin

START_SECONDS: Final = 20

PLAYERS: Final[Mapping[str, Callable[..., None]]] = {
    "mau_binh": table_mau_binh.play,
    "tien_len": table_tien_len.play,
    "ultimate_texas": table_ultimate_texas.play,
}
"""How a round of each game is played."""

SEAT_COUNTS: Final[Mapping[str, tuple[int, ...]]] = {
    "mau_binh": (4, 3, 2),
    "tien_len": (4, 3, 2),
    "ultimate_texas": (3, 4),
}
"""Seats at the tables of each game, table after table."""


class DemoError(RuntimeError):
    """The server of the demo did not start."""


@contextlib.contextmanager
def running_server(data: Path) -> Iterator[str]:
    """Start a server on a free loopback port with its data in the folder; yield its address."""
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
        for table in _tables(services, console, luck):
            for number in range(rounds):
                PLAYERS[table.ruleset.game](table, stronger=number == rounds - 1)
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


def _tables(services: Services, console: Console, luck: random.Random) -> Iterator[Table]:
    """Yield a table for each ruleset, with different numbers of seats."""
    for game, seat_counts in SEAT_COUNTS.items():
        rulesets = [ruleset for ruleset in load_builtin() if ruleset.game == game]
        for index, ruleset in enumerate(rulesets):
            seat_count = seat_counts[index % len(seat_counts)]
            yield Table(services=services, ruleset=ruleset, seat_count=seat_count, console=console, luck=luck)

"""``referee demo``: rounds played through real services on loopback, shown, then audited."""

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from referee_client import Client
from rich.console import Console
from rich.panel import Panel

from referee.cli import demo_mau_binh, demo_tien_len, demo_ultimate_texas
from referee.cli.audit import audit_folder, print_audit, report_of
from referee.cli.command import Commands
from referee.cli.demo_table import DemoGame, DemoTable
from referee.cli.options import FOUND, AsJson, RulesetFolder, catalogue_of, fail, print_json
from referee.cli.paper import paper
from referee.games import GAMES, Registry
from referee.rulesets import Catalogue

app = Commands()

START_SECONDS: Final = 20
ADVICE_SECONDS: Final = 300
"""How long the server may work out advice: the machine may be slow, and the demo is the only caller."""

DEMOS: Final[Registry[DemoGame]] = Registry(
    "referee.demos", lambda: (demo_mau_binh.DEMO, demo_tien_len.DEMO, demo_ultimate_texas.DEMO)
)
"""Demos by game: three built-in demos and those of installed packages, from the entry points ``referee.demos``."""


@contextlib.contextmanager
def running_server(data: Path, *, rulesets: Path | None = None) -> Iterator[str]:
    """Start a server on a free loopback port with its data in the folder; yield its address."""
    command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--listen", "127.0.0.1:0", "--quiet"]
    command += ["--set", f"advice.seconds={ADVICE_SECONDS}"]
    command += [] if rulesets is None else ["--rulesets", str(rulesets)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        try:
            line = process.stdout.readline() if process.stdout else ""
            try:
                yield json.loads(line)["address"]
            except json.JSONDecodeError:
                fail(f"the server did not start, for the reason above; its command was: {' '.join(command[2:])}")
        finally:
            process.terminate()
            process.wait(START_SECONDS)


@app.command(examples=["referee demo", "referee demo --rounds 20 --data demo-data", "referee demo --rounds 1 --json"])
def demo(
    *,
    rounds: Annotated[int, typer.Option(help="Rounds of each ruleset.", min=1, max=1000)] = 2,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", help="A folder to keep; a new one otherwise.")
    ] = None,
    rulesets: RulesetFolder = None,
    as_json: AsJson = False,
) -> None:
    """Play rounds of each ruleset through real services on loopback, then audit the log they left.

    With --json the answer is one object: the data folder, the settled rounds, and the audit's report.
    """
    console = Console(quiet=True) if as_json else paper()
    catalogue = catalogue_of(rulesets)
    folder = data or Path(tempfile.mkdtemp(prefix="referee-demo-"))
    played = _play(console, catalogue, folder, rounds=rounds, rulesets=rulesets)
    report, log = audit_folder(folder, catalogue=catalogue)
    if as_json:
        print_json({"data": str(folder), "rounds": played, "audit": report_of(report, log)})
    else:
        console.rule("[bold]audit")
        print_audit(console, report, log)
    raise typer.Exit(0 if report.is_clean else FOUND)


def _play(
    console: Console, catalogue: Catalogue, folder: Path, *, rounds: int, rulesets: Path | None
) -> list[dict[str, Any]]:
    """Play rounds of each ruleset on a new server and return a list of them; end the command if it does not start."""
    played: list[dict[str, Any]] = []
    with running_server(folder, rulesets=rulesets) as address, Client(address, timeout=ADVICE_SECONDS) as client:
        console.print(
            Panel(
                f"A referee and a shuffler are serving on {address}, with separate keys and one log in {folder}.\n"
                "Bots play through the SDK: open, deal, play, settle, reveal. Then the log is audited from its bytes.",
                title="Referee",
            )
        )
        for game, table in _tables(client, console, catalogue):
            for number in range(rounds):
                game.play(table, stronger=number == rounds - 1)
            played += table.played
    return played


def _tables(client: Client, console: Console, catalogue: Catalogue) -> Iterator[tuple[DemoGame, DemoTable]]:
    """Yield a table for each ruleset of a game with a demo, in turn with its numbers of seats; name the other games."""
    for name, law in GAMES.items():
        game = DEMOS.get(name)
        if game is None:
            console.print(f"[yellow]{law.title} has no demo: no installed package has it in referee.demos[/]")
            continue
        for index, ruleset in enumerate([ruleset for ruleset in catalogue if ruleset.game == name]):
            seat_count = game.seat_counts[index % len(game.seat_counts)]
            yield game, DemoTable(client=client, ruleset=ruleset, seat_count=seat_count, console=console)

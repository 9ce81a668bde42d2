"""``referee replay``: replay one round from its inputs, and deal its deck again from its seeds."""

from pathlib import Path
from typing import Annotated

import msgspec
import orjson
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Column
from rich.table import Table as Grid

from referee.audit.course import attestation_of
from referee.cards import HOUSE
from referee.cli.command import Commands
from referee.cli.options import FOUND, Database, DataFolder, RulesetFolder, catalogue_of, fail
from referee.cli.paper import paper
from referee.cli.show import card_line, event_line, shown, time_text
from referee.dealing.deal import Deal
from referee.dealing.leaf import DealLeaf, RevealLeaf, read_leaf
from referee.evidence.canonical import unhex
from referee.evidence.dsse import Envelope
from referee.evidence.outside import OutsideError, read_json
from referee.evidence.printable import printable, readable
from referee.finding import first_difference
from referee.games import game_of
from referee.log import StepKind
from referee.money import Transfer
from referee.rulesets import Catalogue
from referee.transcript.inputs import Inputs, Transcript
from referee.transcript.inputs import parse as parse_transcript
from referee.transcript.replay import replay as replay_inputs

app = Commands()


@app.command(examples=["referee replay acme.vip-7 42", "referee replay --file transcript.json"])
def replay(  # noqa: PLR0913 - one parameter an option
    table_id: Annotated[str, typer.Argument(metavar="TABLE", help="The table; left out with --file.")] = "",
    round_number: Annotated[
        int, typer.Argument(metavar="ROUND", help="The round; 0 for the table's latest.", min=0)
    ] = 0,
    *,
    data: DataFolder = Path("referee-data"),
    database: Database = None,
    file: Annotated[
        Path | None, typer.Option(help="A SETTLE leaf or a bare transcript in a file.", exists=True, dir_okay=False)
    ] = None,
    rulesets: RulesetFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the replayed transcript and nothing else.")] = False,
) -> None:
    """Replay one round from its inputs and compare it with the transcript.

    Exit code 0 if they are equal, 1 if they differ, 2 if there is no such round.
    """
    catalogue = catalogue_of(rulesets)
    if file is not None:
        leaves = {StepKind.SETTLE: file.read_bytes().strip()}  # --json ends its line
    elif table_id:
        from referee.cli.stored_log import find_round, stored_log  # noqa: PLC0415 - the extra server

        with stored_log(data, database) as reader:
            found = find_round(reader, table_id, round_number)
            leaves = {mark.kind: reader.leaf(mark.index) for mark in reader.marks(found.key)}
    else:
        fail("name a table, or a file with --file")
    try:
        settled = leaves[StepKind.SETTLE]
        is_bare = settled.startswith(b'{"format"')  # a transcript without an envelope
        payload = settled if is_bare else Envelope.parse(settled).payload
        transcript = parse_transcript(payload)
        ruleset = catalogue.of_digest(unhex(transcript.inputs.header.ruleset_digest_hex))
        again = replay_inputs(transcript.inputs, ruleset)
    except KeyError:
        fail("the round is not settled, so there is nothing to replay")
    if as_json:
        typer.echo(printable(again.payload.decode()))
        raise typer.Exit(0 if again.payload == payload else FOUND)
    console = paper()
    _print_inputs(console, transcript, catalogue)
    same = _print_equality(console, "replay(inputs) == transcript", payload, again.payload)
    if StepKind.REVEAL in leaves:
        dealt = _redealt(transcript.inputs, leaves)
        given = orjson.dumps(transcript.inputs.sections)
        same &= _print_equality(
            console, "redeal(OPEN, DEAL, REVEAL) == the cards of the inputs", given, orjson.dumps(dealt)
        )
    else:
        console.print("[yellow]the seed is not revealed here, so the deck was not dealt again[/]")
    raise typer.Exit(0 if same else FOUND)


def _redealt(given: Inputs, leaves: dict[StepKind, bytes]) -> list[list[int]]:
    """Deal again from the seeds; return the card numbers of the sections that the transcript has."""
    dealt = read_leaf(leaves[StepKind.DEAL], DealLeaf)
    revealed = read_leaf(leaves[StepKind.REVEAL], RevealLeaf)
    deal = Deal.derive(
        given.read_header(),
        server_seed=unhex(revealed.server_seed),
        client_seeds=[unhex(seed) for seed in dealt.client_seeds],
    )
    return [[card.number for card in section] for section in deal.sections[: len(given.sections)]]


def _print_inputs(console: Console, transcript: Transcript, catalogue: Catalogue) -> None:
    given = transcript.inputs
    header = given.header
    ruleset = catalogue.of_digest(header.ruleset_digest)
    console.rule(f"[bold]{shown(header.table_id)}[/] · round {header.round_number}")
    title = escape(readable(f"{ruleset.title.vi} · {ruleset.title.en}"))
    console.print(
        f"{title} ({shown(header.ruleset_id)} {shown(header.ruleset_version)})\n"
        f"[dim]round {shown(transcript.round_id)}\nstake {header.stake:,} {shown(header.currency)}, "
        f"dealt {time_text(given.dealt_time)}, closed {time_text(given.closed_time)}[/]"
    )
    names = [f"seat {seat}" for seat in range(header.seat_count)]
    names += [name.replace("_", ", ") for name in game_of(header.ruleset_id).layout(len(names)).names]
    cards = Grid("section", "cards")
    for index, section in enumerate(given.sections):
        cards.add_row(names[index] if index < len(names) else f"section {index}", card_line(section))
    console.print(cards)
    events = Grid("#", "seat", Column("event", overflow="fold"), "s after the deal", "attested", "opens sections")
    opened = {one.number: ", ".join(map(str, one.sections)) for one in given.unsealed}
    for number, event in enumerate(given.events, 1):
        after = f"{(event.time - given.dealt_time) / 1000:,.3f}"
        seat, words = event_line(bytes(event.event))
        events.add_row(str(number), seat, words, after, attestation_of(event), opened.get(number, ""))
    console.print(events)
    paid = Grid("from", "to", "amount", "reason", "about")
    for one in _transfers_in(bytes(transcript.results)):
        paid.add_row(_who(one.payer), _who(one.payee), f"{one.amount:,}", shown(one.reason), shown(one.subject))
    console.print(paid)


class _Results(msgspec.Struct):
    transfers: tuple[Transfer, ...]


def _transfers_in(results: bytes) -> tuple[Transfer, ...]:
    """Read the transfers of a transcript's results; none of results that no law wrote, which are compared below."""
    try:
        return read_json(results, _Results).transfers
    except OutsideError:
        return ()


def _who(seat: int) -> str:
    return "house" if seat == HOUSE else str(seat)


def _print_equality(console: Console, claim: str, given: bytes, found: bytes) -> bool:
    """Print whether two texts are equal, or else their first difference; return whether they are equal."""
    if given == found:
        console.print(f"[bold green]✓[/] {claim}")
        return True
    console.print(f"[bold red]✗[/] {claim}")
    difference = first_difference(given, found)
    if difference is not None:
        columns = ("first difference at", "in the transcript", "replayed")
        grid = Grid(*[Column(name, overflow="fold") for name in columns])
        grid.add_row(shown(difference.path), shown(difference.claimed), shown(difference.found))
        console.print(grid)
    else:
        console.print("  the same values, but in other than canonical form")
    return False
